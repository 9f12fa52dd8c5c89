#!/usr/bin/env bash
# The verdict of fit and show, and the sentences about rows that determine nothing.
set -u

. "$(dirname "$0")/../support/support.sh"

contains() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }
lacks() { ! grep -qF -- "$2" "$1" || { cat "$1"; false; }; }

# Two outputs that follow one force, with the noise of a sum of uniform numbers.
awk 'BEGIN { srand(3); print "x,a,b"; for (i = 0; i < 120; i++) { u = sin(i / 12); v = u + 0.5 * cos(i / 12)
    printf "%g,%.6f,%.6f\n", i / 10, u + 0.2 * (rand() + rand() + rand() - 1.5), v + 0.2 * (rand() + rand() + rand() - 1.5) } }' >good.csv
lf fit good.csv --forces 1 --no-private -o good.json 2>good.txt
check 'fit prints a verdict' contains good.txt Verdict
check 'the one-line summary of fit stays' grep -q '^latentforce: note: good.json: 2 outputs, 1 force, 240 readings, ' good.txt
check 'a converged fit is called that' grep -qx '  The fit converged.' good.txt
check 'shares of the shared forces' grep -Eq 'Shared forces explain [0-9.]+ % of a and [0-9.]+ % of b; the rest, on average: .*noise [0-9.]+ %\.' good.txt
check 'good residuals are called that' contains good.txt 'The residuals look like noise'
check 'there is no warning' lacks good.txt 'warning'
check 'plain words' bash -c '! grep -E "evaluations|iterations|log prior|\(s\)" good.txt'
lf fit good.csv --forces 1 --no-private --quiet -o quiet.json 2>quiet.txt
check 'no verdict with --quiet' test ! -s quiet.txt
lf show good.json >show.txt
check 'show has the verdict above the forces' bash -c 'grep -nE "^(Verdict|Forces)$" show.txt | cut -d: -f2 | tr "\n" " " | grep -qx "Verdict Forces "'
check 'show has the sentences of fit' bash -c 'diff <(sed -n "/^Verdict/,\$p" good.txt) <(sed -n "/^Verdict/,/^\$/p" show.txt | sed "/^\$/d")'

check 'time constants come before decay rates' awk '/time constant/ { t = NR } /decay/ && !d { d = NR } END { exit !(t && d && t < d) }' show.txt

# The diagnosis changes nothing else, and does not depend on --no-posterior or on the number of threads.
lf fit good.csv --forces 1 --no-private --no-posterior --quiet -o bare.json
check 'the diagnosis does not need a stored posterior' bash -c 'diff <("$0" show bare.json | grep -v Posterior | tail -n +2) <("$0" show good.json | grep -v Posterior | tail -n +2)' "$program"
lf fit good.csv --forces 1 --no-private --threads 1 --quiet -o one.json
check 'the diagnosis does not depend on the number of threads' cmp one.json quiet.json

# A second force without anything to do, and a known noise that is far too small.
lf fit good.csv --forces 2 --no-private --fix a.sensitivity2=0 --fix b.sensitivity2=0 --quiet -o idle.json
check 'show marks idle forces' grep -q '^force2 (idle) ' <(lf show idle.json)
check 'the verdict names idle forces' contains <(lf show idle.json) 'Force 2 is idle'
lf fit good.csv --forces 1 --no-private --fix a.noise_variance=1e-4 --quiet -o narrow.json
check 'intervals that are too narrow' grep -Eq 'warning: 95 % intervals of a look too narrow \(they cover [0-9]+ % of the readings when each is left out\)' <(lf show narrow.json)

# White noise in `a`, and steps in `b` that no smooth force describes.
awk 'BEGIN { srand(5); print "x,a,b"; for (i = 0; i < 200; i++)
    printf "%g,%.6f,%.6f\n", i / 10, rand() + rand() + rand(), int(i / 25) % 2 + 0.02 * rand() }' >steps.csv
lf fit steps.csv --forces 1 --no-private --force-kernel eq --fix force1.lengthscale=2 --quiet -o steps.json
check 'what a wrong force misses is told' grep -Eq 'warning: The residuals of b are not normal .*outliers or jumps, which widen the intervals and shift constants' <(lf show steps.json)
check 'what explains nothing comes first' bash -c '"$0" show steps.json | grep -A 1 ^Verdict | grep -q "warning: The model explains next to nothing of a (noise [0-9.]* %)"' "$program"
lf fit good.csv --max-iterations 1 -o short.json 2>short.txt
check 'a fit that did not converge' contains short.txt 'warning: The fit did not converge'

