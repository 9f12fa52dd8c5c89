#!/usr/bin/env bash
# Without settings `fit` finds the number of forces that act on few outputs, says what it compared, and remains reproducible,
# interruptible and resumable.
set -u

rooms=$(cd "$(dirname "$0")/../../examples/rooms" && pwd)/rooms.csv
. "$(dirname "$0")/../support/support.sh"
contains() { grep -qF -- "$2" "$1"; }
# The number of forces of a model file, and its numbers without the record of the fit.
forces() { grep -c '"kernel": "matern32"' "$1"; }
numbers() { sed '/"provenance"/,$d' "$1"; }

# ---- rooms, heated by two forces ----
cp "$rooms" rooms.csv
count='selection: number of forces'
expensive='an evaluation is too expensive for a comparison'
lf fit rooms.csv -o rooms.json 2>notes.txt
check "rooms: two forces" equal "$(forces rooms.json)" 2
check "rooms: by a comparison" decided '^ode1, 2 matern32 forces; largest score, .* of 4 shapes' rooms.json "$count"
check "rooms: there is no table" test "$(grep -c 'log likelihood  ' notes.txt)" = 0
check "rooms: the model has the candidates" equal "$(grep -c '"score"' rooms.json)" 4
lf fit rooms.csv --forces auto -o auto.json 2>table.txt
check "auto compares them all" test "$(grep -c '^ode1' table.txt)" -ge 6
check "auto shows the table" grep -Eq '^ode1 +matern32 +matern12 +2 .* chosen$' table.txt
# The largest score is the chosen one's, six forces are the default, and the fit goes on from the winner. Its prior is that of the
# comparison and the prior of shares, which costs at most 1.9 for each of 8 sensitivities.
check "the chosen one has the largest score" awk '/^ode1/ { s = $8; if ($NF == "chosen") chosen = s; if (s > most) most = s; if ($4 == 6) usual = s }
    END { exit !(chosen == most && usual != "" && usual <= chosen) }' table.txt
score_of() { awk -F'[:,]' '/"log_likelihood"/ && !l { l = $2 } /"log_prior"/ && !p { p = $2 } /"parameters"/ && !k { k = $2 } END { printf "%.9f", l + p - k }' "$1"; }
check "the fit ends no lower, but for the prior of shares" awk -v fitted="$(sed -n '/"provenance"/,/"candidates"/p' rooms.json >record.txt; score_of record.txt)" '/ chosen$/ { exit !(fitted >= $8 - 8 * 1.9) }' table.txt
check "auto is the default" cmp <(numbers rooms.json) <(numbers auto.json)
lf fit rooms.csv --forces 2 --quiet -o two.json
check "a number that is given is not compared" equal "$(stage two.json "$count")$(grep -c '"candidates"' two.json)" 0
likelihood() { awk -F'[:,]' '/"log_likelihood"/ { print $2; exit }' "$1"; }
check "and ends at about the same likelihood" awk -v a="$(likelihood two.json)" -v b="$(likelihood rooms.json)" 'BEGIN { exit !(a - b < 1 && b - a < 1) }'
lf fit rooms.csv -o one_thread.json --threads 1 --quiet
check "another number of threads gives the same file" cmp rooms.json one_thread.json
check "quiet is quiet" test ! -s <(lf fit rooms.csv -o quiet.json --errors no --quiet 2>&1)

