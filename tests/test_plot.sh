#!/usr/bin/env bash
# Figures: every kind in every format is a file of its kind, shows what it should, and names appear as they are.
set -u

if ! command -v gnuplot >/dev/null; then
    echo "skipped: gnuplot, which draws the figures, is not installed"
    exit 77
fi
. "$(dirname "$0")/support.sh"

# magic FILE BYTES: how the file begins.
magic() { [ "$(head -c ${#2} "$1")" = "$2" ] || { echo "$1 begins with: $(head -c 20 "$1" | od -c)"; false; }; }
well_formed() {
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
    fi
}
# is_figure FILE: by its ending.
is_figure() {
    case $1 in
    *.png) magic "$1" "$(printf '\211PNG')" ;;
    *.svg) magic "$1" '<?xml' && well_formed "$1" ;;
    *.pdf) magic "$1" '%PDF-' && tail -c 20 "$1" | grep -q '%%EOF' ;;
    esac && [ "$(wc -c <"$1")" -gt 3000 ]
}
# fails STATUS MESSAGE ARGUMENT…: plot ends with this status and says this, and leaves no figure behind.
fails() {
    local status=$1 message=$2
    shift 2
    rm -rf none && mkdir none
    lf plot "$@" >out.txt 2>err.txt
    local got=$?
    cat err.txt
    [ $got = "$status" ] && grep -qF -- "$message" err.txt && [ -z "$(ls -A none)" ] && [ ! -s out.txt ]
}
# points FILE MARK: how many points of gnuplot's mark (6: open circle, 7: dot) the figure has, legend included.
points() { grep "xlink:href='#gpPt$(($2 - 1))'" "$1" | grep -vc ' id='; }
# curves FILE COLOUR: how many lines of this colour, "R, G, B" as gnuplot writes them.
curves() { grep -c "<path stroke='rgb($2)'" "$1"; }
text() { grep -qF -- "$2" "$1" || { echo "no text '$2' in $1"; false; }; }

cat >two.json <<'END'
{ "format": "latentforce-model", "version": 1, "initial": "zero", "forces": [ { "kernel": "eq", "lengthscale": 0.5 } ],
  "outputs": [ { "name": "slow", "operator": { "type": "ode2", "mass": 1, "damper": 3, "spring": 1 }, "sensitivity": [10], "noise_variance": 0.1 },
               { "name": "fast", "operator": { "type": "ode2", "mass": 1, "damper": 2, "spring": 4 }, "sensitivity": [10], "noise_variance": 0.1 } ] }
END
awk 'BEGIN { print "output,x,y,split"
    for (d = 0; d < 2; d++) for (i = 0; i < 30; i++) printf "%s,%g,%g,%s\n", (d ? "fast" : "slow"), i / 10, sin(i / 5 + d), (d && i >= 10 && i < 15 ? "test" : "train") }' >two.csv
cat >plane.json <<'END'
{ "format": "latentforce-model", "version": 1, "input_dim": 2, "forces": [ { "kernel": "eq", "lengthscale": 1 } ],
  "outputs": [ { "name": "gold", "operator": { "type": "gaussian", "precision": 4 }, "sensitivity": [1], "noise_variance": 0.01 },
               { "name": "lead", "operator": { "type": "gaussian", "precision": 9 }, "sensitivity": [2], "noise_variance": 0.01 } ] }
END
awk 'BEGIN { print "output,x1,x2,y"; for (i = 0; i < 24; i++) printf "%s,%g,%g,%g\n", i % 2 ? "gold" : "lead", i / 6, (i * 5 % 7) / 7, sin(i / 3) }' >plane.csv
awk 'BEGIN { print "x"; for (i = 0; i < 40; i++) print 3 * i / 39 }' >times.csv

# ---- every kind in every format ----
for format in png svg pdf; do
    lf plot two.json --data two.csv -o "curves.$format"
    lf plot two.json --data two.csv --what forces -o "forces.$format"
    lf plot two.json --what covariance --at times.csv -o "covariance.$format"
    lf plot plane.json --data plane.csv --what map --grid 20 -o "map.$format"
    for kind in curves forces covariance map; do
        check "$kind.$format" is_figure $kind.$format
    done
done
check "the same figure again" cmp <(lf plot two.json --data two.csv -o a.svg && cat a.svg) curves.svg
check "nothing is left beside them" equal "$(find . -name '.latentforce*')" ""

