#!/usr/bin/env bash
# Faults of latentforce-mpi: killed processes, signals, bad input on one process, files that cannot be written, resumption with another number
# of processes. Every job must end, with a status and one message. LATENTFORCE and LATENTFORCE_MPI are the programs.
set -u
. "$(dirname "$0")/mpi_support.sh"
RANDOM=${LF_SEED:-21}

cat >model.json <<'MODEL'
{ "format": "latentforce-model", "version": 1, "input_dim": 1, "initial": "zero", "origin": 0,
  "forces": [ { "kernel": "eq", "lengthscale": 0.6 } ],
  "outputs": [ { "name": "a", "operator": {"type": "ode1", "decay": 1.3}, "sensitivity": [1.5], "noise_variance": 0.02, "offset": 0, "scale": 1 },
               { "name": "b", "operator": {"type": "ode1", "decay": 0.4}, "sensitivity": [2], "noise_variance": 0.02, "offset": 0, "scale": 1 } ] }
MODEL
sed 's/0.6/3/; s/1.3/9/; s/0.4/4/; s/0.02/2/' model.json >far.json # where a fit needs many iterations
awk 'BEGIN { print "output,x"; for (i = 0; i < 300; i++) printf "%s,%.4f\n", i % 2 ? "a" : "b", i / 30 }' >times.csv
lf simulate model.json --at times.csv --seed 5 -o rows.csv -q
head -n 151 rows.csv >part-1.csv
{ head -n 1 rows.csv && tail -n +152 rows.csv; } >part-2.csv
fit=(fit part-1.csv part-2.csv --engine lowrank --features 200 --init far.json -q)

# start R ARGUMENT…: a job in the background; its output is in job.log, `job` is the process of mpirun.
start() {
    local count=$1
    shift
    "${launcher[@]}" -n "$count" "$LATENTFORCE_MPI" "$@" >job.log 2>&1 </dev/null &
    job=$!
}
# until COMMAND…: waits for at most 20 seconds until it succeeds.
until_true() {
    local i
    for ((i = 0; i < 400; i++)); do
        "$@" 2>/dev/null && return
        sleep 0.05
    done
    false
}
has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }
workers() { pgrep -P "$job" latentforce-mpi; }
# compute: whether every process has computed for half a second; before it began with that, a fault is one of mpirun alone.
compute() {
    local pid ticks
    for pid in $(workers); do
        ticks=$(awk '{ print $14 + $15 }' "/proc/$pid/stat") && [ "$ticks" -ge 50 ] || return
    done
}
# end: waits for the job, for at most a minute; `status` is how it ended, "none" where it did not.
end() {
    local began=$SECONDS
    while kill -0 "$job" 2>/dev/null && [ $((SECONDS - began)) -lt 60 ]; do
        sleep 0.05
    done
    if kill -KILL "$job" 2>/dev/null; then
        wait "$job" 2>/dev/null
        status=none
        return
    fi
    wait "$job" 2>/dev/null
    status=$?
}
failed_by_itself() { [ "$status" != none ] && [ "$status" -ne 0 ]; }
errors() { grep -c 'latentforce: error:' job.log; }

# ---- a process is killed ----

endless=$((1000000 + $$)) # by which these processes are told from those of other tests
moments=(0.8)
! check_all || moments+=(0.$((RANDOM % 10)) 1.$((RANDOM % 10)))
for moment in "${moments[@]}"; do
    start 3 evaluate model.json part-1.csv part-2.csv --engine lowrank --features 100 --gradient --repeat "$endless"
    until_true workers >/dev/null
    until_true compute
    sleep $moment
    mapfile -t pids < <(workers)
    kill -KILL "${pids[RANDOM % ${#pids[@]}]}"
    end
    check "a process killed after $moment s ends the job with a status ($status)" failed_by_itself
    check 'mpirun tells' grep -qiE 'signal 9|killed' job.log
    check 'no process is left' equal "$(pgrep -f -- "--repeat $endless" | tr '\n' ' ')" ''
