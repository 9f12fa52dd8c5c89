#!/usr/bin/env bash
# latentforce fit from the outside: what it writes, what it refuses, and what happens when it is interrupted.
set -u

. "$(dirname "$0")/../support/support.sh"

# number FILE KEY: the first number under a key of a JSON file.
number() { grep -o "\"$2\": *[0-9.e+-]*" "$1" | head -n 1 | sed 's/.*: *//'; }
between() { awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN { print v; exit !(v >= low && v <= high) }'; }
contains() { grep -qF -- "$2" "$1" || { cat "$1"; echo "has no '$2'"; false; }; }

cat >truth.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero",
  "forces": [ { "kernel": "eq", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "mass1", "operator": {"type": "ode2", "mass": 1, "damper": 0.6, "spring": 4},
      "sensitivity": [4], "noise_variance": 0.0025 },
    { "name": "b=2/x", "operator": {"type": "ode1", "decay": 0.7},
      "sensitivity": [3], "noise_variance": 0.0025, "offset": 10, "scale": 2 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (d = 1; d <= 2; d++) for (i = 0; i < 60; i++)
    printf "%s,%.6f\n", d == 1 ? "mass1" : "b=2/x", 12 * i / 59 }' >inputs.csv
lf simulate truth.json --at inputs.csv --seed 10 -o readings.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { print $0, ($1 != "mass1" && $2 > 5 && $2 < 7) ? "test" : "train" }' \
    readings.csv >data.csv
shape="--operator mass1=ode2 --forces 1 --force-kernel eq --initial zero --no-private --origin 0"

# ---- the whole way ----
check 'fit writes a model' lf fit data.csv $shape --fix 'b=2/x.offset=10' -o model.json --trace trace.csv --quiet
check 'it holds a posterior that scores without data' lf score model.json data.csv
lf score model.json data.csv --json >score.json
check 'the gap is predicted well' between "$(number score.json nmse)" 0 0.1
check 'show prints standard errors' sh -c '"$0" show model.json >shown.txt && grep -q "spring [0-9.]* +- " shown.txt' "$program"
check 'what was fixed stays' contains model.json '"offset": 10.0'
check 'the mass is fixed by itself' contains model.json '"mass1.mass"'
check 'the damper is found' between "$(number model.json damper)" 0.4 0.8
check 'the spring is found' between "$(number model.json spring)" 3.6 4.4
check 'the trace has every iteration' sh -c 'awk -F, "NR > 1 && \$1 == 1 { if (\$2 != ++n) bad = 1 } END { exit bad || n < 5 }" trace.csv'
check 'the objective never falls' sh -c 'awk -F, "NR > 1 { if (\$1 in last && \$4 < last[\$1]) bad = 1; last[\$1] = \$4 } END { exit bad }" trace.csv'
check 'the command is remembered, the place of the file is not' sh -c \
    'grep -q "\"data.csv\"" model.json && ! grep -q "model.json\|trace.csv" model.json'

# ---- nothing of the test rows gets in ----
awk -F, -v OFS=, '$4 == "test" { $3 = 1e6 } { print }' data.csv >absurd.csv
lf fit absurd.csv $shape --fix 'b=2/x.offset=10' -o absurd.json --quiet
check 'values of test rows change nothing' sh -c 'sed s/absurd.csv/data.csv/ absurd.json | cmp - model.json'

# ---- no settings at all; other shapes ----
check 'fit without settings' lf fit data.csv -o plain.json --quiet
check 'a stationary start' lf fit data.csv --initial stationary --forces 1 --max-iterations 5 --errors no -o s.json --quiet
check 'an equation of order 3' lf fit data.csv --operator ode:3 --forces 1 --max-iterations 5 --errors no -o s.json --quiet
check 'smoothing' lf fit data.csv --operator gaussian --forces 2 --max-iterations 5 --errors no -o s.json --quiet
check 'a small file without posterior' sh -c '"$0" fit data.csv --forces 1 --max-iterations 2 --no-posterior -o small.json --quiet && ! grep -q posterior\": small.json' "$program"
check 'a model to standard output' sh -c '"$0" fit data.csv --forces 1 --max-iterations 2 -o - --quiet | grep -q latentforce-model' "$program"
check 'without a prior' lf fit data.csv --forces 1 --prior none --max-iterations 5 -o s.json --quiet
lf fit data.csv $shape --max-iterations 3 -o short.json --quiet
check 'from a model' lf fit data.csv --init short.json -o again.json --quiet
check 'which ends at least as high' sh -c 'awk -v a="$1" -v b="$2" "BEGIN { exit !(b >= a) }"' sh \
    "$(number short.json log_likelihood)" "$(number again.json log_likelihood)"
check 'choices are compared and shown' sh -c \
    '"$0" fit data.csv --operator auto --forces auto --force-kernel auto -o auto.json 2>table.txt &&
     grep -q chosen table.txt && grep -q candidates auto.json && [ "$(grep -c "ode[12] .*[0-9]" table.txt)" -ge 8 ]' "$program"
lf score auto.json data.csv --json >auto_score.json
check 'what was chosen predicts well' between "$(number auto_score.json nmse)" 0 0.1
printf 'x,y\n' >one.csv
awk 'BEGIN { for (i = 0; i < 50; i++) print i "," sin(i / 5) }' >>one.csv
check 'one output in the wide shape' lf fit one.csv -o s.json --quiet
printf 'x,y,z\n0,1,2\n1,1,3\n2,1,2.5\n3,1,3.5\n4,1,2\n5,1,2\n' >constant.csv
check 'a constant output' lf fit constant.csv --max-iterations 20 -o s.json --quiet
awk -F, -v OFS=, 'NR == 1 { print "replicate", $0; next } { print "one", $0; $3 += 0.01; print "two", $0 }' readings.csv >replicates.csv
check 'replicates' lf fit replicates.csv $shape --max-iterations 5 -o s.json --quiet

# ---- two inputs ----
cat >plane.json <<'MODEL'
{"format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [{"kernel": "eq", "lengthscale": [3, 2]}], "outputs": [
 {"name": "a", "operator": {"type": "gaussian", "precision": [4, 4]}, "sensitivity": [1], "noise_variance": 0.01},
 {"name": "b", "operator": {"type": "gaussian", "precision": [2, 2]}, "sensitivity": [-1], "noise_variance": 0.01}]}
MODEL
awk 'BEGIN { srand(3); print "output,x1,x2"
    for (i = 0; i < 150; i++) printf "%s,%.4f,%.4f\n", i % 2 ? "a" : "b", 100 + 10 * rand(), 5 + 8 * rand() }' >places.csv
