#!/usr/bin/env bash
# What people who write equations for the first time stumble over: meters, several files, doses, matrices. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"
# says PATTERN ARGUMENT…: succeeds, and prints the pattern (a regular expression) on either stream.
says() {
    local pattern=$1
    shift
    lf "$@" >said.txt 2>&1 </dev/null || { cat said.txt; return 1; }
    grep -Eq -- "$pattern" said.txt || { echo "not found: $pattern"; cat said.txt; return 1; }
}
# close A B TOLERANCE
close() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(d <= t && d >= -t) }' || { echo "$1 is not $2 within $3"; false; }; }

# ---- a meter beside a thermometer: the first mean over an hour ends later than the first temperature ----
cat >meter.eq <<'EQ'
time h
input To
force P ~ matern32(lengthscale = 4, amplitude = 2)
C*T' = (To - T)/R + P
parameter C = 2
parameter R = 5
output T noise = 0.1
output meter = average(P, 1) noise = 0.05
start T ~ normal(5, 1)
EQ
awk 'BEGIN { print "output,time,To"; for (i = 0; i < 48; i++) { t = i / 2; print "T," t "," 5 + 5 * sin(t / 4); if (i > 1 && i % 2 == 0) print "meter," t "," } }' >times.csv
lf simulate meter.eq --at times.csv --seed 2 -o meter.csv --quiet
lf condition meter.eq meter.csv -o meter.json --quiet
lf predict meter.json --grid 48 >grid.csv 2>/dev/null
check "a grid that begins before the first mean" equal "$(grep -c '^meter' grid.csv)" 48
printf 'output,time\nmeter,12\n' >noon.csv
check "other means are whole" close "$(awk -F, '$1 == "meter" && int($2 + 0.1) == 12 { print $3; exit }' grid.csv)" "$(lf predict meter.json --at noon.csv --quiet | awk -F, 'NR == 2 { print $3 }')" 1e-9
sed 's/average(P, 1)/P/' meter.eq >instant.eq
awk -F, -v OFS=, 'NR == 1 { print $0, "width"; next } { print $0, $1 == "meter" ? 1 : "" }' meter.csv >width.csv
lf condition instant.eq width.csv -o instant.json --quiet
check "the first is the value at the start" close "$(awk -F, '$1 == "meter" && $2 == 0 { print $3 }' grid.csv)" "$(lf predict instant.json --grid 2 | awk -F, '$1 == "meter" && $2 == 0 { print $3 }')" 1e-9
check "a report on it" says '' report meter.json --data meter.csv -o meter.html
check "a plot of it" says '' plot meter.json --data meter.csv -o meter.svg
check "a plot of its covariance" says '' plot meter.json --what covariance -o covariance.svg --data meter.csv
printf 'output,time\nmeter,0.3\n' >early.csv
refused 1 "a listed mean that begins before the start" "the average at 0.3 begins at -0.7, before the start at 0" -- predict meter.json --at early.csv
awk -F, 'NR == 1 || $2 <= 12' meter.csv >first.csv
awk -F, 'NR == 1 || $2 > 12' meter.csv >second.csv
lf condition meter.eq first.csv -o half.json --quiet
lf update half.json second.csv -o both.json --quiet
check "a grid of an updated posterior" says '^meter,12,' predict both.json --grid 5
refused 1 "a listed mean that begins before the update" "11.3 lies before 12" -- predict both.json --at <(printf 'output,time\nmeter,12.3\n')
sed '1s/width/width [min]/; s/,1$/,60/' width.csv >minutes.csv
refused 1 "a unit of widths, and none of times" "error: the heading of the widths has a unit" "--time-in" -- fit minutes.csv --operator ode1 -o refused.json

# ---- several files ----
grep -v '^To' meter.csv >readings.csv
{ echo 'time,To'; awk -F, '$1 == "To" { print $2 "," $3 }' meter.csv; } >weather.csv
check "--data twice" says '^meter,' predict meter.eq --data readings.csv --data weather.csv --grid 3
refused 2 "two files after --data" "'weather.csv' is one argument too many; with several data files, write --data before each" -- predict meter.eq --data readings.csv weather.csv --grid 3
refused 2 "two files after --data of compare" "weather.csv is a data file, not a model" "write --data before each" -- compare meter.json --data readings.csv weather.csv
refused 1 "inputs alone" "only readings of known inputs" "latentforce update" -- predict meter.eq --data weather.csv --grid 3

