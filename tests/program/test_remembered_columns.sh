#!/usr/bin/env bash
# A model remembers the columns that the options of its fit named: score, predict and condition read the same files without these options.
set -u

. "$(dirname "$0")/../support/support.sh"
fit() { lf fit "$@" --errors no --max-iterations 3 --quiet; }
# The same command with and without the options gives the same.
same() { "${@:2}" >with.txt 2>/dev/null && lf ${1//SPACE/ } >without.txt 2>notes.txt && [ -s with.txt ] && diff with.txt without.txt; }

# Maps whose columns are named X and Y, and x and y.
awk 'BEGIN { print "X,Y,z,w"; for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) printf "%d,%d,%.3f,%.3f\n", i, j, sin(i) + cos(j), cos(i + j) }' >map.csv
sed '1s/.*/x,y,z,w/' map.csv >small.csv
check "a map without --x is refused" bash -c '! "$1" data map.csv 2>error.txt && grep -q -e "--x X,Y" error.txt' _ "$program"
fit map.csv --x X,Y -o map.json
check "its score needs no --x" same "score map.json map.csv" lf score map.json map.csv --x X,Y
check "the file has the headings" grep -q '"name": "X"' map.json
printf 'X,Y\n1.5,2\n' >there.csv
printf 'x1,x2\n1.5,2\n' >plain.csv
check "places may have these headings" same "predict map.json --at there.csv" lf predict map.json --at plain.csv
fit small.csv --x x,y -o small.json
check "x and y are remembered" same "score small.json small.csv" lf score small.json small.csv --x x,y

# Rows are numbered again.
awk 'BEGIN { print "a,b"; for (i = 0; i < 20; i++) printf "%.3f,%.3f\n", sin(i / 2), cos(i / 2) }' >rows.csv
fit rows.csv --time row -o rows.json
check "rows are numbered" same "score rows.json rows.csv" lf score rows.json rows.csv --time row
check "and predicted by number" bash -c 'printf "row\n0\n3.5\n" | "$1" predict rows.json --at - --quiet | grep -q "^a,3.5,"' _ "$program"

# Subjects.
awk 'BEGIN { print "Time,Subject,conc"; for (s = 1; s <= 3; s++) for (i = 0; i < 8; i++) printf "%d,%d,%.3f\n", i, s, s * exp(-i / 3) }' >subjects.csv
fit subjects.csv --replicate-column Subject -o subjects.json
check "subjects" same "score subjects.json subjects.csv" lf score subjects.json subjects.csv --replicate-column Subject
lf condition subjects.json subjects.csv --quiet -o again.json
check "a model conditioned on the file remembers them too" grep -q '"columns": {"replicate": "Subject"}' again.json
sed '1s/Subject/replicate/' subjects.csv >replicates.csv
check "a column replicate is one, whatever is remembered" same "score subjects.json replicates.csv" lf score subjects.json subjects.csv

# Long files with other names.
awk 'BEGIN { print "when,sensor,reading"; for (i = 0; i < 12; i++) printf "%d,hall,%.3f\n%d,cellar,%.3f\n", i, sin(i), i, cos(i) }' >long.csv
fit long.csv --output-column sensor --value-column reading -o long.json
check "names and values" same "score long.json long.csv" lf score long.json long.csv --output-column sensor --value-column reading
awk 'BEGIN { print "when,hall,cellar"; for (i = 0; i < 12; i++) printf "%d,%.3f,%.3f\n", i, sin(i), cos(i) }' >wide.csv
check "the same in the wide shape" same "score long.json wide.csv" lf score long.json long.csv

# Years and quarters.
awk 'BEGIN { print "year,quarter,y"; for (i = 0; i < 24; i++) printf "%d,%d,%.3f\n", 1990 + int(i / 4), i % 4 + 1, sin(i) }' >quarters.csv
fit quarters.csv -o quarters.json
check "quarters" bash -c '"$1" score quarters.json quarters.csv 2>/dev/null | grep -q "^y *24"' _ "$program"

sed 's/"columns": {"replicate": "Subject"}/"columns": {"replicate": 3}/' subjects.json >bad.json
check "a wrong heading is refused" bash -c '! "$1" show bad.json 2>error.txt && grep -q "columns.replicate" error.txt' _ "$program"
finish
