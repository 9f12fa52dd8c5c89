#!/usr/bin/env bash
# A small evaluation on a busy machine: with one busy loop per core, the time of `evaluate --gradient` of the demo's model with default threads,
# as a ratio to the time with one thread. Near 1: no thread is started for little work, and none spins. Usage: busy.sh PROGRAM
set -eu
program=${1:?name the program}
folder=$(mktemp -d)
loops=()
trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
"$program" demo --output demo >/dev/null 2>&1
for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
    (while :; do :; done) &
    loops+=($!)
done
seconds() { # ARGUMENT…: the median of five runs, seconds of the whole command
    for _ in 1 2 3 4 5; do
        /usr/bin/env bash -c 'TIMEFORMAT=%R; time "$@" >/dev/null' sh "$program" evaluate demo/model.json demo/data.csv --gradient "$@" 2>&1
    done | sort -n | sed -n 3p
}
default=$(seconds)
one=$(seconds --threads 1)
awk -v a="$default" -v b="$one" 'BEGIN { printf "evaluate --gradient, a busy loop on every core: %.2f s by default, %.2f s with one thread, ratio %.2f\n", a, b, a / b }'
