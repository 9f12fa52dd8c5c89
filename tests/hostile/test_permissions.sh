#!/usr/bin/env bash
# Files without permission are refused. The superuser may read and write anything, so there somebody else has to try; exit
# status 77 where that is not possible. LATENTFORCE is the program.
set -u

as_user=
if [ "$(id -u)" -eq 0 ]; then
    as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
    if ! $as_user "${LATENTFORCE:?}" --version >/dev/null 2>&1; then
        echo "skipped: this is the superuser, and the program cannot be run as anybody else"
        exit 77
    fi
fi
. "$(dirname "$0")/../support/bad_input.sh"

cp good.csv secret.csv
chmod 000 secret.csv
bad 1 "data without permission" secret.csv -- evaluate model.json secret.csv
chmod 555 out
bad 1 "no permission to write" out/p.csv -- predict model.json --grid 3 --data good.csv -o out/p.csv
bad 1 "no permission to write data" out/d.csv -- simulate model.json --at at.csv -o out/d.csv
chmod 777 out .
echo old >kept.csv
chmod 444 kept.csv
bad 1 "a file that may be read only" kept.csv 'Permission denied' -- predict model.json --grid 3 --data good.csv -o kept.csv
check "it is unchanged" equal "$(cat kept.csv)" old
finish