lf simulate plane.json --at places.csv --seed 4 -o plane.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { print $0, NR % 10 ? "train" : "test" }' plane.csv >split.csv
check 'two inputs' lf fit split.csv -o flat.json --quiet
check 'which are standardised' contains flat.json '"inputs": ['
lf score flat.json split.csv --json >flat_score.json
check 'and predicted well' between "$(number flat_score.json nmse)" 0 0.1
check 'copies, by inducing values' lf fit split.csv --copies 2 --engine variational --inducing 40 -o copies.json --quiet
lf score copies.json split.csv --json >copies_score.json
check 'predict well too' between "$(number copies_score.json nmse)" 0 0.1
check 'a bound is below the likelihood' awk -v bound="$(lf evaluate copies.json split.csv --engine variational --json | sed 's/.*"log_likelihood":\([^,]*\).*/\1/')" \
    -v exact="$(lf evaluate copies.json split.csv --json | sed 's/.*"log_likelihood":\([^,]*\).*/\1/')" 'BEGIN { print bound, exact; exit !(bound <= exact && bound > exact - 200) }'
check 'frequencies for two inputs' lf fit split.csv --nodes qmc --features 60 -o s.json --quiet

# ---- by inducing values ----
check 'variational' lf fit data.csv $shape --engine variational --inducing 15 -o sparse.json --quiet
lf score sparse.json data.csv --json >sparse_score.json
check 'which predicts well' between "$(number sparse_score.json nmse)" 0 0.1
check 'and tells its inducing inputs' contains sparse.json '"inducing": ['
check 'learned inputs, learned noise, random features' lf fit data.csv $shape --engine variational --inducing 8 --learn-inducing \
    --inducing-noise 0.01 --nodes mc --features 30 --max-iterations 20 -o learned.json --quiet
check 'the inputs have moved' sh -c '[ "$(grep -A3 "\"inducing\"" sparse.json)" != "$(grep -A3 "\"inducing\"" learned.json)" ]'
refused 2 'inducing values for an exact engine' '--inducing needs --engine' -- fit -o refused.json data.csv --inducing 5
refused 1 'an inducing engine without them' '--inducing K' -- fit -o refused.json data.csv --engine fitc

# ---- what a fit ends with ----
lf fit data.csv $shape --max-iterations 2 -o limit.json 2>limit.txt
check 'the reason is told' contains limit.txt 'the largest number of iterations was reached'
check 'convergence can be required' sh -c '"$0" fit data.csv $1 --max-iterations 2 -o limit.json --require-convergence --quiet; [ $? = 1 ] && [ -s limit.json ]' "$program" "$shape"
sed 's/"noise_variance": [0-9.e-]*/"noise_variance": 0.01/' limit.json >bounded.json
sed -i 's/"parameters": {/"parameters": { "bounds": {"mass1.spring": [4.5, 9]},/' bounded.json
lf fit data.csv --init bounded.json -o bounded_fit.json 2>bounds.txt
check 'a bound that is reached is told' contains bounds.txt 'mass1.spring ended on a bound'

# ---- the number of threads, interruption, resumption ----
for threads in 1 2 3; do
    lf fit data.csv $shape --restarts 3 --threads $threads -o threads$threads.json --quiet
done
check 'two threads give the same file as one' cmp threads1.json threads2.json
check 'three threads too' cmp threads1.json threads3.json

# A fit long enough to be caught in the middle.
long="--forces 2 --operator ode2 --restarts 2 --max-iterations 150 --errors no --quiet"
lf fit data.csv $long -o whole.json
"$program" fit data.csv $long --checkpoint state.json --checkpoint-every 0.001 --trace cut.csv -o cut.json &
pid=$!
for _ in $(seq 600); do
    [ -s state.json ] && [ "$(wc -l <cut.csv)" -gt 20 ] && break
    sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
