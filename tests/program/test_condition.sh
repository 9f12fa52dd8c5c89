#!/usr/bin/env bash
# Posteriors stored in model files predict what the data themselves would, and files that were tampered with are refused
# with a sentence. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

# scores ARGUMENT…: names and numbers of score as a row of CSV under an empty heading.
scores() {
    echo
    lf score "$@" --json | sed 's/,"scored".*//' | tr '{}:' ',,,'
}
lines() { awk 'END { print NR }' "$1"; }
# csv_near A B TOLERANCE: the same names and, nearly, the same numbers.
csv_near() {
    paste -d';' "$1" "$2" | awk -F';' -v e="$3" '
        { n = split($1, a, ","); if (split($2, b, ",") != n) bad = 1
          for (i = 1; i <= n; i++) {
              if (a[i] + 0 == 0 && a[i] !~ /^-?[0-9]/ || NR == 1) { if (a[i] != b[i]) bad = 1; continue }
              d = a[i] - b[i]; d = d < 0 ? -d : d; if (d > worst) worst = d; numbers++ } }
        END { print NR " rows, largest difference " worst; exit bad || !numbers || !(worst <= e) }'
}
# rounding ENGINE…: how far predictions from a stored posterior may be from those with the data; dense solves again.
rounding() { case $1 in dense*) echo 1e-12 ;; *) echo 3e-14 ;; esac; }

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "initial": "zero",
  "forces": [ { "kernel": "eq", "lengthscale": 1.2 } ],
  "outputs": [
    { "name": "mass1", "operator": {"type": "ode2", "mass": 1, "damper": 0.6, "spring": 4},
      "sensitivity": [4], "noise_variance": 0.0025 },
    { "name": "mass2", "operator": {"type": "ode2", "mass": 2, "damper": 1.2, "spring": 3},
      "sensitivity": [3], "noise_variance": 0.0025, "offset": 10, "scale": 2 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (d = 1; d <= 2; d++) for (i = 0; i < 40; i++) printf "mass%d,%.6f\n", d, 10 * i / 39 }' >inputs.csv
lf simulate model.json --at inputs.csv --seed 10 -o readings.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "split"; next } { print $0, ($1 == "mass2" && $2 > 4 && $2 < 6) ? "test" : "train" }' \
    readings.csv >data.csv
awk -F, -v OFS=, '$4 == "test" || NR == 1 { print $1, $2, $3 }' data.csv >test.csv
printf 'output,x\nmass2,5\nmass1,0.3\nmass2,9.9\nmass1,5\n' >at.csv
printf 'x\n1\n11\n' >beyond.csv

# ---- every engine: the stored posterior is the posterior ----
number=0
for how in "dense" "dense --nodes closed-form" "lowrank" "lowrank --nodes uniform --features 80" \
    "lowrank --nodes mc --features 40 --seed 5" "lowrank --nodes qmc --features 40 --seed 5" "fourier" \
    "lowrank --nodes orthogonal --features 40"; do
    number=$((number + 1))
    stored=stored$number.json
    case "${LF_BUILD_TYPE:-} $how" in "Sanitize "*--*) continue ;; esac # the rules of frequencies are those of test_nodes and test_lowrank
    # shellcheck disable=SC2086
    {
        engine="--engine $how"
        case $how in *--seed*) ;; *) engine="$engine --seed 5" ;; esac
        check "condition: $how" lf condition model.json data.csv $engine -o $stored
        for what in "" --forces --rates "--samples 3"; do
            rm -f from_model.csv from_data.csv
            lf predict $stored --at at.csv $what --seed 5 -o from_model.csv
            lf predict model.json --at at.csv --data data.csv $engine $what -o from_data.csv
            check "$how: predict $what" csv_near from_model.csv from_data.csv "$(rounding "$how")"
        done
        scores $stored data.csv >from_model.csv
        scores model.json data.csv $engine >from_data.csv
        check "$how: score" csv_near from_model.csv from_data.csv "$(rounding "$how")"
        scores $stored test.csv >from_test.csv
        check "$how: score of a file without split column" cmp from_model.csv from_test.csv
    }
