#!/usr/bin/env bash
# The commands of the gallery run and draw the pictures that the page shows, and these are small.
set -u

. "$(dirname "$0")/../support/support.sh"
docs=${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}/docs
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is not installed"; exit 77; }

check "the commands run" "$docs/gallery.sh" "$program" "$folder/drawn" --full-size
shown=$(grep -oh 'images/gallery/[a-z0-9-]*\.png' "$docs/gallery.md" "$docs/concepts.md" | sort -u)
check "there are pictures" test "$(echo "$shown" | wc -l)" -ge 10
for picture in $shown; do
    name=$(basename "$picture")
    check "$name is part of the project" test -s "$docs/$picture"
    check "$name is smaller than 60 kB" test "$(wc -c <"$docs/$picture")" -lt 60000
    check "$name is drawn" test "$(wc -c <"drawn/$name")" -gt 2000
done
check "every picture that is drawn is shown" equal "$(cd drawn && ls -1)" "$(for picture in $shown; do basename "$picture"; done)"
finish
