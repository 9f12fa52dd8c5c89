#!/usr/bin/env bash
# The error messages that docs/troubleshooting.md lists are those that the mistakes cause: each must be printed, and be on the page.
set -u

. "$(dirname "$0")/../support/support.sh"
source=${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}
page=$source/docs/troubleshooting.md
rooms=$source/examples/rooms/rooms.csv
# listed MESSAGE ARGUMENT…: the program fails with these arguments and this message, and the page lists it.
listed() {
    local message=$1
    shift
    check "it fails: $message" bash -c '! "$@" >/dev/null 2>stderr.txt' bash "$program" "$@"
    check "it says: $message" grep -qF -- "$message" stderr.txt
    check "the page lists: $message" grep -qF -- "$message" "$page"
    echo "$message" >>printed.txt
}

lf fit "$rooms" --forces 2 --force-kernel eq --no-private --errors no --max-iterations 3 --quiet -o rooms.json
: >empty.csv
printf 'alone\n1\n2\n' >one-column.csv
printf '0,1\n1,2\n2,4\n' >headless.csv
printf 'time,a\n1/8/24,1\n1/9/24,2\n' >short-years.csv
awk 'BEGIN { print "time,a"; for (i = 0; i < 264; i++) printf "%d%02d,1\n", 1980 + i / 12, i % 12 + 1; print "200213,2" }' >compact.csv
printf 'time,a\n03/04/2019,1\n04/04/2019,2\n' >either.csv
printf 'a,b\n3,1\n1,2\n2,4\n3,3\n' >measured.csv
printf 'weight,week,plant\n4,0,1\n5,1,1\n7,2,1\n3,0,2\n5,1,2\n6,2,2\n' >plants.csv
printf 'lon,lat,zinc\n1,1,3\n1,2,4\n2,1,5\n2,2,4\n' >map.csv
printf 'a,Month,Day\n4,5,1\n5,5,2\n7,5,3\n' >no-year.csv
printf 'time,a\n0,1\n1,broken\n2,2\n' >text.csv
printf 'time,sensor,value\n0,a,1\n0,b,2\n1,a,3\n1,b,2\n' >series.csv
printf '{\n' >cut-off.json
printf 'time,a,b\n0,1,2\n1,2\n2,3,4\n' >ragged.csv
printf 'time,a,a\n0,1,2\n1,2,2\n' >repeated.csv
printf 'output,x,y,colour\na,0,1,red\na,1,2,red\n' >extra.csv
printf 'output,x,y,split\na,0,1,training\na,1,2,test\n' >split.csv
printf 'output,x\nbathroom,8\n' >bathroom.csv
printf 'x\n80\n' >later.csv
awk -F, 'NR == 1 || $4 == "train"' "$rooms" >train.csv

check "the page lists a note of lost digits" grep -qF 'digits are lost to rounding' "$page"
check "the page lists frequencies" grep -qF 'frequencies would be needed' "$page"
listed 'cannot be opened: No such file or directory' fit nothing.csv -o refused.json
listed 'the file is empty' fit empty.csv -o refused.json
listed 'the file has no header' fit headless.csv -o refused.json
listed 'no column is left for an output' fit one-column.csv -o refused.json
listed 'is not a finite number and not a date' fit short-years.csv -o refused.json
listed 'is not a date without hyphens as those before it' fit compact.csv -o refused.json
listed 'and no row tells which' fit either.csv -o refused.json
listed 'no column is recognisably the time' fit measured.csv -o refused.json
listed 'start again for each value of' fit plants.csv -o refused.json
listed 'look like places of a map' fit map.csv -o refused.json
listed 'need a year to be dates' fit no-year.csv -o refused.json
listed 'if it stands for a missing value' fit text.csv -o refused.json
listed 'times repeat, and the column' fit series.csv -o refused.json
listed 'expected 3 fields, found 2' fit ragged.csv -o refused.json
listed 'two columns are named' fit repeated.csv -o refused.json
listed 'unknown column' fit extra.csv -o refused.json
listed 'split must be train, test or empty' fit split.csv -o refused.json
listed 'give either -o MODEL or --plan' fit "$rooms"
listed 'unknown option' fit "$rooms" --operater ode2 -o refused.json
listed "unknown operator 'ode3'" fit "$rooms" --operator ode3 -o refused.json
listed 'no parameter is called' fit "$rooms" --fix kitchn.decay=1 -o refused.json
listed 'needs one input, but input_dim is 2' fit "$source/examples/cokriging/deposits.csv" --operator ode1 -o refused.json
listed 'give either --at INPUTS.csv or --grid N' predict rooms.json
listed 'the name must end in .png, .svg or .pdf' plot rooms.json -o figure.jpg
listed 'is a data file, not a model' show "$rooms"
listed 'expected near' show cut-off.json
listed 'is not in the model' predict rooms.json --at bathroom.csv
listed 'where the posterior stored in' predict rooms.json --at later.csv
listed 'holds no posterior' predict "$source/examples/two-mass/model.json" --grid 5
lf score rooms.json train.csv >/dev/null 2>stderr.txt
check "training rows: a warning" grep -qF 'no row is marked test' stderr.txt
check "the page lists it" grep -qF 'no row is marked test' "$page"
listed 'cannot be continued with newer rows' update rooms.json "$rooms" -o refused.json

# What pages quote is in the sources; a quote that is not is found.
quotes() { python3 "$source/tests/docs/check_quotes.py" "$source" "$@" <printed.txt; }
check "messages that pages quote are in the sources" quotes "$source"/docs/*.md
sed 's/are autocorrelated/are auto-correlated/' "$page" >changed.md
check "a message that is quoted with another word is found" bash -c '! python3 "$0/tests/docs/check_quotes.py" "$0" changed.md <printed.txt >found.txt && grep -q auto-correlated found.txt' "$source"
for sentence in 'are autocorrelated' 'are not white' 'The outliers are where' 'are not normal' 'look too narrow' 'mostly on their own' 'mostly noise' 'are idle' \
    'The data do not determine' 'is not the same along the rows' 'explains next to nothing' 'is next to 0' 'This is harmless' 'parts cancel each other'; do
    check "the page explains: $sentence" grep -qF -- "$sentence" "$page"
    check "the program has: $sentence" grep -qrF -- "$sentence" "$source/src/report"
done
finish
