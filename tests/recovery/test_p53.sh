#!/usr/bin/env bash
# The p53 example agrees with what Barenco et al. (2006) report. Needs the shared data; exit status 77 without.
set -u

. "$(dirname "$0")/../support/support.sh"
need_shared data/p53.csv
"${LF_SOURCE_DIR:?}/examples/p53/run" "$LF_SHARED/data/p53.csv" "$program" >story.txt
check 'the example runs' equal $? 0
cat story.txt
check 'five decay rates, none further than two standard errors from the published ones' awk '
    /standard errors$/ { n++; d = $5 < 0 ? -$5 : $5; if (d > 2) bad = 1 } / fixed / { n++ } END { exit bad || n != 5 }' story.txt
check 'no activity at the start, as far as can be told' awk '
    $1 == 0 && NF == 7 { for (i = 2; i < 8; i += 2) { gsub(/[()]/, "", $(i + 1)); if ($i ^ 2 > (2 * $(i + 1)) ^ 2) bad = 1 } n++ }
    END { exit bad || n != 1 }' story.txt
check 'a peak near 4 hours in all replicates, at half of it or less by 8 hours' awk '
    /it peaks at/ { n++; if ($6 < 2.5 || $6 > 4.5 || $14 > 50) bad = 1 } END { exit bad || n != 3 }' story.txt
finish
