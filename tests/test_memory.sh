#!/usr/bin/env bash
# The limit of memory from the command line: what is refused, what is taken instead, and that nothing crashes without memory. LATENTFORCE is
# the program.
set -u

. "$(dirname "$0")/support.sh"

provenance() { lf show "$1" --json | sed -n 's/.*"within_memory":"\([^"]*\)".*/\1/p'; }
without_time() { sed 's/"command":\[[^]]*\]//; s/"within_memory":"[^"]*",//' "$1"; }

# 30 outputs: too many for the exact engines within 10 MB, in this test
awk 'BEGIN { printf "t"; for (d = 1; d <= 30; d++) printf ",y%d", d; print ""
    for (i = 0; i < 40; i++) { printf "%g", i / 4
        for (d = 1; d <= 30; d++) printf ",%.5f", sin(i / 4 + d / 5) + 0.3 * cos(i / 2) + 0.02 * sin(57 * i + d); print "" } }' >many.csv
fit=(fit many.csv --max-iterations 3 --errors no --period none)

# ---- fits ----
check "a fit within the limit" lf "${fit[@]}" --memory 1G -o exact.json --quiet
lf "${fit[@]}" --memory 10M -o taken.json 2>notes.txt
check "beyond it something else is taken" grep -q 'note: the model of 30 outputs and 30 forces takes about [0-9.]* MB with the kalman engine, more than the limit of 10 MB; taken instead: --engine pitc --inducing 40 --forces 4 --force-kernel eq (about [0-9.]* MB); --memory [0-9]*M allows the former' notes.txt
check "the model tells" equal "$(provenance taken.json)" "--engine pitc --inducing 40 --forces 4 --force-kernel eq"
check "as its command does" grep -q '"--engine", *"pitc", *"--inducing", *"40", *"--forces", *"4", *"--force-kernel", *"eq"' taken.json
check "an exact fit has nothing of it" equal "$(provenance exact.json)" ""
lf "${fit[@]}" --engine pitc --inducing 40 --forces 4 --force-kernel eq -o asked.json --quiet
check "these options give the same model" cmp <(without_time taken.json) <(without_time asked.json)
lf "${fit[@]}" --memory 10M --threads 1 -o one.json --quiet
lf "${fit[@]}" --memory 10M --threads 2 -o two.json --quiet
check "whatever the number of threads" cmp <(without_time one.json) <(without_time two.json)
lf "${fit[@]}" --memory 10M --forces 3 -o three.json 2>notes.txt
check "what was asked for stays" equal "$(provenance three.json)" "--engine pitc --inducing 40 --force-kernel eq"
lf "${fit[@]}" --memory 6M --engine kalman -o fewer.json 2>notes.txt
check "fewer forces for an engine that was asked for" grep -q 'taken instead: --forces [0-9]* (about' notes.txt
refused 1 "nothing is free to be changed" "takes about" "with the fourier engine, more than the limit of 1 MB" "what fits:" "--memory" \
    -- "${fit[@]}" --memory 1M --engine fourier --forces 4 --force-kernel eq -o refused.json
refused 1 "a model to start from" "the dense engine would take about" "more than the limit of 8 MB" "what fits: --engine" \
    -- fit many.csv --init exact.json --engine dense --memory 8M -o refused.json
refused 2 "a size that is none" "--memory 'much'" "as in 4G" -- "${fit[@]}" --memory much -o refused.json
refused 2 "nothing at all" "--memory '0'" -- "${fit[@]}" --memory 0 -o refused.json

# ---- engines ----
refused 1 "evaluate" "the dense engine would take about 16 MB, more than the limit of 8 MB" "what fits:" "--engine pitc --inducing 40 (" \
    "or allow more by --memory 16M" -- evaluate exact.json many.csv --engine dense --memory 8M
check "evaluate within the limit" lf evaluate exact.json many.csv --engine dense --memory 64M
lf evaluate exact.json many.csv --memory 1M >chosen.txt 2>error.txt
check "the automatic choice has nothing else" grep -q 'engine would take about .* more than the limit of 1 MB' error.txt
refused 1 "condition" "more than the limit of 8 MB" -- condition exact.json many.csv --engine dense --memory 8M -o refused.json

# ---- predictions and draws ----
lf condition exact.json many.csv --engine dense -o dense.json --quiet
refused 1 "a stored posterior" "the stored posterior of the dense engine, with 1200 rows, would take about 11 MB" "kalman" \
    -- predict dense.json --grid 10 --memory 8M
refused 1 "many points from many rows" "predictions of 60000 points from a posterior of the dense engine" "fewer points" \
    -- predict dense.json --grid 2000 --memory 100M
refused 1 "joint samples" "the joint distribution of 9000 points" "fewer points at a time" -- predict exact.json --grid 300 --samples 2 --memory 200M
check "samples within the limit" lf predict exact.json --grid 3 --samples 2 --memory 200M
awk 'BEGIN { print "x"; for (i = 0; i < 200; i++) print i / 10 }' >points.csv
refused 1 "simulate" "a draw of 6000 points from their joint covariance would take about" "fewer points" \
    -- simulate exact.json --at points.csv --memory 100M -o refused.json
refused 1 "covariance" "the joint covariance of 6000 points would take about" -- covariance exact.json --at points.csv --memory 100M

# ---- without memory ----
# OpenBLAS needs some address space of its own, and so do threads
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
for limit in 350000 400000 450000; do
    (
        ulimit -v $limit
        lf evaluate exact.json many.csv --engine dense --gradient --memory 4G >/dev/null 2>error.txt
        echo $? >status.txt
    )
    check "ulimit -v $limit: an error, or a result" grep -qx '[01]' status.txt
    check "ulimit -v $limit: out of memory it says" awk -v s="$(cat status.txt)" '/out of memory/ { said = 1 } END { exit s == 1 && !said }' error.txt
done
(
    ulimit -v 450000
    lf "${fit[@]}" --engine dense -o refused.json >/dev/null 2>error.txt
    echo $? >status.txt
)
check "a fit ends with a message or a model" grep -qx '[01]' status.txt
finish
