#!/usr/bin/env bash
# --device: what it refuses, and that a GPU gives the numbers of the processor where there is one. Usage: LATENTFORCE=… test_device.sh
set -u
. "$(dirname "$0")/../support/support.sh"

cat >model.json <<'END'
{"format": "latentforce-model", "version": 1, "forces": [{"kernel": "eq", "lengthscale": 0.8}], "outputs": [
 {"name": "a", "operator": {"type": "ode1", "decay": 1}, "sensitivity": [1], "noise_variance": 0.1},
 {"name": "b", "operator": {"type": "ode2", "mass": 1, "damper": 1, "spring": 2}, "sensitivity": [2], "noise_variance": 0.1}]}
END
awk 'BEGIN { OFS = ","; print "output,x,y"; for (i = 0; i < 200; i++) print i % 2 ? "a" : "b", i / 20, sin(i / 9) }' >data.csv

value() { lf evaluate model.json data.csv --engine lowrank --json "$@" 2>/dev/null | sed -n 's/.*"log_likelihood":\([-0-9.e+]*\).*/\1/p'; }
close_to() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a && d * d <= 1e-20 * a * a) }'; }

refused 2 'a device that does not exist' "--device 'tpu': expected cpu, gpu" -- evaluate model.json data.csv --device tpu
refused 1 'an engine that has no device' 'the kalman engine computes on the processor only' -- \
    evaluate model.json data.csv --engine kalman --device gpu
check 'cpu is the default' equal "$(value)" "$(value --device cpu)"
if lf evaluate model.json data.csv --engine lowrank --device gpu >/dev/null 2>why.txt; then
    check 'a GPU gives the same log likelihood' close_to "$(value --device gpu)" "$(value)"
else
    check 'without a GPU the message says why' grep -qE 'built without CUDA|no GPU was found' why.txt
    refused 1 'a fit without a GPU' CUDA -- fit data.csv --engine lowrank --features 20 --device gpu -o refused.json
fi
finish
