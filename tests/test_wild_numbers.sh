#!/usr/bin/env bash
# Models with wild numbers: a finite answer or a sentence, soon and in little memory. LATENTFORCE is the program.
set -u
. "$(dirname "$0")/bad_input.sh"

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

# Minutes and gigabytes for six rows: refused before the work.
model zero matern52 1e-4 '{"type":"ode1","decay":1}'
for engine in fourier lowrank; do
    bad 1 "$engine with columns for thousands of rows" 'columns would be needed' '6 rows' -- predict wild.json --data six.csv --grid 4 --engine "$engine"
done
model zero eq 6e-6 '{"type":"ode","coefficients":[1,12,66,220,495,792,924,792,495,220,66,12,1]}'
bad 1 "frequencies for hours" 'frequencies would be needed' -- evaluate wild.json six.csv --engine dense --nodes uniform

finish