done
check "a stored model is a model like any other" equal \
    "$(lf evaluate stored1.json data.csv --engine dense --json | sed 's/,"seconds.*//')" \
    "$(lf evaluate model.json data.csv --engine dense --json | sed 's/,"seconds.*//')"
check "conditioning again gives the same file" cmp stored7.json <(lf condition stored7.json data.csv --engine fourier --seed 5 -o - --quiet)
cp model.json own.json
check "-o may be the model itself" lf condition own.json data.csv -o own.json
check "and then it predicts" lf predict own.json --at at.csv
lf condition model.json data.csv --engine fourier -o note.json 2>note.txt
check "condition says what it did" grep -Eq '^latentforce: note: note.json: .* 72 rows .* fourier .* [0-9]+ columns.* up to x = 10$' note.txt
check "condition --quiet says nothing" equal "$(lf condition model.json data.csv --engine fourier -o note.json --quiet 2>&1)" ""
check "show says where it predicts" grep -Eq '^Posterior: .* from x = 0 to x = 10$' <(lf show stored7.json)
check "show: the dense engine predicts anywhere" grep -Eq '^Posterior: .* any input$' <(lf show stored1.json)
lf predict stored7.json --grid 3 >grid.csv
check "--grid runs over the range of the posterior" equal "$(cut -d, -f1,2 grid.csv | tr '\n' ' ')" \
    "output,x mass1,0 mass1,5 mass1,10 mass2,0 mass2,5 mass2,10 "


# ---- several inputs ----
cat >plane.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 2, "inputs": [ {"offset": 10, "scale": 2}, {"scale": 0.01} ],
  "forces": [ { "kernel": "eq", "lengthscale": 1 } ],
  "outputs": [ { "name": "u", "operator": {"type": "gaussian", "precision": 5}, "sensitivity": [1], "noise_variance": 0.1 } ] }
MODEL
printf 'output,x1,x2,y\nu,8,0.01,1\nu,11,-0.02,2\nu,12,0.005,0\n' >plane.csv
printf 'x1,x2\n9,0\n11,-0.01\n' >plane_at.csv
for how in "dense" "lowrank --features 30"; do
    # shellcheck disable=SC2086
    lf condition plane.json plane.csv --engine $how -o plane_stored.json --quiet
    lf predict plane_stored.json --at plane_at.csv -o from_model.csv
    # shellcheck disable=SC2086
    lf predict plane.json --at plane_at.csv --data plane.csv --engine $how -o from_data.csv
    check "$how: standardised inputs" csv_near from_model.csv from_data.csv "$(rounding "$how")"
    lf predict plane_stored.json --grid 2 >grid.csv
    check "$how: --grid over standardised inputs" csv_near <(cut -d, -f2,3 grid.csv) \
        <(printf 'x1,x2\n6.535898384862246,-0.0173205080756888\n6.535898384862246,0.0173205080756888\n13.464101615137754,-0.0173205080756888\n13.464101615137754,0.0173205080756888\n') 1e-14
done
sed -i 's/"scale": 2.0*/"scale": 3.0/' plane_stored.json
refused 1 "a posterior of other inputs" plane_stored.json inputs condition -- predict plane_stored.json --at plane_at.csv
check "show says how inputs are standardised" grep -Eq '^x1 +10 +2$' <(lf show plane.json)

# ---- beyond the data ----
for engine in lowrank fourier; do
    lf condition model.json data.csv --engine $engine -o near.json --quiet
    refused 1 "$engine: no prediction beyond the horizon" beyond.csv 'x = 11' '[0, 10]' '--data DATA' -- predict near.json --at beyond.csv
    check "$engine: but with the data" lf predict near.json --at beyond.csv --data data.csv --engine $engine -o beyond_data.csv
    lf condition model.json data.csv --engine $engine --horizon 11 -o far.json --quiet
    lf predict far.json --at beyond.csv -o beyond_far.csv
    check "$engine: or with a horizon" csv_near beyond_far.csv beyond_data.csv 3e-14
    lf predict model.json --at beyond.csv --data data.csv --engine dense -o beyond_dense.csv
    check "$engine: it is what the dense engine says" csv_near beyond_far.csv beyond_dense.csv 1e-11
    { cat test.csv; echo mass1,12,0; } >late.csv
    refused 1 "$engine: no score beyond the horizon" late.csv 'x = 12' '[0, 10]' '--data DATA' -- score near.json late.csv
    check "$engine: but with the data" lf score near.json late.csv --data data.csv --engine $engine
