#!/usr/bin/env bash
# Forecasts: predict --ahead, --from, --to, --step give what --at gives, for every engine, stored or with data; and predictions as JSON.
# LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

rows_near() {
    paste -d';' "$1" "$2" | awk -F';' -v e="$3" '
        { n = split($1, a, ","); if (split($2, b, ",") != n) bad = 1
          for (i = 1; i <= n; i++) {
              if (a[i] !~ /^-?[0-9]/ || NR == 1) { if (a[i] != b[i]) { print NR ": " a[i] " is not " b[i]; bad = 1 }; continue }
              d = a[i] - b[i]; d = d < 0 ? -d : d; if (d > worst) worst = d; numbers++ } }
        END { print NR " rows, largest difference " worst; exit bad || !numbers || !(worst <= e) }'
}
times() { cut -d, -f2 "$1" | tr '\n' ' '; }

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero", "forces": [ { "kernel": "eq", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode1", "decay": 0.6}, "sensitivity": [2], "noise_variance": 0.01 },
    { "name": "b", "operator": {"type": "ode1", "decay": 1.2}, "sensitivity": [3], "noise_variance": 0.01, "offset": 10, "scale": 2 } ] }
MODEL
# a gap after 4: the usual step is 0.25 all the same
awk 'BEGIN { print "output,x"; for (d = 1; d <= 2; d++) for (i = 0; i <= 40; i++) if (i < 17 || i > 23) printf "%s,%g\n", d == 1 ? "a" : "b", i / 4 }' >inputs.csv
lf simulate model.json --at inputs.csv --seed 3 -o data.csv --quiet
printf 'x\n10.25\n10.5\n10.75\n11\n' >ahead.csv

# ---- every engine ----
for how in dense kalman fourier lowrank "variational --inducing 12" "fitc --inducing 12"; do
    # shellcheck disable=SC2086
    {
        engine="--engine $how"
        lf condition model.json data.csv $engine -o near.json --quiet
        lf condition model.json data.csv $engine --horizon 11 -o far.json --quiet
        for what in "" --forces --rates "--samples 2"; do
            lf predict model.json --data data.csv $engine --at ahead.csv $what -o at.csv
            lf predict model.json --data data.csv $engine --ahead 1 $what -o ahead_data.csv
            check "$how: --ahead with the data $what" cmp at.csv ahead_data.csv
            lf predict far.json --ahead 1 $what -o ahead_stored.csv
            check "$how: --ahead from the stored posterior $what" rows_near at.csv ahead_stored.csv 1e-7
        done
        case $how in
        fourier | lowrank)
            refused 1 "$how: beyond the horizon" near.json '[0, 10]' '--data DATA' '--horizon 11' -- predict near.json --ahead 1
            ;;
        *) check "$how: any input" lf predict near.json --ahead 1 ;;
        esac
    }
done
lf predict model.json --data data.csv --ahead 1 --engine dense -o dense.csv
lf predict model.json --data data.csv --ahead 1 --engine kalman -o kalman.csv
check 'engines agree' rows_near dense.csv kalman.csv 1e-7

