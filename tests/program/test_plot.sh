#!/usr/bin/env bash
# Figures: every kind in every format is a file of its kind, shows what it should, and names appear as they are.
set -u

if ! command -v gnuplot >/dev/null; then
    echo "skipped: gnuplot, which draws the figures, is not installed"
    exit 77
fi
. "$(dirname "$0")/../support/support.sh"

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
awk 'BEGIN { print "output,x,y"; for (i = 0; i < 5000; i++) printf "slow,%g,%g\n", i / 1000, i == 2345 || i == 4321 ? 9 : sin(i / 500) }' >long.csv
lf plot two.json --data long.csv --engine fourier -o long.svg 2>long.txt
check "long series are thinned" equal "$(points long.svg 7)" 2001
check "and the note says so" grep -q "'slow': 2000 of 5000 training rows are drawn, the least and the largest" long.txt
heights() { sed -n "s/.*xlink:href='#gpPt6' transform='translate([0-9.]*,\([0-9.]*\)).*/\1/p" "$1" | sort -n; } # from the top, the legend first
check "and keep both outliers" equal "$(heights long.svg | sed -n 2p)" "$(heights long.svg | sed -n 3p)"
check "which are far above the rest" awk 'NR == 3 { y = $1 } NR == 4 { exit !($1 > y + 40) }' <(heights long.svg)

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

# ---- dates and units ----
# dated NAME ZERO UNIT LAST: a stored posterior from 0 to LAST of an input in UNIT that is 0 at ZERO, drawn as NAME.svg.
dated() {
    sed "s/\"lengthscale\": 0.5/\"lengthscale\": $4/" two.json >plain.json
    awk -v last="$4" 'BEGIN { print "output,x,y"; for (i = 0; i <= 10; i++) printf "slow,%.12g,%g\nfast,%.12g,%g\n", last * i / 10, sin(i), last * i / 10, cos(i) }' >plain.csv
    lf condition plain.json plain.csv --engine fourier --quiet -o plain_stored.json &&
        sed "s/\"version\": 1,/& \"inputs\": [ { \"name\": \"clock\", \"unit\": \"$3\", \"zero\": \"$2\" } ],/; s/\"name\": \"slow\"/&, \"unit\": \"°C\"/" \
            plain_stored.json >dated.json && lf plot dated.json -o "$1.svg"
}
# labels FILE: the labels of the figure that are dates or times of day, each once, in their order.
labels() { grep -o '>[^<]*<' "$1" | tr -d '<>' | grep -E '^([0-9]+ )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( [0-9]+)?$|^[0-9:.]+:[0-9.]+$|^[12][0-9]{3}$' | awk '!seen[$0]++' | paste -sd' '; }
check "a dated figure" dated leap 2020-02-27T00:00:00 d 4
check "days, over the 29th of February" equal "$(labels leap.svg)" "27 Feb 2020 28 Feb 29 Feb 1 Mar 2 Mar"
check "the unit of an output" text leap.svg '>slow (°C)<'
check "the name of the input" text leap.svg '>clock<'
dated hours 2019-12-31T18:00:00 h 12
check "hours, over the end of a year" equal "$(labels hours.svg)" "18:00 31 Dec 2019 20:00 22:00 00:00 1 Jan 2020 02:00 04:00 06:00"
dated months 2018-11-15T00:00:00 d 150
check "months" equal "$(labels months.svg)" "Dec 2018 Jan 2019 Feb Mar Apr"
dated years 1999-06-01 d 2200
check "years" equal "$(labels years.svg)" "2000 2001 2002 2003 2004 2005"
dated seconds 2019-12-31T23:59:58 s 4
check "seconds" equal "$(labels seconds.svg)" "23:59:58 31 Dec 2019 23:59:59 00:00:00 1 Jan 2020 00:00:01 00:00:02"
sed 's/, "zero": "[^"]*"//' dated.json >united.json
lf plot united.json -o united.svg
check "a unit without dates" text united.svg '>clock (s)<'
printf 'time,slow,fast\n2020-01-01T00:00,1,2\n2020-01-01T01:00,2,1\n2020-01-01T02:00,1,\n2020-01-01T03:00,0,1\n' >clock.csv
lf fit clock.csv --forces 1 --no-private --restarts 1 --max-iterations 3 --quiet -o clock.json
check "a model of dated data" lf plot clock.json --data clock.csv -o clock.svg
check "has dates" text clock.svg '>1 Jan 2020<'