# ---- what a comparison respects ----
lf fit rooms.csv --fix 'force3.lengthscale=5' --max-iterations 5 --errors no --quiet -o fixed.json
check "a fixed parameter of force 3 needs three forces" test "$(forces fixed.json)" -ge 3
check "and keeps its value" grep -q '"lengthscale": 5[,.} ]' fixed.json
refused 1 "an unknown parameter is named as ever" "--fix kitchen.weight=3" -- fit -o refused.json rooms.csv --fix kitchen.weight=3
awk -F, 'NR == 1 || ($2 * 2) % 6 == 0' rooms.csv >few.csv
lf fit few.csv --engine dense --max-iterations 1 --errors no --no-posterior --quiet -o dense.json
check "few rows: compared by any engine" decided 'largest score' dense.json "$count"
awk -F, -v OFS=, 'NR == 1 { print; next } { print; $2 += 100; print }' rooms.csv >twice.csv
lf fit twice.csv --engine dense --max-iterations 1 --errors no --no-posterior --quiet -o dense.json
check "expensive: not compared, and it says so" decided "^6 forces.*; $expensive" dense.json "$count"
lf fit rooms.csv --engine lowrank --nodes mc --features 20 --max-iterations 1 --errors no --quiet -o features.json
check "approximations: not compared" equal "$(stage features.json "$count")" ''
awk -F, '$1 == "kitchen" || NR == 1' rooms.csv >kitchen.csv
lf fit kitchen.csv --max-iterations 5 --errors no --quiet -o kitchen.json
check "one output: nothing to compare" decided '^ode1, 1 matern12 force; .* of 1 shape in' kitchen.json "$count"

# ---- one and three forces ----
# simulated FORCES SEED: four outputs under so many forces.
simulated() {
    awk -v Q="$1" 'BEGIN {
        split("4 9 14", length_of); split("0.8 -0.4 0.6 0.9 -0.5 0.7 0.4 0.8 0.9 -0.3 -0.8 0.7", s); split("0.3 0.15 0.1 0.2", decay)
        printf "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\", \"forces\": ["
        for (q = 1; q <= Q; q++) printf "%s{\"kernel\": \"eq\", \"lengthscale\": %s}", (q > 1 ? ", " : ""), length_of[q]
        printf "], \"outputs\": ["
        for (d = 1; d <= 4; d++) {
            printf "%s{\"name\": \"s%d\", \"operator\": {\"type\": \"ode1\", \"decay\": %s}, \"noise_variance\": 0.02, \"sensitivity\": [", (d > 1 ? ", " : ""), d, decay[d]
            for (q = 1; q <= Q; q++) printf "%s%s", (q > 1 ? ", " : ""), s[3 * (d - 1) + q]
            printf "]}"
        }
        print "]}" }' >truth.json
    awk 'BEGIN { print "x"; for (i = 0; i < 100; i++) print i }' >times.csv
    lf simulate truth.json --at times.csv --seed "$2" -o simulated.csv
    lf fit simulated.csv --errors no --no-posterior --quiet -o simulated.json
    forces simulated.json
}
for seed in 1 2; do
    check "one force is found (seed $seed)" equal "$(simulated 1 $seed)" 1
    check "three forces are found (seed $seed)" equal "$(simulated 3 $seed)" 3
done

# ---- interruption ----
lf fit rooms.csv --errors no --quiet -o whole.json
lf fit rooms.csv --errors no --quiet --max-iterations 20 --checkpoint state.json --checkpoint-every 0.001 -o part.json
check "a checkpoint is resumed with more iterations" lf fit rooms.csv --errors no --quiet --checkpoint state.json --resume -o resumed.json
check "and ends at the same parameters" cmp <(numbers whole.json) <(numbers resumed.json)

# A fit long enough to be caught while numbers are compared.
awk -F, -v OFS=, 'NR == 1 { print; next } { for (i = 0; i < 20; i++) print $1, $2 + i / 41, $3 + 0.01 * ((7 * i) % 5), $4 }' rooms.csv >many.csv
"$program" fit many.csv --errors no --progress -o stopped.json 2>progress.txt &
pid=$!
for _ in $(seq 600); do
    grep -q '^candidate' progress.txt && break
    sleep 0.05
done
kill -INT $pid 2>/dev/null
wait $pid
status=$?
check "it was caught in the comparison" test "$(grep -c '^start' progress.txt)" = 0
check "Ctrl-C ends it in good order" equal $status 0
check "and keeps the best so far" lf score stopped.json many.csv
finish
