#!/usr/bin/env bash
# latentforce-mpi on 3 and 8 processes, with LF_CHECK=all also on 1, 2 and 5, gives what latentforce gives, to 1e-10, and twice the same bits on as many processes.
# LATENTFORCE and LATENTFORCE_MPI are the programs, MPI_SUMS the test of sums (mpi_sums.c).
set -u
. "$(dirname "$0")/mpi_support.sh"

# ---- data: two files of rows in the order of time, one table with replicates; drawn from a model, so that they determine it ----

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "initial": "zero", "origin": 0,
  "forces": [ { "kernel": "eq", "lengthscale": 0.6 } ],
  "outputs": [ { "name": "a", "operator": {"type": "ode1", "decay": 1.3}, "sensitivity": [1.5], "noise_variance": 0.02, "offset": 0.1, "scale": 1.1 },
               { "name": "b", "operator": {"type": "ode1", "decay": 0.4}, "sensitivity": [2], "noise_variance": 0.02, "offset": 0, "scale": 0.9 } ] }
MODEL
awk 'BEGIN { print "output,x"; for (i = 0; i < 160; i++) printf "%s,%.4f\n", i % 2 ? "a" : "b", i / 16 }' >times.csv
lf simulate model.json --at times.csv --seed 5 -o rows.csv -q
{ head -n 71 rows.csv; } >part-1.csv
{ head -n 1 rows.csv && tail -n +72 rows.csv; } >part-2.csv
awk 'BEGIN { print "replicate,output,x,y"; for (r = 1; r <= 6; r++) for (i = 0; i < 12; i++)
    printf "run%d,a,%.3f,%.6f\nrun%d,b,%.3f,%.6f\n", r, i / 4, sin(i / 3 + r) + 0.1 * sin(31 * i), r, i / 4, cos(i / 2 + r) + 0.1 * sin(17 * i) }' >runs.csv
awk 'BEGIN { print "output,x,y"; for (i = 0; i < 9; i++) printf "a,%.3f,%.4f\nb,%.3f,%.4f\n", i / 2 + 0.1, sin(i + 0.2), i / 2 + 0.1, cos(i) }' >test.csv
sed -e 's/,[^,]*$//' test.csv >inputs.csv
sed 's/"eq"/"matern32"/' model.json >rough.json
parts=(part-1.csv part-2.csv)

# ---- sums ----

for count in $(of 1 2 5 3 8); do
    check "sums of $count processes" "${launcher[@]}" -n "$count" "${MPI_SUMS:?}"
done

if [ "${LF_BUILD_TYPE:-}" = Sanitize ]; then # the rest is code that test_shared_*.c run under the sanitizers, without MPI
    processes 3 evaluate model.json "${parts[@]}" --engine lowrank --features 20 --json -q >found.json
    lf evaluate model.json "${parts[@]}" --engine lowrank --features 20 --json -q >expected.json
    check 'evaluate on 3 processes' same 1e-10 expected.json found.json
    finish
fi

# ---- evaluate: engine | model | data | options | numbers of processes ----

while IFS='|' read -r engine model data options counts; do
    read -ra words <<<"$data --engine $engine $options"
    lf evaluate "$model" "${words[@]}" --gradient --json -q -o "expected-$engine.json" || { failed=$((failed + 1)); continue; }
    # shellcheck disable=SC2086 # a list of words
    for count in $(of $counts); do
        processes "$count" evaluate "$model" "${words[@]}" --gradient --json -q -o "found-$engine-$count.json" 2>evaluate.log || cat evaluate.log
        check "evaluate --engine $engine $options on $count processes" same 1e-10 "expected-$engine.json" "found-$engine-$count.json"
    done
done <<'TABLE'
lowrank|model.json|part-1.csv part-2.csv|--features 20|1 2 5 3 8
fourier|model.json|part-1.csv part-2.csv|--features 20|2 8
kalman|rough.json|runs.csv||3
dtc|model.json|part-1.csv part-2.csv|--inducing 8|5
variational|model.json|part-1.csv part-2.csv|--inducing 8|3
fitc|model.json|part-1.csv part-2.csv|--inducing 8|2
pitc|model.json|part-1.csv part-2.csv|--inducing 8|3
dense|model.json|part-1.csv part-2.csv||2
TABLE

# ---- fit: engine | data | options | numbers of processes ----

# Standard errors come from differences of gradients, in which rounding is 1e4 times as large.

