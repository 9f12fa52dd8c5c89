#!/usr/bin/env bash
# Maps, by default: as many forces as outputs, at most three, and no prediction ten standard deviations off.
set -u

deposits=$(cd "$(dirname "$0")/../../examples/cokriging" && pwd)/deposits.csv
. "$(dirname "$0")/../support/support.sh"
forces() { grep -c '"kernel": "eq"' "$1"; }
# The largest |z| of held-out places.
largest() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } { z = $column["z"]; z = z < 0 ? -z : z; most = z > most ? z : most } END { print most + 0 }' "$1"; }
off_by_less() { awk -v z="$(largest "$1")" -v limit="$2" 'BEGIN { exit !(z > 0 && z < limit) }'; }

lf fit "$deposits" --errors no --quiet -o three.json
check "three outputs: three forces" equal "$(forces three.json)" 3
lf score three.json "$deposits" --rows three.csv --quiet >scores.txt
check "no prediction is ten standard deviations off" off_by_less three.csv 5
check "the error of gold" awk '$1 == "gold" { exit !($3 < 0.2) }' scores.txt
awk -F, 'NR == 1 || $1 != "gold"' "$deposits" >two.csv
lf fit two.csv --errors no --quiet --max-iterations 5 -o two.json
check "two outputs: two forces" equal "$(forces two.json)" 2
awk -F, 'NR == 1 || $1 == "gold"' "$deposits" >gold.csv
lf fit gold.csv --errors no --quiet -o one.json
check "one output: one force" equal "$(forces one.json)" 1
lf score one.json gold.csv --rows one.csv --quiet >scores.txt
check "25 places: no prediction is ten standard deviations off" off_by_less one.csv 5

# Three outputs of two random surfaces at few places. With one force and no prior of the noise a prediction was 37 standard deviations off.
awk 'function u() { state = (state * 16807) % 2147483647; return state / 2147483647 }
BEGIN { state = 8; for (i = 0; i < 20; i++) u(); print "output,x1,x2,y,split"
    for (k = 0; k < 24; k++) { a[k] = 12 * (u() + u() + u() - 1.5); b[k] = 12 * (u() + u() + u() - 1.5); c[k] = 6.2831853 * u() }
    for (d = 1; d <= 3; d++) { s = 0.4 + u(); t = u() - 0.5
        for (i = 0; i < 30; i++) { x = u(); y = u(); f = 0
            for (k = 0; k < 24; k++) f += (k < 12 ? s : t) * cos(a[k] * x + b[k] * y + c[k]) / 3.5
            printf "o%d,%.6f,%.6f,%.6f,%s\n", d, x, y, f + 0.05 * (u() + u() + u() - 1.5), i % 4 == 3 ? "test" : "train" } } }' >surfaces.csv
lf fit surfaces.csv --errors no --quiet -o surfaces.json
check "surfaces: three forces" equal "$(forces surfaces.json)" 3
lf score surfaces.json surfaces.csv --rows surfaces.z --quiet >scores.txt
check "surfaces: no prediction is ten standard deviations off" off_by_less surfaces.z 10
finish
