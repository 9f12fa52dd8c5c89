#!/usr/bin/env bash
# Exact models whose matrix ScaLAPACK spreads over 1, 2 and 3 processes, in `make check-all` also 5 and 8: everything that the engine computes (MPI_DENSE, mpi_dense.c),
# and commands of the program with a table of some blocks.
set -u
. "$(dirname "$0")/mpi_support.sh"

"${MPI_DENSE:?}" >dense.log 2>&1 # one process
status=$?
if [ $status = 77 ]; then
    echo "skipped: there is no ScaLAPACK; where it is installed (libscalapack-openmpi-dev) the build uses it"
    exit 77
fi
check 'results of 1 process' equal $status 0
more=()
! check_all || more=(5 8)
for count in 2 3 "${more[@]}"; do
    "${launcher[@]}" -n "$count" "$MPI_DENSE" >dense.log 2>&1
    status=$?
    check "results of $count processes" equal "$status" 0
    [ $status = 0 ] || cat dense.log
done

awk 'BEGIN { print "output,x,y"; for (i = 0; i < 200; i++) { x = i / 20
    printf "a,%.4f,%.6f\nb,%.4f,%.6f\n", x, sin(2 * x) + 0.1 * sin(37 * i), x + 0.01, cos(1.7 * x) + 0.1 * sin(53 * i) } }' >rows.csv
awk 'BEGIN { print "output,x"; for (i = 0; i < 300; i++) printf "%s,%.4f\n", i % 2 ? "a" : "b", i / 25 }' >inputs.csv
cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "initial": "zero", "origin": 0,
  "forces": [ { "kernel": "matern32", "lengthscale": 0.6 } ],
  "outputs": [ { "name": "a", "operator": {"type": "ode1", "decay": 1.3}, "sensitivity": [1.5], "noise_variance": 0.05, "offset": 0.1, "scale": 1.1 },
               { "name": "b", "operator": {"type": "ode2", "mass": 1, "damper": 2, "spring": 3}, "sensitivity": [2], "noise_variance": 0.05, "offset": 0, "scale": 0.9 } ] }
MODEL
lf evaluate model.json rows.csv --engine dense --gradient --json -q -o evaluated.json
lf condition model.json rows.csv --engine dense -q -o conditioned.json
lf predict conditioned.json --at inputs.csv -o predicted.csv
lf score conditioned.json rows.csv --json >scored.json
for count in 3 "${more[@]:1}"; do
    processes "$count" evaluate model.json rows.csv --engine dense --gradient --json -q -o found.json
    check "evaluate on $count processes" same 1e-10 evaluated.json found.json
    processes "$count" condition model.json rows.csv --engine dense -q -o found.json
    check "condition on $count processes writes the same file" cmp conditioned.json found.json
    processes "$count" predict conditioned.json --at inputs.csv -o found.csv
    check "predict on $count processes" same 1e-10 predicted.csv found.csv
    processes "$count" score conditioned.json rows.csv --json >found.json
    check "score on $count processes" same 1e-10 scored.json found.json
done
options=(--engine dense --forces 1 --period none --calibrate no --errors no --restarts 1 --seed 3 --max-iterations 10)
lf fit rows.csv "${options[@]}" -q -o fitted.json
processes 2 fit rows.csv "${options[@]}" -q -o found.json
check 'fit on 2 processes' same 1e-6 fitted.json found.json posterior diagnosis provenance
processes 2 fit rows.csv "${options[@]}" -q -o again.json
check 'a fit has the same bits on as many processes' cmp found.json again.json
finish
