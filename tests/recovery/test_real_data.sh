#!/usr/bin/env bash
# What the tutorials do with simulated data works with the real data after which they are modelled. Needs the shared data; exit
# status 77 without.
set -u

. "$(dirname "$0")/../support/support.sh"
need_shared data/weather.csv data/walk.csv
# nmse_below OUTPUT LIMIT FILE: the output was scored, with an error below the limit.
nmse_below() { awk -v output="$1" -v limit="$2" '$1 == output { print; n = $3 } END { exit !(n > 0 && n < limit) }' "$3"; }

weather=$LF_SHARED/data/weather.csv
check 'weather: the defaults fit' lf fit "$weather" --quiet -o weather.json
lf score weather.json "$weather" --quiet >weather.txt
cat weather.txt
check 'weather: the gap of Cambermet is filled' nmse_below Cambermet 0.15 weather.txt
check 'weather: the gap of Chimet is filled' nmse_below Chimet 0.3 weather.txt

walk=$LF_SHARED/data/walk.csv
check 'walk: six smooth forces fit' lf fit "$walk" --operator ode2 --forces 6 --force-kernel eq --prior weak --restarts 1 \
    --max-iterations 15 --quiet -o walk.json
lf score walk.json "$walk" --quiet >walk.txt
cat walk.txt
check 'walk: the lower back is filled in' nmse_below lowerback-Yrotation 0.05 walk.txt
check 'walk: the lower arm is filled in' nmse_below lradius-Xrotation 0.4 walk.txt
finish