done
check "dense: any input" lf predict stored1.json --at beyond.csv
lf predict stored1.json --grid 5 >grid.csv
lf predict model.json --data data.csv --engine dense --grid 5 >grid_data.csv
check "dense: --grid runs over the training inputs" csv_near grid.csv grid_data.csv "$(rounding dense)"
grep -v '"span"' stored1.json >older.json
refused 1 "a grid without ends" '--grid 5' older.json --at --data -- predict older.json --grid 5
awk -F, -v OFS=, 'NR > 1 { $2 = $2 - 20 } 1' data.csv >early.csv
sed 's/"initial"/"origin": -20, "initial"/' model.json >early.json
lf condition early.json early.csv --engine fourier --horizon 0 -o zero.json --quiet
check "a horizon at zero" lf predict zero.json --at <(printf 'x\n-0.5\n0\n')
refused 1 "and nothing after it" 'x = 1 ' -- predict zero.json --at <(printf 'x\n1\n')

# ---- replicates ----
sed '1s/^/replicate,/; 2,$s/^/one,/' readings.csv >replicates.csv
lf simulate model.json --at inputs.csv --seed 11 | sed '1d; s/^/two,/' >>replicates.csv
for engine in dense lowrank fourier; do
    lf condition model.json replicates.csv --engine $engine -o replicates.json --quiet
    lf predict replicates.json --at at.csv -o from_model.csv
    lf predict model.json --at at.csv --data replicates.csv --engine $engine -o from_data.csv
    check "$engine: replicates" csv_near from_model.csv from_data.csv "$(rounding $engine)"
    check "$engine: replicates are named" equal "$(cut -d, -f1 from_model.csv | uniq | tr '\n' ' ')$(lines from_model.csv)" "replicate one two 9"
    refused 1 "$engine: an unknown replicate" "'three'" 'one, two' -- predict replicates.json --at <(printf 'replicate,x\nthree,1\n')
    refused 1 "$engine: test rows without replicate" test.csv 'training data have replicates' -- score replicates.json test.csv
done
refused 1 "a replicate of a model without" "'one'" 'training data' -- score stored1.json replicates.csv

# ---- free start, private force, several inputs ----
sed 's/"zero"/"free"/; s/"offset"/"private": {"kernel": "matern32", "lengthscale": 2, "amplitude": 0.3}, "offset"/' model.json >free.json
for engine in dense lowrank fourier; do
    lf condition free.json data.csv --engine $engine -o free_stored.json --quiet
    lf predict free_stored.json --at at.csv -o from_model.csv
    lf predict free.json --at at.csv --data data.csv --engine $engine -o from_data.csv
    check "$engine: free start and private force" csv_near from_model.csv from_data.csv "$(rounding $engine)"
done
cat >plane.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 2,
  "forces": [ { "kernel": "eq", "lengthscale": 0.8 } ],
  "outputs": [ { "name": "u", "operator": {"type": "gaussian", "precision": 1.5}, "sensitivity": [1.3], "noise_variance": 0.01 } ] }
MODEL
awk 'BEGIN { print "output,x1,x2,y"; for (i = 0; i < 12; i++) printf "u,%g,%g,%g\n", i / 6, (i * 5 % 7) / 7, sin(i) }' >plane.csv
printf 'x1,x2\n0.5,0.5\n3,-1\n' >plane_at.csv
for how in dense "lowrank --nodes mc --features 30"; do
    # shellcheck disable=SC2086
    {
        lf condition plane.json plane.csv --engine $how -o plane_stored.json --quiet
        lf predict plane_stored.json --at plane_at.csv -o from_model.csv
        lf predict plane.json --at plane_at.csv --data plane.csv --engine $how -o from_data.csv
    }
    check "two inputs: $how" csv_near from_model.csv from_data.csv "$(rounding "$how")"
done
refused 1 "two inputs: no grid without data" --grid --at -- predict plane_stored.json --grid 3

