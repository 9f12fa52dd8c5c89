#!/usr/bin/env bash
# Models written as equations, and known inputs, through every command, as a new user would try them. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"
# says PATTERN ARGUMENT…: succeeds, and prints the pattern (a regular expression) on either stream.
says() {
    local pattern=$1
    shift
    lf "$@" >said.txt 2>&1 </dev/null || { cat said.txt; return 1; }
    grep -Eq -- "$pattern" said.txt || { echo "not found: $pattern"; cat said.txt; return 1; }
}
not() { ! "$@"; }
# close A B TOLERANCE
close() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(d <= t && d >= -t) }' || { echo "$1 is not $2 within $3"; false; }; }
# likelihood MODEL DATA ARGUMENT…: the log density of the data
likelihood() { lf evaluate "$@" --quiet | awk '/^log density/ { print $5 }'; }
# same_numbers FILE FILE COLUMN TOLERANCE: the columns agree row by row
same_numbers() {
    paste -d, <(cut -d, -f"$3" "$1") <(cut -d, -f"$3" "$2") |
        awk -F, -v t="$4" 'NR > 1 { n++; d = $1 - $2; if (d > t || -d > t) { print NR ": " $0; bad = 1 } } END { exit bad || n < 2 }'
}
# mean_at FILE NAME X
mean_at() { awk -F, -v n="$2" -v x="$3" '$1 == n && $2 == x { print $3 }' "$1"; }

# ---- data: a wall and the air of a room, by small steps of Euler, with noise of a linear congruence ----
awk 'function noise(  i, s) { for (i = 0; i < 12; i++) { seed = (seed * 1103515245 + 12345) % 2147483648; s += seed / 2147483648 } return s - 6 }
BEGIN { seed = 7; Ro = 2; Ri = 1; Cw = 3; Ci = 1; Tw = 12; Ti = 18; h = 0.001
    print "time,To,Qh,xi,junk" >"all.csv"
    for (k = 0; k <= 20000; k++) {
        t = k * h; To = 5 + 6 * sin(0.6283185307 * t); Qh = int(2 * t) % 5 < 2 ? 10 : 0
        if (k % 250 == 0) printf "%g,%.6f,%g,%.4f,%d\n", t, To, Qh, Ti + 0.2 * noise(), k % 7 >"all.csv"
        dw = ((To - Tw) / Ro + (Ti - Tw) / Ri) / Cw; di = ((Tw - Ti) / Ri + Qh) / Ci
        Tw += dw * h; Ti += di * h } }'
head -62 all.csv >house.csv                                                       # 0 to 15
{ head -1 all.csv; tail -n +63 all.csv; } | cut -d, -f1-3 >next.csv               # the inputs from 15.25 to 20
{ head -1 all.csv; tail -n +63 all.csv; } | cut -d, -f1-4 >newer.csv              # with the output
cat >house.eq <<'EQ'
# house.eq: a wall and the air of a room
time d
input  To, Qh
force  gains
Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri
Ci*Ti' = (Tw - Ti)/Ri + Qh + gains
output xi = Ti
quantity HTC = 1/(Ro + Ri)
EQ

# ---- fit and show ----
lf fit house.csv --equations house.eq -o house.json 2>fit.txt
check "fit" equal $? 0
check "unused columns are named" grep -q "equations do not mention them: 'junk'" fit.txt
check "what was read" grep -q 'time (d, 0 to 15, step 0.25 d), output xi, known inputs To, Qh' fit.txt
check "the unit of plain numbers" grep -q 'taken in d, the unit of the equations' fit.txt
check "show: the equations" says "^  Cw\*Tw' = \(To - Tw\)/Ro" show house.json
check "show: constants" says '^Ro +[0-9.]+' show house.json
check "show: quantities" says '^HTC +0\.[0-9]+' show house.json
check "show: forces by name" says '^gains( \(idle\))? +matern32' show house.json
check "show: two modes" equal "$(lf show house.json | awk '/^Modes/ { on = 1 } !NF { on = 0 } on && / d .*yes$/' | wc -l)" 2
check "show: known inputs" says '^Qh +linear' show house.json
lf show house.json --json >show.json
for member in '"equations":"# house.eq' '"quantities":{"HTC":{"value":0.' '"states":["Tw","Ti"]' '"modes":[{"real":-' '"known_inputs":[{"name":"To","between":"linear","unit":""}' '"name":"gains"'; do
    check "show --json: $member" grep -qF -- "$member" show.json
