#!/usr/bin/env bash
# Calibration of a fit by windows left out: when it is done, what it says and stores, and that it serves its purpose.
set -u

. "$(dirname "$0")/../support/support.sh"

# Three outputs under one force, whose size grows: a stationary model is too sure of itself in windows. "c" has a gap.
awk 'BEGIN {
    srand(3); print "output,t,y"
    for (i = 0; i < 120; i++) {
        t = i / 4; u = 0.9 * u + (rand() - 0.5); grows = exp(2.5 * i / 120)
        a += 0.3 * (grows * u - a); b += 0.1 * (grows * u - b); c += 0.2 * (grows * u + grows * (rand() - 0.5) - c)
        printf "a,%g,%.6g\nb,%g,%.6g\n", t, a + 0.02 * (rand() - 0.5), t, b + 0.02 * (rand() - 0.5)
        if (i < 70 || i >= 90) printf "c,%g,%.6g\n", t, c + 0.02 * (rand() - 0.5)
    } }' >gap.csv
awk -F, '$1 != "c"' gap.csv >whole.csv
fitted() { lf fit "$@" --forces 2 --errors no; }
field() { tr -d ' \n' <"$1" | grep -o "\"$2\":[0-9.]*" | head -n 1 | cut -d: -f2; }

fitted gap.csv -o gap.json 2>notes.txt
check "a gap calls for calibration" grep -q "^latentforce: note: 18 windows of 5.25 were left out of 6 refits: 95 % intervals covered" notes.txt
check "the coverage is stored" awk -v c="$(field gap.json coverage)" 'BEGIN { exit !(c > 0 && c < 0.95) }'
check "the note tells how much wider intervals are" grep -q "intervals are [0-9.]* times as wide as the model says, which covers 96 %" notes.txt
factor=$(field gap.json variance_inflation)
check "the factor is stored" awk -v f="$factor" 'BEGIN { exit !(f > 1) }'

fitted gap.csv --calibrate no -o plain.json 2>notes.txt
check "it can be left out" equal "$(grep -c windows notes.txt)$(field plain.json variance_inflation)" 0
lf predict gap.json --grid 7 --quiet | cut -d, -f1-4 >wide.csv
lf predict plain.json --grid 7 --quiet | cut -d, -f1-4 >narrow.csv
check "predictions are wider by the factor, and else the same" awk -F, -v f="$factor" '
    NR == FNR { mean[FNR] = $3; sd[FNR] = $4; next }
    FNR > 1 { ratio = sd[FNR] / $4; d = ratio * ratio / f - 1; if (mean[FNR] != $3 || d * d > 1e-16) { print; bad = 1 } n++ }
    END { exit !(n == 21 && !bad) }' wide.csv narrow.csv

# Cross-validation calibrates where the fit did, by the rows that a fold keeps.
recipe="--forces 1 --operator ode1 --period none --restarts 1 --max-iterations 8 --errors no"
lf fit gap.csv $recipe --quiet -o short.json
lf fit gap.csv $recipe --calibrate no --quiet -o short_plain.json
check "the short fit is calibrated" awk -v f="$(field short.json variance_inflation)" 'BEGIN { exit !(f > 1) }'
# window w of output d (from 0) is withheld in fold (w - d) mod 3
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { n = $1 == "c" ? 100 : 120; d = $1 == "a" ? 0 : $1 == "b" ? 1 : 2
    w = int(rank[d]++ * 3 / n); print $0, (w - d + 3) % 3 == 1 ? "test" : "train" }' gap.csv >fold.csv
