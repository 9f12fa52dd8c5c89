#!/usr/bin/env bash
# covariance and evaluate against reference values; references/README.md says how those were computed. LATENTFORCE is the
# program. Usage: test_cli_references.sh [FOLDER]; without a folder tests/references is read. A folder with the same files at
# more points may be given; exit status 77 where it is not there.
set -u

references=${1:-$(cd "$(dirname "$0")/../references" && pwd)}
if [ $# -gt 0 ] && [ ! -r "$references/ode2_kff.csv" ]; then
    echo "skipped: the reference values $references are not there"
    exit 77
fi
. "$(dirname "$0")/../support/support.sh"

# matrix_near A B TOLERANCE: the largest difference between two CSV matrices of the same shape, relative to the largest number.
matrix_near() {
    paste -d';' "$1" "$2" | awk -F';' -v e="$3" '
        { n = split($1, a, ","); if (split($2, b, ",") != n) bad = 1
          for (i = 1; i <= n; i++) { d = a[i] - b[i]; d = d < 0 ? -d : d; if (!(d <= worst)) worst = d
                                     if (b[i] > largest) largest = b[i] } }
        END { print NR " rows, largest difference " worst " where numbers reach " largest; exit bad || NR == 0 || !(worst <= e * largest) }'
}

cat >ode2.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 3, "spring": 1}, "sensitivity": [10], "noise_variance": 0.1 },
    { "name": "b", "operator": {"type": "ode2", "mass": 1, "damper": 0.2, "spring": 2}, "sensitivity": [10], "noise_variance": 0.5 } ] }
MODEL
sed '1s/.*/x/' "$references/times.csv" >times.csv
for nodes in uniform closed-form auto; do
    lf covariance ode2.json --at times.csv --nodes $nodes -o K.csv
    check "covariance, $nodes" matrix_near K.csv "$references/ode2_kff.csv" 5e-14
done
lf covariance ode2.json --at times.csv --engine features --nodes uniform --features 20 -o K.csv
check "covariance, 20 frequencies" matrix_near K.csv "$references/ode2_kff.csv" 5e-14

awk 'BEGIN { print "output,x,y"
    for (i = 0; i < 200; i++) { t = 3 * (i % 100) / 99
        printf "%s,%.17g,%.17g\n", i < 100 ? "a" : "b", t, i < 100 ? sin(2 * t + 1) : 3 * cos(1.5 * t) - 1 } }' >data.csv
lf evaluate ode2.json data.csv --json >evaluate.json
check "evaluate" awk -v a="$(sed 's/.*"log_likelihood":\([^,]*\),.*/\1/' evaluate.json)" \
    -v b="$(sed -n 2p "$references/gp_small_logmarginal.csv" | cut -d, -f1)" \
    'BEGIN { d = a - b; print a, b, d; exit !(a < 0 && b < 0 && d <= 3e-9 && -d <= 3e-9) }'
finish
