#!/usr/bin/env bash
# Makes the pictures of gallery.md and concepts.md: runs the commands of the two pages and puts the figures, made smaller by
# scripts/shrink-png, into FOLDER/NAME.png. Usage: docs/gallery.sh [PROGRAM [FOLDER [--full-size]]], by default with
# build/latentforce into docs/images/gallery.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:-$here/../build/latentforce}")
target=${2:-$here/images/gallery}
shrink=$here/../scripts/shrink-png
[ "${3:-}" != --full-size ] || shrink=cp
mkdir -p "$target"
target=$(realpath "$target")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$program" "$folder/bin/latentforce"
export PATH=$folder/bin:$PATH LC_ALL=C

for page in gallery concepts; do
    mkdir -p "$folder/$page.steps" "$folder/$page"
    cd "$folder/$page"
    ln -s "$here/../examples" .
    awk -v steps="$folder/$page.steps" -f "$here/../tests/docs/tutorial_steps.awk" "$here/$page.md"
    for step in "$folder/$page.steps"/*; do
        case $step in
        *.file) tail -n +2 "$step" >"$(head -n 1 "$step")" ;;
        *.command) bash -o pipefail "$step" >printed.txt 2>&1 || { cat "$step" printed.txt >&2; exit 1; } ;;
        esac
    done
    for figure in *.png; do
        "$shrink" "$figure" "$target/$figure"
    done
done
