#!/usr/bin/env bash
# Results that nobody reads: a closed pipe ends a command by SIGPIPE or, where that is ignored, with a message; files are not touched by
# it. The same with standard output closed. LATENTFORCE is the program.
set -u
. "$(dirname "$0")/../support/bad_input.sh"
. "$(dirname "$0")/../support/writers.sh"

# Descriptor 5 becomes a pipe without a reader.
mkfifo pipe
exec 4<>pipe 5>pipe 4<&-
for printer in "${printers[@]}"; do
    # shellcheck disable=SC2086
    "$program" $printer >&5 2>stderr.txt 5>&- </dev/null
    check "$printer into a closed pipe" equal "$?" 141
    check "without a message" equal "$(grep '^latentforce: error' stderr.txt)" ""
    # shellcheck disable=SC2086
    (trap '' PIPE && exec "$program" $printer >&5 2>stderr.txt 5>&- </dev/null)
    check "$printer with SIGPIPE ignored" equal "$?" 1
    check "with a message" grep -q '^latentforce: error: .*Broken pipe' stderr.txt
    # shellcheck disable=SC2086
    "$program" $printer >&- 2>stderr.txt </dev/null
    check "$printer without standard output" equal "$?" 1
    check "with a message" grep -q '^latentforce: error: .*Bad file descriptor' stderr.txt
done
# A result file does not depend on standard output, and is not mixed with it.
for writer in "${writers[@]}"; do
    name=$(grep -o 'OUT\.[a-z0-9]*' <<<"$writer")
    # shellcheck disable=SC2086
    "$program" ${writer/$name/out/$name} -q >/dev/null 2>&1 </dev/null
    cp "out/$name" expected
    # shellcheck disable=SC2086
    "$program" ${writer/$name/out/$name} -q <&- >&- 2>&-
    check "$writer without standard streams" equal "$?" 0
    grep -q 'evaluate\|report\|plot\|compare' <<<"$writer" || check "its file" cmp "out/$name" expected # without times and dates
    rm -f "out/$name"
done
# The model of a fit is written before its result is printed.
rm -f fitted.json
"$program" fit good.csv --max-iterations 1 -o fitted.json --json >&5 2>/dev/null 5>&-
check "a fit whose result nobody reads keeps its model" "$program" show fitted.json
finish
