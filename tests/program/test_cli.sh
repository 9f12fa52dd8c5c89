#!/usr/bin/env bash
# The commands do what they say, on small models written here. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/support.sh"

near() { awk -v a="$1" -v b="$2" -v e="${3:-5e-15}" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= e && -d <= e) }'; }
relatively_near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; d = d < 0 ? -d : d; s = b < 0 ? -b : b; exit !(a != "" && b != "" && d <= e * (s + 1)) }'; }
differ() { ! cmp -s "$1" "$2"; }
# json NAME FILE: a number of a flat JSON object.
json() { sed -n "s/.*\"$1\":\\([-0-9.e+]*\\)[,}].*/\\1/p" "$2"; }
# cell FILE ROW COLUMN
cell() { awk -F, -v r="$2" -v c="$3" 'NR == r { print $c }' "$1"; }
lines() { awk 'END { print NR }' "$1"; }
# matrix_near A B TOLERANCE: the largest difference between two CSV matrices of the same shape.
matrix_near() {
    paste -d';' "$1" "$2" | awk -F';' -v e="$3" '
        { n = split($1, a, ","); if (split($2, b, ",") != n) bad = 1
          for (i = 1; i <= n; i++) { d = a[i] - b[i]; d = d < 0 ? -d : d; if (!(d <= worst)) worst = d } }
        END { print NR " rows, largest difference " worst; exit bad || NR == 0 || !(worst <= e) }'
}

cat >ode2.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "origin": 0, "initial": "zero",
  "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 3, "spring": 1},
      "sensitivity": [10], "noise_variance": 0.1, "offset": 0, "scale": 1 },
    { "name": "b", "operator": {"type": "ode2", "mass": 1, "damper": 0.2, "spring": 2},
      "sensitivity": [10], "noise_variance": 0.5, "offset": 0, "scale": 1 } ] }
MODEL
cat >ode1.json <<'MODEL'
{ "format": "latentforce-model", "version": 1,
  "forces": [ { "kernel": "eq", "lengthscale": 0.7 } ],
  "outputs": [ { "name": "only", "operator": {"type": "ode1", "decay": 0.8},
                 "sensitivity": [1.5], "noise_variance": 0.2, "offset": 3, "scale": 2 } ] }
MODEL
cat >gaussian.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 2,
  "forces": [ { "kernel": "eq", "lengthscale": 0.8 } ],
  "outputs": [
    { "name": "u", "operator": {"type": "gaussian", "precision": 1.5}, "sensitivity": [1.3], "noise_variance": 0.01 },
    { "name": "v", "operator": {"type": "gaussian", "precision": 4}, "sensitivity": [-0.7], "noise_variance": 0.01 } ] }
MODEL
awk 'BEGIN { print "output,x,y"
    for (i = 1; i <= 15; i++) printf "a,%g,%.6f\nb,%g,%.6f\n", i / 5, sin(i / 3), i / 5, 2 * cos(i / 4) }' >data.csv
printf 'output,x\na,0.5\nb,2\na,1\n' >some.csv
printf 'x\n2\n0.5\n1\n0.5\n' >times.csv

# ---- help and version ----
page() { # FILE SECTION…: a manual page with these sections, in this order
    local file=$1
    shift
    equal "$(sed -n 's/^\.SH //p' "$file")" "$(printf '%s\n' "$@")"
}
commands=$(lf help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }')
check "help lists the commands" test "$(wc -w <<<"$commands")" -ge 10
lf help --man >latentforce.1
check "the manual page of the program" page latentforce.1 NAME SYNOPSIS DESCRIPTION COMMANDS FILES PARAMETERS ENGINES EQUATIONS KERNELS "EXIT STATUS" EXAMPLES
for command in $commands; do
    check "$command --help succeeds" lf "$command" --help
    lf help "$command" >help.txt
    check "help $command says how to use it" grep -q "^usage: latentforce $command" help.txt
    lf help --man "$command" >"latentforce-$command.1"
    check "the manual page of $command" page "latentforce-$command.1" NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" EXAMPLE "SEE ALSO"
    check "the page of the program points at it" grep -qF "latentforce\\-$command\\fR(1)" latentforce.1
