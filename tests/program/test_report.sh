#!/usr/bin/env bash
# Reports, as a person meets them: in a browser. The page draws without errors, reads out, zooms, finds, prints, and shows names
# as text whatever is in them. Without chromium this is skipped (exit status 77).
set -u

. "$(dirname "$0")/../support/support.sh"
tests=$(dirname "$0")
case $tests in /*) ;; *) tests=$OLDPWD/$tests ;; esac

# ---- what needs no browser ----
awk 'BEGIN { srand(3); print "output,x,y,sd,split,replicate"
    name[1] = "\"<img src=x onerror=alert(1)>\""; name[2] = "\"</script><b>bold</b> & \"\"quoted\"\"\""
    for (d = 3; d <= 24; d++) name[d] = "sensor" d
    for (r = 1; r <= 2; r++) for (d = 1; d <= 24; d++) for (i = 0; i < 25; i++)
        printf("%s,%.3f,%.5f,%s,%s,%s\n", name[d], i / 2.4, d + r * sin(i / 4 + d / 9) + 0.05 * (rand() - 0.5), d == 1 ? 0.05 : "",
            d == 3 && i > 9 && i < 15 ? "test" : "train", r == 1 ? "<i>one</i>" : "two") }' >data.csv
lf fit data.csv --forces 1 --no-private --restarts 1 --max-iterations 60 --errors yes --quiet -o model.json || exit 1
lf report model.json --data data.csv --quiet -o page.html 2>page.txt
if grep -q libjs-dygraphs page.txt; then
    echo "SKIPPED: dygraphs is not installed"
    exit 77
fi
check "a report is written" test -s page.html
check "names do not end the script" equal "$(grep -c '</script><b>' page.html)" 0
check "nothing is loaded" equal "$(grep -cE '<(script|link|img)[^>]* (src|href)=' page.html)" 0
# The residuals of one output by another route: from what predict says, with noise^2 = sd_y^2 - sd_f^2 and the variance of the model, which
# calibration has widened.
factor=1.7
sed -i '/"variance_inflation"/d; s/^\( *\)"noise_variance"/\1"variance_inflation": '$factor',\n&/' model.json
lf report model.json --data data.csv --quiet -o page.html
check "the model is calibrated" equal "$(grep -c '"variance_inflation": 1.7' model.json)" 24
awk -F, 'NR == 1 { print "output,x,replicate" } $1 == "sensor4" { print $1 "," $2 "," $6 }' data.csv >at.csv
lf predict model.json --at at.csv --quiet -o at.txt
awk -F, '$1 == "sensor4" { print $3 }' data.csv | paste -d, - <(tail -n +2 at.txt) | awk -F, -v factor="$factor" '
    { noise = $7 ^ 2 - $6 ^ 2; s2 = noise - $6 ^ 2 / factor
      z[++n] = ($1 - $5) / sqrt(s2); r[n] = $2; mean += z[n]; square += z[n] ^ 2
      low = n == 1 || z[n] < low ? z[n] : low }
    END { mean /= n
          for (i = 1; i <= n; i++) { v += (z[i] - mean) ^ 2; if (i < n && r[i] == r[i + 1]) c += (z[i] - mean) * (z[i + 1] - mean) }
          printf "%d %.6f %.6f %.6f\n", n, sqrt(square / n), c / v, low }' >expected.txt
sed -n '/^{"name":"sensor4"/s/.*"residuals":{"n":\([0-9]*\),.*"rms":\([^,]*\),"autocorrelation":\[\([^],]*\).*"quantiles":\[\[[^,]*,\([^]]*\).*/\1 \2 \3 \4/p' \
    page.html >found.txt
check "residuals are what predict says" awk 'NR == FNR { split($0, a); next }
    { for (k = 1; k <= 4; k++) if ((a[k] - $k) ^ 2 > 1e-8 || NF != 4) { print; exit 1 } seen = 1 } END { exit !seen }' expected.txt found.txt
