#!/usr/bin/env bash
# What stands in model files and tables is not trusted: no path in a file is opened, and no text of a file acts on a terminal.
set -u

. "$(dirname "$0")/../support/support.sh"
printf '#!/bin/sh\nexec timeout 60 "%s" "$@"\n' "$program" >limited && chmod +x limited # a file that is opened might block
program=$PWD/limited

awk 'BEGIN { print "output,x,y"; for (d = 1; d <= 2; d++) for (i = 0; i < 16; i++) printf "%s,%g,%.4f\n", d == 1 ? "a" : "b", i / 2, sin(i / 3 + d) }' >data.csv
lf fit data.csv --forces 1 --no-private --restarts 1 --max-iterations 3 --errors no --quiet -o model.json || exit 1
# with_command WORD…: the model as if this fit of before 0.2 had made it, whose file has no options
with_command() {
    local words='"latentforce", "fit"' word
    for word; do words="$words, \"$word\""; done
    python3 - "$words" <<'END'
import json, sys
model = json.load(open("model.json"))
model["provenance"]["command"] = json.loads("[" + sys.argv[1] + "]")
del model["provenance"]["options"]
json.dump(model, open("crafted.json", "w"))
END
}
options='--forces 1 --no-private --restarts 1 --max-iterations 3'
# unquoted: a list of words
with_command data.csv $options
lf score crafted.json data.csv --cross-validate 2 --quiet >plain.txt
check 'a fit is repeated' test -s plain.txt

# ---- paths ----
mkfifo pipe # whoever opens it waits until somebody writes
touch precious.csv
with_command pipe $options --checkpoint written.json --checkpoint-every 0.001 --resume --trace=trace.csv --output result.json -o precious.csv
lf score crafted.json data.csv --cross-validate 2 --quiet >crafted.txt 2>crafted.err
check 'the repeated fit opens no file of the model' equal $? 0
check 'it is the same fit' cmp plain.txt crafted.txt
check 'it writes no file of the model' bash -c '[ ! -e written.json ] && [ ! -e trace.csv ] && [ ! -e result.json ] && [ ! -s precious.csv ]'
python3 - <<'END'
import json
model = json.load(open("model.json"))
model["provenance"]["options"] = ["forces=1", "private=no", "restarts=1", "max-iterations=3", "checkpoint=written.json", "resume=yes", "equations=pipe"]
json.dump(model, open("crafted.json", "w"))
END
lf score crafted.json data.csv --cross-validate 2 --quiet >crafted.txt 2>crafted.err
check 'nor one that its options name' bash -c 'cmp plain.txt crafted.txt && [ ! -e written.json ]'
with_command data.csv --restarts 1 --max-iterations 3 --init pipe
refused 1 'a model to start from is not opened' crafted.json --init --no-refit -- score crafted.json data.csv --cross-validate 2
refused 1 'nor by compare' crafted.json --no-refit -- compare crafted.json model.json --data data.csv --cross-validate 2
check 'given on the command line it is' lf score crafted.json data.csv --cross-validate 2 --init model.json
refused 2 '--init alone' --cross-validate -- score crafted.json data.csv --init model.json
with_command data.csv $options --help
lf score crafted.json data.csv --cross-validate 2 --quiet >crafted.txt
check 'a word that is no option of a fit has no effect' cmp plain.txt crafted.txt
with_command -- pipe
lf score crafted.json data.csv --cross-validate 2 --quiet >crafted.txt 2>crafted.err
check 'files after -- are not opened' equal $? 0

# ---- control characters: ESC, BEL, DEL, and CSI as one character (U+009B) ----
sed -e 's/"name": *"a"/"name": "a\\u001b]0;title\\u0007\\u001b[31m"/' -e 's/"name": *"b"/"name": "b\\r\\n\\u007f\\u009b2J"/' model.json >strange.json
awk -F, -v OFS=, 'NR > 1 { $1 = $1 "\033[31m" } 1' data.csv >strange.csv
# harmless FILE: no control characters other than tabs and ends of lines
harmless() { ! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@"; }
lf fit strange.csv -o refused.json >fit.txt 2>&1
check 'a table with such names is refused' grep -qF 'control character' fit.txt
check 'in a harmless message' harmless fit.txt
lf show strange.json >show.txt
check 'show' harmless show.txt
lf show strange.json --json >show.json
check 'show --json' harmless show.json
check 'which reads back as the name' python3 -c 'import json; assert "b\r\n\x7f\x9b2J" in [o["name"] for o in json.load(open("show.json"))["outputs"]]'
check 'names are still recognised' grep -qF 'a\x1b]0;title\x07\x1b[31m' show.txt
lf score strange.json data.csv >score.txt 2>&1
check 'score' harmless score.txt
lf predict strange.json --at <(printf 'output,x\n\e[5mc,1\n') >predict.txt 2>&1
check 'an error about a name' harmless predict.txt
sed 's/"matern[0-9]*"/"\\u001b[5mx\\u009b"/' model.json >kernel.json
lf show kernel.json >kernel.txt 2>&1
check 'an error about a word of a model file' bash -c "grep -q 'the name of a kernel\|there is no kernel' kernel.txt"
check 'is harmless' harmless kernel.txt
# On a terminal the names in a table are visible, too; in a file they are what they are.
lf predict strange.json --grid 3 --quiet -o file.csv
check 'a file has the names' grep -qF $'a\e]0;title\a\e[31m' file.csv
python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) != 0)' "$program" predict strange.json --grid 3 --quiet </dev/null 2>&1 | tr -d '\r' >terminal.txt
check 'a terminal shows them' grep -qF 'a\x1b]0;title\x07\x1b[31m' terminal.txt
check 'harmless' harmless terminal.txt
finish
