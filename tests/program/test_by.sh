#!/usr/bin/env bash
# fit --by COLUMN: one model for each value, in a folder or in lines of JSON; each is that of the rows alone.
set -u

. "$(dirname "$0")/../support/support.sh"
numbers() { grep -v '"command"' "$1"; }
fitted() { lf fit "$@" --forces 1 --max-iterations 5 --errors no --quiet; }
lines() { python3 -c "$1" "${@:2}"; }

# ---- data: three wells, one with a name that is no name of a file ----

awk 'BEGIN { print "well,t,a,b"; for (r = 0; r < 3; r++) for (i = 0; i < 20; i++)
    printf "%s,%d,%.5f,%.5f\n", r == 0 ? "A1" : r == 1 ? "../b 2" : ".c", i, sin(i / 3 + r) + 0.1 * sin(31 * i + r), cos(i / 4 + r) + 0.1 * sin(17 * i) }' >wells.csv
awk -F, 'NR == 1 || $1 == "A1" { print substr($0, length($1) + 2) }' wells.csv >one.csv
awk -F, 'NR == 1 || $1 == "../b 2" { print substr($0, length($1) + 2) }' wells.csv >two.csv

check "to a folder" fitted wells.csv --by well --threads 2 -o models/
check "its files have safe names" equal "$(LC_ALL=C ls -A models | tr '\n' ' ')" "%2E.%2Fb%202.json %2Ec.json A1.json "
fitted one.csv -o one.json
check "a model is that of the rows alone" cmp <(numbers one.json) <(numbers models/A1.json)
fitted two.csv -o two.json
check "of any value" cmp <(numbers two.json) <(numbers 'models/%2E.%2Fb%202.json')
check "it predicts" lf predict models/A1.json --ahead 5 --quiet
check "into a folder that is there" fitted wells.csv --by well --threads 1 -o models
check "with one thread the same" cmp <(numbers one.json) <(numbers models/A1.json)

check "to lines" fitted wells.csv --by well -o models.jsonl
check "a line has the value and the model file" lines 'import json, sys
rows = [json.loads(line) for line in open("models.jsonl")]
assert [row["by"] for row in rows] == ["A1", "../b 2", ".c"]
assert rows[0]["model"] == json.load(open("models/A1.json"))'
check "to standard output" cmp models.jsonl <(fitted wells.csv --by well -o -)
check "a table follows" grep -Eq '^A1 +40 +-?[0-9.]+ +[0-9.]+ ' <(lf fit wells.csv --by well --forces 1 --max-iterations 5 -o models/ 2>&1)

# ---- a value whose fit fails ----

{ cat wells.csv && echo 'D,1,2,'; } >broken.csv
refused 1 "a failure is reported with its value" "well 'D': there is only one training row" "1 of 4 fits failed" -- fit broken.csv --by well --forces 1 --max-iterations 5 --quiet -o broken.jsonl
check "and the others are there" lines 'import json
rows = [json.loads(line) for line in open("broken.jsonl")]
assert ["model" in row for row in rows] == [True, True, True, False] and "one training row" in rows[3]["error"]'
refused 1 "so is what did not converge" "3 fits did not converge" -- fit wells.csv --by well --forces 1 --max-iterations 2 --quiet --require-convergence -o models/

# ---- refused ----

sed '1s/^/replicate,/; 1!s/^/r,/' wells.csv >both.csv
refused 1 "a table with replicates" "both.csv:1: the table has a column 'replicate'" -- fit both.csv --by well -o models/
refused 1 "another column of replicates" "give either --by or --replicate-column" -- fit wells.csv --by well --replicate-column t -o models/
refused 1 "a column that is not there" "--by 'plate': there is no such column" -- fit wells.csv --by plate -o models/
refused 1 "one checkpoint" "Leave out --checkpoint" -- fit wells.csv --by well --checkpoint c -o models/
refused 2 "one file" "-o refused.json: --by makes several models" -- fit wells.csv --by well -o refused.json
refused 2 "a plan" "--plan is about one fit" -- fit wells.csv --by well --plan
finish
