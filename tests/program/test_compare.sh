#!/usr/bin/env bash
# compare: log density, BIC and held-out scores against evaluate and score, the ranking, and what is refused. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; d = d < 0 ? -d : d; print a, b, d; exit !(d <= e) }'; }
# of MODEL MEMBER: a number that compare.json has for a model
of() { sed "s/.*\"model\":\"$1\"//; s/\"$2\":/@/; s/.*@//; s/[,}].*//" compare.json; }

cat >right.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "stationary",
  "forces": [ { "kernel": "matern32", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode1", "decay": 0.6}, "sensitivity": [2], "noise_variance": 0.01 },
    { "name": "b", "operator": {"type": "ode1", "decay": 1.2}, "sensitivity": [3], "noise_variance": 0.01, "offset": 10, "scale": 2 } ] }
MODEL
sed 's/"lengthscale": 1.2/"lengthscale": 4/' right.json >wrong.json
# the same model in other units: its density is the same
sed 's/"sensitivity": \[2\], "noise_variance": 0.01/"sensitivity": [0.5], "noise_variance": 0.000625, "scale": 4/' right.json >scaled.json
awk 'BEGIN { print "output,x"; for (d = 1; d <= 2; d++) for (i = 0; i < 30; i++) printf "%s,%.6f\n", d == 1 ? "a" : "b", 10 * i / 29 }' >inputs.csv
lf simulate right.json --at inputs.csv --seed 5 -o data.csv --quiet
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { print $0, ($2 > 4 && $2 < 6 && $1 == "a" ? "test" : "train") }' data.csv >split.csv

# ---- without held-out rows: by BIC ----
lf compare wrong.json right.json --data data.csv --json >compare.json
for model in right wrong; do
    lf evaluate $model.json data.csv --json >evaluate.json
    density=$(sed 's/.*"log_density":\([^,]*\).*/\1/' evaluate.json)
    check "$model: log density" near "$(of $model.json log_density)" "$density" 1e-9
    free=$(lf evaluate $model.json data.csv --gradient --json | sed 's/.*"gradient":{\([^}]*\)}.*/\1/' | tr ',' '\n' | wc -l)
    check "$model: free parameters" equal "$(of $model.json parameters)" "$free"
    check "$model: BIC" near "$(of $model.json bic)" "$(awk -v l="$density" -v k="$free" 'BEGIN { printf "%.15g", -2 * l + k * log(60) }')" 1e-9
done
check 'ranked by BIC' grep -q '"rows":60,"ranked_by":"bic","held_out":null,"best":"right.json","models":\[{"model":"right.json"' compare.json
lf compare wrong.json right.json --data data.csv >compare.txt
check 'the table' grep -Eq '^right.json +[0-9]+ +-?[0-9.]+ +-?[0-9.]+ +0.00$' compare.txt
check 'the sentence' grep -Eq '^right.json is best by BIC \(by [0-9.]+\)\.$' compare.txt
lf compare right.json scaled.json --data data.csv --engine dense --json >compare.json
check 'densities are in the units of the data' near "$(of right.json log_density)" "$(of scaled.json log_density)" 1e-8

# ---- with held-out rows: by nlpd ----
lf compare wrong.json right.json --data split.csv --json >compare.json
for model in right wrong; do
    lf score $model.json split.csv --json >score.json
    for member in n nlpd nmse coverage95; do
        check "$model: held-out $member" near "$(of $model.json $member)" \
            "$(sed "s/.*\"overall\":{[^}]*\"$member\":\([^,}]*\).*/\1/" score.json)" 1e-9
    done
done
check 'ranked by nlpd' grep -q '"ranked_by":"nlpd","held_out":"test","best":"right.json"' compare.json
check 'the sentence' grep -Eq '^right.json is best by the held-out nlpd \(by [0-9.e-]+ per row\)' <(lf compare wrong.json right.json --data split.csv)
lf compare wrong.json right.json --data split.csv --cross-validate 3 --no-refit --json >compare.json
for model in right wrong; do
    lf score $model.json split.csv --cross-validate 3 --no-refit --quiet --json >score.json
    check "$model: cross-validated nlpd" near "$(of $model.json nlpd)" "$(sed 's/.*"overall":{[^}]*"nlpd":\([^,}]*\).*/\1/' score.json)" 1e-9
