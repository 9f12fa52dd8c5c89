#!/usr/bin/env bash
# lf_fit() and `latentforce fit` make the same model of the same data and options, to the last bit; and every option of the
# table is in the help and on the manual page. LATENTFORCE is the program, FIT_API the program of fit_api.c.
set -u

. "$(dirname "$0")/../support/support.sh"
fit_api=${FIT_API:?name the program of fit_api.c in FIT_API}
# The program chooses the kernels of OpenBLAS, and others give other last bits.
export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-Prescott}

# without_command FILE: a model without provenance.command, which only the program sets.
without_command() { awk '/^ *"command": \[/ { on = 1 } !on { print } on && /\],?$/ { on = 0 }' "$1"; }
# same NAME DATA OPTION…: fits by both; an option is NAME=VALUE or NAME, as for lf_options_set().
same() {
    local name=$1 data=$2
    shift 2
    rm -f cli.json api.json
    check "$name: the program fits" lf fit "$data" "${@/#/--}" -o cli.json --quiet
    check "$name: the library fits" "$fit_api" "$data" api.json "$@"
    check "$name: the program sets the command" grep -q '"command": \[' cli.json
    check "$name: the library does not" test "$(grep -c '"command"' api.json)" = 0
    check "$name: the same model" cmp <(without_command cli.json) api.json
}

cat >truth.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero",
  "forces": [ { "kernel": "eq", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 0.6, "spring": 4}, "sensitivity": [4], "noise_variance": 0.0025 },
    { "name": "b", "operator": {"type": "ode1", "decay": 0.7}, "sensitivity": [3], "noise_variance": 0.0025, "offset": 10 } ] }
MODEL
awk 'BEGIN { print "x"; for (i = 0; i < 25; i++) printf "%.6f\n", 12 * i / 24 }' >inputs.csv
lf simulate truth.json --at inputs.csv --seed 10 -o rows.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { print $0, ($1 == "b" && $2 > 5 && $2 < 7) ? "test" : "train" }' rows.csv >split.csv
cat >plane.json <<'MODEL'
{"format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [{"kernel": "eq", "lengthscale": [3, 2]}], "outputs": [
 {"name": "a", "operator": {"type": "gaussian", "precision": [4, 4]}, "sensitivity": [1], "noise_variance": 0.01},
 {"name": "b", "operator": {"type": "gaussian", "precision": [2, 2]}, "sensitivity": [-1], "noise_variance": 0.01}]}
MODEL
awk 'BEGIN { print "output,x1,x2"; for (i = 0; i < 60; i++) printf "%s,%g,%g\n", i % 2 ? "a" : "b", i * 7 % 23 / 2, i * 5 % 17 / 2 }' >places.csv
lf simulate plane.json --at places.csv --seed 4 -o plane.csv

same "defaults" rows.csv
same "test rows" split.csv
check "test rows: another model than with all rows" bash -c '! cmp -s <(grep -v \"command\" cli.json) <("$1" rows.csv /dev/stdout)' - "$fit_api"
same "choices" split.csv operator=auto forces=auto
same "inducing values" split.csv operator=ode2 forces=1 engine=variational inducing=8 inducing-inputs=data learn-inducing inducing-noise=0.01
same "random features" split.csv engine=lowrank nodes=mc features=20 seed=7 max-iterations=20
same "shape" split.csv operator=a=ode2 forces=1 force-kernel=eq initial=zero no-private origin=0 offset=learned scale=none copies=2
same "switches" split.csv forces=1 no-private no-posterior max-iterations=5
check "switches: by a value" "$fit_api" split.csv start.json forces=1 private=no posterior=no max-iterations=5
check "switches: by a value, the same model" cmp start.json api.json
same "init and fix" split.csv init=start.json fix=a.decay fix=b.decay=0.7
check "init and fix: it is fixed" grep -q '"decay": 0.7' api.json
same "several inputs" plane.csv max-iterations=30
lf fit split.csv --restarts=3 --prior=none --errors=yes --max-iterations=20 --threads=1 --quiet -o cli.json
"$fit_api" split.csv api.json restarts=3 prior=none errors=yes max-iterations=20 threads=2
check "another number of threads" cmp <(without_command cli.json) api.json

# ---- the table ----
lf fit --help >help.txt
lf fit --help-engines >>help.txt
lf help --man fit >fit.1
count=0
while read -r name type argument; do
    count=$((count + 1))
    escaped=${name//-/\\-}
    check "help has --$name" grep -Eq -- "^  --$name${argument:+ $argument}( |\$)" help.txt
    check "the manual page has --$name" grep -qF -- "\\fB\\-\\-$escaped\\fR${argument:+ \\fI${argument//-/\\-}\\fR}" fit.1
    if [ "$type" = switch ]; then
        check "help has --no-$name" grep -Eq -- "^  --no-$name( |\$)" help.txt
        check "the manual page has --no-$name" grep -qF -- "\\fB\\-\\-no\\-$escaped\\fR" fit.1
    fi
done < <("$fit_api")
check "there are options" test "$count" -gt 25

# ---- mistakes: the program and the library say the same ----
# both_refuse NAME PATTERN OPTION…
both_refuse() {
    local name=$1 pattern=$2
    shift 2
    rm -f refused.json
    "$program" fit split.csv "${@/#/--}" -o refused.json >/dev/null 2>cli.txt
    "$fit_api" split.csv refused.json "$@" 2>api.txt
    check "$name: refused" test $? -ne 0 -a ! -e refused.json
    check "$name: the message names it" grep -qF -- "$pattern" api.txt
    check "$name: the program says the same" grep -qF -- "$(sed 's/^[^ ]*: //' api.txt)" cli.txt
}
both_refuse "a count" "--restarts 'many'" restarts=many
both_refuse "a choice" "--prior 'strong'" prior=strong
both_refuse "options that exclude each other" "--forces cannot go with --init" init=start.json forces=2
both_refuse "an unknown parameter" "--fix a.weight=3" fix=a.weight=3
finish
