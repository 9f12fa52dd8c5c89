#!/usr/bin/env bash
# The examples run, and what they say about themselves is so: what other outputs saw improves the prediction.
set -u

. "$(dirname "$0")/../support/support.sh"
examples=${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}/examples

# halves FILE WITH ALONE: the error in the row that begins with WITH is less than half of that in the row of ALONE.
halves() {
    awk -v with="$2" -v alone="$3" 'index($0, with) == 1 { a = $NF } index($0, alone) == 1 { b = $NF }
        END { print a, b; exit !(a > 0 && b > 0 && a < b / 2) }' "$1"
}

check "two-mass runs" bash -c "'$examples/two-mass/run' '$program' >two-mass.txt"
check "two-mass: one mass helps the other" halves two-mass.txt "error of mass2" "the same from mass2 alone"
check "cokriging runs" bash -c "'$examples/cokriging/run' '$program' >cokriging.txt"
check "cokriging: other places help" halves cokriging.txt "error of gold" "the same from the measurements"
check "cokriging: a map of 16 rows" equal "$(grep -c '^    [-:=+*#%@o]\{31\}$' cokriging.txt)" 16

# same_table A B: the same cells. A number may differ by one in its last decimal: machines round draws differently, by about 1e-9 of
# their standard deviation, and the script then rounds to a few decimals.
same_table() {
    awk -F, 'function decimals(a) { return index(a, ".") ? length(a) - index(a, ".") : 0 }
        function is_number(a) { return a ~ /^-?[.0-9]+$/ }
        function near(a, b) { return (a - b) ^ 2 <= (1.001 * 10 ^ -decimals(a)) ^ 2 }
        FILENAME == ARGV[1] { row[++n] = $0; next }
        { bad = split(row[++m], a, ",") != NF
          for (i = 1; i <= NF; i++) {
              numbers = is_number(a[i]) && is_number($i) && decimals(a[i]) == decimals($i) && decimals($i) > 0
              bad = bad || a[i] != $i && !(numbers && near(a[i], $i))
          }
          if (bad) { print row[m] " is not like " $0; exit } }
        END { exit bad || m != n }' "$1" "$2"
}
for file in stations/stations.csv genes/genes.csv genes/activity.csv motion/motion.csv house/house.csv cokriging/deposits.csv drug/drug.csv \
    house-heating/house.csv house-heating/next-days.csv house-heating/what-happened.csv house-heating/truth.csv \
    frame/frame.csv frame/truth.csv gene-cascade/cascade.csv gene-cascade/between.csv gene-cascade/truth.csv; do
    example=${file%%/*}
    mkdir -p "$example"
    [ -e "$example/${file#*/}" ] || check "$example: data are drawn" "$examples/$example/simulate" "$program" "$example"
    check "$file is as its script draws" same_table "$examples/$file" "$file"
    check "$file is small" test "$(wc -c <"$examples/$file")" -lt 100000
done
finish
