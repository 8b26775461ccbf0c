#!/bin/sh
# check_sizes.sh ROOT: no source file over 800 lines, no header of the library over 400, no function over 120 (the aim is 600 and 80).
# A function is what lies between a line that starts at the margin and ends in `{`, and the next `}` at the margin.
set -eu
root=${1:?usage: check_sizes.sh ROOT}
cd "$root"

list=$(find base collision contact engine scenes viewer cli python bench tests -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) 2>/dev/null | LC_ALL=C sort)
if [ -z "$list" ]; then
    echo "check_sizes: no source files under $root"
    exit 1
fi

# shellcheck disable=SC2086
awk '
function finish() {
    limit = (name ~ /\.h$/ && name !~ /^tests\//) ? 400 : 800
    if (lines > limit) { printf "%s: %d lines, more than %d\n", name, lines, limit; bad++ }
}
FNR == 1 { if (NR > 1) finish(); name = FILENAME; start = 0 }
{ lines = FNR }
/^[A-Za-z_].*\)[ \t]*\{[ \t]*$/ || (/^[ \t]+.*\)[ \t]*\{[ \t]*$/ && previous ~ /^[A-Za-z_].*[,(]$/) { start = FNR }
/^\}/ {
    if (start && FNR - start + 1 > 120) {
        printf "%s:%d: a function of %d lines, more than 120\n", FILENAME, start, FNR - start + 1
        bad++
    }
    start = 0
}
{ previous = $0 }
END { finish(); exit bad > 0 }' $list