done
check 'JSON says how' grep -q '"held_out":"cross-validation","cross_validation":{"folds":3,"refit":false}' compare.json
for forces in 1 2; do
    lf fit data.csv --forces $forces --max-iterations 10 --restarts 1 --errors no -o fit$forces.json --quiet
done
lf compare fit1.json fit2.json --data data.csv --cross-validate 2 --engine dense --json >compare.json
lf score fit2.json data.csv --cross-validate 2 --json >score.json
check 'each model is fitted again with its own options' near "$(of fit2.json nlpd)" "$(sed 's/.*"overall":{[^}]*"nlpd":\([^,}]*\).*/\1/' score.json)" 1e-9
check 'a bound is marked' grep -Eq '^right.json +[0-9]+ +>= -?[0-9.]+ +<= ' <(lf compare wrong.json right.json --data data.csv --engine variational --inducing 10)

lf compare wrong.json right.json --data data.csv --rolling 5 --span 2 --no-refit --json >compare.json
lf score right.json data.csv --rolling 5 --span 2 --no-refit --quiet --json >score.json
check 'forecasts' near "$(of right.json nlpd)" "$(sed 's/.*"overall":{[^}]*"nlpd":\([^,}]*\).*/\1/' score.json)" 1e-9
check 'JSON says how' grep -q '"held_out":"rolling","rolling":{"origins":3,"refit":false}' compare.json

# ---- models that measure time otherwise ----
awk 'BEGIN { print "time,u,v"; for (i = 0; i < 60; i++) printf "2020-01-%02d %02d:00,%.3f,%.3f\n", 1 + int(i / 24), i % 24, sin(i / 5), 3 + cos(i / 5) }' >dated.csv
for unit in h d; do
    lf fit dated.csv --time-unit $unit --forces 1 --operator ode1 --engine dense --max-iterations 100 --restarts 1 --errors no -o dated_$unit.json --quiet
done
lf compare dated_h.json dated_d.json --data dated.csv --engine dense --json >compare.json 2>notes.txt
for unit in h d; do
    density=$(lf evaluate dated_$unit.json dated.csv --engine dense --json --quiet | sed 's/.*"log_density":\([^,]*\).*/\1/')
    check "dates in $unit: log density" near "$(of dated_$unit.json log_density)" "$density" 1e-9
done
# of a wide file only the outputs of a model are read
lf fit dated.csv --outputs u --forces 1 --operator ode1 --max-iterations 5 --restarts 1 --errors no -o only_u.json --quiet
refused 1 'a model of fewer outputs' only_u.json "'v'" --outputs -- compare dated_h.json only_u.json --data dated.csv
refused 1 'as the first' only_u.json "'v'" --outputs -- compare only_u.json dated_h.json --data dated.csv
lf compare only_u.json dated_h.json --data dated.csv --outputs u --json >compare.json 2>notes2.txt
check 'the outputs that both have' grep -q '"rows":60,' compare.json
check 'parameters of other outputs do not count' equal "$(of dated_h.json parameters)" \
    "$(lf evaluate dated_h.json dated.csv --gradient --json --quiet | sed 's/.*"gradient":{//' | tr ',' '\n' | grep -vc '^"v\.')"
check 'the file is described once' equal "$(grep -c 'read 60 rows' notes.txt)" 1

# ---- refusals ----
sed 's/"name": "b"/"name": "c"/' right.json >other.json
refused 1 'another output' other.json "'b'" data.csv 'same rows' -- compare right.json other.json --data data.csv
refused 1 'the first model has another output' other.json "'b'" data.csv -- compare other.json right.json --data data.csv
refused 2 'one model' 'two models' -- compare right.json --data data.csv
refused 2 'no model' MODEL -- compare --data data.csv
refused 2 'no data' --data -- compare right.json wrong.json
refused 2 'standard input' --data -- compare right.json wrong.json --data -
refused 2 '--no-refit alone' --cross-validate -- compare right.json wrong.json --data data.csv --no-refit
refused 1 'no command to fit again' wrong.json --no-refit -- compare wrong.json right.json --data data.csv --cross-validate 3
refused 1 'no such model' none.json -- compare right.json none.json --data data.csv
finish