# ---- titles, labels, sizes, selections ----
pixels() { sed -n "s/.*<svg.* width=\"\([0-9]*\)\".*height=\"\([0-9]*\)\".*/\1x\2/p; s/^ *width=\"\([0-9]*\)\" height=\"\([0-9]*\)\".*/\1x\2/p" "$1" | head -n 1; }
lf plot two.json --data two.csv --title 'Two <masses> & "one" force' --xlabel 'time {s}' --ylabel 'way_1' -o titled.svg
sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' titled.svg >plain.txt
for words in 'Two <masses> & "one" force' 'time {s}' 'way_1'; do
    check "as it is: $words" text plain.txt ">$words<"
done
check "the label of x stands below outputs and below forces" equal "$(grep -c '>time {s}<' titled.svg)" 2
check "the label of y stands beside outputs only" equal "$(grep -c '>way_1<' titled.svg)" 2
lf plot two.json --data two.csv --size 640x480 -o size.svg
check "--size in pixels" equal "$(pixels size.svg)" 640x480
lf plot two.json --data two.csv --size 16x10cm -o size.svg
check "--size in cm" equal "$(pixels size.svg)" 605x378
lf plot two.json --data two.csv --size 640x480 -o size.png
check "a png has these pixels" equal "$(od -An -tu1 -j16 -N8 size.png | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')" 640x480
lf plot plane.json --data plane.csv --size 700x400 --grid 10 -o size.svg
check "--size of a map" equal "$(pixels size.svg)" 700x400
lf plot two.json --what covariance --at times.csv --size 300x260 -o size.svg
check "--size of a covariance" equal "$(pixels size.svg)" 300x260
panels() { grep -oE '>(slow|fast|force1|a,b)<' "$1" | tr -d '<>' | paste -sd' '; }
lf plot two.json --data two.csv --only force1,fast -o only.svg
check "--only: an output and a force" equal "$(panels only.svg)" "fast force1"
lf plot two.json --data two.csv --only slow --only fast -o only.svg
check "--only twice" equal "$(panels only.svg)" "slow fast"
sed 's/"slow"/"a,b"/' two.json >comma.json
lf plot comma.json --data <(sed 's/^slow/"a,b"/' two.csv) --only a,b -o only.svg
check "--only: a name with a comma" equal "$(panels only.svg)" "a,b"
check "--only: an unknown name" fails 1 "--only 'quick': is neither an output nor a force" two.json --data two.csv --only slow,quick -o none/a.png
check "--only and --output-name" fails 2 "give either --only or --output-name" two.json --data two.csv --only slow --output-name fast -o none/a.png
check "--only a force, --what outputs" fails 1 "is a force" two.json --data two.csv --only force1 --what outputs -o none/a.png
check "--size that is none" fails 2 "--size 'large'" two.json --data two.csv --size large -o none/a.png
check "--size too small" fails 1 "is too small for 3 panels" two.json --data two.csv --size 200x100 -o none/a.png

# ---- idle forces: a second force that no output feels, in a stored diagnosis ----
awk 'BEGIN { print "output,x,y"; for (i = 0; i < 60; i++) printf "a,%g,%.4f\nb,%g,%.4f\n", i / 6, sin(i / 6), i / 6, 2 * sin(i / 6 - 0.3) }' >idle.csv
lf fit idle.csv --forces 2 --force-kernel eq --no-private --restarts 1 --max-iterations 30 --fix a.sensitivity2=0 --fix b.sensitivity2=0 --quiet -o idle.json
lf plot idle.json -o idle.svg --data idle.csv 2>idle.txt
check "an idle force is left out" equal "$(grep -o '>force[0-9]<' idle.svg)" '>force1<'
check "and the note says so" grep -q 'force2 is idle and not drawn; --all-forces draws it' idle.txt
lf plot idle.json --quiet --all-forces -o idle.svg --data idle.csv
check "--all-forces draws it" equal "$(grep -c '>force[0-9]<' idle.svg)" 2
lf plot idle.json --quiet --only force2 -o idle.svg --data idle.csv
check "so does its name" equal "$(grep -o '>force[0-9]<' idle.svg)" '>force2<'

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

