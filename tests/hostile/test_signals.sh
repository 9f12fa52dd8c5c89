#!/usr/bin/env bash
# SIGINT and SIGTERM at any moment of a fit, also after the optimisation: the best parameters so far are kept. LATENTFORCE is the program.
set -u
. "$(dirname "$0")/../support/support.sh"

awk 'BEGIN { print "output,x,y"; for (i = 0; i < 240; i++) printf "%s,%.3f,%.6f\n", i % 2 ? "a" : "b", i / 12, sin(i / 9) + 0.1 * sin(17 * i) }' >data.csv
moments="0 0.1 0.2 0.4 0.7 1 1.5 2.5"
[ "${LF_BUILD_TYPE:-}" != Sanitize ] || moments="0 0.4 2.5" # all are slower
for moment in $moments; do
    rm -f model.json trace.csv
    "$program" fit data.csv --forces 1 --quiet --trace trace.csv -o model.json &
    pid=$!
    for _ in $(seq 400); do
        [ -s trace.csv ] && [ "$(wc -l <trace.csv)" -gt 1 ] && break
        sleep 0.02
    done
    sleep "$moment"
    kill -TERM $pid 2>/dev/null
    wait $pid
    check "a signal $moment s after the first iteration" equal $? 0
    check "the model is there" lf show model.json
done
finish