residuals_of() { sed -n 's/^{"name":.*"residuals":\(.*\),"innovations".*/\1/p' "$1"; }
sed '/"variance_inflation"/d' model.json >plain.json
lf report plain.json --data data.csv --quiet -o plain.html
check "calibration widens intervals, not what residuals are divided by" cmp <(residuals_of plain.html) <(residuals_of page.html)
check "there are residuals" equal "$(residuals_of page.html | grep -c '"rms":[0-9]')" 24
lf report model.json --quiet -o without.html
check "without data too" test -s without.html
sed '0,/"format"/s//"inputs": [{"name": "<img src=x onerror=alert(1)>"}], "format"/' model.json | grep -v '^ *"inputs": *\[{"name": "x"' >input.json
check "an input with a name like an element" lf report input.json --quiet -o input.html
grep -v two data.csv | sed 's/,[^,]*$//' >one.csv
check "other replicates than the posterior's are refused" bash -c "! '$program' report model.json --data one.csv -o no.html 2>no.txt"
check "they can be conditioned on" lf report model.json --data one.csv --engine auto --quiet -o one.html
last_input() { sed -n '/^{"target":0,"replicate":0,/{s/.*"x":\[[^]]*,\([^],]*\)\].*/\1/p;q}' "$1"; }
check "charts end with the data" equal "$(last_input page.html)" 10
lf report model.json --data data.csv --horizon 15 --quiet -o ahead.html
check "and with a horizon there" equal "$(last_input ahead.html)" 15
lf fit data.csv --forces 1 --no-private --restarts 1 --max-iterations 1 --no-posterior --quiet -o bare.json
lf report bare.json -o no.html 2>no.txt
check "no posterior and no data: status 1" equal $? 1
check "it says what to do" grep -q 'give them with --data DATA' no.txt
lf report model.json -o no.html --dygraphs nowhere 2>no.txt
check "no dygraphs: status 1" equal $? 1
check "it names the package" grep -q 'libjs-dygraphs' no.txt
LATENTFORCE_DYGRAPHS=nowhere lf report model.json -o no.html 2>no.txt
check "the environment names the folder of dygraphs" grep -q 'nowhere/dygraph.min.js: cannot be read' no.txt
check "no half-written page" test ! -e no.html
lf report model.json 2>no.txt
check "no -o: status 2" equal $? 2

awk 'BEGIN { print "output,x1,x2,y,split"; for (i = 0; i < 80; i++) { a = i % 9; b = (i * 7) % 11
    printf "f,%g,%g,%.4f,%s\n", a, b, sin(a / 3) + cos(b / 4), i % 5 ? "train" : "test" } }' >map.csv
lf fit map.csv --restarts 1 --max-iterations 5 --quiet -o map.json
check "several inputs" lf report map.json --data map.csv --quiet -o map.html

check "maps are on the page" grep -q '"map":{"n":50,' map.html
lf predict map.json --grid 50 --data map.csv --quiet -o map.txt
sed -n 's/.*"map":{"n":50,[^m]*"mean":\[\([^]]*\)\].*/\1/p' map.html | head -n 1 | tr ',' '\n' >map_found.txt
check "a map is what predict says" awk -F, 'NR == FNR { if (FNR > 1) mean[FNR - 1] = $4; next }
    { if ((mean[FNR] - $1) ^ 2 > 1e-8 * (1 + mean[FNR] ^ 2)) { print FNR, mean[FNR], $1; exit 1 } n++ } END { exit n != 2500 }' map.txt map_found.txt
awk 'BEGIN { print "output,x1,x2,x3,y"; for (i = 0; i < 40; i++) printf "f,%g,%g,%g,%.4f\n", i % 3, i % 5, i % 7, sin(i) }' >space.csv
lf fit space.csv --restarts 1 --max-iterations 2 --quiet -o space.json
check "three inputs" lf report space.json --data space.csv --quiet -o space.html

# Dates and units. The living room of a house, one reading in half an hour, with held-out rows, a long name and an idle force.
awk 'BEGIN { srand(5); long = "a temperature with a name that is much too long for the first column of any table, measured behind the wardrobe"
    print "output,x,y,split"
    for (i = 0; i < 97; i++) { h = i / 2; for (d = 1; d <= 2; d++)
        printf "%s,2019-12-%02dT%02d:%02d:00,%.4f,%s\n", d == 1 ? "T_in" : "\"" long "\"", 23 + int(h / 24), int(h) % 24, 60 * (h % 1),
            20 + d * sin(h / 4 - d / 3) + 0.05 * (rand() - 0.5), (d == 1 && i > 40 && i < 60 ? "test" : "train") } }' >dated.csv
