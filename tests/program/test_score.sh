#!/usr/bin/env bash
# score: what is scored and how that is said, cross-validation against folds made by hand, and rows with z-scores against
# really leaving a row out. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

# overall FILE MEMBER: a number of the scores over all outputs
overall() { sed "s/.*\"overall\":{[^}]*\"$2\":\([^,}]*\).*/\1/" "$1"; }
near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; d = d < 0 ? -d : d; print a, b, d; exit !(d <= e) }'; }
# rows_near A B TOLERANCE: CSV files with the same texts and, nearly, the same numbers.
rows_near() {
    paste -d';' "$1" "$2" | awk -F';' -v e="$3" '
        { n = split($1, a, ","); if (split($2, b, ",") != n) bad = 1
          for (i = 1; i <= n; i++) {
              if (a[i] !~ /^-?[0-9]/ || NR == 1) { if (a[i] != b[i]) { print NR ": " a[i] " is not " b[i]; bad = 1 }; continue }
              d = a[i] - b[i]; d = d < 0 ? -d : d; if (d > worst) worst = d; numbers++ } }
        END { print NR " rows, largest difference " worst; exit bad || !numbers || !(worst <= e) }'
}

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero",
  "forces": [ { "kernel": "matern32", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode1", "decay": 0.6}, "sensitivity": [2], "noise_variance": 0.01 },
    { "name": "b", "operator": {"type": "ode1", "decay": 1.2}, "sensitivity": [3], "noise_variance": 0.01, "offset": 10, "scale": 2 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (d = 1; d <= 2; d++) for (i = 0; i < 40; i++) printf "%s,%.6f\n", d == 1 ? "a" : "b", 10 * i / 39 }' >inputs.csv
lf simulate model.json --at inputs.csv --seed 3 -o data.csv --quiet
# one known error, so that noise differs between rows
awk -F, -v OFS=, 'NR == 1 { print $0, "sd"; next } { print $0, NR == 30 ? 0.3 : 0 }' data.csv >sd.csv && mv sd.csv data.csv
marked() { awk -F, -v OFS=, -v test="$1" 'NR == 1 { print $0, "split"; next } { print $0, NR % 7 == test ? "test" : "train" }' data.csv; }
marked 2 >split.csv
marked 99 >train.csv
grep -v ',train$' split.csv | cut -d, -f1-4 >test.csv
grep -v ',test$' split.csv >rest.csv

# ---- what is scored ----
lf condition model.json split.csv -o stored.json --quiet
lf condition model.json data.csv -o whole.json --quiet
# without the notes about what was read
scored() {
    lf score "$@" --json 2>all_notes.txt | sed 's/.*"scored":"\([^"]*\)".*/\1/'
    grep -v ': read [0-9]* rows' all_notes.txt >notes.txt
}
# says PATTERN WORD ARGUMENT…: "scored" is WORD, and the notes have the pattern ("": there are none).
says() {
    local pattern=$1 word=$2
    shift 2
    equal "$(scored "$@")" "$word" || return 1
    if [ -n "$pattern" ]; then grep -qE -- "$pattern" notes.txt; else [ ! -s notes.txt ]; fi || { cat notes.txt; return 1; }
}
check 'rows marked test: nothing to say' says '' test stored.json split.csv
check 'a stored posterior: other rows' says 'note: test.csv: no row is marked test: all 12 rows' all stored.json test.csv
check 'a stored posterior: the training rows' says 'WARNING: data.csv: .* 80 TRAINING ROWS.*--cross-validate' training whole.json data.csv
check 'in another order' says 'TRAINING ROWS' training whole.json <(awk 'NR == 1; NR > 1 { print | "sort -r" }' data.csv)
check 'with a split column but no test row' says 'TRAINING ROWS' training whole.json train.csv
check 'these marks say nothing about other rows' says 'no row is marked test' all whole.json rest.csv
check 'a changed value makes other rows' says 'no row is marked test' all whole.json <(awk -F, -v OFS=, 'NR == 5 { $3 += 1 } 1' data.csv)
check '--data: the training rows' says 'TRAINING ROWS' training model.json data.csv --data data.csv
check '--data: other rows' says 'note: ' all model.json test.csv --data split.csv
check '--data: some of them' says 'WARNING: .* 12 of the 80 scored rows are also TRAINING' all model.json data.csv --data test.csv
check '--data: test rows that are training rows' says '12 of the 12 .* also TRAINING' test model.json split.csv --data data.csv
check 'a split column but no test row, no posterior' says 'TRAINING ROWS' training model.json train.csv
check '--quiet says nothing' equal "$(lf score whole.json data.csv --quiet 2>&1 >/dev/null)" ''
check 'but the table does' grep -q '^training rows' <(lf score whole.json data.csv --quiet)
check 'test rows need no heading' equal "$(lf score stored.json split.csv | head -1 | cut -c1-6)" output
lf fit data.csv --operator ode1 --forces 1 --max-iterations 15 --restarts 1 -o fitted.json --quiet
check 'a fit knows its rows' says 'TRAINING ROWS' training fitted.json data.csv
grep -v '"hash"' whole.json >unknown.json
check 'without a fingerprint marks decide' says 'TRAINING ROWS' training unknown.json train.csv
check 'and otherwise nothing is known' says 'all 80 rows' all unknown.json data.csv
awk -F, 'NR == 1 || $2 < 8' data.csv >old.csv
awk -F, 'NR == 1 || $2 >= 8' data.csv >new.csv
lf condition model.json old.csv --engine kalman -o old.json --quiet
lf update old.json new.csv -o updated.json --quiet
check 'an update adds its rows' equal "$(grep -o '"hash": "[0-9a-f]*"' updated.json)" "$(grep -o '"hash": "[0-9a-f]*"' whole.json)"

# ---- cross-validation against folds made by hand ----
# window w of output d (from 0, in the order of what they hold) is withheld in fold (w - d) mod 4
fold() { awk -F, -v OFS=, -v k="$1" 'NR == 1 { print $0, "split"; next }
    { d = $1 == "b"; w = int(rank[d]++ * 4 / 40); print $0, (w - d + 4) % 4 == k ? "test" : "train" }' data.csv; }
lf score model.json data.csv --cross-validate 4 --no-refit --engine dense --rows kept.csv --json >kept.json 2>notes.txt
check '--no-refit says what that means' grep -q 'parameters of the model saw all rows' notes.txt
for k in 0 1 2 3; do
    fold $k >fold$k.csv
    lf score model.json fold$k.csv --engine dense --rows rows$k.csv --json >fold$k.json
done
check 'every row is withheld once' equal "$(grep -o '"n":[0-9]*' kept.json | tr '\n' ' ')" '"n":40 "n":40 "n":80 '
cat fold?.json | tr ',' '\n' | awk '
    /"overall"/ { n = 20; next } n && /"nlpd"/ { split($0, a, ":"); nlpd += a[2] } n && /"rmse"/ { split($0, a, ":"); square += a[2] ^ 2; n = 0 }
    END { printf "%.15g %.15g\n", nlpd / 4, sqrt(square / 4) }' >by_hand.txt
read -r nlpd rmse <by_hand.txt
check 'nlpd of the folds made by hand' near "$(overall kept.json nlpd)" "$nlpd" 1e-11
check 'rmse of the folds made by hand' near "$(overall kept.json rmse)" "$rmse" 1e-12
{ head -1 rows0.csv; tail -qn +2 rows?.csv | sort -t, -k1,1 -k2,2g; } >rows_by_hand.csv
check 'the same rows' rows_near kept.csv rows_by_hand.csv 1e-11
check 'JSON says how' grep -q '"scored":"cross-validation","cross_validation":{"folds":4,"refit":false}}$' kept.json
# A refit is a fit of the rows that are kept: nothing of the others reaches it.
lf score fitted.json data.csv --cross-validate 4 --rows refitted.csv --json >refitted.json
for k in 0 3; do
    lf fit fold$k.csv --operator ode1 --forces 1 --max-iterations 15 --restarts 1 --errors no --calibrate no -o again.json --quiet
    lf score again.json fold$k.csv --rows rows$k.csv >/dev/null
    cut -d, -f1,2 rows$k.csv >withheld.txt
    check "fold $k is a fit without its window" rows_near <(grep -Ff withheld.txt refitted.csv) rows$k.csv 1e-12
done
check 'refits differ from kept parameters' test "$(overall refitted.json nlpd)" != "$(overall kept.json nlpd)"
check 'the table says how' grep -q '^4-fold cross-validation over windows of time, fitted again' <(lf score fitted.json data.csv --cross-validate 4)
check 'test rows stay out' equal "$(lf score model.json split.csv --cross-validate 4 --no-refit --json --quiet | sed 's/.*"overall":{"n":\([0-9]*\).*/\1/')" 68
refused 1 'no command to fit again' model.json --no-refit -- score model.json data.csv --cross-validate 4
# Files of before 0.2 have the words of the command alone: the same refits.
sed '/^ *"options": \[.*\],$/d' fitted.json >words.json
check 'a file without options' test "$(grep -c '"options"' fitted.json) $(grep -c '"options"' words.json)" = '1 0'
check 'is fitted again by the words of its command' equal "$(lf score words.json data.csv --cross-validate 4 --json)" "$(cat refitted.json)"
# Whoever wrote a model file must not choose files that are written or read here.
for key in options command; do
    sed 's#"command": *\["latentforce", *"fit",#&"--checkpoint","precious",#; s#"options": *\[#&"checkpoint=precious", #' fitted.json >crafted.json
    [ $key = options ] || sed -i '/^ *"options": \[.*\],$/d' crafted.json
    echo precious >precious
    check "$key: a checkpoint named by a model file" lf score crafted.json data.csv --cross-validate 4 --quiet
    check 'is left alone' equal "$(cat precious)" precious
    sed 's#"command": *\["latentforce", *"fit",#&"--init=model.json",#; s#"options": *\[#&"init=model.json", #' fitted.json >crafted.json
    [ $key = options ] || sed -i '/^ *"options": \[.*\],$/d' crafted.json
    refused 1 "$key: a first model named by a model file" crafted.json --init -- score crafted.json data.csv --cross-validate 4
done
refused 2 'one fold' --cross-validate -- score fitted.json data.csv --cross-validate 1
refused 2 'training data' --data -- score fitted.json data.csv --cross-validate 4 --data data.csv
refused 2 'engine options of a refit' --engine --no-refit -- score fitted.json data.csv --cross-validate 4 --engine dense
refused 2 '--no-refit alone' --cross-validate -- score fitted.json data.csv --no-refit
refused 1 'an output of one row' "'b'" 'too few rows' -- score model.json <(head -42 data.csv) --cross-validate 4 --no-refit
# ---- forecasts from one time after the other ----
lf score fitted.json data.csv --rolling 5 --span 2.5 --rows rolling.csv --json >rolling.json
check 'two origins' grep -q '"scored":"rolling","rolling":{"origins":2,"refit":true}}$' rolling.json
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } $2 <= 7.5 { print $0, $2 <= 5 ? "train" : "test" }' data.csv >ahead.csv
lf fit ahead.csv --operator ode1 --forces 1 --max-iterations 15 --restarts 1 --errors no --calibrate no -o again.json --quiet
lf score again.json ahead.csv --rows ahead_rows.csv >/dev/null
check 'the first is a fit of what came before' rows_near <(awk -F, 'NR == 1 || $3 == 5' rolling.csv | cut -d, -f1,2,4-) ahead_rows.csv 1e-12
check 'the table says how' grep -q '^forecasts from 2 origins, fitted again at each' <(lf score fitted.json data.csv --rolling 5 --span 2.5)
refused 2 'folds and origins' --rolling -- score fitted.json data.csv --rolling 5 --cross-validate 3
refused 2 'a span without origins' --rolling -- score fitted.json data.csv --span 5
refused 1 'an origin after the rows' '--rolling 50' -- score fitted.json data.csv --rolling 50
# several inputs: random groups that the seed determines
cat >plane.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [ { "name": "u", "operator": {"type": "gaussian", "precision": 5}, "sensitivity": [1], "noise_variance": 0.1 } ] }
MODEL
awk 'BEGIN { print "output,x1,x2,y"; for (i = 0; i < 30; i++) printf "u,%g,%g,%g\n", i % 6, int(i / 6), sin(i) }' >plane.csv
lf score plane.json plane.csv --cross-validate 3 --no-refit --quiet >one.txt
refused 1 'several inputs have no origins' --cross-validate -- score plane.json plane.csv --rolling auto
check 'several inputs: random groups' grep -q 'random groups of rows' one.txt
check 'each row once' grep -Eq '^\(all\) +30 ' one.txt
check 'of the seed' test "$(lf score plane.json plane.csv --cross-validate 3 --no-refit --quiet --seed 2)" != "$(cat one.txt)"
# replicates are cut each for itself
sed '1s/^/replicate,/; 2,$s/^/one,/' data.csv >replicates.csv
lf simulate model.json --at inputs.csv --seed 4 --quiet | sed '1d; s/^/two,/; s/$/,0/' >>replicates.csv
lf score model.json replicates.csv --cross-validate 2 --no-refit --rows replicate_rows.csv --quiet >/dev/null
check 'replicates' equal "$(head -1 replicate_rows.csv) $(wc -l <replicate_rows.csv)" 'replicate,output,x,y,mean,sd,z,flag 161'

# ---- dates, in whatever unit ----
awk 'BEGIN { print "time,u,v"; for (i = 0; i < 60; i++) printf "2020-01-%02d %02d:00,%.3f,%.3f\n", 1 + int(i / 24), i % 24, sin(i / 5), 3 + cos(i / 5) }' >dated.csv
for unit in min h d; do
    lf fit dated.csv --time-unit $unit --forces 1 --operator ode1 --max-iterations 5 --restarts 1 --errors no -o dated_$unit.json --quiet
    check "$unit: the training rows are recognised" equal "$(scored dated_$unit.json dated.csv)" training
    check "$unit: their end alone is not all of them" equal "$(scored dated_$unit.json <(sed -n '1p;40,$p' dated.csv))" all
done
lf score dated_d.json dated.csv --cross-validate 3 --rows dated_rows.csv --quiet >/dev/null
check 'rows have dates' equal "$(sed -n 1,2p dated_rows.csv | cut -d, -f1-3 | tr '\n' ' ')" 'output,time,y u,2020-01-01T00:00:00,0 '
lf score dated_h.json dated.csv --data dated.csv --rows dated_rows.csv --quiet >/dev/null
check 'training rows given as data' equal "$(scored dated_h.json dated.csv --data dated.csv)" training

# ---- rows: an outlier is found, from all other rows ----
sed 's/matern32/eq/' model.json >smooth.json
lf simulate smooth.json --at inputs.csv --seed 3 --quiet | awk -F, -v OFS=, 'NR == 1 { print $0, "sd"; next } NR == 20 { $3 += 3 } { print $0, NR == 30 ? 0.3 : 0 }' >wrong.csv
rounding() { [ "$1" = dense ] && echo 1e-10 || echo 1e-6; }
for engine in dense kalman fourier lowrank; do
    lf condition smooth.json wrong.csv --engine $engine -o wrong.json --quiet
    lf score wrong.json wrong.csv --rows all_rows.csv --quiet >/dev/null
    {
        head -1 all_rows.csv
        for line in 2 20 30 41 60 81; do
            awk -F, -v OFS=, -v line=$line 'NR == 1 { print $0, "split"; next } { print $0, NR == line ? "test" : "train" }' wrong.csv >without.csv
            lf score smooth.json without.csv --engine dense --rows row.csv --quiet >/dev/null
            tail -1 row.csv
        done
    } >left_out.csv
    check "$engine: as if the row were left out" rows_near <(sed -n '1p;2p;20p;30p;41p;60p;81p' all_rows.csv) left_out.csv "$(rounding $engine)"
    check "$engine: the outlier is flagged" equal "$(sed -n 20p all_rows.csv | cut -d, -f7)" outlier
    check "$engine: it is the farthest" awk -F, 'NR > 1 { z = $6 < 0 ? -$6 : $6; if (z > most) { most = z; row = NR } } END { exit row != 20 }' all_rows.csv
done
check 'the row z belongs to y, mean and sd' awk -F, 'NR > 1 { d = ($3 - $4) / $5 - $6; if (d * d > 1e-20) exit 1 }' all_rows.csv
lf score wrong.json wrong.csv --rows few.csv --threshold 1e9 --quiet >/dev/null
check '--threshold' equal "$(grep -c outlier few.csv)" 0
lf condition smooth.json wrong.csv --engine variational --inducing 20 -o sparse.json --quiet
lf score sparse.json wrong.csv --rows few.csv >/dev/null 2>notes.txt
check 'inducing engines cannot leave rows out, and say so' grep -q 'few.csv: training rows are predicted with themselves' notes.txt
check 'and why' grep -q 'holds for the dense, kalman, lowrank and fourier engines' notes.txt

# Calibration widens the variance of predictions in gaps; leaving out a row takes that of the model. Each engine, with models as a fit with each
# prior leaves them, against really deleting the row.
awk 'BEGIN { srand(7); print "time,u,v,w"; for (i = 0; i < 60; i++) { f = sin(i / 3) + 0.7 * cos(i / 5)
    u = i > 20 && i < 32 ? "" : sprintf("%.4f", f + 0.2 * rand())
    printf "%d,%s,%.4f,%.4f\n", i, u, 3 + 2 * f + 0.2 * rand(), (i == 44) - f + 0.2 * rand() } }' >gap.csv
