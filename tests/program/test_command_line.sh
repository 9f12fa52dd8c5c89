#!/usr/bin/env bash
# The command line itself: short names, help and its topics, suggestions, arguments in the wrong place, standard input and output, JSON
# and completion. LATENTFORCE is the program.
set -u

. "$(dirname "$0")/../support/bad_input.sh"
# says PATTERN ARGUMENT…: succeeds and prints the pattern (a regular expression).
says() {
    local pattern=$1
    shift
    lf "$@" >said.txt 2>said_error.txt </dev/null || { cat said_error.txt; return 1; }
    grep -Eq -- "$pattern" said.txt || { echo "not found: $pattern"; cat said.txt; return 1; }
}
not() { ! "$@"; }
# valid FILE: JSON, by the parser of the program itself, which reports a syntax error with its line and column.
valid() { not grep -E "^latentforce: error: $1:[0-9]+:[0-9]+:" <(lf show "$1" 2>&1); }
commands=$(lf help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }')
lf condition model.json good.csv --quiet --output fitted.json

# ---- help and version ----
check "bare: the commands" says '^  fit +learn a model' # no command at all
check "bare: where to start" says '^Start here:$'
for option in -h --help; do
    check "$option lists the commands" says '^Commands:$' $option
    check "fit $option" says '^usage: latentforce fit DATA \.\.\. \(-o MODEL \| --plan\)' fit $option
done
for option in -v -V --version; do
    check "$option" says '^latentforce [0-9.]+$' $option
    check "fit $option" says '^latentforce [0-9.]+$' fit good.csv $option
done
for topic in files csv model; do
    check "help $topic" says '^  output,x,y$' help $topic
done
check "help parameters" says '^  force1\.lengthscale ' help parameters
check "help engines" says '^  kalman ' help engines
check "help commands" says '^Commands:$' help commands
check "no text is wider than a terminal" equal "$(for topic in files parameters engines commands fit predict; do lf help $topic; done | awk 'length > 84')" ''
check "--help has both names of an option" says '^  -o, --output MODEL ' fit --help
check "--help has sections" says '^Reading data:$' fit --help
check "--help leaves the engine options out" not says '^  --(engine|nodes|tolerance|inducing) ' fit --help
check "and says where they are" says 'latentforce fit --help-engines$' fit --help
check "--help-engines" says '^  --tolerance EPS ' fit --help-engines
check "--help-engines: nothing else" not says '^  --forces ' fit --help-engines
check "--help-engines of the program" says '^  kalman ' --help-engines
check "a command without engine options" says 'no engine options' show --help-engines
check "the manual page has all options" says '^\\fB\\-\\-tolerance' help --man fit
check "the manual page has short names" says '^\\fB\\-o\\fR, \\fB\\-\\-output\\fR' help --man fit
for command in $commands; do
    for option in --output --quiet --help; do
        check "$command has $option" says "^  -., $option\b" "$command" --help
    done
done

# ---- short names ----
check "-o and --output are the same" cmp fitted.json <(lf condition model.json good.csv -q -o -)
check "--output=FILE" lf condition model.json good.csv --quiet --output=again.json
check "and writes it" cmp fitted.json again.json
lf condition model.json good.csv -q -o quiet.json 2>notes.txt
check "-q is --quiet" equal "$(cat notes.txt)" ''
check "show --output" lf show fitted.json --output shown.txt
check "what is printed goes to the file" cmp shown.txt <(lf show fitted.json)
check "score -o" lf score fitted.json good.csv --json -o scores.json
check "nothing else is printed" equal "$(lf evaluate model.json good.csv -o evaluated.txt)" ''
check "the file of evaluate" grep -q '^log likelihood' evaluated.txt
bad 1 "a failure writes no file" nothing.csv -- evaluate model.json nothing.csv -o out/e.txt
bad 1 "a file that cannot be written" nowhere/e.txt -- show model.json -o nowhere/e.txt
bad 2 "both names at once" '--output is given twice' -- condition model.json good.csv -o out/a.json --output out/b.json
bad 2 "a message has the name that was typed" '--output needs a value: --output MODEL' -- fit good.csv --output
bad 2 "and the short one" '-o needs a value: -o MODEL' -- fit good.csv -o