# ---- equations: states, known inputs, residuals ----
cat >tank.eq <<'END'
input pump constant
input rain
input tracer impulse
force leak ~ matern32(lengthscale = 4, amplitude = 0.3)
upper' = 0.5*pump + rain - 0.4*upper
lower' = 0.4*upper - k*lower + leak + tracer
output level = lower noise = 0.05
parameter k = 0.3
END
awk 'BEGIN { srand(4); print "t,level,pump,rain,tracer"; u = 1; l = 1
    for (i = 0; i < 120; i++) { t = i / 4; p = int(t / 8) % 2; r = 0.2 + 0.2 * sin(t / 3); printf "%g,%.4f,%d,%.4f,%s\n", t, l + 0.1 * (rand() - 0.5), p, r, (i == 40 ? 2 : "")
        l += (i == 40 ? 2 : 0) + 0.25 * (0.4 * u - 0.3 * l + 0.3 * sin(t / 4)); u += 0.25 * (0.5 * p + r - 0.4 * u) } }' >tank.csv
lf fit tank.csv --equations tank.eq --restarts 1 --quiet -o tank.json || exit 1
lf plot tank.json --data tank.csv --quiet -o tank.svg
for name in level leak pump rain tracer; do
    check "equations: a panel of $name" text tank.svg ">$name<"
done
check "no states by default" equal "$(grep -c '>upper<' tank.svg)" 0
lf plot tank.json --what states -o states.svg --quiet
check "--what states" bash -c "grep -q '>upper<' states.svg && grep -q '>lower<' states.svg && ! grep -q '>level<\|>leak<\|>pump<' states.svg"
lf plot tank.json --what inputs -o inputs.svg --quiet
check "--what inputs" bash -c "grep -q '>rain<' inputs.svg && grep -q '>readings<' inputs.svg && ! grep -q '>level<\|>leak<\|95 % band' inputs.svg"
lf plot tank.json --only upper,tracer -o only.svg --quiet
check "--only: a state and an input" bash -c "grep -q '>upper<' only.svg && grep -q '>tracer<' only.svg && ! grep -q '>level<\|>leak<\|>pump<' only.svg"
for format in png svg pdf; do
    lf plot tank.json --what residuals --data tank.csv --quiet -o "residuals.$format"
    check "residuals.$format" is_figure residuals.$format
done
check "residuals: two panels" bash -c "grep -q '>level: autocorrelation<' residuals.svg && grep -q '>level: cumulative periodogram<' residuals.svg"
check "residuals: axes" bash -c "grep -q '>lag, in rows<' residuals.svg && grep -q '>frequency, in cycles per unit of the input<' residuals.svg"
check "residuals of other models" bash -c "'$program' plot two.json --data two.csv --what residuals --only fast --quiet -o fast.svg && grep -q '>fast: autocorrelation<' fast.svg && ! grep -q slow fast.svg"
check "residuals without data" fails 2 "--what residuals needs the readings" tank.json --what residuals -o none/a.png
check "residuals of few rows" fails 1 "no output has 20 training rows" two.json --data <(head -n 12 two.csv) --what residuals -o none/a.png
check "residuals over two inputs" fails 1 "need one input" plane.json --data plane.csv --what residuals -o none/a.png
check "states of operators" fails 1 "is for models given by equations" two.json --data two.csv --what states -o none/a.png
check "no known inputs" fails 1 "has no known inputs" two.json --data two.csv --what inputs -o none/a.png
check "a state is no force" fails 1 "is a state, which --what forces does not draw" tank.json --what forces --only upper -o none/a.png

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
