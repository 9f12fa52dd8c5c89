#!/usr/bin/env bash
# --max-seconds: a fit that runs out of time leaves a complete model; one that has time enough is the same as without a limit.
set -u

rooms=$(cd "$(dirname "$0")/../../examples/rooms" && pwd)/rooms.csv
. "$(dirname "$0")/../support/support.sh"
numbers() { sed '/"provenance"/,$d' "$1"; }
fitted() { lf fit "$rooms" --forces 2 --period none --errors no --calibrate no --quiet "$@"; }

fitted -o whole.json
fitted --max-seconds 600 -o enough.json
check "with time enough it is the same model" cmp <(numbers whole.json) <(numbers enough.json)

# ---- no time at all, in the fit and in the comparison ----
fitted --max-seconds 1e-6 -o none.json
check "no time: it says why it ended" decided 'stopped: the time of --max-seconds was up' none.json fit
check "and has not converged" grep -q '"converged": false' none.json
check "but is complete" lf score none.json "$rooms" --quiet
check "it was not asked to stop" grep -q '"cancelled":false' <(fitted --max-seconds 1e-6 --json -o none.json)
lf fit "$rooms" --max-seconds 1e-6 -o compared.json 2>notes.txt
check "in a comparison too" lf score compared.json "$rooms" --quiet
check "the summary says so" grep -q 'stopped: the time of --max-seconds was up' notes.txt
check "and the verdict what to do" grep -q 'was stopped by --max-seconds before it converged' notes.txt
check "standard errors are left out" decided '^no standard errors' compared.json errors
refused 2 "no time is no limit" "--max-seconds 0: it must be more than 0 seconds" -- fit -o refused.json "$rooms" --max-seconds 0
finish
