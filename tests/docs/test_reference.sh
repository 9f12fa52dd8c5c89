#!/usr/bin/env bash
# Doxygen writes the reference of the C interface without a warning: every function, struct and field is described.
set -euo pipefail

if ! command -v doxygen >/dev/null; then
    echo "skipped: doxygen is not installed"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{ cat "${LF_BUILD_DIR:?}/Doxyfile"; echo "OUTPUT_DIRECTORY = $folder"; } >"$folder/Doxyfile"
doxygen "$folder/Doxyfile"
for name in $(grep -oE '\blf_[a-z0-9_]+\(' "${LF_SOURCE_DIR:?}/include/latentforce.h" | tr -d '(' | sort -u); do
    grep -q "$name" "$folder/html/latentforce_8h.html" || { echo "test_reference: $name is missing" >&2; exit 1; }
done
[ -s "$folder/html/index.html" ]
