#!/usr/bin/env bash
# Kernels on the command line and in model files: what a fit makes of formulas, several kernels and periods; what show, its JSON and the file
# have of them; what is refused, and how.
set -u
. "$(dirname "$0")/../support/support.sh"

# Two outputs over five days, a value each hour: a daily cycle and something else.
awk 'BEGIN { print "time [h],a,b"
    for (t = 0; t < 120; t += 2) printf "%d,%.4f,%.4f\n", t, sin(t * 3.14159265 / 12) + sin(t * t), cos(t * 3.14159265 / 12) + sin(3 * t * t) }' >d.csv
sed 's/time \[h\]/x/' d.csv >plain.csv
fit() { lf fit "$data" -o m.json --engine kalman --max-iterations 3 --restarts 1 --errors no --quiet "$@" >fit.log 2>&1; }
data=d.csv
# kernels_are TEXT…: the kernels of the shared forces of m.json, in order.
kernels_are() { equal "$(python3 -c 'import json; print([f["kernel"] for f in json.load(open("m.json"))["forces"]])')" "$1"; }
shows() { lf show m.json >shown.txt && grep -qF -- "$1" shown.txt || { cat shown.txt; false; }; }

# ---- formulas ----
check "a sum" fit --forces 1 --no-private --force-kernel 'quasiperiodic(1d, harmonics=2) + matern32'
check "has its formula" kernels_are "['periodic(harmonics=2)*matern32 + matern32']"
check "days become hours" shows 'period 24 h'
check "terms by name" grep -Eq 'term1: lengthscale [^,]* h, period 24 h, period_lengthscale [^,]*, weight 1; term2: lengthscale [^,]* h, weight ' shown.txt
cp m.json sum.json
check "the period is fixed by default" python3 -c 'import json, sys
p = json.load(sys.stdin)["parameters"]
assert p["force1.term1.period"]["fixed"] and p["force1.term1.weight"]["fixed"]
assert not p["force1.term1.lengthscale"]["fixed"] and not p["force1.term2.weight"]["fixed"]' < <(lf show m.json --json)
check "the JSON has the terms" python3 -c 'import json, sys
f = json.load(sys.stdin)["forces"][0]
assert f["lengthscale"] == [] and len(f["terms"]) == 2
assert f["terms"][0]["period"] == 24 and f["terms"][0]["period_error"] is None and "period" not in f["terms"][1]' < <(lf show m.json --json)
check "a plain kernel is plain" fit --forces 1 --period none --force-kernel 'matern32(5h)'
check "as if by its name" kernels_are "['matern32']"
check "its table is as always" grep -q '^force   kernel    lengthscale$' <(lf show m.json)
check "the lengthscale is the start of the fit" fit --forces 1 --force-kernel 'matern32(5h)' --fix force1.lengthscale
check "and can be held there" shows '5 h'
check "private forces" fit --forces 1 --private-kernel white
check "white has an amplitude alone" shows 'white, amplitude '
check "a formula is not that of the private forces" fit --forces 1 --force-kernel 'cosine(24h)*eq'
check "which stay rough" shows 'matern12, lengthscale '