done

# ---- a fit is asked to stop: all processes stop at the same iteration ----

for target in mpirun process; do
    rm -f trace.csv
    start 3 "${fit[@]}" -o model-$target.json --trace trace.csv --max-iterations 1000000 --json
    until_true has_lines trace.csv 4
    if [ $target = mpirun ]; then
        kill -USR1 $job
    else
        mapfile -t pids < <(workers)
        kill -TERM "${pids[2]}"
    fi
    end
    check "a signal to $target: the fit ends in good order" equal "$status $(errors)" '0 0'
    check 'as one that was cancelled' grep -q '"cancelled": *true' job.log
    check 'and its model is whole' lf show model-$target.json
done

# ---- a killed fit goes on from its checkpoint with another number of processes ----

processes 2 "${fit[@]}" -o expected.json --max-iterations 30 || exit 1
rm -f trace.csv
start 3 "${fit[@]}" -o resumed.json --max-iterations 30 --trace trace.csv --checkpoint fit.ck --checkpoint-every 1e-9
until_true has_lines trace.csv 4
mapfile -t pids < <(workers)
kill -KILL "${pids[1]}"
end
check 'the killed fit leaves no model' test ! -e resumed.json
cp fit.ck interrupted.ck
processes 2 "${fit[@]}" -o resumed.json --max-iterations 30 --checkpoint fit.ck --resume 2>resume.log || cat resume.log
check 'a fit of 3 processes goes on with 2' same 1e-9 expected.json resumed.json posterior standard_error=1e-5
cp interrupted.ck fit.ck
lf "${fit[@]}" -o alone.json --max-iterations 30 --checkpoint fit.ck --resume
check 'and with one' same 1e-9 expected.json alone.json posterior standard_error=1e-5
check 'no temporary file is left' equal "$(find . -name '.latentforce*')" ''

# ---- bad input, which one process reads ----

sed '100s/,[^,]*$/,12x/' part-2.csv >bad.csv
start 3 fit part-1.csv bad.csv --engine lowrank --features 20 -o bad.json
end
check 'bad input of one process ends all' equal "$status" 1
check 'with one message, the file and the line' equal "$(errors) $(grep -c 'latentforce: error: bad.csv:100' job.log)" '1 1'
check 'and no model' test ! -e bad.json
start 3 evaluate nothere.json part-1.csv
end
check 'a file that is not there' equal "$status $(errors)" '1 1'
start 3 evaluate model.json part-1.csv --no-such-option
end
check 'an unknown option' equal "$status $(errors)" '2 1'

# ---- what fails on one process alone ----

"${launcher[@]}" -n 2 "$LATENTFORCE_MPI" evaluate model.json part-1.csv -q : -n 1 "$LATENTFORCE_MPI" evaluate nothere.json part-1.csv -q >job.log 2>&1 </dev/null &
job=$!
end
check 'a model that one process lacks' equal "$status $(errors) $(grep -c 'nothere.json: cannot be opened' job.log)" '1 1 1'
"${launcher[@]}" -n 2 "$LATENTFORCE_MPI" evaluate model.json part-1.csv -q : -n 1 "$LATENTFORCE_MPI" evaluate model.json -q >job.log 2>&1 </dev/null &
job=$!
end
check 'a command line that one process refuses ends all' equal "$(errors)" 1
check "with a status ($status)" failed_by_itself

# ---- files that cannot be written ----

start 3 condition model.json part-1.csv --engine lowrank --features 20 -q -o /nowhere/model.json
end
check 'a folder that is not there' equal "$status $(errors)" '1 1'
if [ -w /dev/full ]; then
    start 3 condition model.json part-1.csv --engine lowrank --features 20 -q -o /dev/full
    end
    check 'a full disk' equal "$status $(errors) $(grep -c 'No space left' job.log)" '1 1 1'
fi
finish
