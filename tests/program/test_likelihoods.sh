#!/usr/bin/env bash
# Readings with outliers: a fit with Student-t noise, what follows from its model file, and what is refused. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

cat >truth.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "stationary",
  "forces": [ { "kernel": "matern32", "lengthscale": 6 } ],
  "outputs": [
    { "name": "hall", "operator": {"type": "ode1", "decay": 0.5}, "sensitivity": [1],
      "noise_variance": 0.01, "likelihood": {"type": "student", "degrees": 2.2}, "offset": 20, "scale": 2 },
    { "name": "yard", "operator": {"type": "ode1", "decay": 1.1}, "sensitivity": [1.5], "noise_variance": 0.01 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (d = 0; d < 2; d++) for (i = 0; i < 120; i++) printf "%s,%g\n", d ? "yard" : "hall", 0.5 * i }' >at.csv
check "simulates readings" lf simulate truth.json --at at.csv --seed 4 -o readings.csv
lf simulate truth.json --at at.csv --seed 4 --noise-free -o curves.csv
printf 'x,hall,yard\n' >rows.csv
# Every 17th reading of hall is off by 30 standard deviations.
awk -F, 'NR > 1 { y[$1, $2] = $3 + ($1 == "hall" && NR % 17 == 5 ? (NR % 2 ? 6 : -6) : 0); x[$2] } END { for (t in x) print t "," y["hall", t] "," y["yard", t] }' readings.csv | sort -g >>rows.csv

fit() { lf fit rows.csv -o "$1" --forces 1 --no-private --calibrate no --quiet "${@:2}"; }
check "fits Gaussian noise" fit gaussian.json
check "fits Student-t noise to one output" fit student.json --likelihood hall=student
member() { python3 -c 'import json, sys; m = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
check "names it in the model" equal "$(member student.json '[o.get("likelihood", {}).get("type") for o in m["outputs"]]')" "['student', None]"
check "has a larger likelihood" equal \
    "$(member student.json 'm["provenance"]["log_likelihood"]' | awk -v g="$(member gaussian.json 'm["provenance"]["log_likelihood"]')" '{ print ($1 > g + 20) }')" 1
check "finds few degrees of freedom" equal "$(member student.json '2 < m["outputs"][0]["likelihood"]["degrees"] < 5')" True

# error MODEL: the mean squared difference of its curve of hall from the truth.
error() {
    lf predict "$1" --at at.csv --quiet >p.csv
    paste -d, <(grep '^hall,' p.csv) <(grep '^hall,' curves.csv) | awk -F, '{ d = $3 - $8; s += d * d } END { print s / NR }'
}
gaussian=$(error gaussian.json)
student=$(error student.json)
check "has the smaller error" awk -v a="$student" -v b="$gaussian" 'BEGIN { print a, b; exit !(a < 0.3 * b) }'

check "shows the likelihood" grep -q 'student, degrees' <(lf show student.json)
check "shows none where all are Gaussian" equal "$(lf show gaussian.json | grep -c 'student, degrees')" 0
check "shows it as JSON" equal "$(lf show student.json --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["outputs"][0]["likelihood"])')" student
check "predicts beyond the rows" lf predict student.json --ahead 5 -o ahead.csv
check "draws samples" lf predict student.json --ahead 5 --samples 3 -o samples.csv
check "scores" lf score student.json rows.csv --quiet
check "scores rows" lf score student.json rows.csv --rows scored.csv --quiet
check "evaluates, with a gradient" grep -q 'hall.log_degrees' <(lf evaluate student.json rows.csv --gradient --json)
check "cross-validates" lf score student.json rows.csv --cross-validate 2 --quiet
check "compares" lf compare student.json gaussian.json --data rows.csv --quiet
check "makes a report" lf report student.json --data rows.csv -o report.html --quiet
check "draws a figure" lf plot student.json --data rows.csv -o figure.svg --quiet

# The posterior that was stored is that of the rows, whichever engine computes it.
check "conditions the model" lf condition student.json rows.csv -o again.json --quiet
for engine in dense kalman lowrank; do
    lf predict student.json --data rows.csv --engine $engine --at at.csv --quiet >$engine.csv
done
lf predict again.json --at at.csv --quiet >again.csv
lf predict student.json --at at.csv --quiet >stored.csv
# near A B TOLERANCE: means differ by less.
near() { paste -d, "$1" "$2" | awk -F, -v e="$3" 'NR > 1 { d = $3 - $8; d = d < 0 ? -d : d; w = d > w ? d : w } END { print w; exit !(w <= e) }'; }
check "predicts from the stored posterior" near stored.csv again.csv 1e-9
check "predicts by the dense engine" near stored.csv dense.csv 2e-3
check "predicts by the kalman engine" near stored.csv kalman.csv 2e-3
check "predicts by the lowrank engine" near stored.csv lowrank.csv 2e-2

# A fit that is interrupted goes on from its checkpoint, sites included, as if it had not been.
parameters() { member "$1" '[m["forces"], m["outputs"]]'; }
fit whole.json --likelihood student --restarts 1 --errors no --threads 1
fit part.json --likelihood student --restarts 1 --errors no --threads 1 --checkpoint c --max-iterations 4
fit part.json --likelihood student --restarts 1 --errors no --threads 1 --checkpoint c --resume
check "resumes to the same bits" equal "$(parameters part.json)" "$(parameters whole.json)"

check "starts from a model" lf fit rows.csv --init student.json -o continued.json --calibrate no --quiet
check "keeps its likelihood" equal "$(member continued.json 'm["outputs"][0]["likelihood"]["type"]')" student
lf fit rows.csv --init student.json --likelihood gaussian -o back.json --calibrate no --quiet
check "makes noise Gaussian again" equal "$(member back.json '[o.get("likelihood") for o in m["outputs"]]')" "[None, None]"
printf 'force u ~ matern32\nx'"'"' = -a*x + u\noutput hall = x + c\nparameter a\nparameter c real\n' >one.eq
check "fits equations" lf fit rows.csv --equations one.eq --drop yard --likelihood student -o equations.json --quiet
check "names it in equations" equal "$(member equations.json 'm["outputs"][0]["likelihood"]["type"]')" student

refused 1 "refuses a likelihood it does not have" "'normal' is no likelihood" "gaussian, student, poisson" -- fit rows.csv -o refused.json --likelihood normal
refused 1 "refuses an output that is not there" "there is no output 'attic'" -- fit rows.csv -o refused.json --likelihood attic=student
sed 's/"degrees": 2.2/"degrees": 1.9/' truth.json >wrong.json
refused 1 "refuses degrees without a variance" 'outputs[0]' 'expected more than 2' -- show wrong.json
sed 's/"type": "student", "degrees": 2.2/"type": "student"/' truth.json >wrong.json
refused 1 "refuses a likelihood without its number" 'likelihood.degrees: missing' -- show wrong.json
sed 's/"type": "student"/"type": "cauchy"/' truth.json >wrong.json
refused 1 "refuses an unknown likelihood" 'unknown likelihood "cauchy"' -- show wrong.json
refused 1 "refuses to continue a posterior" 'condition the model on all rows' -- update student.json rows.csv -o refused.json

# Counts, yes or no, and positive readings of one force, the last beside a Gaussian output: simulated, fitted, and what follows from the model.
python3 - <<'PY'
import json
def output(name, likelihood, offset):
    noise = {"noise_variance": 0.01} if likelihood is None else {"likelihood": likelihood}
    return {"name": name, "operator": {"type": "ode1", "decay": 0.5}, "sensitivity": [1], "offset": offset, **noise}
def write(name, *outputs):
    model = {"format": "latentforce-model", "version": 1, "initial": "stationary", "forces": [{"kernel": "matern32", "lengthscale": 6}], "outputs": outputs}
    json.dump(model, open(name + ".json", "w"))
write("counts-truth", output("a", {"type": "poisson"}, 1))
write("crowded-truth", output("a", {"type": "negative-binomial", "dispersion": 0.3}, 1.5))
write("yes-truth", output("a", {"type": "bernoulli"}, 0.5))
write("flows-truth", output("a", {"type": "gamma", "shape": 6}, 2), output("b", None, 5))
PY
# rows KIND: the readings in a wide file, those of 20 <= x < 26 withheld.
rows() { awk -F, -v name="$2" 'NR > 1 { y[$1, $2] = $3; x[$2]; two += $1 == "b" } END { print "x,a" (two ? ",b" : "") ",split"
    for (t in x) print t "," y["a", t] (two ? "," y["b", t] : "") "," (t >= 20 && t < 26 ? "test" : "train") }' "$1" | (read -r h && echo "$h" && sort -g); }
# allowed FILE CONDITION: it holds in every line, of the columns by name.
allowed() { python3 - "$1" "$2" <<'PY'
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
wrong = [r for r in rows if not eval(sys.argv[2], {"math": math, "r": r} | {k: float(v) for k, v in r.items() if k in ("y", "mean", "sd", "z", "sd_f", "sd_y", "lower", "upper", "sample1", "a")})]
print(wrong[:2])
sys.exit(bool(wrong) or not rows)
PY
}
for case in "counts poisson y==int(y)and(y>=0)" "crowded negbinomial y==int(y)and(y>=0)" "yes bernoulli (y==0)or(y==1)" "flows gamma y>0"; do
    read -r kind likelihood holds <<<"$case"
    awk -v two="$([ $kind = flows ] && echo 2 || echo 1)" 'BEGIN { print "output,x"; for (d = 0; d < two; d++) for (i = 0; i < 120; i++) printf "%s,%g\n", d ? "b" : "a", 0.5 * i }' >at.csv
    check "$kind: simulates" lf simulate $kind-truth.json --at at.csv --seed 9 -o simulated.csv
    rows simulated.csv $kind >$kind.csv
    check "$kind: fits" lf fit $kind.csv -o $kind.json --likelihood "a=$likelihood" --forces 1 --no-private --calibrate no --quiet
    check "$kind: predicts" lf predict $kind.json --ahead 8 --samples 1 -o ahead.csv
    # of a: bounds are readings, and means are not below 0
    check "$kind: bounds are readings" allowed ahead.csv "r['output'] == 'b' or all($holds for y in (lower, upper)) and lower <= mean <= upper and 0 < mean and 0 < sample1 and 0 < sd_f < sd_y"
    check "$kind: scores test rows" lf score $kind.json $kind.csv --json --quiet
    check "$kind: covers them" equal "$(lf score $kind.json $kind.csv --json --quiet | python3 -c 'import json, sys; print(json.load(sys.stdin)["outputs"]["a"]["coverage95"] >= 0.75)')" True
    check "$kind: scores rows" lf score $kind.json $kind.csv --rows scored.csv --quiet
    check "$kind: z are those of a normal distribution" allowed scored.csv "r['output'] == 'b' or mean > 0 and abs(z) < 5"
    grep -v test $kind.csv | sed 's/,split//; s/,train//' >train.csv
    check "$kind: leaves training rows out" lf score $kind.json train.csv --rows scored.csv --quiet
    check "$kind: z have the spread of a normal distribution" awk -F, 'NR > 1 { n++; s += $6; q += $6 * $6 } END { print s / n, q / n; exit !(n > 90 && s * s < 0.09 * n * n && q > 0.3 * n && q < 1.4 * n) }' scored.csv
    check "$kind: cross-validates" lf score $kind.json train.csv --cross-validate 2 --quiet
    check "$kind: conditions" lf condition $kind.json train.csv -o again.json --quiet
    check "$kind: compares" lf compare $kind.json again.json --data train.csv --quiet
    check "$kind: shows it" grep -q "Outputs.*or of the link" <(lf show $kind.json)
    check "$kind: makes a report" lf report $kind.json --data $kind.csv -o report.html --quiet
    check "$kind: bands of the report are readings" python3 - "$holds" <<'PY'
import json, re, sys
text = open("report.html").read()
chart = re.search(r'\{"target":0.*', text).group(0)
column = lambda name: json.loads(re.search(rf'"{name}":(\[[^]]*\])', chart).group(1))
mean, lower, upper = column("mean"), column("new_lower"), column("new_upper")
assert len(mean) > 100 and all(0 < m for m in mean) and all(l <= m <= u for l, m, u in zip(lower, mean, upper))
assert all(eval(sys.argv[1], {"y": y}) for y in lower + upper)
PY
    check "$kind: draws a figure" lf plot $kind.json --data $kind.csv -o figure.svg --quiet
    refused 1 "$kind: refuses rates" "rates of change of output 'a' cannot be predicted" -- predict $kind.json --ahead 3 --rates
done
check "predicts the rates of the Gaussian output" lf predict flows.json --at <(printf 'output,x\nb,3\n') --rates
sed 's/^3,[0-9]*/3,-1/' counts.csv >wrong.csv
refused 1 "refuses negative counts" "output 'a' at 3: the reading -1 is none of the likelihood poisson" -- fit wrong.csv -o refused.json --likelihood poisson
sed 's/^3,[01]/3,0.5/' yes.csv >wrong.csv
refused 1 "refuses half a yes" "the reading 0.5 is none of the likelihood bernoulli" -- fit wrong.csv -o refused.json --likelihood bernoulli

finish
