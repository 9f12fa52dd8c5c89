#!/usr/bin/env bash
# Files as people have them: each one in tests/intake is read as its expectation says, or refused with the error it names.
# Usage: LATENTFORCE=… test_intake.sh [NAME…]
set -u

tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/../support/support.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

python3 "$tests/check_intake.py" "$program" "$tests/../intake" "$folder" "$@"
