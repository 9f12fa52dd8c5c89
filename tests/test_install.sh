#!/usr/bin/env bash
# Installs the build into a temporary prefix and uses it as a stranger would: the program, pkg-config (shared and
# static) and CMake. Also: the shared library exports the public names and nothing else.
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
for file in "$prefix/bin/latentforce" "$prefix/include/latentforce.h" "$prefix/share/man/man1/latentforce.1" \
    $("$prefix/bin/latentforce" help | awk -v man="$prefix/share/man/man1" '
        /^Commands:/ { on = 1; next } !NF { on = 0 } on { print man "/latentforce-" $1 ".1" }') \
    "$prefix/share/bash-completion/completions/latentforce" "$prefix/share/zsh/site-functions/_latentforce" \
    "$prefix/share/fish/vendor_completions.d/latentforce.fish" \
    "$libdir/liblatentforce.a" "$libdir/liblatentforce.so.$version"; do
    [ -s "$file" ] || fail "$file was not installed"
done
expect_version "$prefix/bin/latentforce" --version

# The linker and OpenMP add names of their own.
exported=$(nm -D --defined-only "$libdir/liblatentforce.so" | awk '{ print $NF }')
foreign=$(grep -vE '^(lf_[a-z0-9_]+|_init|_fini|_edata|_end|__bss_start|\.gomp_.*)$' <<<"$exported" || true)
[ -z "$foreign" ] || fail "the shared library exports: $foreign"
for name in $(grep -oE '\blf_[a-z0-9_]+\(' "$LF_SOURCE_DIR/include/latentforce.h" | tr -d '(' | sort -u); do
    grep -qx "$name" <<<"$exported" || fail "$name is declared, not exported"
done

# Names of the static library, which share one space with those of the program it is linked to.
foreign=$(nm --defined-only --extern-only "$libdir/liblatentforce.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -vE '^(lf_[A-Za-z0-9_]+|\.gomp_.*)$' || true)
[ -z "$foreign" ] || fail "the static library defines: $foreign"

# Hardening, in the build tree and in the installed one. An empty element of the search path is the current folder.
for file in "$LF_BUILD_DIR/latentforce" "$LF_BUILD_DIR/liblatentforce.so" "$prefix/bin/latentforce" "$libdir/liblatentforce.so"; do
    dynamic=$(readelf -dW "$file")
    path=$(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' <<<"$dynamic")
    case :$path: in
    ::) ;; # none at all
    *::* | *:.:*) fail "$file looks for libraries in the current folder: [$path]" ;;
    esac
    grep -qE 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || fail "$file is not bound when it starts"
    grep -q 'GNU_RELRO' <<<"$(readelf -lW "$file")" || fail "$file has relocations that stay writable"
    grep -qE 'Type: +DYN' <<<"$(readelf -hW "$file")" || fail "$file has a fixed address"
    grep -qE 'GNU_STACK.* RWE' <<<"$(readelf -lW "$file")" && fail "$file has an executable stack"
    grep -q '__stack_chk_fail' <<<"$(nm -D "$file")" || fail "$file has no stack protector"
    grep -qE '__(memcpy|snprintf|vsnprintf|fprintf|printf|strcat|read)_chk' <<<"$(nm -D "$file")" || fail "$file has no checked library calls"
done

consumer=$LF_SOURCE_DIR/tests/consumer
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion latentforce)" = "$version" ] || fail "pkg-config gives another version"
read -ra flags <<<"$(pkg-config --cflags --libs latentforce)"
"$cc" -std=c11 -o "$scratch/shared" "$consumer/consumer.c" "${flags[@]}"
LD_LIBRARY_PATH=$libdir expect_version "$scratch/shared"

cmake -S "$consumer" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DLF_EXPECTED_VERSION="$version" >/dev/null
cmake --build "$scratch/cmake" >/dev/null
expect_version "$scratch/cmake/consumer"

# Without the shared library beside it, -llatentforce is the static one.
rm "$libdir"/liblatentforce.so*
read -ra flags <<<"$(pkg-config --static --cflags --libs latentforce)"
"$cc" -std=c11 -o "$scratch/static" "$consumer/consumer.c" "${flags[@]}"
expect_version "$scratch/static"
