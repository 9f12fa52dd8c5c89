#!/usr/bin/env bash
# Combinations of command, kind of model, shape of data, engine, kernel and option (check_combinations.py). Under the sanitizers: the sweep of commands.
# In the other builds: equivalent fits and requests. LATENTFORCE is the program; LF_CHECK=all runs every pair and the risky triples, otherwise every value
# once and what failed once.
set -u

tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/../support/support.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1

share=(--share)
[ "${LF_CHECK:-}" = all ] && share=()
kind=metamorphic seconds=60
[ "${LF_BUILD_TYPE:-}" = Sanitize ] && kind=commands seconds=90 # an evaluation takes several times as long there
processes=()
command -v mpirun >/dev/null && [ -x "${LATENTFORCE_MPI:-}" ] && processes=(--mpi "$LATENTFORCE_MPI")

python3 "$tests/check_combinations.py" "$program" "$folder/$kind" --kind "$kind" --jobs 2 --seconds "$seconds" "${share[@]}" "${processes[@]}"
