#!/bin/sh
# check_links.sh ROOT: every relative link in a Markdown file leads to a file of the repository, and there is a
# CHANGELOG.md. What stands in backticks and looks like a path of the tree is one (`contact/judge/residual.h`, `contact/judge/`), but
# for history (CHANGELOG.md) and worked examples (docs/extend/), which speak of files that are not there. docs/architecture.md,
# where there is one, names every folder that holds sources. Fenced code blocks are text.
set -eu
root=${1:?usage: check_links.sh ROOT}
cd "$root"

bad=0
if [ ! -f CHANGELOG.md ]; then
    echo "CHANGELOG.md is missing"
    bad=1
fi
list=$(find . -name .git -prune -o -path ./build -prune -o -type f -name '*.md' -print | LC_ALL=C sort)
for file in $list; do
    links=$(awk '
        /^[ \t]*```/ { fenced = !fenced; next }
        fenced { next }
        {
            line = $0
            gsub(/`[^`]*`/, "", line)
            while (match(line, /\]\([^) ]+[^)]*\)/)) {
                link = substr(line, RSTART + 2, RLENGTH - 3)
                sub(/[ \t].*$/, "", link)
                sub(/#.*$/, "", link)
                if (link != "" && link !~ /^[a-z]+:/) print link
                line = substr(line, RSTART + RLENGTH)
            }
        }' "$file")
    paths=$(awk '
        /^[ \t]*```/ { fenced = !fenced; next }
        fenced { next }
        {
            line = $0
            while (match(line, /`[^`]+`/)) {
                path = substr(line, RSTART + 1, RLENGTH - 2)
                line = substr(line, RSTART + RLENGTH)
                if (path ~ /^(base|collision|contact|engine|scenes|viewer|cli|python|bench|tests)\/[a-z0-9_.\/]*$/) print path
            }
        }' "$file")
    case $file in
    ./CHANGELOG.md | ./docs/extend/*) paths= ;;
    esac
    for path in $paths; do
        if [ ! -e "$path" ]; then
            echo "$file: speaks of a file that does not exist: $path"
            bad=1
        fi
    done
    for link in $links; do
        case $link in
        /*) target=.$link ;;
        *) target=$(dirname "$file")/$link ;;
        esac
        if [ ! -e "$target" ]; then
            echo "$file: link to a file that does not exist: $link"
            bad=1
        fi
    done
done
if [ -f docs/architecture.md ]; then
    folders=$(find base collision contact engine scenes viewer cli python bench -type f \
        \( -name '*.c' -o -name '*.py' \) 2>/dev/null | sed 's|/[^/]*$||' | LC_ALL=C sort -u)
    for folder in $folders; do
        if ! grep -qF "\`$folder/\`" docs/architecture.md; then
            echo "docs/architecture.md: does not name $folder/"
            bad=1
        fi
    done
fi
exit $bad
