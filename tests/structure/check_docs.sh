#!/bin/sh
# check_docs.sh ROOT: in every public header each function, type and object declared at file level has a `///` comment
# on the line just before it. Bare forward declarations (`struct x;`) and preprocessor lines need none; nor does
# `typedef struct x x;` when the same file describes `struct x { ... }` further down, nor an array type made by
# TS_ARRAY_DECLARE, which is described with its element.
set -eu
root=${1:?usage: check_docs.sh ROOT}
cd "$root"

list=$(find base collision contact engine scenes viewer -type f -name '*.h' ! -name '*_internal.h' 2>/dev/null |
    LC_ALL=C sort)
if [ -z "$list" ]; then
    echo "check_docs: no public headers under $root"
    exit 1
fi

# shellcheck disable=SC2086
awk '
function braces(text,    copy, opened, closed) {
    copy = text; opened = gsub(/[{(]/, "", copy)
    copy = text; closed = gsub(/[})]/, "", copy)
    return opened - closed
}
FNR == 1 { depth = 0; inside = 0; documented = 0; block = 0; continued = 0 }
{
    line = $0
    if (continued) {                                   # rest of a macro
        continued = (line ~ /\\$/)
        next
    }
    if (block) {                                       # rest of a /* comment */
        if (line !~ /\*\//) next
        sub(/^.*\*\//, "", line)
        block = 0
    }
    if (!inside && line ~ /^[ \t]*\/\/\//) { documented = 1; next }
    sub(/\/\/.*$/, "", line)
    gsub(/\/\*[^*]*\*\//, "", line)
    if (line ~ /\/\*/) { block = 1; sub(/\/\*.*$/, "", line) }
    if (line ~ /^[ \t]*#/) { continued = (line ~ /\\$/); if (!inside) documented = 0; next }
    if (line ~ /^[ \t]*$/) { if (!inside) documented = 0; next }
    if (!inside) {
        if (line ~ /^extern "C" \{/ || line ~ /^\}[ \t]*$/) { documented = 0; next }
        if (line ~ /^(struct|union|enum) [a-zA-Z0-9_]+;/) { documented = 0; next }
        if (line ~ /^TS_ARRAY_DECLARE\(.*\);$/) { documented = 0; next }
        count++
        words = split(line, word, /[ ;{]+/)
        if (word[1] == "struct" && documented) delete waiting[FILENAME " " word[2]]
        if (!documented) {
            complaint = FILENAME ":" FNR ": no /// comment before: " line
            if (words >= 4 && line ~ /^typedef struct [a-zA-Z0-9_]+ [a-zA-Z0-9_]+;/ && word[3] == word[4])
                waiting[FILENAME " " word[3]] = complaint
            else {
                print complaint
                bad++
            }
        }
        inside = 1
        depth = 0
        body = 0
    }
    if (line ~ /\{/) body = 1
    depth += braces(line)
    # A declaration ends at a semicolon, a function body at its closing brace.
    if (depth <= 0 && (line ~ /;[ \t]*$/ || (body && line ~ /\}[ \t]*$/))) { inside = 0; documented = 0 }
}
END {
    for (name in waiting) { print waiting[name]; bad++ }
    if (bad) { printf "%d of %d public declarations lack a comment\n", bad, count; exit 1 }
    if (!count) { print "check_docs: no declarations found"; exit 1 }
}' $list
