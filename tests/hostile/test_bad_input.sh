#!/usr/bin/env bash
# Every sort of bad input ends in the right exit status and one clear sentence on stderr, with nothing on stdout and no
# file left behind. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/bad_input.sh"
# data NAME PATTERN… with the CSV on standard input: evaluate must refuse it.
data() {
    cat >bad.csv
    local name=$1
    shift
    bad 1 "$name" bad.csv "$@" -- evaluate model.json bad.csv
}
# model NAME SED-EXPRESSION PATTERN…: a model with one thing wrong must be refused.
model() {
    local name=$1
    sed "$2" model.json >bad.json
    cmp -s model.json bad.json && echo "FAIL  $name: the edit changes nothing" && failed=$((failed + 1))
    shift 2
    bad 1 "$name" bad.json "$@" -- predict bad.json --grid 5 --data good.csv -o out/p.csv
}

# ---- the command line ----
bad 2 "unknown command" "'evalute'" "'evaluate'" -- evalute model.json good.csv
bad 2 "unknown option of the program" "'--versio'" -- --versio
bad 2 "unknown option" "'--gradiant'" "'--gradient'" "see 'latentforce evaluate --help'" -- evaluate model.json good.csv --gradiant
bad 2 "missing argument" DATA "see 'latentforce evaluate --help'" -- evaluate model.json
bad 2 "missing value" --engine "see 'latentforce evaluate --help'" -- evaluate model.json good.csv --engine
bad 2 "an option where a value belongs" --engine -- evaluate model.json good.csv --engine --json
bad 2 "one argument too many" "'more.csv'" -- covariance model.json more.csv --at at.csv
bad 2 "an option given twice" --repeat twice -- evaluate model.json good.csv --repeat 2 --repeat 3
bad 2 "a value for a flag" --json -- evaluate model.json good.csv --json=yes
bad 2 "not a count" --repeat "'three'" -- evaluate model.json good.csv --repeat three
bad 2 "count too small" --repeat "'0'" -- evaluate model.json good.csv --repeat 0
bad 2 "a grid of one" --grid "'1'" -- predict model.json --grid 1 --data good.csv -o out/p.csv
bad 2 "a negative seed" --seed "'-1'" -- simulate model.json --at at.csv --seed -1 -o out/d.csv
bad 2 "a seed too large" --seed 99999999999999999999 -- simulate model.json --at at.csv --seed 99999999999999999999 -o out/d.csv
bad 2 "tolerance out of range" --tolerance "'2'" -- evaluate model.json good.csv --tolerance 2
bad 2 "tolerance not a number" --tolerance "'nan'" -- evaluate model.json good.csv --tolerance nan
bad 2 "neither --at nor --grid" --at --grid -- predict model.json --data good.csv -o out/p.csv
bad 2 "both --at and --grid" --at --grid -- predict model.json --at at.csv --grid 5 --data good.csv -o out/p.csv
bad 2 "no --at" --at -- covariance model.json -o out/K.csv
bad 2 "standard input twice" "'-'" -- predict model.json --at - --data - -o out/p.csv
bad 2 "the same file twice" out/d.csv -- simulate model.json --at at.csv -o out/d.csv --forces out/d.csv
bad 2 "an empty file name" -o -- predict model.json --grid 3 --data good.csv -o ''
bad 2 "help on an unknown command" "'nothing'" -- help nothing

bad 2 "no frequencies" --features "'0'" -- evaluate model.json good.csv --engine lowrank --features 0
bad 2 "too many frequencies" --features "'1000001'" -- evaluate model.json good.csv --engine lowrank --features 1000001
bad 2 "frequencies in words" --features "'many'" -- condition model.json good.csv --features many -o out/m.json
bad 2 "a horizon in words" --horizon "'later'" -- evaluate model.json good.csv --horizon later
bad 2 "a horizon that is not finite" --horizon "'inf'" -- evaluate model.json good.csv --horizon inf
bad 2 "forces and rates" --forces --rates -- predict model.json --grid 3 --data good.csv --forces --rates -o out/p.csv
bad 2 "condition without -o" '-o MODEL2' "see 'latentforce condition --help'" -- condition model.json good.csv

# ---- what this release does not have ----
bad 2 "unknown engine" quantum -- evaluate model.json good.csv --engine quantum
bad 2 "unknown engine of covariance" quantum -- covariance model.json --at at.csv --engine quantum -o out/K.csv
bad 2 "unknown nodes" tarot -- evaluate model.json good.csv --nodes tarot
bad 2 "unknown nodes of covariance" tarot -- covariance model.json --at at.csv --nodes tarot -o out/K.csv
bad 2 "unknown engine of condition" quantum -- condition model.json good.csv --engine quantum -o out/m.json
bad 2 "unknown nodes of an engine" tarot -- evaluate model.json good.csv --engine lowrank --nodes tarot
bad 2 "fourier in covariance" fourier features -- covariance model.json --at at.csv --engine fourier -o out/K.csv
bad 1 "random nodes without their number" features mc -- evaluate model.json good.csv --engine lowrank --nodes mc
bad 1 "random features without their number" features qmc -- covariance model.json --at at.csv --engine features --nodes qmc -o out/K.csv
bad 1 "random nodes for the fourier engine" fourier uniform -- evaluate model.json good.csv --engine fourier --nodes mc --features 10
bad 1 "random nodes for the dense engine" mc -- evaluate model.json good.csv --engine dense --nodes mc --features 10
bad 1 "a closed form of frequencies" closed-form -- evaluate model.json good.csv --engine lowrank --nodes closed-form
for engine in lowrank fourier; do
    bad 1 "$engine: a horizon before the data" horizon 1.2 1.5 -- condition model.json good.csv --engine $engine --horizon 1.2 -o out/m.json
