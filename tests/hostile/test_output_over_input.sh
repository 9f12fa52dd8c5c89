#!/usr/bin/env bash
# A file that is read is never replaced by a result, and two results never go to one file. LATENTFORCE is the program.
set -u
. "$(dirname "$0")/../support/bad_input.sh"

cp good.csv rows.csv
cp at.csv points.csv
ln -s rows.csv link.csv
ln rows.csv hard.csv
"$program" condition model.json good.csv --engine kalman -o stored.json -q || exit 1

# keeps FILE NAME EXPECTED -- ARGUMENTS: refused as a wrong command line, and FILE has the same bytes.
keeps() {
    local file=$1 name=$2 option=$3 operand=$4
    shift 5
    cp "$file" before
    bad 2 "$name" "$option " "is also read as $operand" -- "$@"
    if cmp -s "$file" before; then
        passed=$((passed + 1))
    else
        echo "FAIL  $name: $file was changed"
        cp before "$file"
        failed=$((failed + 1))
    fi
}
keeps rows.csv "a fit over its data" -o DATA -- fit rows.csv -o rows.csv
keeps rows.csv "a fit over its data by another path" -o DATA -- fit rows.csv -o ./rows.csv
keeps rows.csv "a fit over its data by a link" -o DATA -- fit link.csv -o rows.csv
keeps rows.csv "a fit over its data by a hard link" -o DATA -- fit rows.csv -o hard.csv
keeps rows.csv "a trace over the data" --trace DATA -- fit rows.csv -o fitted.json --trace rows.csv
keeps rows.csv "a checkpoint over the data" --checkpoint DATA -- fit rows.csv -o fitted.json --checkpoint rows.csv
keeps model.json "a checkpoint over the first model" --checkpoint --init -- fit rows.csv --init model.json -o fitted.json --checkpoint model.json
keeps points.csv "simulate over its inputs" -o --at -- simulate model.json --at points.csv -o points.csv
keeps points.csv "forces over the inputs" --forces --at -- simulate model.json --at points.csv -o drawn.csv --forces points.csv
keeps model.json "simulate over its model" -o MODEL -- simulate model.json --at points.csv -o model.json
keeps points.csv "covariance over its inputs" -o --at -- covariance model.json --at points.csv -o points.csv
keeps stored.json "predict over its model" -o MODEL -- predict stored.json --grid 3 -o stored.json
keeps rows.csv "predict over its data" -o --data -- predict model.json --grid 3 --data rows.csv -o rows.csv
keeps rows.csv "scored rows over the rows" --rows TEST -- score stored.json rows.csv --rows rows.csv
keeps stored.json "scored rows over the model" --rows MODEL -- score stored.json rows.csv --rows stored.json
keeps rows.csv "scores over the rows" -o TEST -- score stored.json rows.csv -o rows.csv
keeps rows.csv "a table over its data" -o DATA -- data rows.csv -o rows.csv
keeps model.json "a shown model over itself" -o MODEL -- show model.json -o model.json
keeps rows.csv "evaluate over its data" -o DATA -- evaluate model.json rows.csv -o rows.csv
keeps rows.csv "condition over its data" -o DATA -- condition model.json rows.csv -o rows.csv
keeps rows.csv "update over its data" -o NEW -- update stored.json rows.csv -o rows.csv
keeps model.json "a report over its model" -o MODEL -- report model.json --data rows.csv -o model.json
keeps rows.csv "a figure over its data" -o --data -- plot model.json --data rows.csv -o rows.csv
keeps model.json "a comparison over a model" -o MODEL -- compare model.json stored.json --data rows.csv -o model.json
bad 2 "two results in one file" "-o and --forces name the same file" -- simulate model.json --at points.csv -o new.csv --forces new.csv
bad 2 "a trace over the model" "-o and --trace name the same file" -- fit rows.csv --trace new.json -o new.json

# A model may replace the model it is made from.
cp model.json live.json
check "condition replaces its model" "$program" condition live.json rows.csv --engine kalman -o live.json -q
check "a device may be read and written" "$program" show model.json -o /dev/null
finish
