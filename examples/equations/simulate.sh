#!/bin/sh
# Draws NAME.csv from truth/NAME.eq for every system of this folder. Usage: simulate.sh [PROGRAM [FOLDER]], where PROGRAM is the
# latentforce program and FOLDER receives the files.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../build/latentforce}
target=${2:-$here}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Functions of time for the tables of known inputs: switched(level, period) is 0 or level, drawn again every period rows; hour is that of
# the day; weather is an outside temperature.
tools='function random() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
    function switched(level, rows) { if (i % rows == 0 || !(rows in state)) state[rows] = random() < 0.5 ? level : 0; return state[rows] }
    function weather(t) { return 5 + 4 * sin(0.2617994 * (t - 9)) + 3 * sin(0.045 * t) }
    function sun(t,  s) { s = sin(0.2617994 * (t % 24 - 6)); return s > 0 ? 0.5 * s * s : 0 }'

# table ROWS STEP HEADING FORMAT VALUES: a table of known inputs, whose columns after the time are the VALUES at the time t of row i.
table() {
    awk "$tools"' BEGIN { seed = 12345; print "'"$3"'"; for (i = 0; i < '"$1"'; i++) { t = i * '"$2"'; printf "%.10g'"$4"'\n", t'"$5"' } }'
}
# draw NAME SEED DECIMALS HEADING: reads the table of known inputs; appends the outputs of the truth as columns, in the order of the
# equations, with these decimals; HEADING is that of the file.
draw() {
    cat >"$folder/at.csv"
    "$program" simulate "$here/truth/$1.eq" --at "$folder/at.csv" --seed "$2" --quiet -o "$folder/drawn.csv"
    awk -F, -v decimals="$3" -v heading="$4" -v outputs="$(sed -n 's/^output \([^ ]*\) .*/\1/p' "$here/truth/$1.eq" | tr '\n' ' ')" '
        function key(t) { return sprintf("%.9g", t) }
        BEGIN { n = split(outputs, output, " "); split(decimals, digits, " "); print heading }
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; subjects = "replicate" in column; next }
        NR == FNR { drawn[$column["output"], subjects ? $column["replicate"] : "", key($column["x"])] = $column["y"]; next }
        { line = $0
          for (k = 1; k <= n; k++) line = line "," sprintf("%." digits[k] "f", drawn[output[k], subjects ? $NF : "", key($1)])
          print line }' "$folder/drawn.csv" "$folder/at.csv" >"$target/$1.csv"
}

table 300 1 time,To,Qh ',%.1f,%g' ', weather(t), switched(5, 9)' |
    draw rc1 1 2 'time [h],To [°C],Qh [kW],Ti [°C]'
table 400 0.5 time,To,Qh ',%.1f,%g' ', weather(t), switched(5, 7)' |
    draw rc2 2 2 'time [h],To [°C],Qh [kW],Ti [°C]'
table 400 0.5 time,To,sun,Qh ',%.1f,%.3f,%g' ', weather(t), sun(t), switched(5, 5)' |
    draw rc3 3 '1 2' 'time [h],To [°C],sun [kW/m2],Qh [kW],Th [°C],Ti [°C]'
table 400 0.5 time,To,Q1,Q2 ',%.1f,%g,%g' ', weather(t), switched(5, 7), switched(4, 11)' |
    draw rc4 4 '2 2' 'time [h],To [°C],Q1 [kW],Q2 [kW],T1 [°C],T2 [°C]'
table 300 0.05 time '' '' |
    draw masses 5 '2 2 2' 'time [s],x1 [mm],x2 [mm],x3 [mm]'
table 400 0.25 time '' '' |
    draw tuned-damper 6 '4 4' 'time [s],accel [m/s2],stroke [m]'
table 200 2e-5 time,v ',%g' ', switched(10, 25)' |
    draw rlc 15 '4 2' 'time [s],v [V],i [A],vc [V]'
# Doses at 0 and 12 h; readings at the times that a clinic would choose.
subjects() {
    awk -v amounts="$1" -v times="$2" 'BEGIN { print "time,dose,replicate"; n = split(amounts, dose, " "); m = split(times, t, " ")
        for (s = 1; s <= n; s++) for (k = 1; k <= m; k++) print t[k] "," (t[k] == 0 || t[k] == 12 ? dose[s] : "") ",subject" s }'
}
subjects '100 200 300' '0 0.5 1 2 4 6 8 12 12.5 13 14 18 24 36' |
    draw one-compartment 8 2 'time [h],dose [mg],replicate,conc [mg/L]'
subjects '100 200 300' '0 0.25 0.5 1 1.5 2 4 6 9 12 12.25 12.5 13 14 16 20 24 30 36 48' |
    draw two-compartments 9 2 'time [h],dose [mg],replicate,plasma [mg/L]'
table 61 0.4 time '' '' |
    draw gene-cascade 10 '2 2 2' 'time [h],gene1,gene2,gene3'
table 200 5 time,q ',%g' ', switched(60, 9) - 30' |
    draw tanks 11 '1 1' 'time [s],q [cm3/s],h1 [cm],h2 [cm]'
table 300 0.002 time,u ',%g' ', 6 + switched(12, 9)' |
    draw motor 12 '2 1' 'time [s],u [V],i [A],w [rad/s]'
table 400 0.01 time '' '' |
    draw quarter-car 13 '0 0 1' 'time [s],body [mm/s2],wheel [mm/s2],travel [mm]'
table 169 2 time,Ta,P ',%.1f,%g' ', 14 + 0.3 * weather(t), switched(2, 2)' | sed 2d |
    draw meter 14 1 'time [h],Ta [°C],P [kW],Tlog [°C]'
