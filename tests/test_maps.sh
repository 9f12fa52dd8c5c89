#!/usr/bin/env bash
# Maps, by default: as many forces as outputs, at most three, and no prediction ten standard deviations off.
set -u

deposits=$(cd "$(dirname "$0")/../examples/cokriging" && pwd)/deposits.csv
. "$(dirname "$0")/support.sh"
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

# Few values of a surface that waves more than its places show, without noise: the model must not run through every value.
awk 'BEGIN { srand(1); print "output,x1,x2,y,split"
    for (d = 1; d <= 4; d++) for (i = 0; i < 30; i++) { x = (i * 0.6180339887 + d * 0.21) % 1; y = (i * 0.7548776662 + d * 0.37) % 1
        f = sin(9 * x + 2 * d) * cos(7 * y) + 0.5 * sin(17 * x * y + d)
        printf "o%d,%.6f,%.6f,%.6f,%s\n", d, x, y, f, i % 5 == 4 ? "test" : "train" } }' >waves.csv
lf fit waves.csv --errors no --quiet -o waves.json
check "four outputs: three forces" equal "$(forces waves.json)" 3
lf score waves.json waves.csv --rows waves.z --quiet >scores.txt
check "waves: no prediction is ten standard deviations off" off_by_less waves.z 10
finish