done
number() { sed 's/[{,]/\n/g' show.json | grep -A1 "^\"$1\":\$" | sed -n 's/^"value"://p' | head -1; }
check "the sum of the resistances" close "$(number HTC)" 0.3333 0.03
check "the text survives the file" equal "$(lf show house.json | sed -n 's/^  //p' | grep -c "Ci\*Ti' = (Tw - Ti)/Ri + Qh + gains")" 1

# ---- the same data in other files ----
reference=$(likelihood house.json house.csv)

# ---- starts that are given up, resumed and in several threads ----
lf fit house.csv --equations house.eq --checkpoint part.lfc --max-iterations 12 -o part.json --quiet
lf fit house.csv --equations house.eq --checkpoint part.lfc --resume -o resumed.json --quiet
lf fit house.csv --equations house.eq --threads 1 -o one.json --quiet
lf fit house.csv --equations house.eq --threads 3 -o three.json --quiet
parameters() { lf show "$1" --json | sed -n '/^"parameters"/,/}},$/p'; }
check "resumed starts" equal "$(parameters resumed.json)" "$(parameters house.json)"
check "starts in one thread" equal "$(parameters one.json)" "$(parameters house.json)"
check "starts in three threads" equal "$(parameters three.json)" "$(parameters house.json)"

# ---- by frequencies ----
check "dense: the likelihood" close "$(likelihood house.json house.csv --engine dense)" "$reference" 1e-9
check "dense: its nodes" says '^nodes +frequencies' evaluate house.json house.csv --engine dense
for engine in kalman dense; do
    lf condition house.json house.csv --engine $engine -o by_$engine.json --quiet
    for what in --outputs --states --forces --rates; do
        lf predict by_$engine.json --grid 7 ${what#--outputs} >by_$engine$what.csv
    done
done
for what in --outputs --states --forces --rates; do
    check "dense: $what, means" same_numbers by_kalman$what.csv by_dense$what.csv 3 1e-8
    check "dense: $what, deviations" same_numbers by_kalman$what.csv by_dense$what.csv 4 1e-8
done
refused 1 "lowrank" "the lowrank engine does not support models given by equations; use kalman" -- evaluate house.json house.csv --engine lowrank
awk -F, 'NR == 1 { split($0, name, ","); print "output,time,y"; next } { for (i = 2; i <= 5; i++) print name[i] "," $1 "," $i }' house.csv >long.csv
check "a long file" close "$(likelihood house.json long.csv)" "$reference" 1e-9
check "a long file: unused names are noted" says "do not mention 'junk'" evaluate house.json long.csv
awk -F, 'NR == 1 { print "output,time,y,To,Qh"; next } { print "xi," $1 "," $4 "," $2 "," $3 }' house.csv >beside.csv
check "columns of inputs beside a long table" close "$(likelihood house.json beside.csv)" "$reference" 1e-9
cut -d, -f1,4 house.csv >xi.csv
cut -d, -f1-3 house.csv >weather.csv
check "inputs in a file of their own" close "$(likelihood house.json xi.csv weather.csv)" "$reference" 1e-9
awk -F, 'NR % 2 == 0 || NR == 1 { print $1 "," $4 }' house.csv >half.csv
awk -F, 'NR % 2 == 0 || NR == 1' house.csv | cut -d, -f1-4 >half_rows.csv
check "inputs at more times than outputs" not close "$(likelihood house.json half.csv weather.csv)" "$(likelihood house.json half_rows.csv)" 1e-6
awk -F, -v OFS=, 'NR == 1 { $1 = "time [h]" } NR > 1 { $1 = 24 * $1 } { print }' house.csv >hours.csv
check "hours by the heading" close "$(likelihood house.json hours.csv)" "$reference" 1e-9
sed '1s/time \[h\]/clock/' hours.csv >clock.csv
lf fit clock.csv --equations house.eq --time-in h -o clock.json --quiet
check "hours by --time-in" close "$(likelihood clock.json clock.csv)" "$reference" 1e-3
awk -F, -v OFS=, 'NR == 1 { $1 = "when" } NR > 1 { h = int($1 * 24 + 0.5); $1 = sprintf("2024-01-%02dT%02d:00:00", 1 + int(h / 24), h % 24) } { print }' house.csv >dated.csv
lf fit dated.csv --equations house.eq -o dated.json --quiet
check "dates" close "$(likelihood dated.json dated.csv)" "$reference" 1e-3
check "dates: the last of the inputs" says 'gains,2024-01-16T00:00:00,' predict dated.json --grid 2 --forces
refused 1 "dates: where an input ends" "'To' ends at 2024-01-16" "until 2024-01-17" -- predict dated.json --ahead 1d
sed '1s/.*/time,"To [°C]",Qh,"xi [°C]",junk/' house.csv >units.csv
check "headings with units" close "$(likelihood house.json units.csv)" "$reference" 1e-9
sed 's/^output xi/output "T in [°C]"/' house.eq >quoted.eq
sed '1s/xi/T in [°C]/' house.csv >quoted.csv
lf fit quoted.csv --equations quoted.eq -o quoted.json --quiet
check "a heading as the name of an output" close "$(likelihood quoted.json quoted.csv)" "$reference" 1e-3
lf fit house.csv --equations - -o stdin.json --quiet <house.eq
check "equations from standard input" cmp <(lf show house.json | tail -n +2) <(lf show stdin.json | tail -n +2)

# ---- predictions ----
check "predict: states" says '^Tw,15,[0-9.]+,[0-9.]+$' predict house.json --grid 3 --states
check "predict: the heading of states" says '^state,time,mean,sd$' predict house.json --grid 3 --states
check "predict: states as JSON" says '^\{"states":\{"Tw":\{"time":\[0,7.5,15\],"mean":' predict house.json --grid 3 --states --json
check "predict: forces by name" says '^gains,7.5,' predict house.json --grid 3 --forces
check "predict: forces as JSON" says '^\{"forces":\{"gains":' predict house.json --grid 3 --forces --json
check "predict: rates" says '^xi,7.5,' predict house.json --grid 3 --rates
check "predict: samples" says '^output,time,mean,sd_f,sd_y,sample1,sample2$' predict house.json --grid 3 --samples 2
refused 1 "an input that ends" "'To' ends at 15 d" "until 16 d" "--at" -- predict house.json --ahead 1
refused 1 "an input that ends, with --to" "'To' ends at 15 d" "until 17 d" -- predict house.json --to 17 --from 15
lf predict house.json --at next.csv -o ahead.csv --quiet
check "inputs from the file of --at" equal "$(wc -l <ahead.csv)" 21
check "and the truth is near" close "$(mean_at ahead.csv xi 16)" "$(awk -F, '$1 == 16 { print $4 }' newer.csv)" 1.5
lf predict house.json --data house.csv --at next.csv -o ahead2.csv --quiet
check "the same with --data" same_numbers ahead.csv ahead2.csv 3 1e-8
cut -d, -f1-4 all.csv | awk -F, -v OFS=, 'NR > 1 && $1 > 15 { $4 = "" } { print }' >known.csv
lf predict house.json --data known.csv --ahead 5 -o ahead3.csv --quiet
check "the same with inputs beyond the rows of --data" same_numbers ahead.csv ahead3.csv 3 1e-8
lf predict house.json --at newer.csv -o ahead4.csv 2>note.txt
check "outputs in the file of --at are not used" same_numbers ahead.csv ahead4.csv 3 1e-12
check "and a note says so" grep -q "'xi' is not used" note.txt
awk -F, 'NR == 1 { print "output,time,y"; next } { print "xi," $1 ","; print "To," $1 "," $2; print "Qh," $1 "," $3 }' next.csv >next_long.csv
lf predict house.json --at next_long.csv -o ahead5.csv --quiet
check "a long file of --at" same_numbers ahead.csv ahead5.csv 3 1e-8
lf fit known.csv --equations house.eq -o known.json --quiet
check "inputs beyond the rows are kept by a fit" says '^xi,20,' predict known.json --ahead 5

# ---- the other commands ----
lf condition house.json house.csv -o conditioned.json --quiet
check "condition" cmp <(lf predict conditioned.json --at next.csv -q) ahead.csv
lf update house.json newer.csv -o updated.json --quiet
lf condition house.json house.csv newer.csv -o whole.json --quiet
lf predict updated.json --from 15.5 --to 20 --step 0.5 -o p1.csv
lf predict whole.json --from 15.5 --to 20 --step 0.5 -o p2.csv
check "update is conditioning on all rows" same_numbers p1.csv p2.csv 3 1e-7
lf update house.json next.csv -o forecast.json 2>note.txt
check "update with inputs alone" same_numbers ahead.csv <(lf predict forecast.json --ahead 5) 3 1e-9
check "and a note says so" grep -q 'new readings of known inputs' note.txt
check "evaluate --gradient" says '^log_Ro +' evaluate house.json house.csv --gradient
check "score of newer rows" says '^xi +20 ' score house.json newer.csv
check "score knows its training rows" says 'TRAINING ROWS' score house.json house.csv
awk -F, -v OFS=, 'NR == 1 { $5 = "split" } NR > 1 { $5 = $1 > 10 ? "test" : "train" } { print }' house.csv >split.csv
lf fit split.csv --equations house.eq -o split.json --quiet
check "inputs of test rows are known" says '^xi +20 ' score split.json split.csv
mkdir away && cp house.json away/ && (cd away && "$program" score house.json ../house.csv --cross-validate 3 -q >scores.txt 2>&1)
check "a cross-validation needs no file of equations" grep -q '^xi  *61 ' away/scores.txt
check "cross-validation without a refit" says '^xi +61 ' score house.json house.csv --cross-validate 3 --no-refit
lf fit house.csv --outputs xi --input To --input Qh=constant -o operator.json --quiet
check "compare with another kind of model" says 'operator.json' compare house.json operator.json --data house.csv
check "simulate" says '^xi,0,' simulate house.json --at weather.csv --seed 3
lf simulate house.json --at weather.csv --seed 3 -o simulated.csv -q
check "what is simulated can be fitted" lf fit simulated.csv --equations house.eq -o again.json
lf simulate house.json --at weather.csv --seed 3 --forces forces.csv -o /dev/null -q
check "simulated forces by name" grep -q '^gains,0,' forces.csv
awk -F, 'NR == 1 { print $0 ",width" } NR > 1 { print $0 "," ($1 >= 1 ? 0.5 : "") }' weather.csv >widths.csv
check "simulated means keep their widths" says '^xi,2,[^,]*,0\.5$' simulate house.json --at widths.csv --seed 3
printf "Ti' = -Ti/(1 - k)\noutput xi = Ti\n" >one.eq
refused 1 "a coefficient that is not finite at the start" "parameter NAME = VALUE" -- fit house.csv --equations one.eq -o one.json
refused 1 "simulate without inputs" "'To'" -- simulate house.json --at <(cut -d, -f1 weather.csv) --seed 3
check "covariance" lf covariance house.json --at weather.csv --with-forces -o K.csv
check "report" lf report house.json --data house.csv -o report.html
check "report: the equations" grep -q "Cw\*Tw' = (To" report.html
check "report without data" lf report house.json -o report2.html
if command -v gnuplot >gnuplot.txt; then
    check "plot" lf plot house.json --data house.csv --all-forces -o figure.svg
    check "plot: a force by name" grep -q gains figure.svg
    check "plot: only that force" lf plot house.json --only gains -o figure2.svg
fi
check "help equations" says '^  output NAME = EXPR' help equations
check "help equations fits on a terminal" equal "$(lf help equations | awk 'length > 84')" ''
check "one screen" equal "$(($(lf help equations | wc -l) < 66))" 1

# ---- the same model as an operator, and as equations ----
cat >ode1.json <<'JSON'
{"format": "latentforce-model", "version": 1, "initial": "zero", "origin": 0,
 "forces": [{"kernel": "matern32", "lengthscale": 0.7}], "known_inputs": [{"name": "v", "between": "linear"}, {"name": "w", "between": "constant"}],
 "outputs": [{"name": "y", "operator": {"type": "ode1", "decay": 1.5}, "sensitivity": [2], "gain": [0.5, -0.3], "noise_variance": 0.01}]}
JSON
cat >equations.json <<'JSON'
{"format": "latentforce-model", "version": 1, "origin": 0,
 "equations": ["parameter G2 real", "input v", "input w constant", "force u ~ matern32", "x' = -D*x + S*u + G1*v + G2*w", "output y = x", "start rest"],
 "constants": {"D": 1.5, "S": 2, "G1": 0.5, "G2": -0.3}, "forces": [{"name": "u", "lengthscale": 0.7, "amplitude": 1}],
 "outputs": [{"name": "y", "noise_variance": 0.01}]}
JSON
awk 'BEGIN { print "x,v,w,y"; for (i = 0; i <= 20; i++) printf "%g,%g,%d,%.4f\n", i / 4, sin(i), i % 3, cos(i / 3) }' >two.csv
check "the same likelihood" close "$(likelihood ode1.json two.csv)" "$(likelihood equations.json two.csv)" 1e-8
for model in ode1 equations; do
    lf covariance $model.json --at two.csv -o $model.K -q
    lf simulate $model.json --at two.csv --seed 5 -o $model.sim -q
    lf predict $model.json --data two.csv --grid 7 -o $model.predicted -q
done
for column in 1 5 21; do
    check "the same covariance, column $column" same_numbers ode1.K equations.K $column 1e-9
done
check "the same draw" same_numbers ode1.sim equations.sim 3 1e-6
check "the same predictions" same_numbers ode1.predicted equations.predicted 3 1e-8
check "the same deviations" same_numbers ode1.predicted equations.predicted 4 1e-8
sed 's/"start rest"/"start x ~ normal(0, 0)"/' equations.json >given.json
check "a model file without starts, where the equations give them" close "$(likelihood given.json two.csv)" "$(likelihood equations.json two.csv)" 1e-9
check "show: gains" says '^v +linear +0\.5' show ode1.json
check "show --json: gains" says '"gain":\{"y":\{"value":0.5,' show ode1.json --json

# ---- replicates, each with its own inputs; doses ----
{ echo "time,dose,plasma,replicate"
    for dose in 10 40; do
        awk -v d=$dose 'BEGIN { for (i = 0; i <= 24; i++) { t = i / 2; a = (t > 0 ? d * exp(-0.4 * t) : 0) + (t > 6 ? d * exp(-0.4 * (t - 6)) : 0)
            printf "%g,%s,%.4f,d%d\n", t, t == 6 || t == 0 ? d : "", a + 0.3 * sin(7 * i + d), d } }'
    done; } >doses.csv
