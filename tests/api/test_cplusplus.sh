#!/usr/bin/env bash
# The headers in C++: the program of 0.1, which C and C++ both read, is compiled as C++ without warnings and finds the same.
set -u
. "$(dirname "$0")/../support/support.sh"

source=${LF_SOURCE_DIR:?} build=${LF_BUILD_DIR:?}
compiler=$(command -v "${CXX:-c++}") || { echo 'SKIPPED: there is no C++ compiler'; exit 77; }
check 'the headers are C++' "$compiler" -x c++ -std=c++11 -Wall -Wextra -pedantic -Werror -I"$source/include" "$source/tests/api/program_of_0_1.c" \
    -x none -o program -L"$build" -llatentforce -Wl,-rpath,"$build"
check 'the program finds the same' ./program
finish