check 'killed before its end' [ ! -e cut.json ]
check 'the checkpoint is whole' contains state.json '"checksum"'
check 'resume' lf fit data.csv $long --checkpoint state.json --resume --trace cut.csv -o cut.json
check 'it ends exactly where the uninterrupted fit does' cmp whole.json cut.json
check 'the trace has no hole' sh -c 'awk -F, "NR > 1 && \$2 != ++n[\$1] { bad = 1 } END { exit bad }" cut.csv'
refused 1 'a checkpoint of another fit' 'state.json' 'another fit' -- fit -o refused.json data.csv $long --seed 2 --checkpoint state.json --resume
sed 's/\("optimiser": "...\)./\1A/' state.json >damaged.json
refused 1 'a damaged checkpoint' 'damaged.json' 'damaged' -- fit -o refused.json data.csv $long --checkpoint damaged.json --resume
refused 1 'a file that is no checkpoint' 'model.json' 'not a checkpoint' -- fit -o refused.json data.csv $long --checkpoint model.json --resume

"$program" fit data.csv --forces 2 --operator ode2 --errors no --max-iterations 100000 --prior none --quiet --trace stop.csv -o stopped.json &
pid=$!
for _ in $(seq 600); do
    [ -s stop.csv ] && [ "$(wc -l <stop.csv)" -gt 10 ] && break
    sleep 0.05
done
kill -INT $pid 2>/dev/null
wait $pid
check 'Ctrl-C ends a fit in good order' equal $? 0
check 'and keeps the best so far' lf score stopped.json data.csv

# ---- mistakes ----
refused 1 'an unknown operator' "unknown operator 'ode9'" 'ode1, ode2' -- fit -o refused.json data.csv --operator ode9
refused 1 'an operator for an unknown output' 'nobody=ode2' 'no output of that name' -- fit -o refused.json data.csv --operator nobody=ode2
refused 2 'two operators for all' 'given already' -- fit -o refused.json data.csv --operator ode1 --operator ode2
refused 2 'no number of forces' "--forces 'many'" -- fit -o refused.json data.csv --forces many
refused 2 'an unknown kernel' 'triangle' -- fit -o refused.json data.csv --force-kernel triangle
refused 2 'an unknown start' 'sudden' -- fit -o refused.json data.csv --initial sudden
refused 2 'an unknown offset' "'median'" 'first, mean, learned, none' -- fit -o refused.json data.csv --offset median
refused 2 'an unknown scale' "'max'" 'sd, none' -- fit -o refused.json data.csv --scale max
refused 2 'an unknown prior' "--prior 'strong'" -- fit -o refused.json data.csv --prior strong
refused 1 'fixing an unknown parameter' '--fix mass1.weight=3' 'mass1.mass' -- fit -o refused.json data.csv --operator ode2 --fix mass1.weight=3
refused 2 'fixing at no number' "'heavy' is not a number" -- fit -o refused.json data.csv --operator ode2 --fix mass1.mass=heavy
refused 1 'fixing at an impossible value' 'must be > 0' -- fit -o refused.json data.csv --operator ode2 --fix mass1.mass=-1
refused 1 'a horizon before the data' '--horizon 3 lies before' -- fit -o refused.json data.csv --horizon 3 --max-iterations 1000000
refused 2 'private and not private' 'not both' -- fit -o refused.json data.csv --private --no-private
refused 2 'a shape beside a model' '--forces cannot go with --init' -- fit -o refused.json data.csv --init model.json --forces 2
refused 2 'resuming from nothing' '--resume needs --checkpoint' -- fit -o refused.json data.csv --resume
refused 2 'an unknown engine' "'steam'" dense -- fit -o refused.json data.csv --engine steam
refused 1 'an origin after the first row' 'before' -- fit -o refused.json data.csv --initial zero --origin 3
refused 1 'no such data' 'nothing.csv' -- fit -o refused.json nothing.csv
printf 'output,x,y,split\na,0,1,train\na,1,2,train\nb,0,1,test\n' >unseen.csv
refused 1 'an output without training rows' "'b' has no training rows" -- fit -o refused.json unseen.csv
printf 'output,x,y,split\na,0,1,test\n' >untrained.csv
refused 1 'no training rows at all' 'untrained.csv' -- fit -o refused.json untrained.csv
sed 's/"mass1"/"other"/' truth.json >other.json
refused 1 'a model of other outputs' "'mass1'" 'not in the model' -- fit -o refused.json data.csv --init other.json
refused 1 'a checkpoint that cannot be written' 'nowhere/state.json' -- fit -o refused.json data.csv --checkpoint nowhere/state.json
check 'a model that cannot be written is found out at once' sh -c '"$0" fit missing.csv -o nowhere/model.json 2>&1 | grep -q nowhere/model.json' "$program"
refused 1 'a trace that cannot be written' 'nowhere/trace.csv' -- fit -o refused.json data.csv --trace nowhere/trace.csv
finish
