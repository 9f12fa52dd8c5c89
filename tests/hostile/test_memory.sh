#!/usr/bin/env bash
# The limit of memory from the command line: what is refused, what is taken instead, and that nothing crashes without memory. LATENTFORCE is
# the program.
set -u

. "$(dirname "$0")/../support/support.sh"

provenance() { sed -n 's/.*"within_memory": *"\([^"]*\)".*/\1/p' "$1"; }
# Reports of stages say what was given and what was chosen.
without_command() { sed '/"stages": \[/,/^ *\]/d; s/"command": *\[[^]]*\],*//; /"command": *\[/,/\]/d; /"options": *\[.*\],$/d; /"within_memory"/d' "$1"; }

# rows OUTPUTS TIMES: a table of sums of four waves, which eight forces can follow
rows() {
    awk -v D="$1" -v T="$2" 'BEGIN { printf "t"; for (d = 1; d <= D; d++) printf ",y%d", d; print ""
        for (i = 0; i < T; i++) { printf "%g", i / 4
            for (d = 1; d <= D; d++) printf ",%.5f", sin(i / 4 + d / 5) + sin(i / 2 + d) + sin(i + 2 * d) + sin(2 * i + 3 * d) + 0.02 * sin(57 * i + d); print "" } }'
}
rows 60 12 >wide.csv # many states in few rows
rows 30 40 >many.csv
wide=(fit wide.csv --max-iterations 2 --errors no --period none)
lf fit many.csv --forces 30 --max-iterations 3 --errors no --period none -o exact.json --quiet

# ---- fits ----
lf "${wide[@]}" --memory 5M -o taken.json 2>notes.txt
check "beyond the limit something else is taken" grep -q 'note: the model of 60 outputs and 8 forces takes about [0-9.]* MB with the dense engine, more than the limit of 5 MB; taken instead: --engine pitc --inducing 12 --forces 4 --force-kernel eq (about [0-9.]* MB); --memory [0-9]*M allows the former' notes.txt
check "the model tells" equal "$(provenance taken.json)" "--engine pitc --inducing 12 --forces 4 --force-kernel eq"
check "as the report of the stage" equal "$(stage taken.json 'selection: limits')" \
    "--engine pitc --inducing 12 --forces 4 --force-kernel eq; a fit is beyond the limit of memory"
check "as its command does" awk '{ text = text $0 } END { gsub(/[ \n]/, "", text); exit !index(text, "\"--engine\",\"pitc\",\"--inducing\",\"12\",\"--forces\",\"4\",\"--force-kernel\",\"eq\"]") }' taken.json
check "an exact fit has nothing of it" equal "$(provenance exact.json)" ""
lf "${wide[@]}" --engine pitc --inducing 12 --forces 4 --force-kernel eq -o asked.json --quiet
check "these options give the same model" cmp <(without_command taken.json) <(without_command asked.json)
lf "${wide[@]}" --memory 5M --threads 1 -o one.json --quiet
check "whatever the number of threads" cmp <(without_command taken.json) <(without_command one.json)
lf "${wide[@]}" --memory 5M --forces 3 -o three.json --quiet
check "what was asked for stays" equal "$(provenance three.json)" "--engine pitc --inducing 12 --force-kernel eq"
lf "${wide[@]}" --memory 3M -o two.json --quiet
check "less memory takes fewer forces" equal "$(provenance two.json)" "--engine pitc --inducing 12 --forces 2 --force-kernel eq"
refused 1 "too little for anything" "takes about 27 MB with the kalman engine" "what fits: fewer rows or outputs, or allow more by --memory 2M" \
    -- "${wide[@]}" --memory 1M -o refused.json
check "what is named is enough for something" lf "${wide[@]}" --memory 2M -o least.json --quiet
lf "${wide[@]}" --memory 30M --engine kalman --no-private --quiet -o fewer.json
check "an engine that was asked for is within it" equal "$(provenance fewer.json)" ""
lf "${wide[@]}" --memory 10M --engine kalman --no-private --quiet -o fewer.json
check "or has fewer forces" decided '^--forces [0-9]*; ' fewer.json 'selection: limits'
refused 1 "nothing is free to be changed" "takes about" "with the fourier engine, more than the limit of 1 MB" "what fits:" "--memory" \
    -- "${wide[@]}" --memory 1M --engine fourier --forces 4 --force-kernel eq -o refused.json