done
check "--version" grep -Eq '^latentforce [0-9]+\.[0-9]+\.[0-9]+$' <(lf --version)

# ---- show ----
lf show ode2.json >show.txt
check "show: constants by name" grep -q 'mass 1, damper 0.2, spring 2' show.txt
check "show: noise as a standard deviation" grep -Eq '^a .* 0\.31623 ' show.txt
sed 's/"sensitivity": *\[/"sensitivity_sd":0.25,"private":{"kernel":"eq","lengthscale":1,"amplitude":1},&/' ode2.json >uncertain.json
check "show: how uncertain sensitivities are" bash -c "'$program' show uncertain.json | grep -Eq '^output .* sd before rows$' && '$program' show uncertain.json | grep -Eq '^b .* 0\.25$'"
check "show: frequency, period, damping ratio" grep -Eq '^b +10 +1\.4142 rad \(0\.225 cycles\) +4\.4429 +0\.070711 +yes' show.txt
check "show: no posterior" grep -q '^Posterior: none' show.txt
check "show: a model without equations" grep -q 'precision 1.5' <(lf show gaussian.json)

# ---- covariance ----
check "covariance runs" lf covariance ode2.json --at some.csv -o K.csv
check "covariance is square" equal "$(awk -F, '{ print NF }' K.csv | sort -u | tr '\n' ' ')$(lines K.csv)" "3 3"
check "covariance is symmetric" near "$(cell K.csv 1 2)" "$(cell K.csv 2 1)" 0
printf 'x\n0.5\n1\n' | lf covariance ode2.json --at - >K4.csv
check "inputs without outputs stand for every output, output by output" \
    near "$(cell K4.csv 1 2)" "$(cell K.csv 1 3)"
lf covariance ode2.json --at times.csv --with-forces >Kf.csv
check "forces follow at the distinct inputs" equal "$(lines Kf.csv)" 11
check "a force has unit variance" near "$(cell Kf.csv 11 11)" 1
check "forces stand in ascending order of x" near "$(cell Kf.csv 9 10)" "$(awk 'BEGIN { printf "%.17g", exp(-1) }')"
lf covariance ode2.json --at some.csv --nodes uniform >Ku.csv
lf covariance ode2.json --at some.csv --nodes closed-form --engine dense >Kc.csv
check "the two routes agree" matrix_near Ku.csv Kc.csv 1e-12
printf 'output,x1,x2\nu,0,0\nv,0.3,-0.4\n' >plane.csv
lf covariance gaussian.json --at plane.csv >Kg.csv
expected=$(awk 'BEGIN { V = 0.32 + 1 / 1.5 + 1 / 4; printf "%.17g", 1.3 * -0.7 * 0.32 / V * exp(-0.25 / (2 * V)) }')
check "two inputs: the covariance of smoothed forces" near "$(cell Kg.csv 1 2)" "$expected"
check "scale enters squared" near "$(lf covariance ode1.json --at <(printf 'x\n1\n'))" \
    "$(sed 's/"scale": 2/"scale": 1/' ode1.json >unit.json; lf covariance unit.json --at <(printf 'x\n1\n') | awk '{ printf "%.17g", 4 * $1 }')"

lf covariance ode2.json --at times.csv --engine features --nodes mc --features 10 --seed 3 >Km.csv
lf covariance ode2.json --at times.csv --engine lowrank --nodes mc --features 10 --seed 3 >Km_again.csv
lf covariance ode2.json --at times.csv --engine features --nodes mc --features 10 --seed 4 >Km_other.csv
check "random features: the same seed gives the same" cmp Km.csv Km_again.csv
check "random features: another seed gives another" differ Km.csv Km_other.csv
lf covariance ode2.json --at times.csv --engine features --nodes mc --features 20000 >Km_many.csv
lf covariance ode2.json --at times.csv >Kd.csv
check "many random features are nearly exact" matrix_near Km_many.csv Kd.csv 1 # of 39; the error of sampling
lf covariance ode2.json --at times.csv --engine features --with-forces >Kff.csv
check "uniform features are exact, forces too" matrix_near Kff.csv Kf.csv 3e-11
lf covariance gaussian.json --at plane.csv --engine features --nodes mc --features 20000 >Kgm.csv
check "random features of two inputs" matrix_near Kgm.csv Kg.csv 0.01