# ---- what curves show: two outputs and a force, 55 training rows, 5 held out ----
check "names" text curves.svg '>slow<'
check "the force has a panel" text curves.svg '>force1<'
check "a legend" text curves.svg '>held-out data<'
check "every training row is a dot (and one in the legend)" equal "$(points curves.svg 7)" 56
check "every held-out row is an open circle (and one in the legend)" equal "$(points curves.svg 6)" 6
check "a mean in each panel, and in the legend" equal "$(curves curves.svg '  0, 114, 178')" 4
lf plot two.json --data two.csv --what outputs --output-name fast -o fast.svg
check "--output-name: the others are left out" equal "$(grep -c '>slow<\|>force1<' fast.svg)" 0
check "--output-name: it is there" equal "$(grep -c '>fast<' fast.svg) $(points fast.svg 7)" "1 26"
check "forces have no data" equal "$(points forces.svg 7)" 0
lf condition two.json two.csv --engine fourier --horizon 4 --quiet -o stored.json
lf plot stored.json -o stored.svg
check "a stored posterior needs no data" is_figure stored.svg
check "an engine can be asked for" lf plot stored.json --data two.csv --engine lowrank --horizon 5 -o ahead.svg
check "--horizon reaches further than the data" text ahead.svg '>5<'
check "without it the axis ends with the data" equal "$(grep -c '>5<' curves.svg)" 0

# ---- replicates and many outputs ----
awk -F, -v OFS=, 'NR == 1 { print "replicate", $0; next } { print "r" NR % 3, $0 }' two.csv >replicates.csv
lf plot two.json --data replicates.csv -o replicates.svg
check "replicates: a curve each in every panel" equal "$(curves replicates.svg '  0, 114, 178') $(curves replicates.svg '213,  94,   0')" "4 4"
check "replicates: named" text replicates.svg '>r2<'
awk -F, -v OFS=, 'NR == 1 { print $0, "sd"; next } { print $0, 0.5 }' two.csv >errors.csv
lf plot two.json --data errors.csv -o errors.svg
check "known errors: bars through the dots" test "$(curves errors.svg ' 51,  51,  51')" -gt "$(curves curves.svg ' 51,  51,  51')"
awk 'BEGIN { printf "{ \"format\": \"latentforce-model\", \"version\": 1, \"forces\": [ { \"kernel\": \"eq\", \"lengthscale\": 1 } ], \"outputs\": ["
    for (i = 1; i <= 20; i++) printf "%s{ \"name\": \"out%d\", \"operator\": { \"type\": \"ode1\", \"decay\": 1 }, \"sensitivity\": [1], \"noise_variance\": 0.1 }", (i == 1 ? "" : ","), i
    print "] }" }' >many.json
printf 'output,x,y\nout1,0,1\nout2,3,1\n' >many.csv
lf plot many.json --data many.csv -o many.svg 2>many.txt
check "of many outputs 16 are drawn" equal "$(grep -c '>out[0-9]*<' many.svg)" 16
check "and the note says so" grep -q "16 of 20 outputs are drawn, 'out17'" many.txt
awk 'BEGIN { print "output,x,y"; for (i = 0; i < 5000; i++) printf "slow,%g,%g\n", i / 1000, sin(i / 500) }' >long.csv
lf plot two.json --data long.csv --engine fourier -o long.svg 2>long.txt
check "long series are thinned" equal "$(points long.svg 7)" 1668
check "and the note says so" grep -q "'slow': one of every 3 of 5000 training rows is drawn" long.txt

# ---- maps and covariances ----
check "map: both inputs" text map.svg '>x2<'
check "map: mean and spread" text map.svg '>lead, standard deviation<'
check "map: 12 places of each output in two panels, and the legend" equal "$(points map.svg 6)" 49
lf plot plane.json --data plane.csv --grid 20 -o default.svg
check "two inputs: a map is the default" cmp default.svg map.svg
check "two inputs: forces are maps too" lf plot plane.json --data plane.csv --what forces --grid 10 -o plane_force.png
check "covariance: an image" grep -q '<image' covariance.svg
lf plot two.json --what covariance --at times.csv --engine features --nodes uniform --features 20 -o features.svg
lf plot two.json --what covariance --at times.csv --engine features --nodes mc --features 100 -o mc.svg
check "covariance: exact and features side by side" equal "$(grep -c '<image' mc.svg)" "$(($(grep -c '<image' covariance.svg) + 1))"
error() { sed -n 's/.*Frobenius error \([-0-9.e+]*\).*/\1/p' "$1"; }
check "uniform frequencies leave no error" awk -v e="$(error features.svg)" 'BEGIN { exit !(e != "" && e < 1e-12) }'
lf covariance two.json --at times.csv -o K.csv
lf covariance two.json --at times.csv --engine features --nodes mc --features 100 -o S.csv
check "the error is that of the matrices" awk -v e="$(error mc.svg)" -F'[;,]' '
    { for (i = 1; i <= NF / 2; i++) s += ($i - $(i + NF / 2)) ^ 2 } END { s = sqrt(s); exit !(e > 0 && (e / s - 1) ^ 2 < 1e-6) }' <(paste -d';' K.csv S.csv)

