#!/usr/bin/env bash
# Allocations that fail, one after the other, in every command: exit status 1 and "out of memory", no leak, nothing half-written
# (faults/sweep.py). LATENTFORCE is the program, FAILING_ALLOCATIONS the library that is preloaded, LF_FAULTS the arguments of the sweep
# (default: a share; `make faults`: every allocation).
set -u
if ! command -v python3 >/dev/null; then
    echo "skipped: there is no python3"
    exit 77
fi
if [ "$(LD_PRELOAD=${FAILING_ALLOCATIONS:?} FAIL_AT=1 "${LATENTFORCE:?}" help 2>&1 >/dev/null)" != "latentforce: error: out of memory" ]; then
    echo "skipped: allocations of this program cannot be made to fail"
    exit 77
fi
# shellcheck disable=SC2086
exec python3 "$(dirname "$0")/faults/sweep.py" "$LATENTFORCE" "$FAILING_ALLOCATIONS" ${LF_FAULTS:---share 60}