# ---- which inputs ----
lf condition model.json data.csv --engine dense -o stored.json --quiet
lf predict stored.json --ahead 1 --forces >one.csv
check 'the step of the training rows, without the last of them' equal "$(times one.csv)" 'x 10.25 10.5 10.75 11 '
check '--step' equal "$(times <(lf predict stored.json --ahead 1 --step 0.4 --forces))" 'x 10.4 10.8 '
check 'shorter than the usual step' equal "$(lf predict stored.json --ahead 0.1 --forces | sed -n '2p;$p' | cut -d, -f2 | tr '\n' ' ')" '10.001 10.1 '
check 'thirds of a step' equal "$(lf predict stored.json --ahead 0.3 --step 0.1 --forces | wc -l)" 4
check '--from, --to and --step' equal "$(times <(lf predict stored.json --from 9 --to 11 --step 0.5 --forces))" 'x 9 9.5 10 10.5 11 '
check '--from alone ends with the data' equal "$(times <(lf predict stored.json --from 9 --step 0.5 --forces))" 'x 9 9.5 10 '
check '--to alone begins with the data' equal "$(times <(lf predict stored.json --to 1 --step 0.5 --forces))" 'x 0 0.5 1 '
check '200 inputs' equal "$(lf predict stored.json --from 2 --to 12 --forces | sed -n '2p;$p;$=' | cut -d, -f2 | tr '\n' ' ')" '2 12 201 '
check 'one input' equal "$(times <(lf predict stored.json --from 2 --to 2 --forces))" 'x 2 '
sed '/"step"/d' stored.json >stepless.json
check 'without a known step 100 inputs' equal "$(lf predict stepless.json --ahead 1 --forces | wc -l)" 101
lf condition model.json data.csv --engine kalman -o kalman.json --quiet
printf 'output,x,y\na,10.25,1\n' >new.csv
lf update kalman.json new.csv -o updated.json --quiet
check 'after an update from the newest row on' equal "$(times <(lf predict updated.json --ahead 0.5 --forces))" 'x 10.5 10.75 '
refused 1 'and not before the last old row' updated.json '[10, inf]' -- predict updated.json --from 1 --to 2

# ---- steps of the calendar ----
fit_dates() { # NAME FIRST-DATE COUNT STEP
    { echo time,a; for ((i = 0; i < $3; i++)); do echo "$(date -u -d "$2 +$((i * $4)) months $5" +%F),$((i * i % 7))"; done; } >"$1.csv"
    lf fit "$1.csv" --operator ode1 --forces 1 -o "$1.json" --max-iterations 3
}
dates_of() { lf predict "$@" | cut -d, -f2 | tail -n +2 | tr '\n' ' '; }
fit_dates months 2003-06-01 18 1 '' 2>months.log
check 'the note names the step' grep -q '2003-06-01 to 2004-11-01, step 1 month)' months.log
for ahead in 3months 3 3MS 92d 1quarter; do
    check "months: --ahead $ahead" equal "$(dates_of months.json --ahead $ahead)" '2004-12-01 2005-01-01 2005-02-01 '
done
check 'a year of months' equal "$(dates_of months.json --ahead 1a | wc -w)" 12
check 'with the data' equal "$(dates_of months.json --data months.csv --ahead 1quarter)" '2004-12-01 2005-01-01 2005-02-01 '
check 'other steps' equal "$(dates_of months.json --ahead 6months --step quarter)" '2005-02-01 2005-05-01 '
check 'steps between dates' equal "$(dates_of months.json --from 2004-01-01 --to 2004-03-01 --step month)" '2004-01-01 2004-02-01 2004-03-01 '
fit_dates ends 2003-07-01 18 1 '-1 day' 2>/dev/null
check 'ends of months stay ends of months' equal "$(dates_of ends.json --ahead 4months)" '2004-12-31 2005-01-31 2005-02-28 2005-03-31 '
fit_dates quarters 2003-01-01 27 3 '' 2>quarters.log
check 'quarters' equal "$(grep -o 'step 1 quarter' quarters.log) $(dates_of quarters.json --ahead 2)" 'step 1 quarter 2009-10-01 2010-01-01 '
fit_dates years 1990-01-01 20 12 '' 2>/dev/null
check 'years' equal "$(dates_of years.json --ahead 2years)" '2010-01-01 2011-01-01 '
{ echo time,a; for i in {0..40}; do echo "$(date -u -d "2023-01-01 +$i days" +%F),$((i * i % 7))"; done; } >days.csv
lf fit days.csv --forces 1 -o days.json --max-iterations 3 2>/dev/null
check 'months of days' equal "$(dates_of days.json --ahead 2months --step month)" '2023-03-10 2023-04-10 '
refused 2 'a bare number below the step' '--ahead 7' 'as in 7d' -- predict days.json --ahead 7