# ---- words that are not known ----
bad 2 "one dash" "'-output'" "'--output'" -- fit good.csv -output out/m.json
bad 2 "one dash and a value" "'-forces'" "'--forces'" -- fit good.csv -forces 2 -o out/m.json
bad 2 "an underscore" "'--force_kernel'" "'--force-kernel'" -- fit good.csv --force_kernel eq -o out/m.json
bad 2 "upper case" "'--Engine=dense'" "'--engine'" -- fit good.csv --Engine=dense -o out/m.json
bad 2 "letters exchanged" "'--froces'" "'--forces'" -- fit good.csv --froces 2 -o out/m.json
bad 2 "half an option" "'--max-iter'" "'--max-iterations'" -- fit good.csv --max-iter 2 -o out/m.json
bad 2 "a value at a short name" "'-oout/m.json'" "'-o out/m.json'" -- fit good.csv -oout/m.json
bad 2 "an option of another command" "'--at' is an option of" predict 'not of fit' -- fit good.csv --at at.csv -o out/m.json
bad 2 "nothing like it" "unknown option '--zzzzzz'" -- fit good.csv --zzzzzz -o out/m.json
bad 2 "a value nearly right" "--engine 'kalmn'" dense "'kalman'" -- evaluate model.json good.csv --engine kalmn
bad 2 "a choice nearly right" "--prior 'frm'" "'firm'" -- fit good.csv --prior frm -o out/m.json
bad 2 "a figure nearly right" "--what 'froces'" "'forces'" -- plot model.json --what froces -o out/p.png
bad 2 "a command nearly right" "'predcit'" "'predict'" -- predcit model.json
bad 2 "a topic as a command" "'help engines'" -- engines
bad 2 "an option before the command" "'--forces'" fit -- --forces 2 good.csv
bad 2 "a topic nearly right" "'enginse'" "'engines'" -- help enginse
bad 2 "the manual page of a topic" files -- help --man files

# ---- arguments in the wrong place ----
bad 2 "data as the command" 'good.csv is a data file' 'latentforce fit good.csv -o model.json' -- good.csv
bad 2 "a model as the command" 'latentforce show model.json' -- model.json
bad 2 "exchanged operands" 'good.csv is a data file, not a model' ': latentforce score model.json good.csv --json' -- score good.csv model.json --json
bad 2 "data for a model" 'good.csv is a data file, not a model: latentforce show MODEL' 'latentforce fit good.csv' -- show good.csv
bad 2 "and nothing else" 'good.csv is a data file, not a model' -- score good.csv
bad 2 "a model for data" 'model.json is a model, not a data file: latentforce fit DATA ... (-o MODEL | --plan)' -- fit model.json -o out/m.json
bad 2 "a model for --data" 'model.json is a model' '--data DATA' -- score model.json good.csv --data model.json
bad 2 "a model for --at" 'model.json is a model' -- predict model.json --at model.json -o out/p.csv
bad 2 "data for --init" 'good.csv is a data file' '--init MODEL' -- fit good.csv --init good.csv -o out/m.json
cp good.csv "with space.csv"
bad 2 "a name with a space" ": latentforce evaluate model.json 'with space.csv'" -- evaluate "with space.csv" model.json
gzip -c good.csv >good.csv.gz
bad 2 "gzipped data for a model" 'good.csv.gz is a data file' -- show good.csv.gz
printf '\n  { "format": "latentforce-model" }\n' >spaces.json
bad 2 "a model after empty lines" 'spaces.json is a model' -- evaluate model.json spaces.json
printf 'nonsense' >nonsense
bad 1 "something else is not called data" nonsense:1 -- show nonsense

# ---- standard input and output ----
check "condition -o - | show -" cmp <(lf condition model.json good.csv -q -o - | lf show - | tail -n +2) <(lf show fitted.json | tail -n +2)
check "fit -o - | show -" grep -q '^standard input: 2 output' <(lf fit good.csv --restarts 1 --max-iterations 3 --errors no -q -o - 2>/dev/null | lf show -)
check "predict -" cmp <(lf predict - --at at.csv <fitted.json) <(lf predict fitted.json --at at.csv)
check "a pipe is not looked into" cmp <(lf evaluate <(cat model.json) <(cat good.csv) | head -n 2) <(lf evaluate model.json good.csv | head -n 2)
check "--init -" lf fit good.csv --init - --max-iterations 2 --errors no -q -o init.json <model.json
bad 2 "standard input twice" "'-'" -- score - -
bad 2 "standard input for --init and data" "'-'" -- fit - --init - -o out/m.json
echo '{ "format": ' | lf show - >stdout.txt 2>stderr.txt
check "an error names standard input" grep -q '^latentforce: error: <stdin>:' stderr.txt