for prior in weak none firm; do
    kind="--force-kernel eq --no-private"
    [ $prior = firm ] && kind="--force-kernel matern32"
    lf fit gap.csv --forces 1 --period none --prior $prior --calibrate yes --restarts 1 --max-iterations 15 --errors no --no-posterior --initial zero \
        $kind -o widened.json --quiet
    sed -i '/"variance_inflation"/d; s/^\( *\)"noise_variance"/\1"variance_inflation": 3.5,\n&/' widened.json
    sed '/"variance_inflation"/d' widened.json >plain.json
    check "prior $prior: calibrated" equal "$(grep -c '"variance_inflation": 3.5' widened.json)" 3
    for engine in kalman dense fourier lowrank variational fitc; do
        [ "$prior $engine" != 'firm fourier' ] || continue # too rough for it
        grid=
        case $engine in variational | fitc) grid="--inducing 30" ;; esac
        lf score widened.json gap.csv --data gap.csv --engine $engine $grid --rows rows.csv >/dev/null 2>notes.txt
        if [ "$prior" = firm ] || [ -n "$grid" ]; then
            why='sensitivities of the model are uncertain'
            [ -z "$grid" ] || why='holds for the dense, kalman'
            check "prior $prior, $engine: rows are not left out, and the reason" grep -q "predicted with themselves.*$why" notes.txt
            continue
        fi
        check "prior $prior, $engine: rows are left out" bash -c '! grep -q "predicted with themselves" notes.txt'
        for where in u,12 v,25 w,44; do
            awk -F, -v OFS=, -v o="${where%,*}" -v t="${where#*,}" '{ if ($1 == t) $(o == "u" ? 2 : o == "v" ? 3 : 4) = "" } 1' gap.csv >without.csv
            printf 'output,time\n%s\n' "$where" >at.csv
            lf predict plain.json --data without.csv --at at.csv --engine $engine --quiet | tail -n 1 >told.csv
            grep "^$where," rows.csv | tr ',' ' ' >row.txt
            check "prior $prior, $engine: $where as without it" awk -F'[, ]' 'NR == FNR { mean = $3; sd = $5; next }
                { e = $4 - mean; s = $5 / sd - 1; z = ($3 - mean) / sd - $6; print e, s, z; good += e * e < 1e-8 && s * s < 1e-8 && z * z < 1e-6 }
                END { exit good != 1 }' told.csv row.txt
        done
    done
done
check 'rows that are no training rows: as predicted, widened' awk -F, 'NR == FNR { sd = $5; next } FNR == 2 { exit !(($5 / sd - 1) ^ 2 < 1e-16) }' \
    <(lf predict widened.json --data without.csv --at at.csv --quiet | tail -n 1) \
    <(lf score widened.json <(printf 'output,time,y\nw,44,1\n') --data without.csv --rows other.csv --quiet >/dev/null && cat other.csv)
refused 2 'a threshold without rows' --rows -- score wrong.json wrong.csv --threshold 2
refused 2 'rows on standard output' --rows -- score wrong.json wrong.csv --rows -
refused 1 'a folder that does not exist' none/rows.csv -- score wrong.json wrong.csv --rows none/rows.csv
finish
