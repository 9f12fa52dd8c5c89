#!/usr/bin/env bash
# The Python package, in the environment that scripts/python-env makes: test_python.sh tests | types | examples runs pytest, mypy or the
# examples of the docstrings. Without Python or without network this is skipped (exit status 77).
set -euo pipefail

"${LF_SOURCE_DIR:?}/scripts/python-env" "${LF_BUILD_DIR:?}"
export PATH=$LF_BUILD_DIR/python-env/bin:$PATH PYTHONPYCACHEPREFIX=$LF_BUILD_DIR/python-cache MPLBACKEND=agg
# What a user has set for the package is not to be tested.
unset LATENTFORCE_LIBRARY LATENTFORCE_PROGRAM LATENTFORCE_DYGRAPHS
cd "$LF_SOURCE_DIR/python"
case ${1:?tests, types or examples} in
tests) pytest -q -p no:cacheprovider tests ;;
types) mypy --cache-dir "$LF_BUILD_DIR/python-cache/mypy" ;;
examples) # in a folder of their own: examples write files
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    pytest -q -p no:cacheprovider --doctest-modules --rootdir "$LF_SOURCE_DIR/python" "$LF_SOURCE_DIR/python/latentforce"
    ;;
*) exit 2 ;;
esac
