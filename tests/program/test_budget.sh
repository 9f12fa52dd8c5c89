#!/usr/bin/env bash
# The work of a fit: what is taken where the automatic choice would take too long, what an option keeps, and fits that begin with a part of the
# times. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

taken() { sed -n 's/.*"within_time": *"\([^"]*\)".*/\1/p' "$1"; }
first_rows() { sed -n 's/.*"first_rows": *\([0-9]*\).*/\1/p' "$1"; }
# Reports of stages say what was given and what was chosen.
without_command() { sed '/"stages": \[/,/^ *\]/d; s/"command": *\[[^]]*\],*//; /"command": *\[/,/\]/d; /"options": *\[.*\],$/d; /"within_time"/d' "$1"; }

# rows OUTPUTS TIMES UNEVEN [GROWTH]: a table of sums of waves, whose gaps may grow
rows() {
    awk -v D="$1" -v T="$2" -v uneven="$3" -v growth="${4:-0}" 'BEGIN { printf "t"; for (d = 1; d <= D; d++) printf ",y%d", d; print ""
        for (i = 0; i < T; i++) { t = (growth ? (exp(growth * i) - 1) / growth : i) / 4 + uneven * sin(7 * i) / 20; printf "%.6f", t
            for (d = 1; d <= D; d++) printf ",%.5f", sin(t + d / 5) + 0.3 * cos(2 * t) + 0.05 * sin(57 * i + d * d); print "" } }'
}

# ---- another model ----
rows 140 80 0 0.05 >wide.csv # few gaps share coefficients: a filter of 288 states needs about 80 transitions
wide=(fit wide.csv --max-iterations 1 --restarts 1 --errors no --period none --calibrate no)
words="--engine pitc --inducing 40 --forces 4 --force-kernel eq"
lf "${wide[@]}" -o taken.json 2>notes.txt
check "what would take long is replaced" grep -q "note: the model of 140 outputs and [0-9]* forces takes about [0-9]* min of a core with the kalman engine, more than the 5 min that are taken without being asked for; taken instead: $words (about [0-9]* min, [0-9.]* [MG]B); --engine kalman --forces [0-9]* takes the former" notes.txt
check "the model tells" equal "$(taken taken.json)" "$words"
check "as the report of the stage" equal "$(stage taken.json 'selection: limits')" "$words; a fit is beyond the limit of work"
check "as its command does" awk '{ text = text $0 } END { gsub(/[ \n]/, "", text); exit !index(text, "\"--engine\",\"pitc\",\"--inducing\",\"40\",\"--forces\",\"4\",\"--force-kernel\",\"eq\"]") }' taken.json
# shellcheck disable=SC2086
lf "${wide[@]}" $words --threads 1 --memory 8G -o asked.json --quiet
check "these options give the same model, whatever the threads and the memory" cmp <(without_command taken.json) <(without_command asked.json)
check "and no remark" equal "$(taken asked.json)" ""
lf "${wide[@]}" --forces 12 -o twelve.json --quiet
check "a number of forces that was given stays" equal "$(taken twelve.json)" "--engine pitc --inducing 40 --force-kernel eq"
if check_all; then # what would take long takes long
    lf "${wide[@]}" --engine kalman --quiet -o kalman.json
    check "an engine that was given stays" decided '^kalman engine; ' kalman.json posterior
    check "with its forces and without a remark" equal "$(taken kalman.json)" ""
    check "and without a first stage" equal "$(first_rows kalman.json)" ""
fi
rows 30 60 1 >narrow.csv
lf fit narrow.csv --max-iterations 1 --restarts 1 --errors no --period none --quiet -o narrow.json
check "what is fast stays as it is" equal "$(taken narrow.json)$(stage narrow.json 'selection: limits')" ''

# ---- a first stage ----
rows 60 310 1 | awk -F, 'NR > 1 && NR < 100 { $3 = "" } { OFS = ","; $1 = $1; print }' >long.csv # fewer rows at first
long=(fit long.csv --forces 20 --max-iterations 1 --errors no --period none --calibrate yes)
lf "${long[@]}" --quiet -o long.json
check "an expensive fit begins with the stretch of most rows" equal "$(stage long.json 'fit: first stage')" 'began with 9300 of 18502 rows; an evaluation with all rows is expensive'
check "the model has all rows" grep -q '"rows": *18502' long.json
check "and tells of the stage" equal "$(first_rows long.json)" 9300
check "refits are made beside it" decided 'rows in [0-9]* windows left out' long.json validation
if check_all; then
    lf "${long[@]}" --threads 1 -o again.json --quiet
    check "the same with one thread" cmp <(without_command long.json) <(without_command again.json)
fi
rows 60 290 1 >short.csv
lf fit short.csv --forces 20 --max-iterations 1 --errors no --period none --calibrate no --quiet -o short.json
check "fewer times have no such stage" equal "$(first_rows short.json)" ""
check "other fits have no such stage" equal "$(first_rows narrow.json)" ""
finish
