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

fitted gap.csv --quiet -o gap.json
check "a gap calls for calibration" decided '; 95 % intervals covered [0-9]* % of [0-9]* rows in 18 windows left out' gap.json validation
check "the coverage is stored" awk -v c="$(field gap.json coverage)" 'BEGIN { exit !(c > 0 && c < 0.965) }'
factor=$(field gap.json variance_inflation)
check "the factor is stored" awk -v f="$factor" 'BEGIN { exit !(f > 1) }'
check "and reported" decided "^intervals $(awk -v f="$factor" 'BEGIN { printf "%.2f", sqrt(f) }') times as wide" gap.json validation

fitted gap.csv --calibrate no --quiet -o plain.json
check "it can be left out" equal "$(stage plain.json validation)$(field plain.json variance_inflation)" 'intervals as the model gives them; --calibrate no'
lf predict gap.json --grid 7 --quiet | cut -d, -f1-4 >wide.csv
lf predict plain.json --grid 7 --quiet | cut -d, -f1-4 >narrow.csv
check "predictions are wider by the factor, and else the same" awk -F, -v f="$factor" '
    NR == FNR { mean[FNR] = $3; sd[FNR] = $4; next }
    FNR > 1 { ratio = sd[FNR] / $4; d = ratio * ratio / f - 1; if (mean[FNR] != $3 || d * d > 1e-16) { print; bad = 1 } n++ }
    END { exit !(n == 21 && !bad) }' wide.csv narrow.csv

# Cross-validation calibrates where the fit did, by the rows that a fold keeps.
recipe="--forces 2 --operator ode1 --period none --restarts 1 --max-iterations 20 --errors no"
lf fit gap.csv $recipe --quiet -o short.json
lf fit gap.csv $recipe --calibrate no --quiet -o short_plain.json
check "the short fit is calibrated" awk -v f="$(field short.json variance_inflation)" 'BEGIN { exit !(f > 1) }'
# window w of output d is withheld in fold (w - d) mod 3; outputs are counted from 0 by the correlation of their values with the time, the largest first
order=$(awk -F, 'NR > 1 { n[$1]++; t[$1] += $2; y[$1] += $3; tt[$1] += $2 * $2; yy[$1] += $3 * $3; ty[$1] += $2 * $3 }
    END { for (o in n) print o "," (n[o] * ty[o] - t[o] * y[o]) / sqrt((n[o] * tt[o] - t[o] ^ 2) * (n[o] * yy[o] - y[o] ^ 2)) }' gap.csv |
    sort -t, -k2,2gr | cut -d, -f1 | tr -d '\n')
awk -F, -v OFS=, -v order="$order" 'NR == 1 { print $0, "split"; next } { n = $1 == "c" ? 100 : 120; d = index(order, $1) - 1
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

fitted whole.csv --quiet -o whole.json
check "without gaps there is none" equal "$(stage whole.json validation)" 'intervals as the model gives them; the rows have no gaps'
fitted whole.csv --calibrate yes --quiet -o whole.json
check "unless asked for" decided 'rows in [0-9]* windows left out' whole.json validation

fitted gap.csv --threads 1 --quiet -o one.json
fitted gap.csv --threads 4 --quiet -o four.json
sed -i 's/"--threads", *"[0-9]*"//' one.json four.json
check "the model does not depend on the number of threads" cmp one.json four.json

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
