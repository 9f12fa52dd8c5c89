#!/usr/bin/env bash
# Fits do not depend on how their table is arranged. Usage: LATENTFORCE=… test_arrangements.sh
set -u

tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/../support/support.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

python3 "$tests/check_arrangements.py" "$program" "$tests/../.." "$folder"
