#!/usr/bin/env bash
# docs/dependencies.md names every package that scripts/install-deps installs and every library that liblatentforce.so loads.
set -u

. "$(dirname "$0")/../support/support.sh"
page=${LF_SOURCE_DIR:?}/docs/dependencies.md
listed() { grep -qE "^\| $1( |:).*\| [^|]*[A-Z0-9][^|]* \|$" "$page" || { echo "no row for $1 in $page"; false; }; }

# installs ARGUMENT…: what is installed where nothing is, with archives that have everything.
mkdir bin
for tool in dpkg-query apt-cache id apt-get; do
    printf '#!/bin/sh\n%s\n' "$([ $tool = dpkg-query ] && echo exit 1 || echo 'echo 0')" >bin/$tool
done
chmod +x bin/*
installs() { PATH=$folder/bin:$PATH "$LF_SOURCE_DIR/scripts/install-deps" "$@" | sed -n 's/^install-deps: installing//p'; }
packages=$(installs test)
check 'the packages were found' test "$(wc -w <<<"$packages")" -gt 30
of_the_demo=$(installs)
for package in $of_the_demo $(installs mpi); do
    check "the tests need $package too" grep -qwF -e "$package" <<<"$packages"
done
# The first page leads to `make demo`: what it installs builds, links, computes and draws, and nothing else.
for package in $of_the_demo; do
    check "the demo needs $package" awk -v name="| $package" '/^## / { group = $0 } index($0, name) == 1 { found = group }
        END { exit found !~ /^## (In the library|With the program|To build)$/ }' "$page"
done
check 'no other word is taken' bash -c '! "$0"/scripts/install-deps tests 2>/dev/null' "$LF_SOURCE_DIR"
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
