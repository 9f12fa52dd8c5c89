"""Combinations that failed once. They run in every share."""
COMMANDS = [
    {"kind": "rc1", "option": "--prior firm"},  # read before an array
    {"kind": "rc1", "split": "middle"},  # positions of the full table in a selected one
    {"kind": "gaussian", "model": "stationary 3 forces", "kernel": "--force-kernel matern32+constant", "option": "--period 5",
     "command": "evaluate"},  # engines that named each other
    {"kind": "gaussian", "model": "linear input", "option": "--period 5"},  # too large for every engine, although small
    {"kind": "rc1", "kernel": "--force-kernel eq"},  # what the families of the sweep leave out
]
METAMORPHIC = [
    {"relation": "test rows deleted", "detail": "unequal replicates", "split": "replicate", "layout": "long"},  # a replicate wholly marked test
    {"relation": "replicates reordered", "kind": "rc2", "detail": "replicates"},  # the start of what is not read
    {"relation": "test rows deleted", "kind": "gene-cascade", "split": "start"},  # the origin
    {"relation": "time unit 1/60", "kind": "one-compartment"},
    {"relation": "time unit 1/60", "model": "doses", "option": "--offset none"},  # the gain of a dose per time
    {"relation": "time unit 1/64", "kernel": "--force-kernel white"},  # a white force beside private ones
    {"relation": "leave one out", "option": "--calibrate yes", "detail": "gap"},  # a variance that was widened
    {"relation": "ahead", "detail": "unequal replicates"},  # one end for all
    {"relation": "outputs reordered", "kind": "mixed", "option": "--calibrate yes", "detail": "gap"},  # windows by position
]
