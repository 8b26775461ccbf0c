#!/bin/sh
# check_links.sh ROOT: every relative link in a Markdown file leads to a file of the repository, and there is a
# CHANGELOG.md. Links inside fenced code blocks are text, not links.
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
exit $bad
