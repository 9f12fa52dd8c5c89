#!/usr/bin/env bash
# latentforce update continues a posterior of the kalman engine as if all rows had been there, refuses what it cannot
# continue, and leaves no half-written file. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

# refused NAME PATTERN ARGUMENT…: it must fail with status 1, say PATTERN, and leave the result file alone.
refused() {
    local name=$1 pattern=$2
    shift 2
    echo untouched >result.json
    lf "$@" -o result.json >stdout.txt 2>stderr.txt
    check "$name" equal "$?" 1
    check "$name: it says why" grep -qF -- "$pattern" stderr.txt
    check "$name: no file is changed" equal "$(cat result.json)" untouched
}
# columns_near A B TOLERANCE: rows of numbers after the first two columns.
columns_near() {
    paste -d, "$1" "$2" | awk -F, -v e="$3" 'NR > 1 { n = NF / 2
        for (i = 3; i <= n; i++) { d = $i - $(i + n); d = d < 0 ? -d : d; worst = d > worst ? d : worst; count++ } }
        END { print count " numbers, largest difference " worst; exit !count || !(worst <= e) }'
}

cat >model.json <<'JSON'
{"format": "latentforce-model", "version": 1, "initial": "zero",
 "forces": [{"kernel": "matern32", "lengthscale": 1.5}],
 "outputs": [{"name": "a", "operator": {"type": "ode1", "decay": 0.7}, "sensitivity": [2], "noise_variance": 0.01, "offset": 3,
              "scale": 2, "private": {"kernel": "matern12", "lengthscale": 2, "amplitude": 0.5}},
             {"name": "b", "operator": {"type": "ode2", "mass": 1, "damper": 0.5, "spring": 3}, "sensitivity": [-3],
              "noise_variance": 0.02}]}
JSON
awk 'BEGIN { print "output,x,y"
    for (i = 1; i <= 90; i++) printf "a,%.3f,%.4f\nb,%.3f,%.4f\n", i / 10, 3 + sin(i / 9), i / 10 + (i % 3) / 50, cos(i / 7) }' >all.csv
awk -F, 'NR == 1 || $2 <= 4' all.csv >old.csv
awk -F, 'NR == 1 || $2 > 4 && $2 <= 7' all.csv >middle.csv
awk -F, 'NR == 1 || $2 > 7' all.csv >new.csv
awk 'BEGIN { print "output,x"; for (i = 0; i <= 20; i++) printf "a,%g\nb,%g\n", 7.1 + i / 4, 7.1 + i / 4 }' >at.csv

check "condition by the kalman engine" lf condition model.json old.csv --engine kalman --quiet -o first.json
check "update" lf update first.json middle.csv --quiet -o second.json
check "update in place" lf update second.json new.csv --quiet -o second.json
for what in "" --forces --rates; do
    lf predict second.json --at at.csv $what >streamed.csv
    lf predict model.json --at at.csv $what --data all.csv --engine kalman >batch.csv
    check "the same as all rows at once $what" columns_near streamed.csv batch.csv 1e-14
done
lf predict second.json --at at.csv >streamed.csv
lf predict model.json --at at.csv --data all.csv --engine dense >dense.csv
check "the same as the dense engine" columns_near streamed.csv dense.csv 5e-6
check "show says from where it predicts" grep -q "kalman engine; predicts without data from x = 7 on" <(lf show second.json)
check "joint draws" equal "$(lf predict second.json --at at.csv --samples 3 | head -1)" \
    output,x,mean,sd_f,sd_y,sample1,sample2,sample3
check "the file does not keep the old rows" test "$(wc -c <second.json)" -lt "$(wc -c <first.json)"
tail -1 all.csv | cut -d, -f2 | awk '{ print "output,x,y\na," $1 ",3.1" }' >same.csv
check "a row at the last input" lf update second.json same.csv --quiet -o third.json

refused "a late row" "the row of output 'b' at x = 4.02 comes too late: the filter has already passed x = 9;" \
    update second.json middle.csv
refused "a model without a posterior" "holds no posterior" update model.json new.csv
lf condition model.json old.csv --engine dense --quiet -o dense.json
refused "a posterior of another engine" "of the dense engine cannot be continued" update dense.json new.csv
printf 'output,x,y\nc,10,1\n' >other.csv
refused "an unknown output" "'c'" update second.json other.csv
printf 'output,x,y,replicate\na,10,1,r1\n' >other.csv
refused "an unknown replicate" "'r1'" update second.json other.csv
printf 'x\n1\n' >before.csv
lf predict second.json --at before.csv >stdout.txt 2>stderr.txt
check "an input that is forgotten" equal "$?" 1
check "an input that is forgotten: it says so" grep -qF "x = 1 lies outside [7, inf]" stderr.txt
sed 's/"time": *[0-9.e+-]*/"time": 1/' second.json >damaged.json
check "the damage was done" test "$(cmp second.json damaged.json | wc -l)" = 1
refused "a damaged state" "posterior: " update damaged.json new.csv

# ---- auto ----
check "auto says what each engine would cost" grep -Eq '^engine  .* kalman [0-9.e-]+ Gflop' <(lf evaluate model.json all.csv)
finish
