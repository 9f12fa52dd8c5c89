#!/usr/bin/env bash
# Runs the commands of README.md, of the tutorials in docs/tutorials and of other pages with the installed program and library: every
# command must succeed, or fail where the page says so, and print what the page shows (tutorial_steps.awk describes the format).
# Usage: test_tutorials.sh [PAGE.md…]
set -u
export LC_ALL=C # what is shown was sorted so

here=$(cd "$(dirname "$0")" && pwd)
source=${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}
[ $# -gt 0 ] || set -- "$source"/README.md "$source"/docs/tutorials/[a-z]*.md
for tutorial; do
    tutorials+=("$(realpath "$tutorial")")
done
. "$here/../support/support.sh"

prefix=$folder/prefix
cmake --install "${LF_BUILD_DIR:?}" --prefix "$prefix" >/dev/null || exit 1
libdir=$(dirname "$(find "$prefix" -name liblatentforce.so)")
ln -s "$(command -v "${CC:-cc}")" "$prefix/bin/cc" # the one that built the library
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir

run_command() { # STEP
    local expected=0 status=0
    [ ! -e "$1.fails" ] || expected=1
    bash -o pipefail "$1.command" >"$1.printed" 2>&1 || status=1
    [ "$status" = "$expected" ] || { cat "$1.printed"; return 1; }
    # Every command says what it read. Pages show this line where it matters.
    grep -q ': read [0-9]* row' "$1.expected" || sed -i '/^latentforce: note: .*: read [0-9]* rows\{0,1\}: /d' "$1.printed"
    awk -v within="$(cat "$1.within")" -f "$here/same_output.awk" "$1.expected" "$1.printed" || { cat "$1.printed"; return 1; }
}
is_excerpt() { # STEP: the block stands in the file, line by line
    awk 'FNR == NR { if (FNR == 1) next; want = want $0 "\n"; next } { have = have $0 "\n" } END { exit !(want && index(have, want)) }' \
        "$1.excerpt" "$source/$(head -n 1 "$1.excerpt")"
}

follow() { # TUTORIAL
    local name steps step kind
    name=$(basename "$1" .md)
    steps=$folder/$name.steps
    mkdir "$steps" "$folder/$name"
    cd "$folder/$name" || exit 1
    ln -s "$source/examples" .
    ln -s "$prefix/bin" build # README.md names the program as build/latentforce
    awk -v steps="$steps" -f "$here/tutorial_steps.awk" "$1"
    for step in "$steps"/*.command "$steps"/*.file "$steps"/*.excerpt; do
        [ ! -e "$step" ] || echo "$step"
    done | sort >steps.txt
    check "$name has commands" grep -q 'command$' steps.txt
    while read -r step; do
        kind=${step##*.}
        step=${step%.*}
        case $kind in
        file) tail -n +2 "$step.file" >"$(head -n 1 "$step.file")" ;;
        excerpt) check "$name: an excerpt of $(head -n 1 "$step.excerpt")" is_excerpt "$step" ;;
        command) check "$name: $(head -n 1 "$step.command")" run_command "$step" ;;
        esac
    done <steps.txt
}

for tutorial in "${tutorials[@]}"; do
    follow "$tutorial"
done
finish
