#!/usr/bin/env bash
# How much slower the engine that `auto` chooses is than the fastest one: seconds of one evaluation with gradient, of models as fits leave them. The
# ratio should be at most 3. Usage: engine_choice.sh PROGRAM
set -u

program=$(realpath "${1:?name the program}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# table OUTPUTS TIMES UNEVEN
table() {
    awk -v D="$1" -v T="$2" -v uneven="$3" 'BEGIN { printf "t"; for (d = 1; d <= D; d++) printf ",y%d", d; print ""
        for (i = 0; i < T; i++) { t = i / 4 + uneven * sin(7 * i) / 20; printf "%.6f", t
            for (d = 1; d <= D; d++) printf ",%.5f", sin(t + d / 5) + 0.3 * cos(2 * t) + 0.05 * sin(57 * i + d * d); print "" } }'
}
# seconds ENGINE: the best evaluation; empty where the engine does not apply, or where it takes more than a minute
seconds() {
    timeout 60 "$program" evaluate model.json data.csv --engine "$1" --gradient --repeat 3 --threads 1 --json --quiet 2>/dev/null |
        sed -n 's/.*"seconds": *\([0-9.e+-]*\).*/\1/p'
}
chosen() { "$program" evaluate model.json data.csv --json --quiet 2>/dev/null | sed -n 's/.*"engine": *"\([a-z]*\)".*/\1/p'; }

printf '%-44s %-10s %-10s %10s %7s\n' model chosen fastest seconds ratio
while read -r outputs times uneven options; do
    table "$outputs" "$times" "$uneven" >data.csv
    # shellcheck disable=SC2086
    "$program" fit data.csv $options --max-iterations 1 --restarts 1 --errors no --calibrate no --no-posterior --quiet -o model.json 2>fit.txt ||
        { echo "$outputs x $times $options: $(cat fit.txt)"; continue; }
    engine=$(chosen) best= fastest=
    for other in fourier lowrank dense kalman; do
        found=$(seconds "$other")
        [ "$other" != "$engine" ] || mine=$found
        if [ -n "$found" ] && { [ -z "$best" ] || awk -v a="$found" -v b="$best" 'BEGIN { exit !(a < b) }'; }; then
            best=$found fastest=$other
        fi
    done
    awk -v model="$outputs x $times $([ "$uneven" = 1 ] && echo uneven) $options" -v engine="$engine" -v fastest="$fastest" -v mine="$mine" -v best="$best" \
        'BEGIN { gsub(/ --period none/, "", model); printf "%-44s %-10s %-10s %10.3g %7.2f\n", model, engine, fastest, mine, mine / best }'
done <<'END'
1 60 0 --forces 1 --force-kernel matern32
3 60 1 --forces 2 --force-kernel matern32
3 400 0 --forces 2 --force-kernel matern32
3 400 1 --forces 2 --force-kernel matern32
12 150 0 --forces 4 --force-kernel matern12
3 60 0 --forces 2 --force-kernel eq --no-private
3 400 0 --forces 2 --force-kernel eq --no-private
3 400 1 --forces 2 --force-kernel eq
12 150 0 --forces 4 --force-kernel eq --no-private
2 60 0 --operator ode2 --forces 1 --force-kernel eq
2 200 1 --operator ode:4 --forces 1 --force-kernel matern52
2 60 0 --forces 1 --force-kernel quasiperiodic(8)+matern32
2 60 1 --forces 1 --force-kernel quasiperiodic(8)+eq
2 300 0 --forces 1 --force-kernel eq*periodic(8)
3 200 0 --forces 1 --force-kernel white
1 40 0 --forces 1 --force-kernel eq+linear
2 60 0 --operator gaussian --forces 1 --force-kernel eq
2 60 1 --operator gaussian --forces 1 --force-kernel matern32+constant --period none
3 300 0 --operator gaussian --forces 2 --force-kernel matern32
END
