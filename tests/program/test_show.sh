#!/usr/bin/env bash
# Numbers as `show` prints them: digits by the standard error, units, exponents in steps of three, Hz beside radians, dates.
set -u
. "$(dirname "$0")/../support/support.sh"

# model INPUTS DECAY ERROR TIME_CONSTANT_ERROR: an output of order one and one of order two, as a JSON text.
model() {
    cat <<JSON
{ "format": "latentforce-model", "version": 1, "initial": "stationary", $1 "forces": [ { "kernel": "eq", "lengthscale": 12345678 } ],
  "standard_errors": { "room.decay": $3, "room.time_constant": $4, "force1.lengthscale": 120000, "beam.natural_frequency": 0.0123 },
  "outputs": [ { "name": "room", "unit": "°C", "operator": { "type": "ode1", "decay": $2 }, "sensitivity": [0.00012345], "noise_variance": 0.25,
                 "offset": 20.154321, "scale": 2 },
               { "name": "beam", "operator": { "type": "ode2", "mass": 1, "damper": 0.07, "spring": 0.1225 }, "sensitivity": [-2.5e-7],
                 "noise_variance": 4e-12 } ] }
JSON
}
# shows TEXT: the last model's output has this fixed text.
shows() { grep -qF -- "$1" shown.txt || { cat shown.txt; false; }; }
show() { model "$@" >model.json && lf show model.json >shown.txt; }

show '"inputs": [ { "name": "time", "unit": "h", "zero": "2019-12-23T00:00:00" } ],' 0.47619 0.0272 0.12
check "as many decimals as the error has" shows 'decay 0.476 +- 0.027 1/h'
check "zeros that count stay" shows '2.10 +- 0.12 h'
check "large numbers: value and error with one exponent" shows '12.35e6 +- 0.12e6 h'
check "small numbers: an exponent in steps of three" shows '123.45e-6'
check "and with a sign" shows '-250e-9'
check "noise and offset have the unit of the output" shows '1 °C  20.154 °C'
check "without a unit there is none" grep -Eq '^beam +ode2 +2e-6 +0 +1 ' shown.txt
check "constants of higher order" shows 'damper 0.07 1/h, spring 0.1225 1/h^2'
check "Hz beside radians: 0.35 / (2 pi 3600)" shows '0.350 +- 0.012 rad/h (15.5 µHz)'
check "the period has an error of its own" shows '17.95 +- 0.63 h'
check "a ratio has no unit" grep -Eq '^beam .* 0\.1 +yes$' shown.txt

show '' 0.5 1200 0.0004
check "an error larger than the value keeps the value" grep -q 'decay 0\.5 +- 1200$' shown.txt
check "an unknown unit of time: cycles" shows '0.350 +- 0.012 rad (0.0557 cycles)'
check "and the heading says per what" shows 'Physical readings (frequencies per unit of input)'
show '"inputs": [ { "unit": "s" } ],' 20 0.5 0.0013
check "seconds below 1 have a prefix" shows '50.0 +- 1.3 ms'
check "so have hertz" shows '0.350 +- 0.012 rad/s (55.7 mHz)'
show '"inputs": [ { "name": "depth", "unit": "m" } ],' 0.5 0.1 0.4
check "an input that is no time" shows '0.350 +- 0.012 rad/m (0.0557 cycles/m)'

# ---- where a posterior predicts ----
printf 'output,x,y\nroom,0,20\nroom,1,21\nroom,2,20\n' >data.csv
model '' 0.5 0.1 0.4 >plain.json
lf condition plain.json data.csv --engine fourier --quiet -o stored.json
check "numbers as numbers" grep -q 'from x = 0 to x = 2$' <(lf show stored.json)
sed 's/"version": 1,/& "inputs": [ { "name": "time", "unit": "h", "zero": "2019-12-23T22:00:00" } ],/' stored.json >dated.json
check "dates as dates" grep -q 'from 2019-12-23T22:00:00 to 2019-12-24T00:00:00$' <(lf show dated.json)
finish
