#!/usr/bin/env bash
# A fit from C and from the command line is the same to the last bit, and the table of options is what both use. LF_FIT_PROGRAM is
# tests/fit_program.c.
set -u

. "$(dirname "$0")/support.sh"
from_c=${LF_FIT_PROGRAM:?name the program in LF_FIT_PROGRAM}
contains() { grep -qF -- "$2" "$1" || { cat "$1"; echo "has no '$2'"; false; }; }

cat >truth.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero",
  "forces": [ { "kernel": "eq", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 0.6, "spring": 4}, "sensitivity": [4], "noise_variance": 0.0025 },
    { "name": "b", "operator": {"type": "ode1", "decay": 0.7}, "sensitivity": [3], "noise_variance": 0.0025 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (i = 0; i < 40; i++) printf "a,%.6f\nb,%.6f\n", i / 4, i / 4 }' >inputs.csv
lf simulate truth.json --at inputs.csv --seed 10 -o readings.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { print $0, ($1 == "b" && $2 > 5) ? "test" : "train" }' readings.csv >data.csv
cat >plane.json <<'MODEL'
{"format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [{"kernel": "eq", "lengthscale": [3, 2]}], "outputs": [
 {"name": "a", "operator": {"type": "gaussian", "precision": [4, 4]}, "sensitivity": [1], "noise_variance": 0.01}]}
MODEL
awk 'BEGIN { srand(3); print "output,x1,x2"; for (i = 0; i < 60; i++) printf "a,%.4f,%.4f\n", 10 * rand(), 8 * rand() }' >places.csv
lf simulate plane.json --at places.csv --seed 4 -o plane.csv

# same NAME DATA OPTION…: options as on the command line, without "--". Only the command in the provenance may differ.
same() {
    local name=$1 data=$2 options=()
    shift 2
    for option; do
        case $option in
        *=*) options+=("--${option%%=*}=${option#*=}") ;;
        *) options+=("--$option") ;;
        esac
    done
    lf fit "$data" "${options[@]}" -o command.json --quiet && "$from_c" "$data" c.json "$@" || { echo "FAIL  $name: a fit failed"; failed=$((failed + 1)); return; }
    python3 - <<'PYTHON'
import re
text = open("command.json").read()
open("expected.json", "w").write(re.sub(r'"command": \[[^]]*\],\s*', "", text))
PYTHON
    check "$name" cmp expected.json c.json
}
same 'defaults' data.csv
same 'a shape' data.csv operator=ode2 operator=b=ode1 forces=1 force-kernel=eq no-private initial=zero origin=0 offset=none scale=none
same 'a selection' data.csv operator=auto forces=auto max-iterations=5 errors=no
same 'inducing values' data.csv engine=variational inducing=8 inducing-inputs=data learn-inducing inducing-noise=0.01 force-kernel=eq max-iterations=5
same 'random features' data.csv engine=lowrank nodes=mc features=30 seed=7 force-kernel=eq max-iterations=5
same 'fixed parameters' data.csv operator=ode2 fix=a.mass=2 fix=b.offset prior=none restarts=3 max-iterations=5 horizon=12
same 'from a model' data.csv init=c.json max-iterations=4 no-posterior
same 'several inputs' plane.csv copies=2 max-iterations=5
same 'threads' data.csv threads=1 max-iterations=3

# ---- every option of the table is on the command line and in the manual ----
lf fit --help >help.txt
lf help --man fit | sed 's/\\-/-/g; s/\\f[BIR]//g' >manual.txt
"$from_c" data.csv refused.json no-such-option=1 2>unknown.txt
check 'an unknown option is refused by name' contains unknown.txt "no option 'no-such-option'"
sed -n 's/.*{\.name = "\([a-z-]*\)".*/\1/p' "${LF_SOURCE_DIR:?}/src/fit/option_table.c" >names.txt
check 'the table has options' [ "$(wc -l <names.txt)" -gt 25 ]
missing=$(while read -r name; do
    grep -q -- "^  --$name\b" help.txt && grep -q -- "^--$name\b" manual.txt || echo "$name"
done <names.txt)
check 'all of them are in the help and in the manual page' [ -z "$missing" ]
for setting in forces=many forces=0 restarts=-1 tolerance=2 origin=noon seed=x prior=strong errors=maybe fix=a.mass=heavy; do
    "$from_c" data.csv refused.json "$setting" 2>wrong.txt
    check "$setting is refused" contains wrong.txt "--${setting%%=*} "
done
check 'nothing is written' [ ! -e refused.json ]
finish
