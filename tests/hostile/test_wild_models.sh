#!/usr/bin/env bash
# Random models and systems of equations with wild numbers: every command and engine gives a finite answer or a sentence, soon and in little memory, and log
# likelihoods are right or come with a note. LATENTFORCE is the program; WILD_MODELS the number of models (4, in `make check-all` 50, in `make wild` 1000).
set -u

tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/../support/support.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
models=${WILD_MODELS:-$(check_all && echo 50 || echo 4)}

python3 "$tests/check_wild_models.py" "$program" "$folder/wild" --models "$models" --jobs 2 || failed=1
python3 "$tests/check_wild_models.py" "$program" "$folder/systems" --systems --models $(((models + 1) / 2)) --jobs 2 || failed=1
python3 "$tests/check_rounding.py" "$program" "$folder/rounding" --models $((models * 5)) --jobs 2 || failed=1
exit "$failed"
