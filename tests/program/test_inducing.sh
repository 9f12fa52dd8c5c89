#!/usr/bin/env bash
# The inducing engines from the command line: options, notes, stored posteriors, refusals. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

json() { sed -n "s/.*\"$1\":\([^,}]*\)[,}].*/\1/p" "$2"; }
near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= e && -d <= e) }' || { echo "$1 is not near $2"; false; }; }

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1,
  "forces": [ { "kernel": "eq", "lengthscale": 1.2 }, { "kernel": "eq", "lengthscale": 0.8 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 0.6, "spring": 4}, "sensitivity": [4, 1], "noise_variance": 0.01 },
    { "name": "b", "operator": {"type": "ode1", "decay": 1.2}, "sensitivity": [-1, 2], "noise_variance": 0.02 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (d = 1; d <= 2; d++) for (i = 0; i < 120; i++) printf "%s,%.6f\n", d == 1 ? "a" : "b", 10 * i / 119 }' >inputs.csv
lf simulate model.json --at inputs.csv --seed 10 -o data.csv

lf evaluate model.json data.csv --engine fourier --json >exact.json
for engine in dtc variational fitc pitc; do
    for nodes in exact closed-form "mc --features 40" "uniform --features 40"; do
        # shellcheck disable=SC2086
        check "$engine, $nodes" lf evaluate model.json data.csv --engine $engine --inducing 15 --nodes $nodes --gradient
    done
    lf evaluate model.json data.csv --engine $engine --inducing 40 --json >many.json 2>note.txt
    case $engine in dtc) tolerance=5e-6 ;; variational) tolerance=1e-4 ;; fitc) tolerance=2e-5 ;; pitc) tolerance=5e-7 ;; esac
    check "$engine: many inducing values say what the exact model says" near "$(json log_likelihood many.json)" "$(json log_likelihood exact.json)" $tolerance
    check "$engine: jitter is told" grep -q '^latentforce: note: the covariance of inducing values' note.txt
    check "$engine: and reported" awk -v j="$(json jitter many.json)" 'BEGIN { exit !(j >= 1e-12) }'
    check "$engine: as the inducing values are" equal "$(json columns many.json)" 80
    lf condition model.json data.csv --engine $engine --inducing 12 -o stored.json --quiet
    lf predict stored.json --at inputs.csv -o from_model.csv
    lf predict model.json --at inputs.csv --data data.csv --engine $engine --inducing 12 -o from_data.csv
    check "$engine: the stored posterior is the posterior" cmp from_model.csv from_data.csv
    check "$engine: any input" lf predict stored.json --at <(printf 'x\n0.5\n40\n')
done
lf evaluate model.json data.csv --engine variational --inducing 9 --json >even.json
lf evaluate model.json data.csv --engine variational --inducing 9 --inducing-inputs even --json >same.json
lf evaluate model.json data.csv --engine variational --inducing 9 --inducing-inputs kmeans --json >other.json
check "evenly spaced is the default" equal "$(json log_likelihood even.json)" "$(json log_likelihood same.json)"
check "clusters are something else" test "$(json log_likelihood even.json)" != "$(json log_likelihood other.json)"
check "the bound is one" awk -v a="$(json log_likelihood even.json)" -v b="$(json log_likelihood exact.json)" 'BEGIN { exit !(a < b) }'

sed 's/1.2 }, {/1.2, "inducing": [0, 2, 4, 6, 8, 10], "inducing_noise": 0.1 }, {/' model.json >placed.json
lf evaluate placed.json data.csv --engine variational --inducing 9 --json --gradient >placed.txt
check "inducing inputs of the model win" equal "$(json columns placed.txt)" 15
check "noise is a parameter" grep -q '"force1.log_inducing_noise":' placed.txt
check "inducing inputs stay where they are" test -z "$(grep -o '"force1.inducing[0-9]' placed.txt)"
sed 's/"outputs"/"parameters": {"free": ["force1.inducing2"]}, "outputs"/' placed.json >learned.json
lf evaluate learned.json data.csv --engine variational --inducing 9 --json --gradient >learned.txt
check "unless freed" grep -q '"force1.inducing2":' learned.txt

refused 1 "no inducing values" '--inducing K' -- evaluate model.json data.csv --engine fitc
refused 2 "an unknown placement" "'odd'" -- evaluate model.json data.csv --engine fitc --inducing 4 --inducing-inputs odd
refused 1 "inducing values for an engine without" 'the dense engine has no inducing values' -- evaluate model.json data.csv --engine dense --inducing 4
refused 1 "features of exact covariances" 'no number of features' -- evaluate model.json data.csv --engine dtc --inducing 4 --nodes exact --features 5
refused 2 "no values at all" "'0'" -- evaluate model.json data.csv --engine dtc --inducing 0
refused 2 "inducing values of a stored posterior" '--inducing needs --data' -- predict stored.json --at inputs.csv --inducing 5
sed 's/"factor":"..../"factor":"/; s/"factor": "..../"factor": "/' stored.json >damaged.json
refused 1 "a damaged posterior" 'factor' -- predict damaged.json --at inputs.csv
finish
