#!/usr/bin/env bash
# Models with wild numbers: a finite answer or a sentence, soon and in little memory. LATENTFORCE is the program.
set -u
. "$(dirname "$0")/../support/bad_input.sh"

# model INITIAL FORCE LENGTHSCALE OPERATOR: a model of one output, wild.json.
model() {
    printf '{"format":"latentforce-model","version":1,"initial":"%s","forces":[{"kernel":"%s","lengthscale":%s}],"outputs":[{"name":"a","operator":%s,"sensitivity":[1],"noise_variance":0.01}]}' \
        "$1" "$2" "$3" "$4" >wild.json
}
printf 'output,x\na,1\na,5\na,10\n' >three.csv
printf 'output,x,y\na,1,1\na,2,2\na,3,1\na,5,0\na,7,1\na,10,2\n' >six.csv

model zero eq 1 '{"type":"ode","coefficients":[1,-500]}'
bad 1 "the covariance of an unstable equation" "output 'a'" 'unstable' -- covariance wild.json --at three.csv
bad 1 "with its force" 'unstable' -- covariance wild.json --at three.csv --with-forces
bad 1 "by features" 'unstable' -- covariance wild.json --at three.csv --engine features
bad 1 "a draw from an unstable equation" 'finite' -- simulate wild.json --at three.csv

model stationary eq 1e-13 '{"type":"ode","coefficients":[1,2,3,4]}'
bad 1 "a lengthscale far too short" 'frequencies would be needed' -- covariance wild.json --at three.csv --nodes uniform
bad 1 "for a posterior" 'frequencies would be needed' -- predict wild.json --data six.csv --grid 3 --engine dense --nodes uniform

model zero eq 1 '{"type":"ode1","decay":1.3}'
for engine in dense fourier lowrank; do
    check "$engine: the least tolerance that a number can be" bash -c \
        "'$program' evaluate wild.json six.csv --engine $engine --nodes uniform --tolerance 1e-310 | grep -Eq '^log likelihood +-[0-9.]+$'"
done

# Minutes and gigabytes for six rows: refused before the work.
model zero matern52 1e-4 '{"type":"ode1","decay":1}'
for engine in fourier lowrank; do
    bad 1 "$engine with columns for thousands of rows" 'columns would be needed' '6 rows' -- predict wild.json --data six.csv --grid 4 --engine "$engine"
done
# Each of the matrices of a prediction is work of seconds, all of them together of minutes.
model zero eq 0.1 '{"type":"ode","coefficients":[1,3,3,1]}'
output='{"name":"a","operator":{"type":"ode","coefficients":[1,3,3,1]},"sensitivity":[1],"noise_variance":0.01}'
for name in b c d e f g h; do
    sed -i "s/\]}$/,${output/\"a\"/\"$name\"}]}/" wild.json
done
printf 'x\n100\n200\n300\n400\n500\n600\n700\n160000\n' >far.csv
check "inducing values of near inputs" lf condition wild.json six.csv --engine pitc --inducing 8 -o near.json
bad 1 "far inputs of many outputs" 'frequencies would be needed' -- predict near.json --at far.csv

# Digits lost to rounding: prior variances of 1e18 against a noise of 1 in the filter, and no noise at all.
told() { lf "$@" 2>stderr.txt >/dev/null && grep -q 'digits are lost to rounding' stderr.txt; }
silent() { lf "$@" 2>stderr.txt >/dev/null && ! grep -q 'digits are lost to rounding' stderr.txt; }
model stationary matern12 98954.8 '{"type":"ode2","mass":0.042,"damper":3.698e-7,"spring":9.42e-10}'
check "a huge prior variance loses digits" told evaluate wild.json six.csv --engine kalman
check "a prediction says so" told predict wild.json --data six.csv --grid 3 --engine kalman
model zero matern52 3e4 '{"type":"ode2","mass":1,"damper":0.1,"spring":1e-6}'
sed -i 's/0.01}/1e-11}/' wild.json
check "without noise close inputs lose digits" told evaluate wild.json six.csv --engine dense
model zero matern32 1 '{"type":"ode1","decay":1}'
for engine in dense kalman; do
    check "$engine loses none with noise" silent evaluate wild.json six.csv --engine "$engine"
done

finish
