#!/usr/bin/env bash
# Data files that are given by a pattern, which the program expands where the shell does not.
set -u

. "$(dirname "$0")/../support/support.sh"

for part in 1 2 10; do
    { echo time,a; for i in 1 2 3; do echo "$part$i,$i"; done; } | gzip >"part-$part.csv.gz"
done
printf 'time,a\n1,2\n2,5\n' >'a[1].csv'
printf 'time,a\n7,8\n8,9\n' >a1.csv
same() { # same FILES… -- PATTERN…: both are the same table, with the same notes
    local files=()
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    shift
    lf data "${files[@]}" -o one.csv 2>one.txt && lf data "$@" -o two.csv 2>two.txt && cmp one.csv two.csv && cmp one.txt two.txt
}

check 'a star' same part-1.csv.gz part-10.csv.gz part-2.csv.gz -- 'part-*.csv.gz'
check 'a question mark' same part-1.csv.gz part-2.csv.gz -- 'part-?.csv.gz'
check 'a set, a file and a pattern' same part-1.csv.gz a1.csv part-2.csv.gz -- 'part-[1].csv.gz' a1.csv 'p*-2*'
check 'replicates are named after the files' same part-1.csv.gz part-2.csv.gz --replicates-by-file -- 'part-?.csv.gz' --replicates-by-file
lf data 'a[1].csv' -o one.csv 2>/dev/null
check 'a file whose name looks like a pattern' equal "$(wc -l <one.csv) $(tail -n 1 one.csv)" '3 a,2,5'
refused 2 'a pattern without a match' "DATA 'none-*.csv'" 'no file matches it as a pattern' -- fit 'none-*.csv' -o refused.json
refused 2 'a pattern of the file to be written' 'is also read as DATA' -- fit 'part-*.csv.gz' -o part-1.csv.gz
mkdir many && for i in $(seq 1000 1999); do printf 'time,a\n%d,1\n' "$i" >"many/$i.csv"; done
check 'a thousand files' lf data 'many/*.csv' -o many.csv
check 'all of them' equal "$(wc -l <many.csv)" 1001
check 'a fit' lf fit 'part-*.csv.gz' -o model.json
check 'an option with a pattern' lf predict model.json --data 'part-?.csv.gz' --grid 3
refused 2 'an option whose pattern has no match' "--data 'nix*'" -- predict model.json --data 'nix*' --grid 3
finish
