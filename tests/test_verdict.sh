#!/usr/bin/env bash
# The verdict of fit and show, and the sentences about rows that determine nothing.
set -u

. "$(dirname "$0")/support.sh"

contains() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }
lacks() { ! grep -qF -- "$2" "$1" || { cat "$1"; false; }; }

# Two outputs that follow one force, with the noise of a sum of uniform numbers.
awk 'BEGIN { srand(3); print "x,a,b"; for (i = 0; i < 120; i++) { u = sin(i / 12); v = u + 0.5 * cos(i / 12)
    printf "%g,%.6f,%.6f\n", i / 10, u + 0.2 * (rand() + rand() + rand() - 1.5), v + 0.2 * (rand() + rand() + rand() - 1.5) } }' >good.csv
lf fit good.csv --forces 1 --no-private -o good.json 2>good.txt
check 'fit prints a verdict' contains good.txt Verdict
check 'the one-line summary of fit stays' grep -q '^latentforce: note: good.json: 2 output(s), 1 force(s)' good.txt
check 'a converged fit is called that' grep -Eq '^  The fit converged after [0-9]+ iterations?\.$' good.txt
check 'shares of the shared forces' grep -Eq 'Shared forces explain [0-9.]+ % of a and [0-9.]+ % of b\.' good.txt
check 'good residuals are called that' contains good.txt 'The residuals look like noise'
check 'nothing is to be distrusted' lacks good.txt 'do not trust'
lf fit good.csv --forces 1 --no-private --quiet -o quiet.json 2>quiet.txt
check 'no verdict with --quiet' test ! -s quiet.txt
lf show good.json >show.txt
check 'show has the verdict above the forces' bash -c 'grep -nE "^(Verdict|Forces)$" show.txt | cut -d: -f2 | tr "\n" " " | grep -qx "Verdict Forces "'
check 'show has the sentences of fit' bash -c 'diff <(sed -n "/^Verdict/,\$p" good.txt) <(sed -n "/^Verdict/,/^\$/p" show.txt | sed "/^\$/d")'

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
check 'intervals that are too narrow' grep -Eq 'warning: 95 % intervals of a cover [0-9]+ % of its readings' <(lf show narrow.json)

# White noise in `a`, and steps in `b` that no smooth force describes.
awk 'BEGIN { srand(5); print "x,a,b"; for (i = 0; i < 200; i++)
    printf "%g,%.6f,%.6f\n", i / 10, rand() + rand() + rand(), int(i / 25) % 2 + 0.02 * rand() }' >steps.csv
lf fit steps.csv --forces 1 --no-private --force-kernel eq --fix force1.lengthscale=2 --quiet -o steps.json
check 'a wrong equation is not to be trusted' contains <(lf show steps.json) 'do not trust the constants of b'
check 'noise is called noise' contains <(lf show steps.json) 'mostly noise: a'
lf fit good.csv --max-iterations 1 -o short.json 2>short.txt
check 'a fit that did not converge' contains short.txt 'warning: The fit did not converge'

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
lf fit far.csv -o far.json 2>far.txt
check 'times too far from 0 for their step' contains far.txt 'subtract the first input'
awk 'BEGIN { print "x,a"; for (i = 0; i < 30; i++) printf "%.17g,%g\n", 1.7e9 + i * 3600, sin(i / 5) }' >epoch.csv
lf fit epoch.csv -o epoch.json 2>epoch.txt
check 'seconds since 1970 have digits enough' lacks epoch.txt 'subtract the first input'
finish
