#!/usr/bin/env bash
# Random inputs for every fuzz target, 2 minutes each, in `make check-all`; the inputs of fuzz/seeds come first. Without clang and libFuzzer it
# ends as skipped. Usage: LF_SOURCE_DIR=… test_fuzz.sh
exec "${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}/fuzz/run" 120
