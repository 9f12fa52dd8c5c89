#!/usr/bin/env bash
# Cycles: `fit` adds shared forces that repeat where the rows repeat, predicts better with them, says what it did, and leaves other series alone.
set -u

. "$(dirname "$0")/../support/support.sh"
contains() { grep -qF -- "$2" "$1"; }
# series SIZE STEP: two outputs every STEP hours over 10 days, a daily cycle of this size in different phases beside slow noise. A window of `a` and the last
# day are marked test.
series() {
    awk -v size="$1" -v step="$2" 'function uniform() { return (seed = (seed * 16807) % 2147483647) / 2147483647 }
        function normal(i, sum) { for (sum = -6; i < 12; i++) sum += uniform(); return sum }
        BEGIN {
            seed = 5; print "output,hours,y,split"
            for (i = 0; i < 240 / step; i++) {
                t = step * i; w = 6.283185307 * t / 24; common = 0.9 * common + normal() * 0.3
                a = 0.8 * a + 0.2 * normal(); b = 0.8 * b + 0.2 * normal()
                printf "a,%g,%.4f,%s\n", t, common + a + size * (sin(w) + 0.5 * cos(2 * w)) + 0.1 * normal(), ((t > 100 && t < 136) || t >= 216 ? "test" : "train")
                printf "b,%g,%.4f,%s\n", t, 0.5 * common + b + size * cos(w) + 0.1 * normal(), (t >= 216 ? "test" : "train")
            }
        }'
}
series 1 2 >daily.csv
series 0 2 >none.csv
error() { lf score "$1" "$2" --time-in h --quiet | awk '$1 == "(all)" { print $3 }'; }
quick="--errors no --time-in h"

cycles='selection: cycles'
lf fit daily.csv $quick --threads 1 --quiet -o found.json
check "a cycle is found and added" decided '^forces that repeat with 24 h; log likelihood' found.json "$cycles"
check "the model repeats" equal "$(grep -c '"period": 24' found.json)" 2
check "its forces are copies, for other phases" contains found.json '["force2.period", "force3.period"]'
lf fit daily.csv $quick --threads 2 --quiet -o two.json
check "another number of threads gives the same file" cmp found.json two.json
lf fit daily.csv $quick --period none --quiet -o plain.json
check "--period none: no search" equal "$(stage plain.json "$cycles")$(grep -c '"period"' plain.json)" 0
check "the cycle halves the error" awk "BEGIN { exit !($(error found.json daily.csv) < 0.5 * $(error plain.json daily.csv)) }"
lf fit daily.csv $quick --period 24h --forces 2 --quiet -o given.json
check "--period 24h: no search" equal "$(stage given.json "$cycles")$(grep -c '"period": 24' given.json)" 2
lf fit daily.csv $quick --period 24h --quiet -o given.json
check "--period 24h: the number of other forces is compared" decided '^ode1, [1-3] .* forces?; largest score' given.json 'selection: number of forces'
check "and chosen" equal "$(grep -c '{"kernel": "periodic' given.json)" 2
lf fit daily.csv $quick --force-kernel 'quasiperiodic(24h) + matern32' --forces 1 --max-iterations 5 --quiet -o formula.json
check "a kernel that repeats: no search" equal "$(stage formula.json "$cycles")" ''
lf fit daily.csv $quick --init found.json --max-iterations 5 --quiet -o again.json
check "--init: no search" equal "$(stage again.json "$cycles")" ''

lf fit none.csv $quick --threads 1 --quiet -o rough.json
check "no cycle: nothing is added" equal "$(stage rough.json "$cycles" | grep -c '^forces')$(grep -c '"period"' rough.json)" 00

series 1 0.3 >often.csv
lf fit often.csv $quick --engine dense --max-iterations 1 --no-posterior --forces 1 --quiet -o dense.json
check "expensive: not tried" decided '^no forces that repeat with 24 h; an evaluation is too expensive' dense.json "$cycles"
finish