refused 1 "what fits is named" "with the kalman engine, more than the limit of 5 MB" \
    "what fits: --engine pitc --inducing 12 --forces 4 --force-kernel eq (" -- "${wide[@]}" --memory 5M --engine kalman --forces 36 -o refused.json
refused 1 "a model to start from" "the dense engine would take about" "more than the limit of 12 MB" "what fits: --engine kalman (" \
    -- fit many.csv --init exact.json --engine dense --restarts 1 --memory 12M -o refused.json
refused 2 "a size that is none" "--memory 'much'" "as in 4G" -- "${wide[@]}" --memory much -o refused.json
refused 2 "nothing at all" "--memory '0'" -- "${wide[@]}" --memory 0 -o refused.json

# ---- what a whole fit takes is what was said ----
awk 'BEGIN { srand(2); printf "t"; for (d = 1; d <= 50; d++) printf ",y%d", d; print ""
    for (i = 0; i < 400; i++) { u = 0.95 * u + rand() - 0.5; printf "%g", i / 4
        for (d = 1; d <= 50; d++) { own[d] = 0.9 * own[d] + 0.3 * (rand() - 0.5); y[d] = 0.8 * y[d] + sin(d) * u + own[d]; printf ",%.5f", y[d] } print "" } }' >steps.csv # forces are asked for at three times between two
steps=(fit steps.csv --engine kalman --forces 4 --force-kernel matern12 --max-iterations 1 --errors no --period none)
lf "${steps[@]}" --memory 1M -o refused.json 2>error.txt
said=$(sed -n 's/.*takes about \([0-9]*\) MB with the kalman engine.*/\1/p' error.txt)
if command -v python3 >/dev/null; then
    measured=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$program" "${steps[@]}" --calibrate no --threads 1 --quiet -o steps.json)
    check "a fit takes $measured MB, $said were estimated" awk -v m="$measured" -v e="$said" 'BEGIN { exit !(m > 100 && m < 1.1 * e + 30) }'
fi

# ---- engines ----
refused 1 "evaluate" "1200 rows of 30 outputs with 30 forces: the dense engine would take about 18 MB, more than the limit of 12 MB" \
    "what fits: --engine kalman (10 MB), or allow more by --memory 19M" -- evaluate exact.json many.csv --engine dense --memory 12M
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
# OpenBLAS needs 128 MB of address space for each thread, beside what the program has when it begins; 3000 rows need 69 MB and more
cat >one.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "forces": [ { "kernel": "eq", "lengthscale": 1 } ],
  "outputs": [ { "name": "y1", "operator": {"type": "ode1", "decay": 1}, "sensitivity": [1], "noise_variance": 0.1 } ] }
MODEL
rows 1 3000 >long.csv
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
for limit in 400000 520000 4000000; do
    (
        ulimit -v $limit
        lf evaluate one.json long.csv --engine dense --memory 4G >/dev/null 2>error.txt
        echo $? >status.txt
    )
    check "ulimit -v $limit: an error, or a result" grep -qx '[01]' status.txt
    check "ulimit -v $limit: out of memory it says" awk -v s="$(cat status.txt)" '/error: out of memory/ { said = 1 } END { exit s == 1 && !said }' error.txt
done
check "enough is enough" equal "$(cat status.txt)" 0
(
    ulimit -v 1000000
    lf evaluate one.json long.csv --engine dense >/dev/null 2>error.txt
    echo $? >status.txt
)
check "the limit of the address space counts as memory" equal "$(cat status.txt)" 0
(
    ulimit -v 550000
    lf evaluate one.json long.csv --engine dense >/dev/null 2>error.txt
    echo $? >status.txt
)
check "also where it does not suffice" grep -q 'the dense engine would take about .* more than the limit of' error.txt
finish
