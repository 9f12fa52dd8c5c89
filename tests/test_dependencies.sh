#!/usr/bin/env bash
# docs/dependencies.md names every package that scripts/install-deps installs and every library that liblatentforce.so loads.
set -u

. "$(dirname "$0")/support.sh"
page=${LF_SOURCE_DIR:?}/docs/dependencies.md
listed() { grep -qE "^\| $1( |:).*\| [^|]*[A-Z0-9][^|]* \|$" "$page" || { echo "no row for $1 in $page"; false; }; }

packages=$(sed -n '/^packages="/,/"$/p; /^\(optional\|beside\)="/p' "$LF_SOURCE_DIR/scripts/install-deps" | tr -d '"' | sed 's/^[a-z]*=//')
check 'the packages were found' test "$(wc -w <<<"$packages")" -gt 15
for package in $packages; do
    check "$package is listed with its licence" listed "$package"
done
for library in $(readelf -dW "${LF_BUILD_DIR:?}/liblatentforce.so" | sed -nE 's/.*\(NEEDED\).*\[lib([a-z]+).*/\1/p'); do
    case $library in
    c | m | mvec) name=libm ;;
    z) name=zlib1g ;;
    omp | gomp) name=lib$library ;;
    blas | lapack | tmglib) name=LAPACK ;;
    *) name=lib$library ;;
    esac
    check "lib$library is listed" grep -q "$name" "$page"
done
finish