# ---- evaluate ----
lf evaluate ode2.json data.csv --json --gradient --repeat 2 >evaluate.json
number='-?[0-9.]+(e[-+][0-9]+)?'
check "evaluate --json is as agreed" grep -Eq "^\{\"log_likelihood\":$number,\"log_density\":$number,\"engine\":\"[a-z]+\",\
\"nodes\":\"[a-z-]+\",\"reason\":\"[^\"]+\",\"error_bound\":$number,\"rounding\":$number,\"columns\":[0-9]+,\"rows\":30,\"seconds\":$number,\
\"error_bounds\":\{\"outputs\":$number,\"forces\":$number,\"rates\":$number\},\"gradient\":\{(\"[a-z0-9._]+\":$number,?)+\}\}$" evaluate.json
lf evaluate ode2.json data.csv --gradient >evaluate.txt
check "evaluate in words" grep -Eq '^log likelihood +-[0-9.]+$' evaluate.txt
check "evaluate says which engine and why" grep -Eq '^engine +(dense|lowrank|fourier) \(.+\)$' evaluate.txt
check "evaluate prints the gradient" grep -Eq '^force1.log_lengthscale +-0.693147 +-?[0-9.]+' evaluate.txt
likelihood=$(json log_likelihood evaluate.json)
check "evaluate reads standard input" near "$(lf evaluate ode2.json - --json <data.csv | sed -n 's/.*hood":\([^,]*\),.*/\1/p')" "$likelihood" 0
gzip -c data.csv >data.csv.gz
check "evaluate reads gzip" near "$(lf evaluate ode2.json data.csv.gz --json | sed -n 's/.*hood":\([^,]*\),.*/\1/p')" "$likelihood" 0
awk -F, 'NR > 1 { y[$2, $1] = $3; if (!($2 in seen)) { seen[$2] = 1; x[++n] = $2 } }
    END { print "time,a,b"; for (i = 1; i <= n; i++) print x[i] "," y[x[i], "a"] "," y[x[i], "b"]; print "99,NA," }' data.csv >wide.csv
lf evaluate ode2.json wide.csv --json >wide.json
check "wide data say the same" near "$(json log_likelihood wide.json)" "$likelihood" 5e-14
awk -F, -v OFS=, 'NR == 1 { print $0, "split" } NR > 1 { print $0, "train" } END { print "a,9,5,test" }' data.csv >split.csv
lf evaluate ode2.json split.csv --json >split.json
check "test rows are left out" near "$(json log_likelihood split.json)" "$likelihood" 0
sed 's/output,x,y/output,x,y,note/; 2,$s/$/,?/' data.csv >note.csv
check "--ignore-columns" near "$(lf evaluate ode2.json note.csv --json --ignore-columns | sed -n 's/.*hood":\([^,]*\),.*/\1/p')" "$likelihood" 0
for engine in dense lowrank fourier; do
    lf evaluate ode2.json data.csv --json --gradient --engine $engine >"engine_$engine.json"
    check "evaluate --engine $engine is the one asked for" grep -q "\"engine\":\"$engine\"" "engine_$engine.json"
    for name in log_likelihood log_density force1.log_lengthscale a.log_damper b.sensitivity1 b.log_noise_variance; do
        case $name in log_*) tolerance=1e-13 ;; *) tolerance=5e-12 ;; esac
        check "evaluate --engine $engine: $name" relatively_near "$(json $name "engine_$engine.json")" "$(json $name evaluate.json)" $tolerance
    done