cat >dose.eq <<'EQ'
time h
input dose impulse
a' = -k*a + dose
output plasma = a
start rest
parameter k = 0.5 in 0.1 .. 2
quantity half = log(2)/k
EQ
check "doses" says '"quantities":\{"half":\{"value":1\.7' fit doses.csv --equations dose.eq -o dose.json --quiet --json
check "doses: half-life" says '^half +1\.7' show dose.json
lf predict dose.json --grid 25 -o dosed.csv
check "a dose moves the state at once" awk -F, '$1 == "d40" && $3 == 6 { a = $4 } $1 == "d40" && $3 == 6.5 { exit !($4 > a + 20) }' dosed.csv
check "each replicate has its own doses" awk -F, '$1 == "d10" && $3 == 6.5 { exit !($4 < 12) }' dosed.csv
grep -v '^0,' doses.csv | sed '1a 0,10,,d10\n0,40,,d40' >before.csv
check "a dose before the first reading" says '^half +1\.7' show <(lf fit before.csv --equations dose.eq -o before.json -q && cat before.json)
lf fit before.csv --outputs plasma --input dose=impulse -o before_operator.json -q
check "and with operators" grep -q '"origin": 0.0,' before_operator.json
refused 1 "a dose before the start of the model" "an impulse at -1, before the model starts at 0" "--origin -1" -- \
    evaluate before.json <(sed '1a -1,10,,d10' before.csv)
