# Whole fits of the arm of a robot (experiments/sarcos.py) on a GPU, with 1000 and 4000 frequencies: is the larger one better?
# Usage: gpu_sarcos.sh PROGRAM DATA [S …]; DEVICE and ITERATIONS in the environment
set -eu
program=$1 data=$2
shift 2
device=${DEVICE:-gpu}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# number NAME FILE: the first number of this name in a JSON file.
number() { sed -n "s/.*\"$1\":\([-0-9.e+]*\).*/\1/p" "$2" | head -n 1; }

printf '%6s %8s %11s %12s %10s %8s %8s %16s\n' S columns iterations evaluations 'fit in s' nmse nlpd 'log likelihood'
for S in "${@:-1000 4000}"; do
    for count in $S; do
        engine="--engine lowrank --nodes qmc --features $count --device $device"
        begin=$(date +%s.%N)
        "$program" fit "$data" $engine --copies 1 --restarts 1 --max-iterations "${ITERATIONS:-100}" --seed 1 --no-posterior \
            --errors no --quiet --json -o "$folder/model.json" >"$folder/fit.json"
        end=$(date +%s.%N)
        "$program" score "$folder/model.json" "$data" --data "$data" $engine --quiet --json >"$folder/score.json"
        printf '%6d %8d %11d %12d %10.1f %8.4f %8.4f %16.3f\n' "$count" "$(number columns "$folder/fit.json")" \
            "$(number iterations "$folder/fit.json")" "$(number evaluations "$folder/fit.json")" "$(awk "BEGIN { print $end - $begin }")" \
            "$(number nmse "$folder/score.json")" "$(number nlpd "$folder/score.json")" "$(number log_likelihood "$folder/fit.json")"
    done
done
