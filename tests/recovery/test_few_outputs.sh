#!/usr/bin/env bash
# Four outputs without settings, a gap in one of them. If it is independent of the other three it is predicted as well as from its
# own rows alone; if two forces drive all four it is predicted far better. Errors are averages over several draws.
set -u

. "$(dirname "$0")/../support/support.sh"

# truth OWN: three outputs under two forces and "fourth", under a private force (OWN 1) or the same two (OWN 0).
truth() {
    awk -v own="$1" 'BEGIN {
        split("0.5 0.3 0.8", decay); split("0.9 -0.7 0.8", first); split("0.3 0.8 -0.6", second)
        printf "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\", \"forces\": ["
        printf "{\"kernel\": \"matern32\", \"lengthscale\": 6}, {\"kernel\": \"matern32\", \"lengthscale\": 3}], \"outputs\": ["
        for (d = 1; d <= 3; d++) {
            printf "{\"name\": \"s%d\", \"operator\": {\"type\": \"ode1\", \"decay\": %s}, \"noise_variance\": 0.01, ", d, decay[d]
            printf "\"sensitivity\": [%s, %s]}, ", first[d], second[d]
        }
        printf "{\"name\": \"fourth\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.25}, \"noise_variance\": 0.01, \"sensitivity\": "
        print own ? "[0, 0], \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 1.5, \"amplitude\": 0.5}}]}" : "[0.4, 0.3]}]}" }'
}
# error MODEL DATA: the root mean squared error of the rows marked test.
error() { lf score "$1" "$2" --json --quiet | tr -d ' \n' | sed 's/.*"rmse":\([0-9.e+-]*\).*/\1/'; }
# ratio OWN SEED…: squared error of the fit to all outputs over that of the fit to one alone, summed over draws; windows differ.
ratio() {
    local own=$1 seed
    shift
    truth "$own" >truth.json
    awk 'BEGIN { print "x"; for (i = 0; i < 100; i++) print i }' >times.csv
    for seed; do
        lf simulate truth.json --at times.csv --seed "$seed" --quiet -o simulated.csv
        awk -F, -v start=$((20 + 17 * seed % 60)) 'NR == 1 { print $0 ",split"; next }
            { print $0 "," ($1 == "fourth" && $2 >= start && $2 < start + 10 ? "test" : "train") }' simulated.csv >all.csv
        awk -F, 'NR == 1 || $1 == "fourth"' all.csv >one.csv
        lf fit all.csv --errors no --calibrate no --quiet -o all.json
        lf fit one.csv --errors no --calibrate no --quiet -o one.json
        echo "$(error all.json all.csv) $(error one.json one.csv)"
    done | awk '{ all += $1 * $1; one += $2 * $2 } END { print (one > 0 ? all / one : "no errors") }'
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { print a; exit !(a + 0 > 0 && a < b) }'; }

check "an output independent of the others is predicted as on its own" below "$(ratio 1 1 2 3 4 5 6 7)" 1.1
check "outputs under common forces help each other" below "$(ratio 0 1 2 3)" 0.2
finish