printf 'time,dose,replicate\n13,10,d10\n14,,d10\n13,40,d40\n14,,d40\n' >later.csv
printf 'time,dose,replicate\n13,10,d10\n14,10,d10\n15,,d10\n' >later10.csv
check "later doses of each replicate" says '^d40,plasma,14,2[0-9]\.' predict dose.json --at later.csv

check "equal doses give no warning" equal "$(lf predict dose.json --at later10.csv 2>&1 >predicted.txt | grep -c 'is constant')" 0

# ---- a file with all values is a model ----
cat >whole.eq <<'EQ'
time d
input To, Qh
force gains ~ matern32(lengthscale = 0.7, amplitude = 0.4)
force draught ~ white(sd = 0.1)
Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri
Ci*Ti' = (Tw - Ti)/Ri + Qh + gains + draught
output xi = Ti noise = 0.1
parameter Ro = 2
parameter Ri = 1
parameter Cw = 3
parameter Ci = 1 fixed
start Tw ~ normal(12, 1)
start Ti ~ normal(18, 1)
quantity HTC = 1/(Ro + Ri)
EQ
check "equations as a model: show" says '^HTC +0\.33333' show whole.eq
check "equations as a model: matrices" says '"states":\["gains.1","gains.2","Tw","Ti"\]' show whole.eq --state-space --json
lf condition whole.eq house.csv -o whole.json -q
check "condition" says "^  Cw\*Tw' = " show whole.json
check "evaluate" close "$(likelihood whole.eq house.csv)" "$(likelihood whole.json house.csv)" 1e-9
lf predict whole.eq --data house.csv --states --grid 9 -o a.csv -q
lf predict whole.json --states --grid 9 -o b.csv -q
check "predict" same_numbers a.csv b.csv 3 1e-9
lf simulate whole.eq --at weather.csv --seed 3 -o a.csv -q
lf simulate whole.json --at weather.csv --seed 3 -o b.csv -q
check "simulate" cmp a.csv b.csv
check "covariance" lf covariance whole.eq --at weather.csv -o K.csv
check "score" says '^xi +61 ' score whole.eq house.csv --cross-validate 3 --no-refit
check "compare" says '^whole.eq +' compare whole.eq house.json --data house.csv
check "report" lf report whole.eq --data house.csv -o whole.html
check "hours of the data" close "$(likelihood whole.eq hours.csv)" "$(likelihood whole.eq house.csv)" 1e-8
refused 1 "no values" "house.eq: is no complete model" "no value for Cw, Ro, Ri, Ci, the lengthscale of gains, the amplitude of gains, the noise of xi, the start of Tw" \
    "latentforce fit DATA --equations house.eq" "'parameter Cw = v'" "'start rest'" -- show house.eq
