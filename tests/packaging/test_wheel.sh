#!/usr/bin/env bash
# The wheel of the Python package: it is for every Python 3, and works in a clean virtual environment on a machine that has none of the
# libraries that latentforce is linked to. That machine is this one with these libraries hidden, in a mount namespace of its own. Where there
# is no environment to build the wheel, no network or no namespace, this is skipped (exit status 77).
set -u

. "$(dirname "$0")/../support/support.sh"
source=${LF_SOURCE_DIR:?}
"$source/scripts/wheel" "${LF_BUILD_DIR:?}" >wheel.txt 2>&1
status=$?
cat wheel.txt
[ $status -eq 0 ] || exit $status
wheel=$(tail -1 wheel.txt)
python=$LF_BUILD_DIR/python-env/bin/python
unset LATENTFORCE_LIBRARY LATENTFORCE_PROGRAM LATENTFORCE_DYGRAPHS PYTHONPATH LD_LIBRARY_PATH

# ---- what is in it ----
not() { ! "$@"; }
nothing() { [ -z "$1" ] || { echo "$1"; false; }; }
check 'it is for every Python 3 and names a C library' grep -qE '^latentforce-[0-9.]+-py3-none-manylinux_[0-9]+_[0-9]+_[a-z0-9_]+\.whl$' <<<"$(basename "$wheel")"
"$python" -m zipfile -e "$wheel" unpacked
elf=$(find unpacked -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print)
check 'it has the library, the program and more libraries' test "$(wc -l <<<"$elf")" -gt 8
# shellcheck disable=SC2086 # a list of words
needed=$(readelf -dW $elf | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p' | sort -u)
check 'no file loads a Python library' not grep -q python <<<"$needed"
foreign=$(while read -r name; do
    [ -e "unpacked/latentforce.libs/$name" ] || echo "$name"
done <<<"$needed" | grep -vxE 'lib(c|m|dl|rt|pthread|mvec|gcc_s|z)\.so\.[0-9]+|ld-linux.*')
check 'all other libraries are in it' nothing "$foreign"
check 'no module of another Python ABI' nothing "$(find unpacked -name '*.cpython*' -o -name '*.abi3*')"
# shellcheck disable=SC2086
paths=$(readelf -dW $elf | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' | tr : '\n' | grep -v '^\$ORIGIN')
check 'libraries are looked for beside the package only' nothing "$paths"
check 'nothing refers to the build' not grep -rqF "$LF_BUILD_DIR" --include='*.py' --include=METADATA --include=WHEEL unpacked
check 'it is typed' test -e unpacked/latentforce/py.typed
check 'it has our licence' cmp "$source/LICENSE" unpacked/latentforce-*.dist-info/licenses/LICENSE
if command -v dpkg-query >/dev/null; then
    for name in libopenblas libcerf libjansson liblbfgsb libgfortran libgomp libjs-dygraphs; do
        check "it has the licence of $name" bash -c "ls unpacked/latentforce-*.dist-info/licenses/$name*.txt"
    done
fi

# ---- a clean environment ----
"$python" -m venv clean
if ! clean/bin/python -m pip --disable-pip-version-check --quiet install "$wheel" >install.txt 2>&1; then
    cat install.txt
    if [ "$failed" -eq 0 ] && grep -qiE 'connection|network|resolution|no matching distribution' install.txt; then
        echo "SKIPPED: numpy and cffi cannot be downloaded"
        exit 77
    fi
    exit 1
fi

# ---- a machine without the libraries ----
# hidden COMMAND…: here every file of the libraries is an empty one, which cannot be loaded, and dygraphs is not installed.
namespace=(unshare --mount)
[ "$(id -u)" -eq 0 ] || namespace+=(--map-root-user)
cat >hidden.sh <<'END'
for file in $(ls /lib/*/lib* /lib64/lib* /usr/lib/*/lib* /usr/lib64/lib* /usr/lib/*/*/lib* /usr/local/lib/lib* 2>/dev/null |
    grep -E '/lib(openblas[a-z0-9_-]*|[cf]?blas|lapacke?|tmglib|cerf|jansson|lbfgsb|gfortran|gomp|quadmath)[-.a-z0-9]*\.so' |
    xargs -n 1 readlink -f | sort -u); do
    mount --bind "$FOLDER/empty" "$file" || exit 99
done
[ ! -d "$DYGRAPHS" ] || mount --bind "$FOLDER/nothing" "$DYGRAPHS" || exit 99
exec env -i HOME="$FOLDER" PATH=/usr/bin:/bin "$@"
END
touch empty
mkdir nothing
DYGRAPHS=$(sed -n 's/^LF_DYGRAPHS_DIR:PATH=//p' "$LF_BUILD_DIR/CMakeCache.txt")
export DYGRAPHS FOLDER=$folder
hidden() { "${namespace[@]}" bash "$folder/hidden.sh" "$@"; }
if ! hidden true 2>namespace.txt; then
    cat namespace.txt
    [ "$failed" -eq 0 ] || finish
    echo "SKIPPED: libraries cannot be hidden: mount namespaces are not permitted here"
    exit 77
fi
check 'the libraries are hidden: the program that was built does not start' not hidden "$program" --version
check 'and loading OpenBLAS fails' not hidden clean/bin/python -c 'import ctypes; ctypes.CDLL("libopenblas.so.0")'
check 'python -m latentforce --version' equal "$(hidden clean/bin/python -m latentforce --version)" "$("$program" --version)"
mkdir hidden built
cp "$source/examples/rooms/rooms.csv" hidden
cp "$source/examples/rooms/rooms.csv" built
fit=(fit rooms.csv --forces 2 --restarts 1 --max-iterations 20 --quiet -o model.json)
check 'a fit on the command line' hidden env --chdir="$folder/hidden" "$folder/clean/bin/python" -m latentforce "${fit[@]}"
(cd built && env -i HOME="$FOLDER" PATH=/usr/bin:/bin "$program" "${fit[@]}") # its kernels and its threads are those of the other
check 'the same model file as from the program that was built' cmp hidden/model.json built/model.json
check 'without dygraphs there is no report' bash -c '[ -z "$DYGRAPHS" ] || ! "$@"' _ "${namespace[@]}" bash hidden.sh \
    env LATENTFORCE_DYGRAPHS="$DYGRAPHS" clean/bin/python -m latentforce report hidden/model.json --data hidden/rooms.csv --quiet -o no.html
check 'a report, with the dygraphs of the wheel' hidden clean/bin/python -m latentforce report hidden/model.json --data hidden/rooms.csv --quiet -o rooms.html
check 'its charts are there' grep -q 'Dygraph' rooms.html
cat >use.py <<'END'
"""Simulates data, fits, predicts, writes a report: all of latentforce that is not an extra."""
import subprocess
import sys

import numpy as np

import latentforce as lf

t = np.linspace(0, 10, 60)
y = np.column_stack([np.sin(t), np.cos(t) + 0.1 * t])
y += 0.05 * np.random.default_rng(0).standard_normal(y.shape)
model = lf.fit(t, y, forces=1, restarts=1, max_iterations=30, progress=False)
prediction = model.predict(np.array([2.5, 5.0]))
mean = np.asarray(prediction["mean"])
assert np.abs(mean - [np.sin(2.5), np.sin(5), np.cos(2.5) + 0.25, np.cos(5) + 0.5]).max() < 0.2, mean
model.report("python.html")
model.save("python.json")
assert lf.load("python.json").outputs == model.outputs
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libopenblas" in line}
assert loaded and all("site-packages" in path for path in loaded), loaded
END
check 'fit, predict and report from Python' hidden clean/bin/python use.py
finish
