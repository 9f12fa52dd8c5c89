# What the tests of bad input share: bad, a model, data and inputs; to be sourced. Leaves the test as support.sh does, with an
# empty folder out.
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
chmod 755 "$folder"
mkdir out

# bad STATUS NAME PATTERN… -- ARGUMENT…: it must end with this status and one message with every pattern (a fixed string), print
# nothing, and leave nothing in out. as_user, where set, is a command that runs it as somebody else.
bad() {
    local status=$1 name=$2 patterns=() problem='' found
    shift 2
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    ${as_user:-} "$program" "$@" >stdout.txt 2>stderr.txt </dev/null
    found=$?
    sed -i '/^latentforce: note: /d' stderr.txt # what was read before the mistake was met
    [ "$found" -eq "$status" ] || problem="exit status $found, not $status"
    [ "$(head -c 20 stderr.txt)" = 'latentforce: error: ' ] || problem="$problem; stderr does not start as it should"
    for pattern in "${patterns[@]}"; do
        grep -qF -- "$pattern" stderr.txt || problem="$problem; stderr lacks '$pattern'"
    done
    [ ! -s stdout.txt ] || problem="$problem; stdout is not empty"
    [ -z "$(ls -A out)" ] || problem="$problem; left behind: $(ls -A out)"
    if [ -z "$problem" ]; then
        echo "ok    $name"
        passed=$((passed + 1))
    else
        echo "FAIL  $name: ${problem#; }"
        sed 's/^/      /' stderr.txt
        failed=$((failed + 1))
        rm -rf out
        mkdir out
    fi
}

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "origin": 0, "initial": "zero",
  "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [
    { "name": "a", "operator": {"type": "ode2", "mass": 1, "damper": 3, "spring": 1},
      "sensitivity": [10], "noise_variance": 0.1, "offset": 0, "scale": 1 },
    { "name": "b", "operator": {"type": "ode", "coefficients": [1, 0.2, 2]},
      "sensitivity": [10], "noise_variance": 0.5, "offset": 0, "scale": 1 } ] }
MODEL
printf 'output,x,y\na,0.5,1\nb,1,2\na,1.5,0\n' >good.csv
printf 'x\n0.5\n1\n' >at.csv