# ---- several kernels, periods ----
check "a kernel for each force" fit --force-kernel 'periodic(24h)' --force-kernel matern32 --force-kernel eq
check "in their order" kernels_are "['periodic', 'matern32', 'eq']"
check "the last for those beyond" fit --force-kernel 'periodic(24h)' --force-kernel matern12 --forces 3
check "two of them" kernels_are "['periodic', 'matern12', 'matern12']"
check "periods add forces" fit --forces 1 --period 24h --period 2d
check "after the others, two copies of each" kernels_are "['matern32', 'periodic*matern12', 'periodic*matern12', 'periodic*matern12', 'periodic*matern12']"
check "with these periods" shows 'period 48 h'
check "no period" fit --forces 1 --period none
check "no force" kernels_are "['matern32']"
check "copies" fit --forces 1 --period 24h --copies 2
check "of every force" grep -q "^force4 .* periodic" <(lf show m.json)
# ---- what --period says, and periods that are fitted ----
loud() { lf fit d.csv -o m.json --forces 1 --engine kalman --max-iterations 20 --restarts 1 --errors no "$@" >fit.log 2>&1; }
check "a period" loud --period 24
check "is noted with the unit of the data" grep -qF 'note: forces that repeat every 24 h are added; the training rows span 4.92 such periods' fit.log
check "a long one" loud --period 1a
check "is doubted" grep -qF 'such periods, too few to see a cycle' fit.log
check "a short one" loud --period 3min
check "is doubted too" grep -qF 'such periods, but a period is shorter than two steps between rows' fit.log
is_free() { python3 -c 'import json, sys
p = json.load(sys.stdin)["parameters"]["force2.period"]
sys.exit(p["fixed"] or not (p["value"] != 23 and abs(p["value"] - 23) < 8))' < <(lf show m.json --json); }
check "a period that is free" loud --period 23h --free force2.period
check "is fitted" is_free
check "by the name of its copy too" loud --period 20h --free force3.period=23
check "from a start" is_free
refused 1 "freeing what there is not" 'give the period with --period' -- fit d.csv --free force9.period -o n.json --forces 1
refused 2 "freeing at no number" "--free force2.period=x: 'x' is not a number" -- fit d.csv --free force2.period=x -o n.json
cut -d, -f1,2 d.csv >one.csv
lf fit one.csv -o n.json --private-kernel white --max-iterations 3 --errors no --period none 2>fit.log
check "one output has no private force" grep -qF 'note: --private-kernel white has no effect' fit.log
check "white forces" fit --forces 1 --force-kernel white --period none
refused 1 "their figure" 'a white force has no value at an instant' -- plot m.json --what forces -o f.svg

data=plain.csv
check "a plain number is in the unit of the data" fit --forces 1 --period 24
check "whatever that is" shows 'period 24,'
data=d.csv

# ---- the file ----
# with FORCE: a model with this force.
with() { printf '{"format":"latentforce-model","version":1,"forces":[%s],"outputs":[{"name":"a","operator":{"type":"ode1","decay":0.3},"sensitivity":[1],"noise_variance":0.1}]}' "$1" >m.json; }
check "the file is read back as it was written" equal "$(lf show sum.json)" "$(lf show sum.json)"
with '{"kernel":"quasiperiodic(24) + 0.5*eq(3)","terms":[{"lengthscale":90},{}]}'
check "values in the formula or beside it" shows 'term1: lengthscale 90, period 24, period_lengthscale 1, weight 1; term2: lengthscale 3, weight 0.5'
with '{"kernel":"periodic(24)*matern32(90) + eq(3)"}'
check "or in the formula alone" shows 'term1: lengthscale 90, period 24, period_lengthscale 1, weight 1; term2: lengthscale 3, weight 1'
printf 'x\n1\n2\n5\n' >at.csv
check "simulate draws from it" lf simulate m.json --at at.csv --seed 2 -o drawn.csv
with '{"kernel":"eq(3)"}'
check "a plain kernel with its lengthscale" equal "$(lf show m.json | grep '^force1')" 'force1  eq      3'
with '{"kernel":"periodic*matern32","lengthscale":90}'
refused 1 "a missing period" 'forces[0].period: missing' -- show m.json
with '{"kernel":"periodic + eq"}'
refused 1 "values of terms that are missing" 'forces[0].kernel' 'term 1 of "periodic + eq" has no period' -- show m.json
with '{"kernel":"periodic(24) + eq(3)","lengthscale":2}'
refused 1 "a value that belongs to no term" 'forces[0].lengthscale' -- show m.json
with '{"kernel":"eq(3) + white"}'
refused 1 "white with others" "kernel 'eq(3) + white': a white force has no variance to share" -- show m.json
with '{"kernel":"perodic","period":3}'
refused 1 "a misspelt kernel" "m.json" "forces[0].kernel" "did you mean 'periodic'?" -- show m.json
with '{"kernel":"periodic(24h)"}'
refused 1 "a unit" "in a file it is a number in the unit of the input" -- show m.json
with '{"kernel":"eq","lengthscale":1,"period":3}'
refused 1 "a period of a plain kernel" 'the kernel "eq" has no period' -- show m.json

# ---- the command line ----
refused 2 "a misspelt name" "kernel 'perodic(24h)'" "did you mean 'periodic'?" -- fit d.csv --force-kernel 'perodic(24h)' -o refused.json
refused 2 "a product" "eq times matern32 is not supported; supported are" -- fit d.csv --force-kernel 'eq*matern32' -o refused.json
refused 2 "of private forces too" "--private-kernel: kernel 'eq*eq'" -- fit d.csv --private-kernel 'eq*eq' -o refused.json
refused 2 "auto and another" "cannot go with another one" -- fit d.csv --force-kernel eq --force-kernel auto -o refused.json
refused 2 "fewer forces than kernels" "--forces 1" "given 2 times" -- fit d.csv --force-kernel eq --force-kernel matern12 --forces 1 -o refused.json
refused 2 "a comparison of numbers" "--forces auto" "given 2 times" -- fit d.csv --force-kernel eq --force-kernel matern12 --forces auto -o refused.json
refused 2 "a period that is no span" "--period '24x'" "as in 24h" "auto, none" -- fit d.csv --period 24x -o refused.json
refused 2 "a period below 0" "--period '-1'" -- fit d.csv --period=-1 -o refused.json
refused 2 "none and a period" "--period 24h: auto and none cannot go with another" -- fit d.csv --period none --period 24h -o refused.json
refused 2 "a period and none" "--period none: auto and none cannot go with another" -- fit d.csv --period 24h --period none -o refused.json
refused 2 "a period and a model" "--period cannot go with --init" -- fit d.csv --period 24h --init sum.json -o refused.json
refused 1 "hours of data without a unit" "kernel 'periodic(24h)'" "the unit of time of the data is not known" -- fit plain.csv --force-kernel 'periodic(24h)' -o refused.json
refused 1 "and a period" "'24h': the unit of time is not known" -- fit plain.csv --period 24h -o refused.json
printf 'output,x1,x2,y\na,0,1,2\na,1,2,3\na,2,1,0\na,1,1,1\n' >map.csv
refused 1 "a map" "kernel 'periodic(3)' is for one input, the data have 2" -- fit map.csv --force-kernel 'periodic(3)' -o refused.json
refused 1 "a period on a map" "--period 3 is for one input, the data have 2" -- fit map.csv --period 3 -o refused.json
refused 1 "an engine that does not support it" "the fitc engine does not support forces with the kernel periodic*matern12" -- \
    fit d.csv --period 24h --engine fitc --inducing 5 -o refused.json

# ---- engines ----
# by ENGINE: the engine of the fit that was just made.
by() { grep -qF "by the $1 engine" fit.log || { cat fit.log; false; }; }
short() { lf fit d.csv -o m.json --max-iterations 3 --restarts 1 --errors no "$@" >fit.log 2>&1; }
check "forces that are all white" short --force-kernel white --private-kernel white --forces 2
check "need the filter" by kalman
check "and such a model is evaluated by it" grep -q '"kalman"' m.json
check "or all linear" short --force-kernel linear --private-kernel linear --forces 1
check "need it too" by kalman
check "or one after the other" short --force-kernel white --force-kernel linear --no-private
check "need it as well" by kalman
refused 1 "features of white forces" "the lowrank engine does not support forces with the kernel white; use dense or kalman" -- \
    fit d.csv --force-kernel white --engine lowrank -o refused.json
check "smoothing operators" short --operator gaussian --force-kernel 'quasiperiodic(24h)' --forces 1 --no-private --engine lowrank
check "have features of cycles" by lowrank
check "and uniform frequencies" short --operator gaussian --force-kernel 'quasiperiodic(24h, eq)' --forces 1 --no-private --engine fourier
check "where there are no lines" by fourier
check "or lines" short --operator gaussian --force-kernel 'periodic(24h) + eq' --forces 1 --no-private
check "which the covariance matrix has too, and sooner" by dense
refused 1 "white forces behind them" "output 'a' has the operator gaussian: no engine supports kernels such as white" "use ode1" -- \
    fit d.csv --operator gaussian --force-kernel white -o refused.json
check "the best of two operators" short --operator auto --force-kernel eq --force-kernel matern12 --period none
check "has a force for each kernel" kernels_are "['eq', 'matern12']"

check "help kernels" grep -q '^  quasiperiodic(T) ' <(lf help kernels)
check "help period" grep -q '^  quasiperiodic(T) ' <(lf help period)
check "one screen" equal "$(lf help kernels | awk 'length > 79 || NR > 50')" ''
finish