done
cat >plane.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [ { "name": "u", "operator": {"type": "gaussian", "precision": 1.5}, "sensitivity": [1.3], "noise_variance": 0.01 } ] }
MODEL
printf 'output,x1,x2,y\nu,0,0,1\nu,1,0.5,2\n' >plane.csv
bad 1 "fourier with two inputs" 2 -- evaluate plane.json plane.csv --engine fourier
bad 1 "uniform nodes with two inputs" 2 -- evaluate plane.json plane.csv --engine lowrank --nodes uniform
bad 1 "scattered nodes without their number" qmc features -- evaluate plane.json plane.csv --engine lowrank
sed 's/"input_dim": 2/"input_dim": 38/' plane.json >wide.json
awk 'BEGIN { printf "output"; for (k = 1; k <= 38; k++) printf ",x%d", k; printf ",y\nu"; for (k = 1; k <= 39; k++) printf ",%d", k; print "" }' >wide.csv
bad 1 "scattered nodes with many inputs" qmc 37 38 orthogonal -- evaluate wide.json wide.csv --engine lowrank --nodes qmc --features 10
bad 1 "rates with two inputs" rate -- predict plane.json --at <(printf 'x1,x2\n0,0\n') --data plane.csv --rates -o out/p.csv
bad 1 "predict without data" model.json --data condition -- predict model.json --at at.csv -o out/p.csv
bad 1 "score without training rows" good.csv --data condition -- score model.json good.csv

# ---- data ----
data "empty file" < <(printf '')
data "no rows" < <(printf 'output,x,y\n')
data "missing header" < <(printf 'a,0.5,1\nb,1,2\n')
data "no y column" 'bad.csv:1' y < <(printf 'output,x\na,0.5\n')
data "no x column" 'bad.csv:1' x < <(printf 'output,y\na,0.5\n')
data "a column twice" 'bad.csv:1' "'y'" < <(printf 'output,x,y,y\na,0.5,1,1\n')
data "an unknown column" 'bad.csv:1' "'z'" --ignore-columns < <(printf 'output,x,y,z\na,0.5,1,1\n')
data "a short row" 'bad.csv:3' < <(printf 'output,x,y\na,0.5,1\na,1\n')
data "a long row" 'bad.csv:3' < <(printf 'output,x,y\na,0.5,1\na,1,2,3\n')
data "text in a number" 'bad.csv:3' y "'two'" < <(printf 'output,x,y\na,0.5,1\na,1,two\n')
data "half a number" 'bad.csv:3' "'2e'" < <(printf 'output,x,y\na,0.5,1\na,1,2e\n')
data "nothing but NaN" 'no cell of any output holds a value' < <(printf 'output,x,y\na,0.5,NaN\n')
data "infinity" 'bad.csv:2' "'inf'" < <(printf 'output,x,y\na,0.5,inf\n')
data "a number out of range" 'bad.csv:2' "'1e999'" < <(printf 'output,x,y\na,1e999,1\n')
data "nothing but an empty y" 'no cell of any output holds a value' < <(printf 'output,x,y\na,0.5,\n')
data "an empty output" 'bad.csv:2' output < <(printf 'output,x,y\n,0.5,1\n')
data "an unknown output" "'c'" model.json < <(printf 'output,x,y\na,0.5,1\nc,1,2\n')
data "a negative error" 'bad.csv:2' "'-1'" < <(printf 'output,x,y,sd\na,0.5,1,-1\n')
data "an unknown split" 'bad.csv:2' "'maybe'" < <(printf 'output,x,y,split\na,0.5,1,maybe\n')
data "no training rows left" train < <(printf 'output,x,y,split\na,0.5,1,test\n')
data "too many inputs" 2 model.json < <(printf 'output,x1,x2,y\na,0.5,1,1\n')
data "a quote left open" 'bad.csv:' < <(printf 'output,x,y\n"a,0.5,1\n')
data "wide: text in a number" 'bad.csv:3' "'one'" < <(printf 'time,a,b\n0.5,1,2\n1,one,\n')
data "wide: unknown outputs" "'c'" < <(printf 'time,c,d\n0.5,1,2\n')
data "binary rubbish" < <(printf 'output,x,y\n\000\001\002,0.5,1\n')
printf 'output,x,y\na,0.5,1\na,1,2\n' | gzip -c | head -c 30 >short.csv.gz
bad 1 "a gzip file cut short" short.csv.gz -- evaluate model.json short.csv.gz
bad 1 "data that do not exist" nothing.csv -- evaluate model.json nothing.csv
bad 1 "data that are a directory" out -- evaluate model.json out
bad 1 "data under a file" good.csv/x.csv -- evaluate model.json good.csv/x.csv
printf 'output,x,y,split\na,0.5,1,test\n' >no_train.csv
bad 1 "no training rows" no_train.csv test -- score model.json no_train.csv

