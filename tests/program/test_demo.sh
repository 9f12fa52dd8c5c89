#!/usr/bin/env bash
# The demo runs from end to end, and what it tells about a system whose truth is known is good.
set -u

. "$(dirname "$0")/../support/support.sh"
# The error in the window that the story tells.
nmse() { sed -n 's/^3[^(]*(nmse \([0-9.]*\)).*/\1/p' story.txt; }

mkdir -p house
echo mine >house/other.txt
lf demo --output house >story.txt 2>errors.txt
check "it runs" equal $? 0
cat story.txt
check "it says five lines" equal "$(grep -c '^[1-5]\. ' story.txt)" 5
check "and, below them, the commands" equal "$(grep -vc '^[1-5]\. ' story.txt)" "$(grep -c '^   \$ ' story.txt)"
check "the fit has no settings" grep -qxF '   $ latentforce fit data.csv -o model.json' story.txt
check "and nothing else" test ! -s errors.txt
for file in data.csv model.json truth.json forces.csv; do
    check "$file is there" test -s house/$file
done
check "other files are left alone" equal "$(cat house/other.txt)" mine
if command -v gnuplot >/dev/null; then
    check "figures are there" test -s house/rooms.png -a -s house/covariance.png
else
    check "no figures are there" test ! -e house/rooms.png -a ! -e house/covariance.png
fi

check "the window is filled in" awk -v e="$(nmse)" 'BEGIN { exit !(e != "" && e < 0.05) }'
check "better than from the sensor alone" awk '/^3/ { n = split($0, part, "nmse "); exit !(n == 3 && 5 * (part[2] + 0) < part[3] + 0) }' story.txt
check "score says the same" equal "$(lf score house/model.json house/data.csv | awk '$1 == "(all)" { printf "%.3f", $3 }')" "$(nmse)"
check "both forces are recovered" awk '/^4/ { for (i = 1; i < NF; i++) { if ($i == "sun") s = $(i + 1) + 0; if ($i == "occupants") o = $(i + 1) + 0 }
    exit !(s > 0.95 && o > 0.95) }' story.txt
check "two forces" grep -q '^2[^;]* 2 hidden forces' story.txt
check "time constants within 15 % and three standard errors" awk '/^2/ { n = split($0, part, " h \\(truth ")
    for (i = 2; i <= n; i++) { m = split(part[i - 1], word, " "); found = word[m - 2]; error = word[m]; truth = part[i] + 0; away = found - truth
        if (away < 0) away = -away
        if (word[m - 1] != "+-" || !(error > 0) || away > 0.15 * truth || away > 3 * error) bad = 1 }
    exit bad || n != 5 }' story.txt
# The commands give the same model again.
mkdir repeated
cp house/data.csv repeated/
sed -n 's/^   \$ latentforce //p' story.txt | while read -r words; do
    (cd repeated && "$program" $words >>out.txt 2>notes.txt) || touch repeated/failed
done
check "the commands run" test ! -e repeated/failed
check "they make the same model" cmp <(grep -v -- '--quiet' house/model.json) <(grep -v -- '--quiet' repeated/model.json)
check "and the same report" test -s repeated/report.html

echo mine >file
check "a file is no folder" bash -c '! "$0" demo --output file 2>errors.txt' "$program"
check "it says so" grep -q -- '--output file: is a file' errors.txt
check "and is left alone" equal "$(cat file)" mine
check "a folder in a folder that is not there" bash -c '! "$0" demo --output no/where 2>/dev/null' "$program"
check_all || finish # all of it a second time
cp house/data.csv first.csv
PATH=/nowhere "$program" demo --output house >again.txt
check "it runs without gnuplot" equal $? 0
check "and says that there are no figures" grep -q '^5.*no figures, because gnuplot is not installed' again.txt
check "the same data again" cmp house/data.csv first.csv
check "the same story, but for the seconds" cmp <(sed 's/in [0-9.]* s;//; /^5/,$d' story.txt) <(sed 's/in [0-9.]* s;//; /^5/,$d' again.txt)
finish