sed '/^parameter Ro/d' whole.eq >open.eq
refused 1 "one value is missing" "open.eq: is no complete model: it has no value for Ro; fit it" "give values: 'parameter Ro = v'" -- simulate open.eq --at weather.csv
sed 's/(sd = 0.1)//' whole.eq >open.eq
refused 1 "the size of a white force is missing" "no value for the sd of draught;" "'force draught ~ white(sd = v)'" -- evaluate open.eq house.csv
sed '/^start Ti/d' whole.eq >open.eq
refused 1 "a start is missing" "no value for the start of Ti;" "'start Ti ~ normal(m, s)'" -- condition open.eq house.csv -o refused.json
sed 's/^parameter Ro = 2/parameter Ro = 0/' whole.eq >zero.eq
refused 1 "a value that cannot be" "zero.eq" -- evaluate zero.eq house.csv
refused 1 "no posterior" "whole.eq: holds no posterior" -- predict whole.eq --grid 3
refused 2 "the equations are not replaced" "-o whole.eq is also read" -- condition whole.eq house.csv -o whole.eq
refused 2 "equations to start from" "whole.eq is a file of equations" "--equations whole.eq" -- fit house.csv --init whole.eq -o refused.json

# ---- smooth forces: their approximation is compared with integrals over frequencies ----
printf "force u ~ eq(lengthscale = 1, amplitude = 1)\nx' = u - x\noutput a = x noise = 0.1\nstart rest\n" >smooth.eq
printf 'x,a\n1,2\n2,3\n4,1\n' >smooth.csv
check "the error of a smooth force" says '^error of covariances +at most [0-9.]*e-(09|1[0-9])' evaluate smooth.eq smooth.csv
check "dense has none" close "$(likelihood smooth.eq smooth.csv)" "$(likelihood smooth.eq smooth.csv --engine dense)" 1e-8
sed 's/a = x/a = average(x, 0.5)/' smooth.eq >smooth-mean.eq
check "an error that is not known" says '^error of covariances +unknown' evaluate smooth-mean.eq smooth.csv