done
check "the dense engine is exact" near "$(json error_bound engine_dense.json)" 0 0
check "features are good to their bound" awk -v e="$(json error_bound engine_fourier.json)" 'BEGIN { exit !(e > 0 && e < 1e-6) }'
lf evaluate ode2.json data.csv --engine lowrank --tolerance 1e-3 --json >rough.json
check "a tolerance is felt in the bound" awk -v e="$(json error_bound rough.json)" -v f="$(json error_bound engine_lowrank.json)" 'BEGIN { exit !(e > f && e < 1e-2) }'
check "and in the columns" test "$(json columns rough.json)" -lt "$(json columns engine_lowrank.json)"
check "the bound in words" grep -Eq '^error of covariances +at most [0-9.e-]+ of the largest$' <(lf evaluate ode2.json data.csv --engine fourier)
lf evaluate ode2.json data.csv --engine lowrank --nodes mc --features 30 --seed 9 --json >mc.json
check "random nodes: no bound" grep -q '"nodes":"mc",.*"features":30,"error_bound":null,"columns":60,' mc.json
check "random nodes: no bound, in words" grep -q '^error of covariances  *unknown' <(lf evaluate ode2.json data.csv --engine lowrank --nodes mc --features 30)
check "random nodes: the seed decides" test "$(json log_likelihood mc.json)" = \
    "$(lf evaluate ode2.json data.csv --engine lowrank --nodes mc --features 30 --seed 9 --json | sed -n 's/.*hood":\([^,]*\),.*/\1/p')"
check "random nodes: another seed" test "$(json log_likelihood mc.json)" != \
    "$(lf evaluate ode2.json data.csv --engine lowrank --nodes mc --features 30 --seed 8 --json | sed -n 's/.*hood":\([^,]*\),.*/\1/p')"
lf evaluate ode2.json data.csv --engine fourier --horizon 30 --json >far.json
check "a far horizon costs columns" test "$(json columns far.json)" -gt "$(json columns engine_fourier.json)"
check "and changes nothing else" relatively_near "$(json log_likelihood far.json)" "$likelihood" 5e-14
for sign in 1 -1; do
    awk -v l="$(awk -v s=$sign 'BEGIN { printf "%.17g", 0.5 * exp(s * 1e-4) }')" '{ sub(/"lengthscale": 0.5/, "\"lengthscale\": " l) } 1' ode2.json >"moved$sign.json"
    lf evaluate "moved$sign.json" data.csv --json >"moved$sign.out"
done
check "the gradient is the slope" near "$(json force1.log_lengthscale evaluate.json)" \
    "$(awk -v u="$(json log_likelihood moved1.out)" -v d="$(json log_likelihood moved-1.out)" 'BEGIN { printf "%.17g", (u - d) / 2e-4 }')" 3e-8
k=$(lf covariance ode1.json --at <(printf 'x\n1\n'))
printf 'output,x,y\nonly,1,4.5\n' >one.csv
lf evaluate ode1.json one.csv --json >one.json
check "one row: the density of a normal variable" near "$(json log_density one.json)" \
    "$(awk -v k="$k" 'BEGIN { s = k + 0.8; printf "%.17g", -0.5 * (1.5 ^ 2 / s + log(2 * 3.14159265358979324 * s)) }')"
check "scaled and unscaled likelihood differ by log scale" near "$(json log_density one.json)" \
    "$(awk -v l="$(json log_likelihood one.json)" 'BEGIN { printf "%.17g", l - log(2) }')"

