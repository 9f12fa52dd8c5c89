#!/usr/bin/env bash
# A full disk is reported by every command that writes; files stay as they were. Needs /dev/full; exit status 77 without. LATENTFORCE
# is the program.
set -u

if [ ! -c /dev/full ]; then
    echo "skipped: there is no /dev/full"
    exit 77
fi
. "$(dirname "$0")/../support/bad_input.sh"
. "$(dirname "$0")/../support/writers.sh"

# unwritten NAME PATTERN FILE COMMAND…: it must fail so, with FILE as it was and nothing beside it.
unwritten() {
    local name=$1 pattern=$2 file=$3 status
    shift 3
    "$@" >stdout.txt 2>stderr.txt </dev/null
    status=$?
    check "$name" equal "$status" 1
    check "$name: the message" grep -q "^latentforce: error: .*$pattern" stderr.txt
    [ -z "$file" ] || check "$name: the old file" equal "$(cat "$file")" old
    check "$name: nothing is left" equal "$(ls -A out | grep -v '^full\.\|^old\.')" ""
}
# A limit on the size of files stands for a disk that fills while a plain file is written.
limited() { (
    trap '' XFSZ
    ulimit -f 0
    exec "$program" "$@"
) 2>&1 | cat >limited.txt; return "${PIPESTATUS[0]}"; }

for writer in "${writers[@]}"; do
    name=$(grep -o 'OUT\.[a-z0-9]*' <<<"$writer")
    full=out/full.${name#OUT.} old=out/old.${name#OUT.}
    ln -sf /dev/full "$full"
    # shellcheck disable=SC2086
    unwritten "${writer%% *} to a full device" 'No space left' '' "$program" ${writer/$name/$full}
    echo old >"$old"
    # shellcheck disable=SC2086
    limited ${writer/$name/$old} -q
    check "${writer%% *} over a file where there is no room" equal "$?" 1
    check "it says so" grep -q '^latentforce: error: .*File too large' limited.txt
    check "the file is as it was" equal "$(cat "$old")" old
    rm -f "$full" "$old"
    check "nothing is left" equal "$(ls -A out)" ""
done
for printer in "${printers[@]}"; do
    # shellcheck disable=SC2086
    "$program" $printer >/dev/full 2>stderr.txt </dev/null
    check "$printer to a full device" equal "$?" 1
    check "it says so" grep -q '^latentforce: error: .*No space left' stderr.txt
done
# The fit is worth more than its checkpoint and its trace.
for option in checkpoint trace; do
    rm -f kept.json
    "$program" fit good.csv -o kept.json "--$option" /dev/full 2>fit.log
    check "a fit whose --$option meets a full disk" equal "$?" 0
    check "its model is kept" "$program" show kept.json
    check "the full disk is named" grep -q '/dev/full.*No space left' fit.log
done
# The files of a demo.
for file in truth.json data.csv forces.csv; do
    rm -rf demo
    mkdir demo
    ln -s /dev/full "demo/$file"
    unwritten "a demo that cannot write $file" "$file.*No space left" '' "$program" demo -o demo
done
finish
