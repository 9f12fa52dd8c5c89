#!/usr/bin/env bash
# Allocations that fail, one after the other, in every command: exit status 1 and "out of memory", no leak, nothing half-written
# (faults/sweep.py). LATENTFORCE is the program, FAILING_ALLOCATIONS the library that is preloaded, LF_FAULTS the arguments of the sweep
# (default: a share, a larger one in `make check-all`; `make faults`: every allocation).
set -u
if ! command -v python3 >/dev/null; then
    echo "skipped: there is no python3"
    exit 77
fi
export OMP_WAIT_POLICY=passive OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-Prescott} # the program does not start itself again
if [ "$(LD_PRELOAD=${FAILING_ALLOCATIONS:?} FAIL_AT=1 "${LATENTFORCE:?}" help 2>&1 >/dev/null)" != "latentforce: error: out of memory" ]; then
    echo "skipped: allocations of this program cannot be made to fail"
    exit 77
fi
. "$(dirname "$0")/../support/support.sh"
# OpenBLAS and GNU OpenMP end the process themselves, with exit status 1 and a sentence of their own.
cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "initial": "zero", "forces": [ { "kernel": "eq", "lengthscale": 3 } ],
  "outputs": [ { "name": "a", "operator": {"type": "ode1", "decay": 1}, "sensitivity": [1], "noise_variance": 0.1, "offset": 0, "scale": 1 } ] }
MODEL
awk 'BEGIN { print "output,x,y"; for (i = 0; i < 700; i++) printf "a,%d,%.3f\n", i, i % 7 }' >data.csv
for runtime in libgomp libopenblas; do
    LD_PRELOAD=$FAILING_ALLOCATIONS FAIL_IN=$runtime FAIL_AT=1 \
        "$program" evaluate model.json data.csv --engine dense --gradient --threads 2 -q -o result.txt 2>message.txt
    status=$?
    if [ $status -eq 0 ]; then
        echo "skipped: $runtime allocates nothing here"
    else
        check "$runtime without memory" equal $status 1
        check "it says so" grep -q 'Out of memory\|malloc failed\|Thread creation failed' message.txt
        check "nothing is left" equal "$(find . -name 'result.txt' -o -name '.latentforce*')" ""
    fi
done
[ $failed -eq 0 ] || finish
# shellcheck disable=SC2086
python3 "$(dirname "$0")/faults/sweep.py" "$LATENTFORCE" "$FAILING_ALLOCATIONS" ${LF_FAULTS:---share $(check_all && echo 20 || echo 500)}
