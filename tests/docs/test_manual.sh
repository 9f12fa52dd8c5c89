#!/usr/bin/env bash
# The formatter of manual pages has nothing to complain about. Needs mandoc; exit status 77 without.
set -u

if ! command -v mandoc >/dev/null; then
    echo "skipped: mandoc is not installed"
    exit 77
fi
. "$(dirname "$0")/../support/support.sh"

for command in "" $(lf help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }'); do
    page=latentforce${command:+-$command}.1
    # shellcheck disable=SC2086
    lf help --man $command >"$page"
    check "$page" mandoc -T lint -W warning "$page"
done
check 'latentforce-mpi.1' mandoc -T lint -W warning "${LF_SOURCE_DIR:?}/mpi/latentforce-mpi.1"
check "there are pages" test "$passed" -gt 10
finish