lf fit dated.csv --forces 2 --force-kernel eq --no-private --restarts 1 --max-iterations 40 --errors yes --fix T_in.sensitivity2=0 \
    --fix "a temperature with a name that is much too long for the first column of any table, measured behind the wardrobe.sensitivity2=0" \
    --quiet -o dated.json
sed -i 's/"name": *"T_in"/&, "unit": "°C"/' dated.json
lf report dated.json --data dated.csv --quiet -o dated.html
check "dates: a report" grep -q '"zero":1577059200' dated.html
check "an idle force is left out" equal "$(grep -c '^{"target":3,' dated.html)" 0
lf report dated.json --data dated.csv --all-forces --quiet -o forces.html
check "--all-forces shows it" equal "$(grep -c '^{"target":3,' forces.html)" 1
check "the verdict is on the page" grep -q '^"verdict":\[{"severity"' dated.html

# 60 000 rows with one outlier, by the kalman engine
cat >long.json <<'END'
{"format":"latentforce-model","version":1,"input_dim":1,"origin":0,"initial":"stationary","forces":[{"kernel":"matern12","lengthscale":3}],
"outputs":[{"name":"a","operator":{"type":"ode1","decay":1},"sensitivity":[1],"noise_variance":0.1}]}
END
awk 'BEGIN { print "output,x,y"; for (i = 0; i < 60000; i++) printf "a,%.4f,%.3f\n", i / 1000, i == 23456 ? 97.531 : sin(i / 1000) }' >long.csv
check "many rows" lf report long.json --data long.csv --engine kalman --quiet -o long.html
check "are thinned" test "$(stat -c %s long.html)" -lt 700000
check "and keep their extremes" grep -q '[,[]97.531[],]' long.html

# ---- equations: doses to two people, an input that holds, one that is linear ----
cat >dose.eq <<'END'
time h
input dose impulse
input fan constant
input leak
force drift ~ matern32(lengthscale = 6, amplitude = 0.2)
force shake ~ white(sd = 0.05)
parameter V = 10 fixed
gut' = dose - ka*gut
plasma' = ka*gut/V - ke*plasma + drift + 0.1*fan + 0.01*leak + shake
output conc = plasma
start rest
quantity halflife = log(2)/ke
END
awk 'BEGIN { srand(2); print "replicate,t,conc,dose,fan,leak"; split("ann bob", name, " ")
    for (r = 1; r <= 2; r++) { g = p = 0
        for (i = 0; i <= 480; i++) { t = i / 10; d = i == 0 || i == 120 * r ? 100 : 0; g += d
            if (i % 10 == 0) printf "%s,%g,%.4f,%s,%d,%.3f\n", name[r], t, p + 0.1 * (rand() - 0.5), (d ? d : ""), (t > 20), cos(t / 9)
            for (s = 0; s < 10; s++) { q = g / 10 - 0.2 * p + 0.4 * sin(t / 4 + r) + 0.1 * (t > 20); g -= 0.01 * g; p += 0.01 * q } } } }' >dose.csv
lf fit dose.csv --equations dose.eq --restarts 1 --errors yes -o dose.json 2>dose.txt || exit 1
check "equal doses are nothing to warn of" bash -c "! grep -q 'is constant' dose.txt"
lf report dose.json --data dose.csv --quiet -o dose.html
check "equations: a report" grep -q '^"equations":{"text":"time h' dose.html
lf predict dose.json --states --grid 1000 --quiet -o states.csv
sed -n '/^{"target":2,"replicate":0,/s/.*"mean":\[\([^]]*\)\].*/\1/p' dose.html | tr ',' '\n' >state_found.txt
check "states are what predict says" awk -F, 'NR == FNR { if ($1 == "ann" && $2 == "gut") mean[++n] = $4; next }
    { if ((mean[FNR] - $1) ^ 2 > 1e-8 * (1 + mean[FNR] ^ 2)) { print FNR, mean[FNR], $1; exit 1 } m++ } END { exit m < 200 || m != n }' states.csv state_found.txt