# ---- rbf ----
for name in rbf se; do
    sed "s/\"eq\"/\"$name\"/" model.json >$name.json
    check "$name in a model file is eq" cmp <(lf condition $name.json good.csv -q -o -) fitted.json
    lf fit good.csv --force-kernel $name --forces 1 --no-private --restarts 1 --max-iterations 3 --errors no -q -o fit_$name.json 2>/dev/null
    check "--force-kernel $name is written as eq" grep -q '"kernel": "eq"' fit_$name.json
done

# ---- JSON ----
lf show fitted.json --json >show.json
check "show --json is JSON" valid show.json
for member in '"model":"fitted.json"' '"kernel":"eq","lengthscale":\[0.5\]' '"name":"a","operator":"ode2"' '"damper":\{"value":3,' \
    '"time_constant":' '"natural_frequency":1,' '"sensitivity":\[10\]' '"posterior":\{"engine":"[a-z]+"' '"force1.lengthscale":\{"value":0.5,' '"provenance":'; do
    check "show --json: $member" grep -Eq -- "$member" show.json
done
check "show --json without a posterior" says '"posterior":null' show model.json --json
lf fit good.csv --forces auto --restarts 1 --max-iterations 3 --errors no --json -q --output fit.json >result.json 2>/dev/null
check "fit --json is JSON" valid result.json
for member in '"model":"fit.json"' '"log_likelihood":-?[0-9]' '"converged":(true|false)' '"reason":"' '"iterations":[0-9]' '"seconds":[0-9]' \
    '"rows":3' '"engine":"[a-z]+"' '"candidates":\[\{"operator":"ode1"' '"chosen":true' '"on_bounds":\[' '"force1.lengthscale":\{"value":'; do
    check "fit --json: $member" grep -Eq -- "$member" result.json
done
check "fit --json writes the model too" lf show fit.json
check "provenance has neither --output nor --json" not grep -Eq '"(--output|fit.json|--json|-q)"' fit.json
bad 2 "--json and -o -" --json '-o -' -- fit good.csv --json -o -

# ---- completion ----
lf help --completion bash >completion.bash
check "bash reads it" bash -n completion.bash
# complete WORD…: what bash offers for the last word, sorted, on one line.
complete_words() {
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _latentforce; printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' \
        bash latentforce "$@"
}
check "bash: a command" equal "$(complete_words pl)" 'plot '
check "bash: commands" equal "$(complete_words '' | tr ' ' '\n' | grep -c '^[a-z]')" "$(wc -w <<<"$commands")"
check "bash: an option" equal "$(complete_words fit data.csv --force-)" '--force-kernel '
check "bash: both names" equal "$(complete_words fit --outp)$(complete_words fit -o)" '--output --output-column --outputs -o '
check "bash: a value" equal "$(complete_words fit --engine ka)" 'kalman '
check "bash: a value after =" equal "$(complete_words fit --engine = ka)" 'kalman '
check "bash: values" equal "$(complete_words fit --initial '')" 'free stationary zero '
check "bash: files after -o and for operands" equal "$(complete_words fit -o '')$(complete_words fit '')" '  '
check "bash: topics" equal "$(complete_words help e)" 'engines equations evaluate '
check "bash: no options of other commands" equal "$(complete_words fit --gri)" ' '
lf help --completion zsh >_latentforce
check "zsh: its first line" equal "$(head -n 1 _latentforce)" '#compdef latentforce'
check "zsh: values" grep -q -- "'--initial=\[initial state\]:I:(zero stationary free)'" _latentforce
lf help --completion fish >latentforce.fish
check "fish: values" grep -q -- "-l initial -x -a 'zero stationary free' -d 'initial state'" latentforce.fish
for shell in zsh fish; do
    script=latentforce.fish
    [ $shell = zsh ] && script=_latentforce
    if command -v $shell >/dev/null; then
        check "$shell reads it" $shell -n $script
    else
        echo "skipped: $shell is not installed, so $script is not parsed"
    fi
done
bad 2 "an unknown topic is answered with all topics" "the topics are files, parameters, engines, equations and kernels" -- help zzzzzzzz
bad 2 "an unknown shell" "'tcsh'" bash -- help --completion tcsh

finish
