#!/usr/bin/env bash
# A full disk is reported by every command that writes. Needs /dev/full; exit status 77 without. LATENTFORCE is the program.
set -u

if [ ! -c /dev/full ]; then
    echo "skipped: there is no /dev/full"
    exit 77
fi
. "$(dirname "$0")/bad_input.sh"

bad 1 "a full disk" /dev/full 'No space left' -- predict model.json --grid 3 --data good.csv -o /dev/full
bad 1 "a full disk for a matrix" /dev/full 'No space left' -- covariance model.json --at at.csv -o /dev/full
bad 1 "a full disk for a model" /dev/full 'No space left' -- condition model.json good.csv -o /dev/full
bad 1 "a full disk for data" /dev/full 'No space left' -- simulate model.json --at at.csv -o /dev/full
for arguments in "--version" "help" "help --man" "show model.json" "evaluate model.json good.csv --json" \
    "predict model.json --grid 3 --data good.csv" "simulate model.json --at at.csv"; do
    # shellcheck disable=SC2086
    if "$program" $arguments >/dev/full 2>stderr.txt; then
        echo "FAIL  $arguments to a full disk: exit status 0"
        failed=$((failed + 1))
    elif grep -q '^latentforce: error: .*No space left' stderr.txt; then
        echo "ok    $arguments to a full disk"
        passed=$((passed + 1))
    else
        echo "FAIL  $arguments to a full disk: $(cat stderr.txt)"
        failed=$((failed + 1))
    fi
done
# The fit is worth more than its checkpoint and its trace.
for option in checkpoint trace; do
    rm -f kept.json
    "$program" fit good.csv -o kept.json "--$option" /dev/full 2>fit.log
    check "a fit whose --$option meets a full disk" equal "$?" 0
    check "its model is kept" "$program" show kept.json
    check "the full disk is named" grep -q '/dev/full.*No space left' fit.log
done
finish
