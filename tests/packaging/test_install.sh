#!/usr/bin/env bash
# Installs the build into a temporary prefix and uses it as a stranger would: the program, pkg-config (shared and
# static) and CMake. Also: the names that the libraries give, and hardening.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cc=${CC:-cc} # the one that built the library: -fopenmp in latentforce.pc is its own flag
version=$(sed -n 's/^#define LF_VERSION "\(.*\)"/\1/p' "$LF_SOURCE_DIR/include/latentforce.h")

fail() {
    echo "test_install: $1" >&2
    exit 1
}
expect_version() { # COMMAND...
    local said
    said=$("$@")
    case $said in
    *"$version"*) ;;
    *) fail "'$*' said '$said', not version $version" ;;
    esac
}

cmake --install "$LF_BUILD_DIR" --prefix "$prefix" >/dev/null
DESTDIR=$scratch/staged cmake --install "$LF_BUILD_DIR" --prefix /usr >/dev/null
[ -x "$scratch/staged/usr/bin/latentforce" ] || fail "DESTDIR is not honoured"
libdir=$(dirname "$(find "$prefix" -name liblatentforce.so)")
for file in "$prefix/bin/latentforce" "$prefix"/include/latentforce{,_processes,_compat}.h "$prefix/share/man/man1/latentforce.1" \
    $("$prefix/bin/latentforce" help | awk -v man="$prefix/share/man/man1" '
        /^Commands:/ { on = 1; next } !NF { on = 0 } on { print man "/latentforce-" $1 ".1" }') \
    "$prefix/share/bash-completion/completions/latentforce" "$prefix/share/zsh/site-functions/_latentforce" \
    "$prefix/share/fish/vendor_completions.d/latentforce.fish" \
    "$libdir/liblatentforce.a" "$libdir/liblatentforce.so.$version"; do
    [ -s "$file" ] || fail "$file was not installed"
done
expect_version "$prefix/bin/latentforce" --version

# Names: the shared library and the static one, which shares one space of names with the program that it is linked to, give those that
# the header declares and no other.
declared=$(sed -nE 's/^LF_API .*\b(lf_[a-z0-9_]+)\(.*/\1/p' "$LF_SOURCE_DIR"/include/latentforce{,_processes}.h | LC_ALL=C sort)
[ "$(wc -l <<<"$declared")" -gt 100 ] || fail "the declarations of the header were not found"
for file in "$LF_BUILD_DIR/liblatentforce.so" "$libdir/liblatentforce.so" "$LF_BUILD_DIR/liblatentforce.a" "$libdir/liblatentforce.a"; do
    case $file in
    *.so) defined=$(nm -D --defined-only "$file") ;;
    *) defined=$(nm --extern-only --defined-only "$file") ;;
    esac
    different=$(diff <(awk 'NF == 3 { print $3 }' <<<"$defined" | LC_ALL=C sort) <(echo "$declared") | grep '^[<>]' || true)
    [ -z "$different" ] || fail "$file gives (<) names that are not declared, or lacks (>) some: $different"
done
grep -q '__stack_chk_fail' <<<"$(nm "$libdir/liblatentforce.a")" || fail "the static library has no stack protector"

# Hardening, in the build tree and in the installed one. An empty element of the search path is the current folder.
for file in "$LF_BUILD_DIR/latentforce" "$LF_BUILD_DIR/liblatentforce.so" "$prefix/bin/latentforce" "$libdir/liblatentforce.so"; do
    dynamic=$(readelf -dW "$file")
    path=$(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' <<<"$dynamic")
    case :$path: in
    ::) ;; # none at all
    *::* | *:[!/]*) fail "$file looks for libraries in the current folder: [$path]" ;;
    *":$LF_BUILD_DIR"* | *":$LF_SOURCE_DIR"*) fail "$file looks for libraries in the build: [$path]" ;;
    esac
    grep -qE 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || fail "$file is not bound when it starts"
    grep -q 'GNU_RELRO' <<<"$(readelf -lW "$file")" || fail "$file has relocations that stay writable"
    grep -qE 'Type: +DYN' <<<"$(readelf -hW "$file")" || fail "$file has a fixed address"
    grep -qE 'GNU_STACK.* RWE' <<<"$(readelf -lW "$file")" && fail "$file has an executable stack"
    grep -q '__stack_chk_fail' <<<"$(nm -D "$file")" || fail "$file has no stack protector"
    grep -qE '__(memcpy|snprintf|vsnprintf|fprintf|printf|strcat|read)_chk' <<<"$(nm -D "$file")" || fail "$file has no checked library calls"