# ---- options that come too late ----
for option in "--engine dense" "--nodes uniform" "--features 10" "--tolerance 1e-3" "--horizon 20"; do
    # shellcheck disable=SC2086
    refused 2 "predict ${option% *} without data" "${option% *} needs --data" -- predict stored7.json --at at.csv $option
    # shellcheck disable=SC2086
    refused 2 "score ${option% *} without data" "${option% *} needs --data" -- score stored7.json data.csv $option
done

# ---- files that were tampered with ----
# A changed parameter makes another model, whose posterior is not the stored one.
for k in 1 3 7; do
    sed 's/"damper": *0.6/"damper": 0.7/' stored$k.json >bad.json
    check "the edit changes the file" test -n "$(cmp stored$k.json bad.json)"
    refused 1 "a parameter was changed (file $k)" bad.json mass1.damper 0.6 0.7 condition -- predict bad.json --at at.csv
    check "but it is a model that takes data" lf predict bad.json --at at.csv --data data.csv
done
# The fields of a posterior, wherever they stand, of another type, out of range, of another length, and rubbish: the
# program says which one, or what does not fit it, unless predictions do not need the field.
fields() { sed -n '/"posterior"/,$p' "$1" | grep -o '"[a-zA-Z_]*" *:' | tr -d '": ' | sort -u | grep -vE '^(posterior|replicates)$'; }
edit() { # edit FILE FIELD VALUE: gives every such field after "posterior" the value, a JSON text
    awk -v field="$2" -v value="$3" '
        { text = text $0 "\n" }
        END { at = index(text, "\"posterior\""); head = substr(text, 1, at - 1); rest = substr(text, at)
              pattern = "\"" field "\" *: *(\"[^\"]*\"|-?[0-9.][-+0-9.eE]*)"
              gsub(pattern, "\"" field "\": " value, rest); printf "%s%s", head, rest }' "$1"
}
for k in 1 3 7; do
    edited=0
    lf predict stored$k.json --at at.csv -o good.csv
    for field in $(fields stored$k.json); do
        for value in null 1e300 -1 '"AAAA"' '"%%%%%%%%%%%"' '"////////8H8="' true; do
            edit stored$k.json "$field" "$value" >bad.json
            cmp -s stored$k.json bad.json && continue
            edited=$((edited + 1))
            timeout 60 "$program" predict bad.json --at at.csv >stdout.txt 2>stderr.txt
            status=$?
            case $value in null | true | '"'*) said="posterior: $field" ;; *) said= ;; esac
            if [ $status -eq 1 ] && grep -q "^latentforce: error: bad.json: $said" stderr.txt ||
                { [ $status -eq 0 ] && cmp -s stdout.txt good.csv; }; then
                passed=$((passed + 1))
            else
                echo "FAIL  file $k, $field is $value: exit status $status, $(cat stderr.txt)"
                failed=$((failed + 1))
            fi
        done
    done
    check "file $k: $edited damaged files" test "$edited" -gt 20
done
for field in engine parameters replicates; do
    sed "/\"posterior\"/,\$s/\"$field\": */\"_$field\": /" stored7.json >bad.json
    refused 1 "the posterior lacks $field" bad.json posterior "$field" -- predict bad.json --at at.csv
done
sed '/"posterior"/,$s/"state": */"_state": /' stored7.json >bad.json
refused 1 "the posterior lacks its state" bad.json posterior -- predict bad.json --at at.csv
for value in '{}' '[]' 3 '"text"' '{"engine": "quantum"}' '{"engine": "dense"}' '{"engine": 7}'; do
    sed "s/\"version\": 1,/\"version\": 1, \"posterior\": ${value//\//\\/},/" model.json >bad.json
    refused 1 "the posterior is $value" bad.json posterior -- predict bad.json --at at.csv
done
sed '/"posterior"/,$s/\(.\{300\}\).*/\1/' stored1.json >bad.json
refused 1 "a file cut short" bad.json -- predict bad.json --at at.csv
refused 1 "show reads the posterior too" posterior -- show <(sed 's/"version": 1,/"version": 1, "posterior": {},/' model.json)

finish
