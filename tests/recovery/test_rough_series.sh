#!/usr/bin/env bash
# Series that are rough at the scale of their readings: white forces are tried, chosen for random walks, and not for smooth series.
set -u

. "$(dirname "$0")/../support/support.sh"
# series SMOOTH: three outputs, every 1 from 0 to 199; random walks with a common factor, or sums of slow waves. Windows of the first are marked test.
series() {
    awk -v smooth="$1" 'function uniform() { return (seed = (seed * 16807) % 2147483647) / 2147483647 }
        function normal(i, sum) { for (sum = -6; i < 12; i++) sum += uniform(); return sum }
        BEGIN {
            seed = 11; print "output,x,y,split"
            for (i = 0; i < 200; i++) {
                common = normal()
                for (d = 1; d <= 3; d++) {
                    y[d] = smooth ? sin(i / 9 + d) + 0.5 * cos(i / 5 * d / 2) + 0.05 * normal() : y[d] + 0.8 * common + 0.6 * normal()
                    printf "s%d,%d,%.5f,%s\n", d, i, y[d], (d == 1 && i % 50 >= 30 && i % 50 < 36 ? "test" : "train")
                }
            }
        }'
}
series 0 >walks.csv
series 1 >smooth.csv
nlpd() { lf score "$1" walks.csv --quiet | awk '$1 == "(all)" { print $4 }'; }
quick="--errors no --period none"
shared() { sed -n '/"forces": \[/,/\]/p' "$1" | grep -o '"kernel": "[a-z0-9]*"' | sort -u; }

lf fit walks.csv $quick --quiet -o walks.json
check "random walks: white forces" equal "$(shared walks.json)" '"kernel": "white"'
check "and white private forces" grep -q '"private": {"kernel": "white"' walks.json
check "by a comparison" decided '^ode1, [1-3] white forces?; largest score' walks.json 'selection: white forces'
lf fit walks.csv $quick --force-kernel matern32 --private-kernel matern12 --quiet -o matern.json
check "a kernel that is given is kept" equal "$(shared matern.json)" '"kernel": "matern32"'
check "white ones predict the gaps no worse" awk "BEGIN { exit !($(nlpd walks.json) < $(nlpd matern.json) + 0.01) }"
lf fit smooth.csv $quick --quiet -o smooth.json
check "smooth series: none" equal "$(shared smooth.json)" '"kernel": "matern32"'
awk -F, 'NR == 1 || $2 < 15' walks.csv >short.csv
lf fit short.csv $quick --quiet -o short.json
check "few rows cannot tell" equal "$(shared short.json)" '"kernel": "matern32"'
finish