# ---- predict ----
printf 'x\n1\n' >at1.csv
lf predict ode1.json --at at1.csv --data one.csv -o p.csv
check "predict: header" equal "$(head -n 1 p.csv)" output,x,mean,sd_f,sd_y
check "one row: posterior mean" near "$(cell p.csv 2 3)" "$(awk -v k="$k" 'BEGIN { printf "%.17g", 3 + k / (k + 0.8) * 1.5 }')"
check "one row: posterior sd" near "$(cell p.csv 2 4)" "$(awk -v k="$k" 'BEGIN { printf "%.17g", sqrt(0.8 * k / (k + 0.8)) }')"
check "sd_y adds the noise" near "$(cell p.csv 2 5)" "$(awk -v s="$(cell p.csv 2 4)" 'BEGIN { printf "%.17g", sqrt(s * s + 0.8) }')"
lf predict ode2.json --at some.csv --data data.csv >named.csv
check "named rows keep their order" equal "$(cut -d, -f1,2 named.csv | tail -n +2 | tr '\n' ' ')" "a,0.5 b,2 a,1 "
lf predict ode2.json --at times.csv --data data.csv >every.csv
check "x alone: every output, one after the other" equal "$(cut -d, -f1,2 every.csv | tail -n +2 | tr '\n' ' ')" \
    "a,2 a,0.5 a,1 a,0.5 b,2 b,0.5 b,1 b,0.5 "
lf predict ode2.json --grid 5 --data data.csv >grid.csv
check "--grid: from the first to the last input" equal "$(cut -d, -f1,2 grid.csv | sed -n '2p;6p;7p' | tr '\n' ' ')" "a,0.2 a,3 b,0.2 "
check "--grid: rows" equal "$(lines grid.csv)" 11
lf predict ode2.json --grid 4 --data data.csv --forces >forces.csv
check "--forces: header" equal "$(head -n 1 forces.csv)" force,x,mean,sd
check "--forces: names" equal "$(cell forces.csv 2 1)" force1
lf predict ode2.json --at some.csv --data data.csv --rates >rates.csv
check "--rates: header and rows" equal "$(cut -d, -f1,2 rates.csv | tr '\n' ' ')$(head -n 1 rates.csv)" "output,x a,0.5 b,2 a,1 output,x,mean,sd"
lf predict ode2.json --at <(printf 'x\n0.999\n1.001\n') --data data.csv >around.csv
check "--rates: the slope of the mean" near "$(cell rates.csv 4 3)" \
    "$(awk -F, '$1 == "a" { s = $3 - last; last = $3 } END { printf "%.17g", s / 0.002 }' around.csv)" 2e-5
lf predict ode2.json --grid 3 --data data.csv --rates >rates.csv
check "--rates over a grid: every output" equal "$(cut -d, -f1 rates.csv | uniq | tr '\n' ' ')$(lines rates.csv)" "output a b 7"
printf 'output,x,y\nonly,1,4.5\nonly,2.5,1\nonly,3,2\n' >three.csv
for engine in dense lowrank fourier; do
    for what in "" --forces --rates; do
        # shellcheck disable=SC2086
        lf predict ode1.json --at <(printf 'x\n2\n') --data three.csv --engine $engine $what >"ode1$what.csv"
    done
    check "--rates obey the equation, $engine" near "$(cell ode1--rates.csv 2 3)" \
        "$(awk -v f="$(cell ode1.csv 2 3)" -v u="$(cell ode1--forces.csv 2 3)" 'BEGIN { printf "%.17g", 2 * (1.5 * u - 0.8 * (f - 3) / 2) }')" 1e-14
done
check "--forces ignores an output column" equal "$(lf predict ode2.json --at some.csv --data data.csv --forces | lines -)" 4
lf predict ode2.json --at some.csv --data data.csv --samples 3 --seed 5 >samples.csv
lf predict ode2.json --at some.csv --data data.csv --samples 3 --seed 5 >again.csv
lf predict ode2.json --at some.csv --data data.csv --samples 3 --seed 6 >other.csv
check "--samples: columns" equal "$(head -n 1 samples.csv)" output,x,mean,sd_f,sd_y,sample1,sample2,sample3
check "--samples: near the mean" awk -F, 'NR > 1 { for (i = 6; i <= 8; i++) if (($i - $3) ^ 2 > 36 * $4 ^ 2 + 1e-12) exit 1 }' samples.csv
check "the same seed draws the same" cmp samples.csv again.csv
check "another seed draws another" differ samples.csv other.csv
awk 'BEGIN { print "output,x1,x2,y"; for (i = 0; i < 12; i++) printf "%s,%g,%g,%g\n", i % 2 ? "u" : "v", i / 6, (i * 5 % 7) / 7, sin(i) }' >plane_data.csv
lf predict gaussian.json --grid 3 --data plane_data.csv >plane_grid.csv
check "two inputs: header" equal "$(head -n 1 plane_grid.csv)" output,x1,x2,mean,sd_f,sd_y
check "two inputs: a grid of 3 x 3 for each output" equal "$(lines plane_grid.csv)" 19

