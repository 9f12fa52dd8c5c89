#!/usr/bin/env bash
# What may depend on the number of threads. The documents promise the same bits for fits, samples and simulated data; likelihoods,
# gradients and predictions agree to rounding. The data are so many that threads are used. With other kernels of OpenBLAS, which stand
# for another processor, samples and simulated data agree to rounding.
set -u

. "$(dirname "$0")/../support/support.sh"

# near FIRST SECOND SHARE: the same tables, numbers within SHARE of the largest number of their column.
near() {
    awk -F, -v share="$3" 'FILENAME == ARGV[1] { row[++n] = $0; next }
        { bad = bad || split(row[++m], a, ",") != NF
          for (i = 1; i <= NF; i++) {
              size = $i < 0 ? -$i : $i + 0; d = a[i] - $i; d = d < 0 ? -d : d
              if (size > most[i]) most[i] = size
              if (d > apart[i]) apart[i] = d
          } }
        END { for (i in apart) if (apart[i] > share * most[i]) { print "column " i ": " apart[i] " apart, size " most[i]; bad = 1 }
              exit bad || m != n || n < 2 }' "$1" "$2"
}
# numbers FILE: the log likelihood and the gradient, a name and a number per line.
numbers() { tr '{,' '\n\n' <"$1" | tr -d '"}' | grep -E '^(log_likelihood|[a-z0-9]+\.[a-z0-9_]+):' | tr ':' ','; }

cat >model.json <<'END'
{"format": "latentforce-model", "version": 1,
 "forces": [{"kernel": "eq", "lengthscale": 0.7}, {"kernel": "eq", "lengthscale": 2}],
 "outputs": [
  {"name": "a", "operator": {"type": "ode1", "decay": 0.5}, "sensitivity": [1, 0.3], "noise_variance": 0.002},
  {"name": "b", "operator": {"type": "ode1", "decay": 2}, "sensitivity": [-2, 1], "noise_variance": 0.002},
  {"name": "c", "operator": {"type": "ode2", "mass": 1, "damper": 0.6, "spring": 3}, "sensitivity": [1, 1], "noise_variance": 0.01}]}
END
awk 'BEGIN { print "x"; for (i = 1; i <= 220; i++) print i / 10 }' >times.csv
lf simulate model.json --at times.csv --seed 3 --threads 1 --quiet -o data.csv --forces forces.csv
for threads in 2 7; do
    lf simulate model.json --at times.csv --seed 3 --threads $threads --quiet -o data$threads.csv --forces forces$threads.csv
    check "simulate: the bits of one thread with $threads" cmp data.csv data$threads.csv
    check "simulate: forces too" cmp forces.csv forces$threads.csv
done

for engine in dense lowrank fourier kalman dtc variational fitc pitc; do
    options="--engine $engine"
    case $engine in dtc | variational | fitc | pitc) options="$options --inducing 25" ;; esac
    for threads in 1 2 7; do
        lf evaluate model.json data.csv $options --gradient --json --threads $threads --quiet >evaluation$threads.json
        numbers evaluation$threads.json >evaluation$threads.csv
        lf condition model.json data.csv $options --threads $threads --quiet -o stored$threads.json
        lf predict stored$threads.json --at times.csv --threads $threads --quiet -o predicted$threads.csv
        lf predict stored1.json --grid 40 --samples 2 --seed 8 --threads $threads --quiet -o samples$threads.csv
        lf predict model.json --data data.csv $options --grid 40 --samples 2 --seed 8 --threads $threads --quiet -o fresh$threads.csv
    done
    for threads in 2 7; do
        check "$engine, $threads threads: likelihood and gradient to rounding" near evaluation1.csv evaluation$threads.csv 1e-9
        check "$engine, $threads threads: predictions to rounding" near predicted1.csv predicted$threads.csv 1e-9
        check "$engine, $threads threads: the same samples from a stored posterior" cmp samples1.csv samples$threads.csv
        check "$engine, $threads threads: the same samples from the data" cmp fresh1.csv fresh$threads.csv
    done
    # Without such kernels OpenBLAS takes its own, and other libraries ignore the variable.
    for kernels in Nehalem Haswell; do
        if grep -qw avx2 /proc/cpuinfo || [ $kernels = Nehalem ]; then
            OPENBLAS_CORETYPE=$kernels lf predict stored1.json --grid 40 --samples 2 --seed 8 --quiet -o other.csv
            check "$engine, $kernels: the same samples to rounding" near samples1.csv other.csv 1e-7
        fi
    done
done
for kernels in Nehalem Haswell; do
    if grep -qw avx2 /proc/cpuinfo || [ $kernels = Nehalem ]; then
        OPENBLAS_CORETYPE=$kernels lf simulate model.json --at times.csv --seed 3 --quiet -o other.csv
        OPENBLAS_CORETYPE=Prescott lf simulate model.json --at times.csv --seed 3 --quiet -o plain.csv
        check "simulate, $kernels: the same data to rounding" near plain.csv other.csv 1e-8
    fi
done

# Fits: 3 starts, so that threads share the work.
for engine in dense lowrank fourier kalman dtc variational fitc pitc; do
    options="--engine $engine --forces 1 --force-kernel eq --restarts 3 --max-iterations 3 --errors yes"
    case $engine in dtc | variational | fitc | pitc) options="$options --inducing 15" ;; esac
    for threads in 1 2 7; do
        awk -F, 'NR == 1 || NR % 4 == 0' data.csv >few.csv
        lf fit few.csv $options --threads $threads --quiet -o fitted$threads.json
        sed -i '/"command"/d' fitted$threads.json
    done
    for threads in 2 7; do
        check "$engine, $threads threads: the same fit" cmp fitted1.json fitted$threads.json
    done
done
finish
