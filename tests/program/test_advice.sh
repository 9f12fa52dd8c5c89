#!/usr/bin/env bash
# An error that names engines is followed: each of them takes the model and the rows. Every kind of model × every exact engine.
set -u

. "$(dirname "$0")/../support/support.sh"

awk 'BEGIN { srand(4); print "replicate,output,x,y"; for (r = 1; r <= 2; r++) for (d = 1; d <= 2; d++) for (i = 0; i < 13; i++)
    printf "r%d,%s,%.3f,%.4f\n", r, d == 1 ? "a" : "b", 3 * i + (i > 0) * 0.2 * rand(), sin(i / 3 + d) + 0.1 * rand() }' >rows.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "u"; next } { print $0, int($3 / 5) % 2 }' rows.csv >known.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "width"; next } { print $0, 1 }' rows.csv >wide.csv

matern='{"kernel": "matern32", "lengthscale": 4}'
eq='{"kernel": "eq", "lengthscale": 4}'
lines='{"kernel": "periodic*matern32", "lengthscale": 9, "period": 7, "period_lengthscale": 1}'
level='{"kernel": "matern32 + constant", "terms": [{"lengthscale": 5, "weight": 1}, {"weight": 0.8}]}'
linear='{"kernel": "linear", "lengthscale": 30}'
white='{"kernel": "white"}'
ode='{"type": "ode1", "decay": 0.4}'
gaussian='{"type": "gaussian", "precision": 0.4}'
# model FORCE OPERATOR START [MEMBER]: of two outputs
model() {
    cat >m.json <<END
{ "format": "latentforce-model", "version": 1, "initial": "$3", ${4:-} "forces": [$1], "outputs": [
  { "name": "a", "operator": $2, "sensitivity": [1], ${5:-} "noise_variance": 0.1 }, { "name": "b", "operator": $2, "sensitivity": [2], ${5:-} "noise_variance": 0.1 } ] }
END
}
refusals=0 followed=0 silent=0
# follow NAME DATA [OPTION…]: evaluates with each engine; where one refuses, with those that it names.
follow() {
    local name=$1 data=$2 engine other said
    shift 2
    for engine in auto dense kalman lowrank fourier; do
        lf evaluate m.json "$data" --gradient -q --engine $engine "$@" >out.txt 2>err.txt && continue
        refusals=$((refusals + 1))
        said=$(sed 's/.*; use //; t; d' err.txt | grep -ow 'dense\|kalman\|lowrank\|fourier')
        [ -n "$said" ] || silent=$((silent + 1))
        for other in $said; do
            followed=$((followed + 1))
            check "$name: $engine names $other, which takes it" lf evaluate m.json "$data" --gradient -q --engine "$other" "$@"
        done
        if [ -z "$said" ]; then # then there is none
            for other in dense kalman lowrank fourier; do
                check "$name: $engine names none, and $other does not take it" bash -c "! '$program' evaluate m.json $data -q --engine $other $* >/dev/null 2>&1"
            done
        fi
    done
}
for start in stationary free; do
    for force in matern eq lines level linear white; do
        for operator in ode gaussian; do
            model "${!force}" "${!operator}" $start
            follow "$force, $operator, $start" rows.csv
        done
    done
done
model "$matern" "$ode" zero '"known_inputs": [{"name": "u", "between": "constant"}],' '"gain": [0.3],'
follow "a known input" known.csv
model "$level" "$ode" zero
follow "averages" wide.csv
model "$level" "$gaussian" stationary
follow "few columns" rows.csv --tolerance 1e-3
check "there were refusals, and most name engines" test $refusals -gt 30 -a $followed -gt $silent
echo "$refusals refusals, $followed engines named, $silent without one"

# The choice among engines, by operations: EQ envelopes have 22 states in covariances too, and private forces have columns of their own.
chosen() { lf evaluate m.json rows.csv -q --json "$@" | sed 's/.*"engine":"\([a-z]*\)".*/\1/'; }
model '{"kernel": "constant + matern52", "terms": [{"weight": 1}, {"lengthscale": 5, "weight": 1}]}' "$ode" free '' \
    '"private": {"kernel": "cosine*eq", "lengthscale": 10, "period": 5, "amplitude": 0.3},'
check "an EQ envelope beside outputs that decay: not by dense" test "$(chosen)" != dense
model '{"kernel": "cosine*matern32 + matern12", "terms": [{"lengthscale": 5, "period": 5, "weight": 1}, {"lengthscale": 2, "weight": 1}]}' "$ode" zero '' \
    '"private": {"kernel": "cosine*eq", "lengthscale": 10.3, "period": 5, "amplitude": 0.5},'
check "rough forces beside it: neither" test "$(chosen)" != dense

# What no engine takes is refused by the fit before it begins, with the reason.
awk -F, -v OFS=, 'NR == 1 { $1 = "replicate" } { print }' known.csv >fit.csv
refused 1 "known inputs of smoothed outputs" "known inputs act through differential equations only" "choose ode1" -- \
    fit fit.csv --operator gaussian --input u --forces 1 --period 7 -q -o refused.json
refused 1 "a trend of smoothed outputs" "no engine supports kernels such as linear" "use ode1" -- \
    fit rows.csv --operator gaussian --force-kernel linear --forces 1 -q -o refused.json
check "cycles of smoothed outputs are fitted" lf fit rows.csv --operator gaussian --forces 1 --force-kernel matern32+constant --period 7 --private \
    --initial stationary --max-iterations 3 --restarts 1 --errors no -q -o smooth.json
check "and evaluated afterwards" lf evaluate smooth.json rows.csv -q
finish