# ---- inputs ----
printf 'output,x\nc,1\n' >at_c.csv
bad 1 "inputs with an unknown output" at_c.csv "'c'" -- predict model.json --at at_c.csv --data good.csv -o out/p.csv
bad 1 "covariance of an unknown output" at_c.csv "'c'" -- covariance model.json --at at_c.csv -o out/K.csv
bad 1 "simulate an unknown output" at_c.csv "'c'" -- simulate model.json --at at_c.csv -o out/d.csv --forces out/f.csv
printf 'x\n1\nlater\n' >at_text.csv
bad 1 "inputs with text" at_text.csv:3 "'later'" -- predict model.json --at at_text.csv --data good.csv -o out/p.csv
printf 'x1,x2\n1,1\n' >at_two.csv
bad 1 "inputs of the wrong dimension" at_two.csv 2 -- predict model.json --at at_two.csv --data good.csv -o out/p.csv
printf 'replicate,x\nr1,1\n' >at_r.csv
bad 1 "a replicate the data do not have" at_r.csv "'r1'" -- predict model.json --at at_r.csv --data good.csv -o out/p.csv
printf 'replicate,output,x,y\nr2,a,1,1\n' >rep.csv
bad 1 "an unknown replicate" at_r.csv "'r1'" r2 -- predict model.json --at at_r.csv --data rep.csv -o out/p.csv
bad 1 "test rows without replicate" good.csv 'training data have replicates' -- score model.json good.csv --data rep.csv
bad 1 "covariance between replicates" at_r.csv replicate -- covariance model.json --at at_r.csv -o out/K.csv

# ---- model ----
model "negative noise" 's/"noise_variance": 0.1/"noise_variance": -0.1/' noise_variance -0.1
model "wrong number of sensitivities" '5s/\[10\]/[10, 2]/' sensitivity 2
model "unstable operator with a stationary start" 's/"zero"/"stationary"/; s/1, 0.2, 2/1, -0.2, 2/' stationary '"b"'
model "a lengthscale of zero" 's/"lengthscale": 0.5/"lengthscale": 0/' lengthscale
model "an unknown kernel" 's/"eq"/"wiggly"/' wiggly
model "an unknown operator" 's/"ode2"/"ode9"/' ode9
model "an unknown start" 's/"zero"/"warm"/' warm
model "a missing constant" 's/"damper": 3, //' damper
model "an unknown member" 's/"offset": 0,/"offsett": 0,/' offsett
model "a name twice" 's/"name": "b"/"name": "a"/' '"a"'
model "text for a number" 's/"spring": 1/"spring": "soft"/' spring
model "another version" 's/"version": 1/"version": 99/' 99
model "another format" 's/latentforce-model/sonnet/' sonnet
model "an equation of two inputs" 's/"input_dim": 1/"input_dim": 2/' input_dim
model "a JSON syntax error" '2s/ \[/ [[[/' 'bad.json:'
sed '2s/"eq",/"eq"/' model.json >bad.json
bad 1 "a JSON error has line and column" 'bad.json:2:' -- show bad.json
printf '' >empty.json
bad 1 "an empty model" empty.json -- show empty.json
bad 1 "a model that does not exist" nothing.json -- show nothing.json
bad 1 "a model that is a directory" out -- show out

# ---- files that cannot be written ----
bad 1 "a folder that does not exist" nowhere/p.csv -- predict model.json --grid 3 --data good.csv -o nowhere/p.csv
bad 1 "output to a directory" out -- predict model.json --grid 3 --data good.csv -o out
bad 1 "a model to a directory" out -- condition model.json good.csv -o out
bad 1 "a model in a folder that does not exist" nowhere/m.json -- condition model.json good.csv -o nowhere/m.json
bad 1 "forces to a directory: no data either" out -- simulate model.json --at at.csv -o out/d.csv --forces out
bad 1 "data to a directory: no forces either" out -- simulate model.json --at at.csv -o out --forces out/f.csv
echo old >kept.csv
cp kept.csv kept_before.csv
bad 1 "a failure leaves the old result" "'c'" -- predict model.json --at at_c.csv --data good.csv -o kept.csv
if cmp -s kept.csv kept_before.csv; then
    echo "ok    the old result is unchanged"
    passed=$((passed + 1))
else
    echo "FAIL  the old result was changed"
    failed=$((failed + 1))
fi

finish