# ---- replicates ----
printf 'replicate,output,x,y\nr1,only,1,4.5\nr2,only,1,2\n' >replicates.csv
lf predict ode1.json --at at1.csv --data replicates.csv >pr.csv
check "each replicate is predicted" equal "$(cut -d, -f1-3 pr.csv | tr '\n' ' ')" "replicate,output,x r1,only,1 r2,only,1 "
check "replicates do not see each other" near "$(cell pr.csv 2 4)" "$(cell p.csv 2 3)"
lf predict ode1.json --at <(printf 'replicate,x\nr2,1\n') --data replicates.csv --forces >pr2.csv
check "a replicate can be asked for" equal "$(cut -d, -f1-3 pr2.csv | tr '\n' ' ')" "replicate,force,x r2,force1,1 "
lf evaluate ode1.json replicates.csv --json >pr.json
printf 'output,x,y\nonly,1,2\n' >two.csv
lf evaluate ode1.json two.csv --json >two.json
check "likelihoods of replicates add up" near "$(json log_likelihood pr.json)" \
    "$(awk -v a="$(json log_likelihood one.json)" -v b="$(json log_likelihood two.json)" 'BEGIN { printf "%.17g", a + b }')"

# ---- score ----
printf 'output,x,y,sd\nonly,1,5,0\nonly,1,4,0.5\n' >test.csv
lf score ode1.json test.csv --data one.csv --json >score.json
check "score --json is as agreed" grep -Eq "^\{\"outputs\":\{\"only\":\{\"n\":2,\"nmse\":$number,\"nlpd\":$number,\"rmse\":$number,\"coverage95\":$number\}\},\"overall\":\{\"n\":2,.*\},\"scored\":\"all\"\}$" score.json
check "rmse" near "$(json rmse score.json)" "$(awk -v m="$(cell p.csv 2 3)" 'BEGIN { printf "%.17g", sqrt(((5 - m) ^ 2 + (4 - m) ^ 2) / 2) }')"
check "nmse" near "$(json nmse score.json)" "$(awk -v m="$(cell p.csv 2 3)" 'BEGIN { printf "%.17g", ((5 - m) ^ 2 + (4 - m) ^ 2) / 0.5 }')"
check "nlpd, with the row's own error" near "$(json nlpd score.json)" "$(awk -v m="$(cell p.csv 2 3)" -v s="$(cell p.csv 2 5)" '
    BEGIN { p = 2 * 3.14159265358979324; t = s * s + 0.25
            printf "%.17g", ((5 - m) ^ 2 / (s * s) + log(p * s * s) + (4 - m) ^ 2 / t + log(p * t)) / 4 }')"
printf 'output,x,y,split\nonly,1,4.5,train\nonly,1,5,test\nonly,1,4,test\n' >both.csv
lf score ode1.json both.csv >score.txt
check "train and test rows in one file" grep -Eq '^only +2 ' score.txt
check "the pooled row" grep -Eq '^\(all\) +2 ' score.txt
printf 'output,x,y\nonly,1,5\n' | lf score ode1.json - --data one.csv --json >constant.json
check "nmse of a constant is null" grep -q '"nmse":null' constant.json
printf 'output,x,y,split\na,1,1,train\na,1,2,test\na,2,0,test\nb,1,3,test\nb,2,5,test\n' >pool.csv
lf score ode2.json pool.csv --json >pool.json
check "overall nmse pools squared errors" near "$(sed -n 's/.*"overall".*"nmse":\([^,]*\),.*/\1/p' pool.json)" \
    "$(awk -v r="$(sed -n 's/.*"overall".*"rmse":\([^,]*\),.*/\1/p' pool.json)" 'BEGIN { printf "%.17g", r * r * 4 / (2 + 2) }')"

