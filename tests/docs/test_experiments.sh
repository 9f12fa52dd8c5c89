#!/usr/bin/env bash
# The experiments run from end to end, on small simulated data that bear the names of the real ones.
set -u

. "$(dirname "$0")/../support/support.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
run="${LF_SOURCE_DIR:?}/experiments/run"

cat >truth.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero", "forces": [ { "kernel": "eq", "lengthscale": 0.4 } ],
  "outputs": [
    { "name": "Bramblemet", "operator": {"type": "ode1", "decay": 2}, "sensitivity": [2], "noise_variance": 0.01 },
    { "name": "Sotonmet", "operator": {"type": "ode1", "decay": 4}, "sensitivity": [3], "noise_variance": 0.01 },
    { "name": "Cambermet", "operator": {"type": "ode1", "decay": 3}, "sensitivity": [2], "noise_variance": 0.01 },
    { "name": "Chimet", "operator": {"type": "ode1", "decay": 1}, "sensitivity": [1], "noise_variance": 0.01, "offset": 15 } ] }
MODEL
awk 'BEGIN { print "x"; for (i = 0; i < 60; i++) print 5 * i / 59 }' >times.csv
mkdir data
lf simulate truth.json --at times.csv --seed 3 -o readings.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next }
    { print $0, ($1 == "Cambermet" && $2 > 1 && $2 < 1.6 || $1 == "Chimet" && $2 > 3 && $2 < 3.6) ? "test" : "train" }' readings.csv >data/weather.csv
options="--data data --program $program --output out --threads 1 --seeds 1"

check 'the covariance figure' "$run" covariance $options
check 'its exact matrix has the colour range of the paper' grep -q -- '-5.067365 to 38.702982' out/covariance.md
check 'uniform frequencies leave no error' awk -F'|' '$2 == 20 && $5 < 1e-11 { good = 1 } END { exit !good }' out/covariance.md

check 'windows of training rows' "$run" windows $options --sets weather --draws 2 --iterations 5 --setting '--forces 1' \
    --setting ''
check 'a line for each setting' awk -F'|' '$2 ~ /^ (`--forces 1`|none) $/ && $3 > 0 && $5 != "" { n++ } END { exit n != 2 }' out/windows-weather.md
check 'four windows are cut' awk -F, '$4 == "test" { n[$1]++ } END { exit length(n) != 4 }' out/windows/weather-1.csv
check 'at other times than each other' awk -F, '$4 == "test" && seen[$2]++ { bad = 1 } END { exit bad }' out/windows/weather-1.csv
check 'test rows are not even there' awk -F, 'NR == FNR { if ($4 == "test") test[$1, $2]; next } ($1, $2) in test { exit 1 }' \
    data/weather.csv out/windows/weather-1.csv

check_all || finish # whole experiments follow
check 'a table with the protocol of the paper' "$run" weather $options --iterations 2
check 'a line for each number of samples' awk -F'|' '$2 ~ /^ S = / && $3 == 1 { n++ } END { exit n != 4 }' out/weather.md
check 'the published figures are there' grep -q 'the paper, S = 50 | *| 0.08 | 1.1 ' out/weather.md
check 'data for the figures' test -s 'out/figures/weather-S10.csv'
check 'what was done is not done again' sh -c 'touch -d 2000-01-01 out/weather/*.model.json && "$@" && [ -z "$(find out/weather -name "*.model.json" -newermt 2001-01-01)" ]' \
    sh "$run" weather $options --iterations 2
check 'parts are joined' sh -c '"$@" && grep -q "^## Covariance" out/results.md && grep -q "^## Windows" out/results.md && grep -q "% of [0-9]* test rows and .* windows" out/results.md' sh "$run" assemble $options
check 'a folder without data is refused' sh -c '! "$0" walk --data nowhere --output out 2>message.txt && grep -q "nowhere/walk.csv" message.txt' "$run"
check 'so is a program that is not there' sh -c '! "$0" covariance --program nowhere --output out 2>message.txt && grep -q "no program .*nowhere" message.txt' "$run"

# A copy with other bytes has results of its own: equal programs must have equal scores without the help of the cache.
defaults="$LF_SOURCE_DIR/experiments/defaults.py"
cp "$program" copy && echo >>copy
short=(--options 'before=--restarts 1 --max-iterations 5' --options 'after=--restarts 1 --max-iterations 5')
check 'defaults of two programs' sh -c '"$@" >defaults.md 2>notes.txt' sh "$defaults" --program "before=$program" --program after=./copy \
    "${short[@]}" --sets unrelated,maps,house --draws 1 --alone --jobs 2 --cache results --data nowhere
check 'every fit was run' awk '/^defaults: note: [0-9]+ of / { n++ } END { exit n != 22 }' notes.txt
check 'a missing set is skipped with a note' grep -q 'house is skipped: there is no nowhere/house.csv' notes.txt
check 'equal programs differ by nothing' awk -F'|' '$5 == " after " && NF == 14 { n++; if ($11 != " +0.000 " || $12 != " +0.000 " || $13 != " 0 of 0 ") bad = 1 } END { exit bad || n != 6 }' defaults.md
check 'an output alone is compared' grep -q '^| unrelated: the unrelated output | gaps | 1 | 1 | after ' defaults.md
check 'results are kept' sh -c '"$@" >again.md 2>notes.txt && cmp again.md defaults.md && ! grep -q "[0-9] of " notes.txt' sh "$defaults" --program "before=$program" \
    --program after=./copy "${short[@]}" --sets unrelated,maps,house --draws 1 --alone --cache results --data nowhere
check 'an option makes another fit, a failure is told' sh -c '"$@" >failed.md 2>/dev/null && grep -q "^. after: unrelated 1 gaps: fit: latentforce: error" failed.md' sh "$defaults" \
    --program "before=$program" --program "after=$program" "${short[@]:0:2}" --options 'after=--forces none' --sets unrelated --draws 1 --cache results
finish
