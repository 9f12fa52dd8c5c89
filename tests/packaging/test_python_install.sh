#!/usr/bin/env bash
# The Python package beside an installed latentforce: its source distribution, which has no C source, finds the installed one, and says what is
# missing where there is none. Without an environment to build it this is skipped (exit status 77).
set -u

. "$(dirname "$0")/../support/support.sh"
"${LF_SOURCE_DIR:?}/scripts/python-env" "${LF_BUILD_DIR:?}" || exit $?
python=$LF_BUILD_DIR/python-env/bin/python
version=$(sed -n 's/^#define LF_VERSION "\(.*\)"/\1/p' "$LF_SOURCE_DIR/include/latentforce.h")
unset LATENTFORCE_LIBRARY LATENTFORCE_PROGRAM LATENTFORCE_DYGRAPHS PYTHONPATH LD_LIBRARY_PATH

# The prefix has a space, as home folders may.
prefix="$folder/an installed one"
check 'latentforce is installed' cmake --install "$LF_BUILD_DIR" --prefix "$prefix"
check 'a source distribution' bash -c "cd '$LF_SOURCE_DIR/python' && '$python' -c 'from scikit_build_core.build import build_sdist as b; b(\"$folder\")'"
check 'it is this version' test -s "latentforce-$version.tar.gz"
tar -xzf "latentforce-$version.tar.gz" && mv "latentforce-$version" unpacked
install_in() { # FOLDER SETTING…
    local to=$1
    shift
    "$python" -m pip --disable-pip-version-check --quiet install --no-build-isolation --no-deps --target "$to" \
        "${@/#/--config-settings=cmake.define.}" ./unpacked
}
not() { ! "$@"; }
# The environment has the package already, from the source: -S and PYTHONPATH keep that out and numpy and cffi in.
packages=$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
use() { # FOLDER ARGUMENT…
    local from=$1
    shift
    PYTHONPATH="$folder/$from:$packages" "$python" -S "$@"
}
show='import latentforce as lf; from latentforce import _library as l; print(lf.__version__, lf.__file__, l.LIBRARY, l.PROGRAM, sep="|")'

check 'it finds the installed one' install_in found CMAKE_PREFIX_PATH="$prefix"
library=$(find "$prefix" -name 'liblatentforce.so.*' -type l)
check 'and uses it where it is' equal "$(use found -c "$show")" "$version|$folder/found/latentforce/__init__.py|$library|$prefix/bin/latentforce"
check 'the program too' equal "$(use found -m latentforce --version)" "$("$program" --version)"
check 'it can copy it' install_in copied CMAKE_PREFIX_PATH="$prefix" LATENTFORCE_BUNDLE=ON
mv "$prefix" moved
check 'the copy needs no installed one' equal "$(use copied -c "$show")" \
    "$version|$folder/copied/latentforce/__init__.py|$folder/copied/latentforce/liblatentforce.so|$folder/copied/latentforce/bin/latentforce"
check 'its program too' equal "$(use copied -m latentforce --version)" "$("$program" --version)"
check 'without one the import says so' bash -c "! PYTHONPATH='$folder/found:$packages' '$python' -S -c 'import latentforce' 2>no.txt && grep -q 'an installed one.*LATENTFORCE_LIBRARY' no.txt"
check 'without one it is not built' not install_in none CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
finish
