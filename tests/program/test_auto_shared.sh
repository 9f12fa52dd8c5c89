#!/usr/bin/env bash
# Which engine auto takes for models of real data. Needs the shared data; exit status 77 without. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"
need_shared data/weather.csv data/golf.csv data/walk.csv

# model_of DATA FORCE PRIVATE OPERATOR COUNT: COUNT such forces, every output of the data.
model_of() {
    awk -F, -v force="$2" -v private="$3" -v operator="$4" -v Q="$5" '
        NR > 1 && !seen[$1]++ { names[++D] = $1 }
        END { printf "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":["
              for (q = 1; q <= Q; q++) printf "%s%s", (q > 1 ? "," : ""), force
              printf "],\"outputs\":["
              for (d = 1; d <= D; d++) {
                  printf "%s{\"name\":\"%s\",\"operator\":%s,%s\"noise_variance\":0.05,\"sensitivity\":[", (d > 1 ? "," : ""),
                      names[d], operator, private
                  for (q = 1; q <= Q; q++) printf "%s1", (q > 1 ? "," : "")
                  printf "]}" }
              print "]}" }' "$1"
}
rough='{"kernel":"matern32","lengthscale":0.2}'
smooth='{"kernel":"eq","lengthscale":0.2}'
model_of "$LF_SHARED/data/weather.csv" "$rough" '"private":{"kernel":"matern32","lengthscale":0.1,"amplitude":1},' \
    '{"type":"ode1","decay":2}' 2 >weather.json
check "auto takes kalman for weather" grep -q '^engine  *kalman (cheapest' \
    <(lf evaluate weather.json "$LF_SHARED/data/weather.csv")
for name in golf walk; do
    model_of "$LF_SHARED/data/$name.csv" "$smooth" "" '{"type":"ode2","mass":1,"damper":3,"spring":9}' 6 >"$name.json"
    check "auto takes fourier for $name" grep -q '^engine  *fourier (cheapest' \
        <(lf evaluate "$name.json" "$LF_SHARED/data/$name.csv")
done
finish