done

# Programs that are not installed: their search path names no current folder either.
paths=$(readelf -dW "$LF_BUILD_DIR"/tests/fit_api "$LF_BUILD_DIR"/tests/test_context* | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/:\2:/p')
grep -E '::|:[^/:]' <<<"$paths" && fail "a test looks for libraries in the current folder"

consumer=$LF_SOURCE_DIR/tests/packaging/consumer
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion latentforce)" = "$version" ] || fail "pkg-config gives another version"
read -ra flags <<<"$(pkg-config --cflags --libs latentforce)"
"$cc" -std=c11 -o "$scratch/shared" "$consumer/consumer.c" "${flags[@]}"
LD_LIBRARY_PATH=$libdir expect_version "$scratch/shared"

cmake -S "$consumer" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DLF_EXPECTED_VERSION="$version" >/dev/null
cmake --build "$scratch/cmake" >/dev/null
expect_version "$scratch/cmake/consumer"

# The library for several processes, where it was built: by pkg-config, by CMake, static; the program; the manual page.
if [ -n "${LATENTFORCE_MPI:-}" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    for file in "$prefix/include/latentforce_mpi.h" "$prefix/share/man/man1/latentforce-mpi.1" "$libdir/liblatentforce_mpi.a" \
        "$libdir/liblatentforce_mpi.so.$version"; do
        [ -s "$file" ] || fail "$file was not installed"
    done
    expect_version "$prefix/bin/latentforce-mpi" --version
    for file in "$prefix/bin/latentforce" "$libdir/liblatentforce.so"; do
        grep -qi 'NEEDED.*mpi' <<<"$(readelf -dW "$file")" && fail "$file loads MPI"
    done
    [ "$(nm -D --defined-only "$libdir/liblatentforce_mpi.so" | awk '{ print $3 }')" = lf_context_set_communicator ] ||
        fail "liblatentforce_mpi.so defines other names than its one"
    grep -q 'SONAME.*liblatentforce_mpi.so.[0-9]*\.[0-9]*\]' <<<"$(readelf -dW "$libdir/liblatentforce_mpi.so")" || fail "liblatentforce_mpi.so has no SONAME"
    read -ra flags <<<"$(pkg-config --cflags --libs latentforce_mpi)"
    "$cc" -std=c11 -o "$scratch/mpi_shared" "$consumer/mpi_consumer.c" "${flags[@]}" -lm
    LD_LIBRARY_PATH=$libdir expect_version "$scratch/mpi_shared"
    cmake -S "$consumer" -B "$scratch/cmake_mpi" -DCMAKE_PREFIX_PATH="$prefix" -DLF_EXPECTED_VERSION="$version" -DLF_CONSUME_MPI=ON >/dev/null
    cmake --build "$scratch/cmake_mpi" >/dev/null
    command -v mpirun >/dev/null && expect_version mpirun -n 2 "$scratch/cmake_mpi/mpi_consumer"
    rm "$libdir"/liblatentforce_mpi.so*
    read -ra flags <<<"$(pkg-config --static --cflags --libs latentforce_mpi)"
    "$cc" -std=c11 -o "$scratch/mpi_static" "$consumer/mpi_consumer.c" "${flags[@]}" -lm
    LD_LIBRARY_PATH=$libdir expect_version "$scratch/mpi_static"
fi

# Without the shared library beside it, -llatentforce is the static one.
rm "$libdir"/liblatentforce.so*
read -ra flags <<<"$(pkg-config --static --cflags --libs latentforce)"
"$cc" -std=c11 -o "$scratch/static" "$consumer/consumer.c" "${flags[@]}"
expect_version "$scratch/static"

# Private names of the library are free for the program that it is linked to.
taken=$(nm "$libdir/liblatentforce.a" | awk '$2 == "t" && $3 ~ /^lf_[a-z0-9_]+$/ { print $3 }' | sort -u | sed -n 1,200p)
[ -n "$taken" ] || fail "the static library has no private names"
{
    cat "$consumer/consumer.c"
    for name in $taken; do
        echo "int $name(void); int $name(void) { return 1; }"
    done
} >"$scratch/clash.c"
"$cc" -std=c11 -o "$scratch/clash" "$scratch/clash.c" "${flags[@]}"
expect_version "$scratch/clash"
