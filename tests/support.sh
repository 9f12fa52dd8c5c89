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
equal() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; false; }; }
# finish: the count, and the exit status of the script.
finish() {
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}
