"""Combinations that failed once. They run in every share."""
COMMANDS = [
    {"kind": "rc1", "option": "--prior firm"},                                 # read before an array
    {"kind": "rc1", "split": "middle"},                                        # positions of the full table in a selected one
    {"kind": "gaussian", "model": "initial stationary", "kernel": "--force-kernel matern32+constant", "command": "evaluate"},  # engines named each other
    {"kind": "gaussian", "model": "linear input", "option": "--period 5"},     # too large for every engine, although small
    {"kind": "rc1", "kernel": "--force-kernel eq"},                            # what the families of the sweep leave out
]
