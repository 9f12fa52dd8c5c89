#!/usr/bin/env bash
# Links between the documents lead somewhere: the file is there, and so is the heading that a #… names.
set -u

cd "${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}" || exit 1
slugs() { # FILE: what GitHub makes of its headings, and anchors set by hand
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^[:alnum:] _-]//g; s/ /-/g'
    grep -oE '<a id="[^"]*"' "$1" | cut -d'"' -f2
}
failed=0
count=0
for document in *.md docs/*.md docs/*/*.md bench/*.md experiments/*.md examples/*/*.md; do
    while read -r link; do
        count=$((count + 1))
        target=$document
        [ "${link%%#*}" = "" ] || target=$(dirname "$document")/${link%%#*}
        if [ ! -e "$target" ]; then
            echo "FAIL  $document: no file $link"
            failed=1
        elif [ "$link" != "${link#*#}" ] && ! slugs "$target" | grep -qxF -- "${link#*#}"; then
            echo "FAIL  $document: no heading $link"
            failed=1
        fi
    done < <(grep -oE '\]\([^)]+\)' "$document" | sed 's/^](//; s/)$//' | grep -vE '^(https?|mailto):')
done
echo "$count links"
[ "$count" -gt 0 ] && exit $failed