# ---- simulate ----
awk 'BEGIN { print "x"; for (i = 0; i < 400; i++) print i / 40 }' >long.csv
lf simulate ode1.json --at long.csv --seed 4 -o draw.csv --forces draw_force.csv
lf simulate ode1.json --at long.csv --seed 4 --noise-free -o clean.csv --forces clean_force.csv
lf simulate ode1.json --at long.csv --seed 4 -o draw2.csv --forces draw_force2.csv
lf simulate ode1.json --at long.csv --seed 5 -o draw3.csv
check "simulate: header" equal "$(head -n 1 draw.csv)" output,x,y
check "simulate: forces" equal "$(head -n 1 draw_force.csv) $(lines draw_force.csv)" "force,x,y 401"
check "the same seed simulates the same" cmp draw.csv draw2.csv
check "and the same force" cmp draw_force.csv draw_force2.csv
check "--noise-free leaves the force as it is" cmp draw_force.csv clean_force.csv
check "another seed simulates another" differ draw.csv draw3.csv
check "a zero start: f = offset at the origin" near "$(cell clean.csv 2 3)" 3
check "the noise has its variance" near "$(paste -d, draw.csv clean.csv | awk -F, 'NR > 1 { s += ($3 - $6) ^ 2 } END { print s / (NR - 1) }')" 0.8 0.2
check "the draw obeys its equation" awk -F, '
    NR == FNR { u[FNR] = $3; next }
    { f[FNR] = ($3 - 3) / 2 }
    END { for (i = 20; i < 400; i++) { r = (f[i + 1] - f[i - 1]) * 20 + 0.8 * f[i] - 1.5 * u[i]; if (r < 0) r = -r; if (r > worst) worst = r }
          print "largest residual " worst; exit !(worst < 0.02) }' draw_force.csv clean.csv
printf 'replicate,output,x\nr1,only,1\nr1,only,2\nr2,only,1\n' >rep_inputs.csv
lf simulate ode1.json --at rep_inputs.csv --seed 2 --forces rf.csv >rep_draw.csv
check "simulated replicates can be read back" lf evaluate ode1.json rep_draw.csv
check "forces of every replicate" equal "$(head -n 1 rf.csv) $(lines rf.csv)" "replicate,force,x,y 5"
check "replicates are independent draws" test "$(cell rf.csv 2 4)" != "$(cell rf.csv 4 4)"

# ---- names that need quoting ----
sed 's/"name": "only"/"name": "say \\"hi\\", Zoë"/' ode1.json >names.json
printf 'output,x,y\n"say ""hi"", Zoë",1,4.5\n' >names.csv
check "a quoted name in CSV" equal "$(lf predict names.json --at at1.csv --data names.csv | sed -n 2p | cut -d, -f1-3)" '"say ""hi"", Zoë",1'
check "a quoted name in JSON" grep -q '"say \\"hi\\", Zoë.log_decay":' <(lf evaluate names.json names.csv --gradient --json)

# ---- options and files ----
check "--name=VALUE" lf predict ode2.json --grid=3 --data=data.csv
check "-- ends the options" lf show -- ode2.json
check "--threads and --quiet" lf evaluate ode2.json data.csv --threads 1 --quiet
mkdir place
echo old >place/real.csv
chmod 640 place/real.csv
ln -s real.csv place/link.csv
lf predict ode2.json --grid 3 --data data.csv -o place/link.csv
check "-o writes through a link" test -L place/link.csv -a "$(lines place/real.csv)" = 7
check "-o keeps the mode of the file" equal "$(ls -l place/real.csv | cut -c1-10)" -rw-r-----
check "-o leaves nothing else behind" equal "$(ls -A place | tr '\n' ' ')" "link.csv real.csv "
check "-o /dev/stdout" equal "$(lf predict ode2.json --grid 3 --data data.csv -o /dev/stdout | head -n 1)" output,x,mean,sd_f,sd_y

finish