# ---- means whose inputs are first read at the end of the first interval ----
printf "input v constant\nx' = v - x\noutput a = average(x, 1) noise = 0.1\nstart x ~ normal(1, 1)\n" >mean.eq
printf 'time,v,a\n1,1,0.9\n2,0,0.8\n3,2,0.5\n4,1,1.1\n' >means.csv
check "condition on means" lf condition mean.eq means.csv -o mean.json --quiet
check "states of means" equal "$(lf predict mean.json --states --grid 3 | grep -c '^x,')" 3
check "report on means" lf report mean.json --data means.csv -o mean.html --quiet
refused 1 "an input that begins later than that" "'v' begins at 2" "needed from the start at 0" -- condition mean.eq <(sed 's/^1,1,/1,,/' means.csv) -o refused.json

# ---- mistakes ----
refused 1 "subjects that are not told apart" "'dose' has two readings at 0" "a column 'replicate'" -- fit <(cut -d, -f1-3 doses.csv) --equations dose.eq -o refused.json
refused 1 "a replicate that is not in the model" "'d99' is not in the training data" -- predict dose.json --at <(printf 'time,dose,replicate\n1,10,d99\n')
refused 1 "no such file of equations" "gone.eq" "No such file" -- fit house.csv --equations gone.eq -o refused.json
refused 2 "equations as data" "house.eq is a file of equations" "--equations house.eq" -- fit house.eq -o refused.json
refused 2 "data as equations" "house.csv: is a data file" "help equations" -- fit house.csv --equations house.csv -o refused.json
refused 2 "a model as equations" "house.json: is a model" "--init" -- fit house.csv --equations house.json -o refused.json
sed 's/(To - Tw)/(To - Tw/' house.eq >broken.eq
refused 1 "a mistake in the equations" "broken.eq:5:" "^" -- fit house.csv --equations broken.eq -o refused.json
lf fit house.csv --equations broken.eq -o refused.json 2>&1 | sed -n 2,3p >caret.txt
check "a line of the text, and a caret below it" equal "$(sed 's/[^ ^].*/text/' caret.txt)" "$(printf '    text\n%*s^' "$(awk '{ print length - 1 }' caret.txt | sed -n 2p)" '')"
sed '1s/xi/Xi/' house.csv >case.csv
refused 1 "an output in capitals" "case.csv" "'xi', an output of the equations" "did you mean 'Xi'?" -- fit case.csv --equations house.eq -o refused.json
sed '1s/Qh/Qheat/' house.csv >name.csv
refused 1 "an input of another name" "name.csv" "'Qh', an input of the equations" "'Qheat'" -- fit name.csv --equations house.eq -o refused.json
refused 1 "no inputs at all" "'To', an input of the equations" -- fit xi.csv --equations house.eq -o refused.json
refused 1 "in a long file too" "did you mean 'Xi'?" -- fit <(sed 's/^xi,/Xi,/' long.csv) --equations house.eq -o refused.json
refused 1 "an input that ends before the rows" "'To' ends at 10 d" "until 15 d" -- fit xi.csv <(head -42 weather.csv) --equations house.eq -o refused.json
refused 1 "an input that begins late" "'To' begins at 1 d" "0 d" -- fit xi.csv <(sed 2,5d weather.csv) --equations house.eq -o refused.json
refused 1 "two readings at one time" "'To' has two readings" -- fit house.csv <(awk -F, -v OFS=, 'NR > 1 { $2++ } { print }' weather.csv) --equations house.eq -o refused.json
sed '1s/Qh/Qh [kW]/; 1s/To/To [°C]/' house.csv >units.csv
check "inputs with units" lf fit units.csv --equations house.eq -o units.json --quiet
check "show: units of inputs" says '^Qh \[kW\] +linear' show units.json
refused 1 "an input in another unit" "'Qh' is in W, but in kW in the model" -- evaluate units.json <(sed '1s/kW/W/' units.csv)
check "an input without a unit" lf evaluate units.json house.csv --quiet
check "operators: units of inputs" sh -c '"$0" fit units.csv --input Qh --drop To -o gains.json --quiet && "$0" show gains.json | grep -q "^Qh \[kW\]"' "$program"
check "notes on equations at the fit alone" sh -c 'sed "s/^force *gains/force more, gains/" house.eq >more.eq; "$0" fit house.csv --equations more.eq -o more.json 2>&1 | grep -q "more is not used" && ! "$0" show more.json 2>&1 | grep -q "not used"' "$program"
refused 1 "another unit" "--time-unit h" "the equations are in d" -- fit house.csv --equations house.eq --time-unit h -o refused.json
refused 1 "an unknown unit" "expected ms, s, min, h, d or a" -- fit house.csv --equations house.eq --time-in weeks -o refused.json
refused 2 "equations and operators" "--operator cannot go with --equations" -- fit house.csv --equations house.eq --operator ode2 -o refused.json
refused 2 "equations and inputs" "--input cannot go with --equations" -- fit house.csv --equations house.eq --input To -o refused.json
refused 2 "equations and a model" "either --equations or --init" -- fit house.csv --equations house.eq --init house.json -o refused.json
refused 1 "an input without a column" "--input Tout" "no column" -- fit house.csv --input Tout -o refused.json
printf 't,c,dose\n0,,5\n1,4,\n2,3,\n3,2.5,\n' >forgotten.csv
printf "input dose\nc' = -k*c + dose/V\noutput c\nstart rest\n" >forgotten.eq
refused 1 "doses that are not impulses" "'dose' ends at 0" "input dose impulse" -- fit forgotten.csv --equations forgotten.eq -o refused.json
refused 1 "an input that is held otherwise" "--input To=held" "linear, constant or impulse" -- fit house.csv --input To=held -o refused.json
refused 1 "states of operators" "states are for models given by equations" -- predict operator.json --states --grid 3
refused 2 "two kinds at once" "--forces, --rates and --states" -- predict house.json --states --forces --grid 3
refused 1 "a file of inputs without inputs" "'To' ends at 15 d" -- predict house.json --at <(printf 'time\n16\n')
refused 1 "features of equations" "engine 'lowrank'" -- covariance house.json --at weather.csv --engine lowrank -o refused.json
finish
