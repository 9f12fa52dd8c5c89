# What the shell tests share; to be sourced. LATENTFORCE is the program. Leaves the test in an empty folder of its own.
program=${LATENTFORCE:?name the program in LATENTFORCE}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0

# check NAME COMMAND…: the command must succeed.
check() {
    local name=$1
    shift
    if "$@" >check.log 2>&1; then
        echo "ok    $name"
        passed=$((passed + 1))
    else
        echo "FAIL  $name: $*"
        sed 's/^/      /' check.log
        failed=$((failed + 1))
    fi
}
lf() { "$program" "$@"; }
# Whether the long version of a test is to run, as in `make check-all`.
check_all() { [ "${LF_CHECK:-}" = all ]; }
# stage MODEL STAGE: what the fit of a model file decided in this stage, and why: "DECISION; REASON"; nothing where there was none.
stage() { sed -n 's/.*{"stage": "'"$2"'", .*"decision": "\(.*\)", "reason": "\(.*\)"}.*/\1; \2/p' "$1"; }
# decided PATTERN MODEL STAGE: it matches what was decided there.
decided() { stage "$2" "$3" | grep -Eq -- "$1" || { echo "$3: '$(stage "$2" "$3")'"; false; }; }
equal() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; false; }; }
# refused STATUS NAME PATTERN… -- ARGUMENT…: it must fail so, with every pattern (a fixed string) in its
# error, nothing on standard output, and no file refused.json.
refused() {
    local status=$1 name=$2 patterns=() found
    shift 2
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    rm -f refused.json
    "$program" "$@" >stdout.txt 2>stderr.txt </dev/null
    found=$?
    for pattern in 'latentforce: error: ' "${patterns[@]}"; do
        grep -qF -- "$pattern" stderr.txt || { echo "stderr lacks '$pattern'" >>stderr.txt; found=$found,; }
    done
    [ ! -s stdout.txt ] && [ ! -e refused.json ] || found=$found,
    check "$name" equal "$found" "$status"
    [ "$found" = "$status" ] || sed 's/^/      /' stderr.txt
}
# need_shared FILE…: files of real data or reference values, which are not part of the project; without them the test ends as
# skipped.
need_shared() {
    local file
    for file; do
        if [ -z "${LF_SHARED:-}" ] || [ ! -r "$LF_SHARED/$file" ]; then
            echo "skipped: ${LF_SHARED:-../shared}/$file is not there"
            exit 77
        fi
    done
}
# finish: the count, and the exit status of the script.
finish() {
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}