# ---- doses ----
cat >oral.eq <<'EQ'
time h
input AMT impulse
gut' = -ka*gut + AMT
V*c' = ka*gut - CL*c
output CONC = c noise = 0.1
start rest
parameter V = 20
parameter CL = 4
parameter ka = 1.2
EQ
awk 'BEGIN { print "replicate,time,AMT"; for (s = 1; s < 4; s++) for (t = 0; t < 30; t += 3) print "S" s "," t "," (t % 12 ? "" : 50 * s) }' >doses.csv
lf simulate oral.eq --at doses.csv --noise-free --quiet -o plan.csv
curve() { awk -v t="$1" 'BEGIN { k = 0.2; a = 1.2; for (d = 0; d < t; d += 12) y += 50 / 20 * a / (a - k) * (exp(-k * (t - d)) - exp(-a * (t - d))); print y }'; }
check "a dose acts after a reading at its time" close "$(awk -F, '$2 == "S1" && $3 == 12 { print $4; exit }' plan.csv)" "$(curve 12)" 1e-5
check "and doses add up" close "$(awk -F, '$2 == "S1" && $3 == 27 { print $4; exit }' plan.csv)" "$(curve 27)" 1e-5
lf simulate oral.eq --at doses.csv --seed 1 --quiet -o sample.csv
{ echo replicate,time,CONC; awk -F, '$1 == "CONC" { print $2 "," $3 "," $4 }' sample.csv; } >conc.csv
grep -v ',$' doses.csv >given.csv
lf condition oral.eq conc.csv given.csv --quiet -o oral.json
grep -v S3 given.csv >two.csv
sed 's/^S3/s3/' given.csv >letter.csv
sed '/^S1,12/p' given.csv >repeated.csv
sed '/^S1,12/{p;s/50/20/}' given.csv >other.csv
quick="--equations oral.eq --max-iterations 1 -o quick.json"
check "a subject without doses" says "the replicate 'S3' has no readings of 'AMT': its impulses are 0" fit conc.csv two.csv $quick
check "a subject with another name" says "the replicate 's3' has readings of known inputs and of no output" fit conc.csv letter.csv $quick
check "equal doses at one time" says "'AMT' are repeated at 1 time, the first at 12 of replicate 'S1'.* taken as one" fit conc.csv repeated.csv $quick
check "they are not counted as measurements" equal "$(grep -c 'counted as a measurement' said.txt)" 0
refused 1 "two doses at one time" "'AMT' has two readings at 12, 50 and 20" "or their sum" -- fit conc.csv other.csv --equations oral.eq -o refused.json
sed '1s/replicate/subject/' conc.csv >subjects.csv
refused 1 "a column of subjects" "start again for each value of 'subject'" "--replicate-column subject" -- fit subjects.csv given.csv --equations oral.eq -o refused.json
sed -e '/^parameter/d' -e 's/noise = 0.1/& fixed/' oral.eq >open.eq
awk 'BEGIN { print "time,AMT"; for (t = 0; t < 16; t += t < 4 ? 0.25 : 1) print t "," (t ? "" : 100) }' | lf simulate oral.eq --at - --seed 2 --quiet -o early.csv
{ cat open.eq; echo 'parameter V = 4'; } >small.eq
check "absorption and elimination may be exchanged" says "ends at the same likelihood with other values: ka 1.*, V [12]" fit early.csv --equations small.eq --restarts 12 -o open.json
{ cat open.eq; echo 'parameter ka in 0.5 .. 10'; } >bounded.eq
lf fit early.csv --equations bounded.eq -o bounded.json 2>said.txt
check "a bound decides" close "$(lf show bounded.json | awk '$1 == "V" { print $2 }')" 20 3
check "and nothing is noted" equal "$(grep -c 'same likelihood' said.txt)" 0
printf 'replicate,time,AMT\nS1,20,70\nS1,40,\n' >past.csv
check "a dose before the last reading" says "readings of 'AMT' differ from those of the data before the last row at 27, first at 20" predict oral.json --at past.csv
check "a dose after it" equal "$(printf 'replicate,time,AMT\nS1,12,50\nS1,28,70\nS1,40,\n' | lf predict oral.json --at - 2>&1 | grep -c differ)" 0
check "the same in an update" says "differ from those of the data .* first at 20" update oral.json <(printf 'replicate,time,CONC,AMT\nS1,20,,70\nS1,28,1,\n') -o updated.json

# ---- a logger that stopped ----
awk -F, 'NR == 1 || $1 <= 5 || $1 >= 16' weather.csv >stopped.csv
check "a gap in an input" says "the input 'To' has no reading between 5 and 16, 22 steps: it is taken as a straight line there" fit readings.csv stopped.csv --equations meter.eq --max-iterations 1 -o quick.json
# ---- units ----
sed '1s/,x,/,time [weeks],/' readings.csv >weeks.csv
refused 1 "a unit of the times that is none" "the heading of the times has the unit 'weeks'" "--time-in" -- fit weeks.csv weather.csv --equations meter.eq -o refused.json
check "the same for a model" says "has the unit 'weeks'; they are taken in h, the unit of the model" evaluate meter.json weeks.csv weather.csv
# ---- names ----
sed "s/^C\*T' = .*/C*T' = (To - T)\/R + P + b*t/" meter.eq >clock.eq
echo 'parameter b = 1' >>clock.eq
check "the time in an equation" says "clock.eq:4: t is a parameter here, and not the time" fit meter.csv --equations clock.eq --max-iterations 1 -o quick.json
refused 1 "an input that is not there" "--input to: the data have no column" "they have 'T', 'meter', 'To'" -- fit meter.csv --input to -o refused.json
refused 1 "two inputs in one option" "write --input once for each name" -- fit meter.csv --input To,P -o refused.json
refused 1 "an input twice" "--input To is given twice" -- fit meter.csv --input To --input To=constant -o refused.json
finish