check "doses are readings" grep -q '"known":0,"replicate":1,"rows":2,"x":\[0,24\],"y":\[100,100\]}' dose.html
check "an input that holds" grep -q '"known":1,"replicate":0,"rows":49,"x":\[0,1,2,' dose.html
# Whiteness: what the fit stored, to four digits, and what the page shows are the same.
stored() { sed -n "s/.*\"$1\": *\([-0-9.e]*\),*\$/\1/p" dose.json | head -n 1; }
shown() { sed -n "s/^{\"name\":\"conc\".*\"innovations\":{[^[]*\"$1\":\([-0-9.e]*\),.*/\1/p" dose.html; }
for key in periodogram periodogram_p peak_share autocorrelation_p; do
    check "$key is that of the fit" awk -v a="$(stored $key)" -v b="$(shown $key)" 'BEGIN { d = a - b; exit !(a != "" && b != "" && (d < 0 ? -d : d) <= 2e-3 * b + 1e-4) }'
done
check "rows are evenly spaced" equal "$(shown spacing)" 1
lf report dose.json --quiet -o dose_alone.html
check "inputs without data, from the model" grep -q '"known":0,"replicate":1,"rows":2,"x":\[0,24\]' dose_alone.html

# ---- in the browser ----
if ! command -v chromium >/dev/null || ! command -v python3 >/dev/null; then
    [ "$failed" -eq 0 ] || finish
    echo "SKIPPED: chromium or python3 is not installed, so no page was opened"
    exit 77
fi
# browse PAGE OPTION…: what browser.py prints, in PAGE.dom; the messages of the page in PAGE.log.
browse() {
    local page=$1
    check "$page: opened" bash -c '"$0" "$@" >"$2.dom" 2>"$2.log" || { cat "$2.log"; false; }' python3 "$tests/browser.py" "$@"
    check "$page: no messages in the console" bash -c "! grep . $page.log"
}
score=$(lf score model.json data.csv --json | sed 's/.*"overall":{[^}]*"rmse":\([^,}]*\).*/\1/')
{ cat page.html; echo "<script>const expectedRmse = $score;</script>"; } >checked.html
browse checked.html --script "$tests/report_checks.js"
check "the checks ran to their end" grep -q '^ok ran to the end$' checked.html.dom
while read -r verdict name; do
    check "in the browser: $name" test "$verdict" = ok
done < <(grep -E '^(ok|FAIL) ' checked.html.dom)
# checked PAGE SIZE: the checks of report_page_checks.js in a window of this size.
checked() {
    { cat "$1"; echo '<script>const expectedFirst = "2019-12-23T00:00:00", expectedReadout = "x 2019-12-23T00:00:00";</script>'; } >"$2-$1"
    TZ=Asia/Tokyo browse "$2-$1" --size "$2" --script "$tests/report_page_checks.js"
    check "$2-$1: the checks ran to their end" grep -q '^ok ran to the end$' "$2-$1.dom"
    while read -r verdict name; do
        check "$2-$1: $name" test "$verdict" = ok
    done < <(grep -E '^(ok|FAIL) ' "$2-$1.dom")
}
for size in 360x740 1200x900; do
    checked dated.html $size
    checked map.html $size
done
for size in 360x740 1200x900; do
    cp dose.html "$size-dose.html"
    browse "$size-dose.html" --size $size --script "$tests/report_equations_checks.js"
    while read -r verdict name; do
        check "$size-dose.html: $name" test "$verdict" = ok
    done < <(grep -E '^(ok|FAIL) ' "$size-dose.html.dom")
    check "$size-dose.html: the checks ran to their end" grep -q '^ok ran to the end$' "$size-dose.html.dom"
done
browse dose_alone.html --until 'document.querySelector("canvas")'
browse space.html --until 'document.querySelector(".seen")'
browse without.html --until 'document.querySelector("canvas")'
browse input.html --until 'document.querySelector(".dygraph-xlabel")'
check "the name of an input makes no element" bash -c "grep -q '&lt;img src=x onerror' input.html.dom && ! grep -q '<img' input.html.dom"
browse map.html --until 'document.querySelector(".held")'
check "several inputs: no charts along time" bash -c "! grep -q '<canvas' map.html.dom"
browse long.html --until 'document.body.textContent.includes("60,000 rows, of which")'
browse page.html --pdf page.pdf
check "it prints" bash -c "head -c 5 page.pdf | grep -q %PDF"
finish