# ---- names that look like something else ----
cat >hostile.json <<'END'
{ "format": "latentforce-model", "version": 1, "forces": [ { "kernel": "eq", "lengthscale": 1 } ],
  "outputs": [ { "name": "a'b\"c`touch pwned`", "operator": { "type": "ode1", "decay": 1 }, "sensitivity": [1], "noise_variance": 0.1 },
               { "name": "@x $y {z}_1^2 %s\\n39.38", "operator": { "type": "ode1", "decay": 1 }, "sensitivity": [1], "noise_variance": 0.1 },
               { "name": "<b>&amp;\"; system('touch pwned')", "operator": { "type": "ode1", "decay": 1 }, "sensitivity": [1], "noise_variance": 0.1 },
               { "name": "Zoë\n# two lines", "operator": { "type": "ode1", "decay": 1 }, "sensitivity": [1], "noise_variance": 0.1 } ] }
END
cat >hostile.csv <<'END'
replicate,output,x,y
"`touch pwned`{r}","a'b""c`touch pwned`",0,1
"`touch pwned`{r}",@x $y {z}_1^2 %s\n39.38,1,1
END
lf plot hostile.json --data hostile.csv -o hostile.svg
lf plot hostile.json --what covariance --at times.csv -o hostile_matrix.svg
for file in hostile.svg hostile_matrix.svg; do
    check "$file is well-formed" is_figure $file
    sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' $file >plain.txt
    for name in "a'b\"c\`touch pwned\`" '@x $y {z}_1^2 %s\n39.38' "<b>&amp;\"; system('touch pwned')" 'Zoë\x0a# two lines'; do
        check "$file shows $name" text plain.txt "$name"
    done
done
sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' hostile.svg >plain.txt
check "a replicate's name" text plain.txt '`touch pwned`{r}'
check "nothing was run" test ! -e pwned

# ---- what cannot be drawn ----
check "an unknown ending" fails 2 ".png, .svg or .pdf" two.json --data two.csv -o none/figure.gif
check "no ending" fails 2 ".png, .svg or .pdf" two.json --data two.csv -o none/png
check "no -o" fails 2 "-o FIGURE is missing" two.json --data two.csv
check "an unknown kind" fails 2 "--what 'all'" two.json --data two.csv --what all -o none/a.png
check "an unknown output" fails 1 "--output-name 'slaw'" two.json --data two.csv --output-name slaw -o none/a.png
check "no data, no posterior" fails 1 "holds no posterior" two.json -o none/a.png
check "a map over one input" fails 1 "a map is drawn over two inputs" two.json --data two.csv --what map -o none/a.png
check "--at for curves" fails 2 "--at is for --what covariance" two.json --data two.csv --at times.csv -o none/a.png
check "a covariance of nowhere" fails 1 "the range of inputs for the covariance is unknown" two.json --what covariance -o none/a.png
check "a covariance too large" fails 1 "cannot be drawn" two.json --data two.csv --what covariance --grid 1001 -o none/a.png
check "another engine for a covariance" fails 2 "the engines dense and features" two.json --data two.csv --what covariance --engine kalman -o none/a.png
check "a folder that is not there" fails 1 "cannot be written" two.json --data two.csv -o none/folder/a.png
check "two x at one place" fails 1 "no range of inputs" two.json --data <(printf 'output,x,y\nslow,1,1\n') -o none/a.png
mkdir bin
printf '#!/bin/sh\necho half\necho "line 3: something is wrong" >&2\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
echo old >kept.png
# with_path PATH MESSAGE: the figure fails with this message, and the old one stays.
with_path() {
    PATH=$1 "$program" plot two.json --data two.csv -o kept.png 2>gnuplot.txt
    equal $? 1 && text gnuplot.txt "$2" && equal "$(cat kept.png)" old
}
check "gnuplot's own failure is told in its words" with_path "$PWD/bin:$PATH" 'exit status 3): line 3: something is wrong'
check "no gnuplot at all" with_path /nowhere 'apt-get install gnuplot-nox'
check "nothing half-written is left" equal "$(find . -name '.latentforce*')" ""
finish
