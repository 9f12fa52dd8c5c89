#!/usr/bin/env bash
# SIGKILL at random moments of a fit with a checkpoint: resuming gives the same bits as a fit that was left alone, and the temporary
# files of killed processes are removed. LATENTFORCE is the program; LF_KILLS is the number of kills (default: 5, in `make check-all` 100), LF_SEED their seed.
set -u
. "$(dirname "$0")/../support/support.sh"
kills=${LF_KILLS:-$(check_all && echo 100 || echo 5)}
RANDOM=${LF_SEED:-16}

# ---- resuming ----

awk 'BEGIN { print "output,x,y"; for (i = 0; i < 160; i++) printf "%s,%.3f,%.6f\n", i % 2 ? "a" : "b", i / 12, sin(i / 9) + 0.1 * sin(17 * i) }' >data.csv
fit=(fit data.csv --forces 2 --quiet --seed 7)
began=$(date +%s%N)
"$program" "${fit[@]}" -o expected.json || exit 1
length=$((($(date +%s%N) - began) / 1000000)) # ms
mkdir run
done=0 finished=0 resumed=0
while [ "$done" -lt "$kills" ]; do
    [ ! -e run/fit.checkpoint ] || resumed=$((resumed + 1))
    "$program" "${fit[@]}" -o run/model.json --checkpoint run/fit.checkpoint --checkpoint-every 1e-9 --resume 2>run.log &
    pid=$!
    moment=$((RANDOM * 32768 + RANDOM))
    moment=$((moment % (length + 1)))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    if [ $status -eq 137 ]; then
        done=$((done + 1))
    elif [ $status -ne 0 ]; then
        check "resumption after $done kills" cat run.log
        check "its exit status" equal $status 0
        break
    fi
    # A model is there only when it is whole.
    if [ -e run/model.json ] && ! cmp -s run/model.json expected.json; then
        check "the model after $done kills" cmp run/model.json expected.json
        break
    fi
    if [ -e run/model.json ]; then
        finished=$((finished + 1))
        rm -f run/model.json run/fit.checkpoint
    fi
done
"$program" "${fit[@]}" -o run/model.json --checkpoint run/fit.checkpoint --resume || exit 1
check "$done kills of a fit of $length ms, $resumed resumptions, $finished ends: the same bits" cmp run/model.json expected.json
check "no temporary file is left" equal "$(find run -name '.*' -type f)" ""

# ---- temporary files ----

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "initial": "zero", "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [ { "name": "a", "operator": {"type": "ode1", "decay": 1}, "sensitivity": [1], "noise_variance": 0.1, "offset": 0, "scale": 1 } ] }
MODEL
mkdir out
mkfifo model.fifo
# wait_for COMMAND…: until it succeeds, for at most ten seconds.
wait_for() {
    local i
    for ((i = 0; i < 500; i++)); do
        "$@" && return 0
        sleep 0.02
    done
    return 1
}
# A command with its file open, waiting for its model.
hang() {
    "$program" show - -o out/shown.txt <model.fifo &
    pid=$!
    exec 7>model.fifo
    check "a command is writing" wait_for test -e "out/.latentforce-$1"
}
hang 0
first=$pid
exec 8>&7 7>&-
check "a second one writes beside it" "$program" show - -o out/other.txt <model.json
check "and leaves the file of the first alone" test -e out/.latentforce-0
cat model.json >&8
exec 8>&-
wait $first
check "the first ends well" equal $? 0
check "with its result" cmp out/shown.txt out/other.txt
check "nothing is left" equal "$(ls -A out)" "$(printf 'other.txt\nshown.txt')"

echo old >out/shown.txt
hang 0
kill -KILL $pid
wait $pid 2>/dev/null
exec 7>&-
check "a killed command leaves a temporary file" test -e out/.latentforce-0
check "and the old result" equal "$(cat out/shown.txt)" old
# What is not such a file stays: links, files with another name, other users' files, folders, pipes.
echo precious >out/precious
ln -s precious out/.latentforce-1
echo twice >out/twice
ln out/twice out/.latentforce-2
mkdir out/.latentforce-3
mkfifo out/.latentforce-4
touch out/.latentforce-x out/.latentforce-5 out/.latentforce-9
chown 65534 out/.latentforce-5 2>/dev/null || echo "skipped: only the superuser can make a file of another user"
[ -O out/.latentforce-5 ] && rm out/.latentforce-5 && ln -s precious out/.latentforce-5
check "the next command in this folder" "$program" show model.json -o out/next.txt
check "removes the file of the killed one, and nothing else" equal "$(ls -A out | grep '^\.' | tr '\n' ' ')" \
    ".latentforce-1 .latentforce-2 .latentforce-3 .latentforce-4 .latentforce-5 .latentforce-x "
check "what a link points to is as it was" equal "$(cat out/precious)" precious
finish