for short in short short_plain; do
    calibrate=auto
    [ $short = short ] || calibrate=no
    lf fit fold.csv $recipe --calibrate $calibrate --quiet -o by_hand.json
    lf score by_hand.json fold.csv --rows by_hand.csv --quiet >/dev/null
    lf score $short.json gap.csv --cross-validate 3 --rows $short.csv --quiet >/dev/null
    check "$short: a fold is as by hand with --calibrate $calibrate" awk -F, '
        FNR == 1 { next } NR == FNR { mean[$1, $2] = $4; sd[$1, $2] = $5; count++; next }
        ($1, $2) in mean { seen++; e = ($4 - mean[$1, $2]) / $5; s = $5 / sd[$1, $2] - 1; if (e * e > 1e-12 || s * s > 1e-12) { print; bad = 1 } }
        END { exit bad || seen != count || count < 100 }' by_hand.csv $short.csv
done
check "which widens the intervals of folds" awk -F, 'FNR == 1 { next } NR == FNR { sd[$1, $2] = $5; next } { wider += $5 / sd[$1, $2] > 1.01; n++ }
    END { print wider, n; exit !(wider > n / 2) }' short_plain.csv short.csv

fitted whole.csv -o whole.json 2>notes.txt
check "without gaps there is none" equal "$(grep -c windows notes.txt)" 0
fitted whole.csv --calibrate yes -o whole.json 2>notes.txt
check "unless asked for" grep -q "windows of 3.719 were left out" notes.txt

fitted gap.csv --threads 1 --quiet -o one.json
fitted gap.csv --threads 4 --quiet -o four.json
sed -i 's/"--threads", *"[0-9]*"//' one.json four.json
check "the model does not depend on the number of threads" cmp one.json four.json

# Many outputs, the first two of which have a gap.
many() {
    awk -v outputs="$1" 'BEGIN {
        srand(1); print "output,t,y"
        for (i = 0; i < 80; i++) {
            u = 0.9 * u + (rand() - 0.5)
            for (d = 1; d <= outputs; d++) {
                own[d] = 0.9 * own[d] + (rand() - 0.5); y[d] += 0.8 * d / outputs * (u + own[d] - y[d])
                if (d > 2 || i < 40 || i >= 55) printf "o%d,%g,%.6g\n", d, i / 4, y[d] + 0.02 * (rand() - 0.5)
            }
        } }' >many.csv
    lf fit many.csv --forces 6 --no-private --errors no --period none -o many.json 2>notes.txt
    windows=$(sed -n 's/.*note: \([0-9]* windows\) of .* were left out of \([0-9]* refits*\): .*/\1, \2/p' notes.txt)
    before=$(sed -n 's/.*left out of .* intervals covered \([0-9]*\) %.*/\1/p' notes.txt)
    after=$(sed -n 's/.*as wide as the model says, which covers \([0-9]*\) %.*/\1/p' notes.txt)
}
many 8
check "there are refits until there are twelve windows" equal "$windows" "12 windows, 3 refits"
check "whose rows decide" awk -v before="$before" -v after="$after" 'BEGIN { exit !(before > 0 && before < 75 && after >= 96) }'
# A single refit does not decide alone: intervals that miss most of its rows cover more of them, not all.
if [ "${LF_BUILD_TYPE:-}" != Sanitize ]; then # the same code with other numbers
    many 48
    check "many outputs have one refit" equal "$windows" "12 windows, 1 refit"
    check "which counts in part" awk -v before="$before" -v after="$after" 'BEGIN { exit !(before > 0 && before < 85 && after > before && after < 95) }'
fi

# A fit that goes on from a calibrated model and calibrates finds the factor anew, of intervals that the old one has not widened.
sed '/"variance_inflation"/d' gap.json >bare.json
for first in gap bare; do
    lf fit gap.csv --init $first.json --calibrate yes --max-iterations 2 --restarts 1 --errors no --quiet -o ${first}_on.json
done
check "from a calibrated model: the same coverage" equal "$(field gap_on.json coverage)" "$(field bare_on.json coverage)"
lf condition gap.json gap.csv --quiet -o again.json
check "the factor survives new rows" equal "$(field again.json variance_inflation)" "$factor"
sed 's/"variance_inflation": *[0-9.]*/"variance_inflation": -1/' gap.json >wrong.json
refused 1 "a negative factor is refused" variance_inflation -- predict wrong.json --grid 3
finish