# ---- small steps ----
for step in 1e-2 1e-3 1e-4 1e-6; do
    awk -v s="$step" 'BEGIN { print "time,a"; for (i = 0; i < 60; i++) printf "2023-11-14T12:34:%09.6f,%g\n", i * s, i * i % 7 }' >small.csv
    lf fit small.csv --forces 1 -o small.json --max-iterations 3 2>/dev/null
    check "all rows at steps of $step s" equal "$(dates_of small.json --ahead "$(awk -v s="$step" 'BEGIN { print 25 * s }')s" | wc -w)" 25
done

# ---- replicates continue from their own ends ----
{ echo replicate,time,a; for i in {0..19}; do echo "r1,$i,$((i * i % 7))"; done; for i in {0..9}; do echo "r2,$i,$((i * i % 5))"; done; } >replicates.csv
lf fit replicates.csv --operator ode1 --forces 1 -o replicates.json --max-iterations 3 2>/dev/null
expected='r1,a,20 r1,a,21 r2,a,10 r2,a,11 '
check 'from the stored posterior' equal "$(lf predict replicates.json --ahead 2 | tail -n +2 | cut -d, -f1-3 | tr '\n' ' ')" "$expected"
check 'with the data' equal "$(lf predict replicates.json --data replicates.csv --ahead 2 --quiet | tail -n +2 | cut -d, -f1-3 | tr '\n' ' ')" "$expected"
lf condition replicates.json replicates.csv --engine kalman -o before.json --quiet
printf 'replicate,time,a\nr2,10,3\n' >next.csv
lf update before.json next.csv -o after.json --quiet
check 'after an update' equal "$(lf predict after.json --ahead 1 | tail -n +2 | cut -d, -f1-3 | tr '\n' ' ')" 'r1,a,20 r2,a,11 '

# ---- refusals ----
refused 2 'nothing to predict' '--at INPUTS.csv' '--grid N' '--ahead SPAN' '--from T' -- predict stored.json
refused 2 'two ways' --grid --ahead -- predict stored.json --grid 3 --ahead 1
refused 2 'two ways' --ahead --to -- predict stored.json --ahead 1 --to 12
refused 2 'a step of a grid' --step -- predict stored.json --grid 3 --step 1
refused 2 'a negative span' '--ahead -1' -- predict stored.json --ahead -1
refused 2 'a unit that is not known' '--ahead 2h' unit -- predict stored.json --ahead 2h
refused 2 'no span' "'soon'" -- predict stored.json --ahead soon
refused 2 'a step that is too long' '--step 2' '--ahead 1' -- predict stored.json --ahead 1 --step 2
refused 2 'no input' "'later'" -- predict stored.json --from later
refused 1 'a range that ends before it begins' '--from 5' '--to 4' -- predict stored.json --from 5 --to 4
refused 1 'a range that begins after the data' '--from 12' 'last training input 10' -- predict stored.json --from 12
refused 1 'too many inputs' 1000000 -- predict stored.json --from 0 --to 10 --step 1e-9
sed 's/"span"/"unknown"/' stored.json >spanless.json
refused 1 'a posterior without its range' spanless.json --data -- predict spanless.json --ahead 1
cat >plane.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [ { "kernel": "eq", "lengthscale": 1 } ],
  "outputs": [ { "name": "u", "operator": {"type": "gaussian", "precision": 5}, "sensitivity": [1], "noise_variance": 0.1 } ] }
MODEL
printf 'output,x1,x2,y\nu,8,0.01,1\nu,11,-0.02,2\n' >plane.csv
refused 1 'two inputs' plane.json --ahead --at -- predict plane.json --data plane.csv --ahead 1