# What files of one series said: shares add up to 100 and none is negative, a force of one output is not idle.
awk 'BEGIN { srand(2); print "month,co2"; for (i = 0; i < 240; i++) { t = i / 12
    printf "%d,%.2f\n", i, 315 + 0.75 * t + 0.012 * t * t + 2.8 * sin(6.2832 * t) + 0.8 * sin(12.566 * t + 1) + 0.2 * (rand() + rand() - 1) } }' >co2.csv
lf fit co2.csv -o co2.json 2>co2.txt
check 'a trend and a cycle: all parts are named' grep -Eq '^  Variance of co2: .*force [12] \(cycle of 1[12][0-9.]*\) [0-9.]+ %.*initial state [0-9.]+ %.*noise (below )?0\.0[0-9]+ %\.$' co2.txt
check 'they add up to 100 %' awk '/Variance of co2/ { n = gsub(/%/, "%"); split($0, w, " "); for (i in w) if (w[i] ~ /^%/) sum += w[i - 1]
    exit !(n > 2 && sum > 98 && sum < 102 && $0 !~ / -[0-9]/) }' co2.txt
check 'a force of one output is not idle' lacks co2.txt idle
check 'at most six sentences' test "$(sed -n '/^Verdict/,$p' co2.txt | tail -n +2 | wc -l)" -le 6
awk 'BEGIN { print "t,a"; for (i = 0; i < 60; i++) print i ",5" }' >constant.csv
lf fit constant.csv -o constant.json 2>constant.txt
check 'a constant column is called that' grep -q 'warning: a is constant: there is nothing to explain' constant.txt
check 'it does not look like noise' lacks constant.txt 'look like noise'
awk 'BEGIN { print "t,a"; for (i = 0; i < 100; i++) printf "%d,%.4f\n", i, 2 + 0.3 * i }' >line.csv
lf fit line.csv -o line.json 2>line.txt
check 'a curve through every reading has no residuals' contains line.txt 'The noise of a is next to 0: the curve passes through every reading'
check 'and no outliers' lacks line.txt 'outliers'
check 'a bound that is harmless is called that' contains line.txt 'force1.lengthscale ended on its upper bound: a slower force would look the same. This is harmless.'
awk 'BEGIN { srand(9); print "t,a"; for (i = 0; i < 133; i++) { s = i < 40 ? 0.05 : 1; printf "%d,%.4f\n", i, sin(i / 9) + s * (rand() + rand() + rand() - 1.5) } }' >calm.csv
lf fit calm.csv -o calm.json 2>calm.txt
check 'scatter that changes is seen' grep -Eq 'warning: The scatter of a is not the same along the rows \([0-9]+ times as large around t = [0-9.]+ as around t = [0-9.]+\)' calm.txt
check 'with what to do' contains calm.txt 'in a column sd'
printf 'time s\nforce w ~ white\nx'"'"' = -k*x + w\noutput a = x\n' >white.eq
lf fit calm.csv --equations white.eq -o white.json 2>white.txt
check 'a white force counts' contains white.txt '1 output, 1 white force, '
check 'nothing has a plural in brackets' bash -c '! grep -qF "(s)" white.txt good.txt co2.txt <("$0" show white.json) <("$0" show good.json)' "$program"

# Rows that determine nothing, or little.
printf 'output,x,y\na,1,2\n' >single.csv
refused 1 'a single row' single.csv 'only one training row' 'rows at several inputs' -- fit single.csv -o refused.json
printf 'output,x,y\na,5,2\na,5,3\nb,5,4\n' >equal.csv
refused 1 'all times equal' equal.csv 'all 3 training rows have the same input, x = 5' 'which column' -- fit equal.csv -o refused.json
printf 'output,x,y\na,1,2\na,2,3\na,3,5\na,4,3\nb,2,1\n' >few.csv
lf fit few.csv -o few.json 2>few.txt
check 'an output with one row' contains few.txt "output 'b' has only 1 training row"
check 'more parameters than rows' grep -Eq 'warning: 5 rows do not determine [0-9]+ parameters: use fewer \(--forces 1 --no-private\)' few.txt
awk 'BEGIN { print "x,a"; for (i = 0; i < 30; i++) printf "%.17g,%g\n", 1.7e9 + i * 1e-4, sin(i / 5) }' >far.csv
lf fit far.csv --time-in number -o far.json 2>far.txt
check 'times too far from 0 for their step' contains far.txt 'subtract the first input'
awk 'BEGIN { print "x,a"; for (i = 0; i < 30; i++) printf "%.17g,%g\n", 1.7e9 + i * 3600, sin(i / 5) }' >epoch.csv
lf fit epoch.csv -o epoch.json 2>epoch.txt
check 'seconds since 1970 have digits enough' lacks epoch.txt 'subtract the first input'
finish