while IFS='|' read -r engine data options counts; do
    read -ra words <<<"$data --engine $engine --seed 3 $options"
    lf fit "${words[@]}" -q -o "fitted-$engine.json" --json >"expected-fit.json" || { failed=$((failed + 1)); continue; }
    # shellcheck disable=SC2086 # a list of words
    for count in $(of $counts); do
        processes "$count" fit "${words[@]}" -q -o "fitted-$engine-$count.json" --json >found-fit.json 2>fit.log || cat fit.log
        check "fit --engine $engine on $count processes: the result" same 1e-10 expected-fit.json found-fit.json model standard_error=1e-6
        check "fit --engine $engine on $count processes: the model" same 1e-10 "fitted-$engine.json" "fitted-$engine-$count.json" posterior standard_error=1e-6
    done
done <<'TABLE'
lowrank|part-1.csv part-2.csv|--features 30 --init model.json|1 3
fourier|part-1.csv part-2.csv|--features 30 --init model.json|2
kalman|runs.csv|--forces 1 --force-kernel matern32|3
variational|part-1.csv part-2.csv|--inducing 6 --forces 1|2
dense|part-1.csv part-2.csv|--init model.json|2
TABLE

# ---- condition, predict, score: engine | model | data | options | number of processes ----

while IFS='|' read -r engine model data options count; do
    read -ra words <<<"$data --engine $engine $options"
    lf condition "$model" "${words[@]}" -q -o "with-$engine.json"
    processes "$count" condition "$model" "${words[@]}" -q -o "with-$engine-$count.json" 2>condition.log || cat condition.log
    lf predict "with-$engine.json" --at inputs.csv -o expected.csv
    lf predict "with-$engine-$count.json" --at inputs.csv -o found.csv
    check "condition --engine $engine on $count processes: predictions of the model" same 1e-10 expected.csv found.csv
    lf score "with-$engine.json" test.csv --json >expected.json
    processes "$count" score "with-$engine.json" test.csv --json >found.json 2>score.log || cat score.log
    check "score on $count processes, $engine" same 1e-10 expected.json found.json
done <<'TABLE'
lowrank|model.json|part-1.csv part-2.csv|--features 20 --horizon 12|3
variational|model.json|part-1.csv part-2.csv|--inducing 8|2
dense|model.json|part-1.csv part-2.csv||3
TABLE
lf predict model.json --data part-1.csv --engine lowrank --features 20 --at inputs.csv -o expected.csv
processes 3 predict model.json --data part-1.csv --engine lowrank --features 20 --at inputs.csv -o found.csv 2>predict.log || cat predict.log
check 'predict --data on 3 processes' same 1e-10 expected.csv found.csv
lf predict with-dense.json --at inputs.csv >expected.csv
processes 5 predict with-dense.json --at inputs.csv >found.csv 2>predict.log || cat predict.log
check 'predict on 5 processes prints its rows once' same 1e-10 expected.csv found.csv

# ---- bits, files, and what is printed ----

processes 3 fit "${parts[@]}" --engine lowrank --seed 3 --features 30 --init model.json -q -o again.json --trace trace.csv 2>fit.log || cat fit.log
check 'the same bits on as many processes' cmp again.json fitted-lowrank-3.json
check 'a trace is written once' equal "$(grep -c '^start,' trace.csv) $(awk -F, 'NR > 1 && $1 == 1' trace.csv | sort | uniq -d | wc -l)" '1 0'
processes 2 evaluate model.json "${parts[@]}" >printed.txt 2>notes.txt
check 'results are printed once' equal "$(grep -c '^log likelihood' printed.txt)" 1
check 'notes are printed once' equal "$(grep -c 'latentforce: note: .* read' notes.txt)" "$(lf evaluate model.json "${parts[@]}" 2>&1 >/dev/null | grep -c 'latentforce: note: .* read')"
lf evaluate model.json "${parts[@]}" --json -q >expected.json
check 'a model from standard input' bash -c "cat model.json | ${launcher[*]} -n 3 $LATENTFORCE_MPI evaluate - ${parts[*]} --json -q >found.json && python3 $support/compare_results.py 1e-10 expected.json found.json"
"$LATENTFORCE_MPI" evaluate model.json "${parts[@]}" --json -q >found.json
check 'without mpirun it is one process' same 1e-10 expected.json found.json
check 'the version' equal "$(processes 2 --version)" "latentforce-mpi $(lf --version | cut -d' ' -f2)"
processes 2 show model.json >printed.txt 2>shown.txt
check 'a command for one process is refused' equal "$? $(grep -c "run 'latentforce show'" shown.txt) $(wc -c <printed.txt)" '2 1 0'
check 'no temporary file is left' equal "$(find . -name '.latentforce*')" ''

# ---- the core is free of MPI ----

for file in liblatentforce.so latentforce; do
    check "$file does not load MPI" bash -c "readelf -dW '${LF_BUILD_DIR:?}/$file' >needed.txt && ! grep -i mpi needed.txt"
done
finish