# ---- dates ----
awk 'BEGIN { print "time,u,v"; for (i = 0; i < 60; i++) printf "2020-01-%02d %02d:00,%.3f,%.3f\n", 1 + int(i / 24), i % 24, sin(i / 5), 3 + cos(i / 5) }' >dated.csv
for engine in dense kalman fourier; do
    lf fit dated.csv --forces 1 --force-kernel eq --operator ode1 --engine $engine --max-iterations 5 --restarts 1 --errors no -o dated.json --quiet
    lf predict dated.json --ahead 3h --data dated.csv --engine $engine --quiet >dated_ahead.csv
    check "$engine: dates, one step after the other" equal "$(sed -n '1,4p' dated_ahead.csv | cut -d, -f1,2 | tr '\n' ' ')" \
        'output,time u,2020-01-03T12:00:00 u,2020-01-03T13:00:00 u,2020-01-03T14:00:00 '
    lf predict dated.json --data dated.csv --engine $engine --from '2020-01-03 12:00' --to 2020-01-03T14:00 --step '60 min' --quiet >dated_range.csv
    check "$engine: --from, --to and --step" rows_near dated_ahead.csv dated_range.csv 1e-9
done
refused 1 'the horizon is a date' dated.json '2020-01-03T11:00:00]' '--horizon 2020-01-03T14:00:00' -- predict dated.json --ahead 3h
lf fit dated.csv --forces 1 --force-kernel eq --operator ode1 --engine fourier --max-iterations 5 --restarts 1 --errors no --horizon 2020-01-03T14:00:00 -o horizon.json --quiet
check 'which a fit takes' rows_near <(lf predict horizon.json --ahead 3h) dated_ahead.csv 1e-5
check '--ahead without a unit counts in that of the model' cmp <(lf predict horizon.json --ahead 3) <(lf predict horizon.json --ahead 3h)
check 'days' equal "$(lf predict dated.json --data dated.csv --engine fourier --ahead 1d --forces --quiet | tail -1 | cut -d, -f2)" 2020-01-04T11:00:00
check 'JSON: dates' grep -q '"u":{"time":\["2020-01-03T12:00:00"\],"mean"' <(lf predict horizon.json --ahead 1h --json)
refused 2 'not a date' "--from: 'soon'" -- predict dated.json --from soon

# ---- JSON has the numbers of the CSV ----
# flat FILE: every number of a member of JSON, one after the other
flat() { grep -o "\"$1\":\[[^]]*\]" "$2" | sed 's/.*\[//; s/\]//' | tr ',' '\n' | awk '{ printf "%.9g\n", $1 }'; }
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { printf "%.9g\n", $c }' "$2"; }
lf predict stored.json --ahead 1 -o ahead.csv
lf predict stored.json --ahead 1 --json -o ahead.json
for member in x mean sd_f sd_y; do
    check "JSON: $member" cmp <(flat $member ahead.json) <(column $member ahead.csv)
done
check 'JSON: its form' grep -Eq '^\{"outputs":\{"a":\{"x":\[.*\],"mean":\[.*\],"sd_f":\[.*\],"sd_y":\[.*\]\},"b":\{.*\}\}\}$' ahead.json
check 'JSON: forces and samples' grep -Eq '^\{"forces":\{"force1":\{"x":\[11\],"mean":\[[^]]*\],"sd":\[[^]]*\],"samples":\[\[[^]]*\],\[[^]]*\]\]\}\}\}$' \
    <(lf predict stored.json --from 11 --to 11 --forces --samples 2 --json)
check 'JSON: rates' grep -q '^{"rates":{"a":{"x":\[11\]' <(lf predict stored.json --from 11 --to 11 --rates --json)
check 'JSON: two inputs' grep -q '{"u":{"x1":\[8,8,11,11\],"x2":\[-0.02,0.01,-0.02,0.01\],"mean"' <(lf predict plane.json --data plane.csv --grid 2 --json)
sed '1s/^/replicate,/; 2,$s/^/one,/' data.csv >replicates.csv
sed '1d; s/^/two,/' data.csv >>replicates.csv
check 'JSON: replicates' grep -Eq '^\{"replicates":\{"one":\{"outputs":\{"a":.*\}\},"two":\{"outputs":.*\}\}\}\}$' \
    <(lf predict model.json --data replicates.csv --from 1 --to 1 --json)
if command -v python3 >/dev/null; then
    check 'JSON: a parser reads it' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' ahead.json
fi
finish
