#!/usr/bin/env bash
# The systems of examples/equations: every constant is recovered from the default starts, and README.md says what the fits say.
set -u

. "$(dirname "$0")/../support/support.sh"
examples=${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}/examples/equations

# constants FILE: "NAME VALUE ERROR" of every constant that is estimated, from the table that show prints
constants() {
    lf show "$1" | awk '/^Constants/ { on = 1; next } on && !NF { exit } on && !/^constant|^--/ && !/fixed/ { print $1, $2, $4 }'
}
# recovered NAME: within 4 standard errors and a quarter of the truth; the same constants in both
recovered() {
    constants "$examples/truth/$1.eq" >truth.txt
    constants "$1.json" >estimates.txt
    awk 'NR == FNR { truth[$1] = $2; n++; next }
        { e = $2 - truth[$1]; e = e < 0 ? -e : e; m++
          if (!($1 in truth) || !($3 > 0) || e > 4 * $3 || e > 0.25 * truth[$1]) { print $1 ": " $2 " +- " $3 ", truth " truth[$1]; bad = 1 } }
        END { exit bad || n == 0 || n != m }' truth.txt estimates.txt
}
# documented NAME: the table of README.md has every constant with its truth, and an estimate near the one found here
documented() {
    awk -F' *[|] *' -v name="$1" 'FILENAME ~ /README/ { if ($2 == name) { truth[$3] = $4; split($5, a, " "); value[$3] = a[1]; n++ } next }
        FILENAME ~ /truth/ { split($0, a, " "); if (truth[a[1]] + 0 != a[2] + 0) { print $0 ": not the truth of README.md"; bad = 1 } next }
        { split($0, a, " "); e = a[2] - value[a[1]]; m++; if (!(a[1] in value) || e > 0.2 * a[3] || -e > 0.2 * a[3]) { print $0 ": README.md has " value[a[1]]; bad = 1 } }
        END { exit bad || n != m }' "$examples/README.md" truth.txt estimates.txt
}
# system FILE: its equations and known inputs, without comments and blanks
system() { sed "s/#.*//; s/ noise = .*//; s/ //g" "$1" | grep -E "'.*=|=.*'|^input|^time" | sort; }
# same_table A B: as in test_examples.sh, numbers may differ by one in the last decimal
same_table() {
    paste -d'|' "$1" "$2" | awk -F'|' '{ n = split($1, a, ","); if (split($2, b, ",") != n) bad = 1
        for (i = 1; i <= n; i++) if (a[i] != b[i]) { d = a[i] - b[i]; k = index(a[i], "."); last = k ? 10 ^ (k - length(a[i])) : 1
            if (d > 1.001 * last || -d > 1.001 * last) { print NR ": " $0; bad = 1 } } } END { exit bad || NR < 20 }'
}

mkdir -p drawn
check "the data are drawn" "$examples/simulate.sh" "$program" drawn
count=0
for equations in "$examples"/*.eq; do
    name=$(basename "$equations" .eq)
    count=$((count + 1))
    check "$name: the data are as simulate.sh draws them" same_table "$examples/$name.csv" "drawn/$name.csv"
    check "$name: the truth has the same equations" equal "$(system "$examples/truth/$name.eq")" "$(system "$equations")"
    check "$name: fit" lf fit "$examples/$name.csv" --equations "$equations" -o "$name.json"
    check "$name: the constants are recovered" recovered "$name"
    check "$name: README.md" documented "$name"
    lf show "$name.json" >shown.txt
    check "$name: everything is determined" bash -c '! grep -E "do not determine|ended on a bound|not converge" shown.txt'
    check "$name: the file is small" test "$(wc -c <"$examples/$name.csv")" -lt 20000
done
check "a dozen systems" test "$count" -ge 12
finish
