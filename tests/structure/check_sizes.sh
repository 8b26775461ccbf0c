#!/bin/sh
# check_sizes.sh ROOT: no source file over 800 lines and no header of the library over 400 (the aim is 400). Outside tests/: no
# function over 70 lines, from its first line to its last brace, no list of more than 8 parameters, of functions, pointers
# to them and macros. In tests/: no function over 120 lines. No more than 125
# public headers outside tests/ and bench/.
set -eu
root=${1:?usage: check_sizes.sh ROOT}
cd "$root"

list=$(find base collision contact engine scenes viewer cli python bench tests -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) 2>/dev/null | LC_ALL=C sort)
if [ -z "$list" ]; then
    echo "check_sizes: no source files under $root"
    exit 1
fi

# Text is read letter by letter, so that braces and commas in comments and strings do not count. `pending` is what stands
# before a brace or a semicolon where declarations stand: at the margin, in a struct, a class or a namespace.
# shellcheck disable=SC2086
awk '
function complain(line, why) { printf "%s:%d: %s\n", FILENAME, line, why; bad++ }
function finish() {
    limit = (name ~ /\.h$/ && name !~ /^tests\//) ? 400 : 800
    if (lines > limit) { printf "%s: %d lines, more than %d\n", name, lines, limit; bad++ }
}
# Every list in parentheses of a declaration, from the innermost out. What takes an xmlChar is as long as libxml2 wants it.
function check_lists(text,    list, commas) {
    if (tests) return
    gsub(/__attribute__.*/, "", text)
    sub(/=.*/, "", text)
    while (match(text, /\([^()]*\)/)) {
        list = substr(text, RSTART, RLENGTH)
        text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
        commas = gsub(/,/, "", list)
        if (commas >= 8 && list !~ /xmlChar/) complain(began, commas + 1 " parameters, more than 8")
    }
}
function clear() { pending = ""; began = 0 }
FNR == 1 {
    if (NR > 1) finish()
    name = FILENAME
    tests = (name ~ /^tests\//)
    longest = tests ? 120 : 70
    depth = function_depth = opaque = block = continued = 0
    clear()
}
{ lines = FNR; line = $0 }
{
    if (continued || (!block && line ~ /^[ \t]*#/)) {      # preprocessor lines and what continues them
        if (!continued && match(line, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+\([^)]*\)/)) {
            began = FNR
            check_lists(substr(line, RSTART, RLENGTH))
            clear()
        }
        continued = (line ~ /\\$/)
        next
    }
    gsub(/\\./, "", line)
    gsub(/"[^"]*"/, "", line)
    gsub(/\047.\047/, "", line)
    if (block) { if (line !~ /\*\//) next; sub(/^.*\*\//, "", line); block = 0 }
    sub(/\/\/.*$/, "", line)
    gsub(/\/\*[^*]*\*\//, "", line)
    if (line ~ /\/\*/) { block = 1; sub(/\/\*.*$/, "", line) }
    count = split(line, letter, "")
    for (i = 1; i <= count; i++) {
        c = letter[i]
        if (c == "{") {
            depth++
            if (opaque) continue
            if (pending ~ /(^|[^A-Za-z0-9_])(struct|union|class|namespace|extern|enum)[^()]*$/ && pending !~ /=/) {
                clear()
                continue
            }
            opaque = depth                                  # a body or an initialiser: what is in it is not looked at
            is_function = (pending ~ /\)[^=]*$/)
            first = began
            if (is_function) check_lists(pending)
        } else if (c == "}") {
            if (opaque == depth) {
                opaque = 0
                if (is_function && FNR - first + 1 > longest)
                    complain(first, "a function of " FNR - first + 1 " lines, more than " longest)
                if (is_function) clear()
            } else if (!opaque) clear()
            depth--
        } else if (!opaque) {
            if (c == ";") { check_lists(pending); clear(); continue }
            if (!began && c != " " && c != "\t") began = FNR
            if (began) pending = pending c
        }
    }
    if (began) pending = pending " "
}
END { finish(); exit bad > 0 }' $list || exit 1

headers=$(find base collision contact engine scenes viewer cli python -type f -name '*.h' ! -name '*_internal.h' 2>/dev/null | wc -l)
if [ "$headers" -gt 125 ]; then
    echo "$headers public headers, more than 125: what no program, test of behaviour or document needs is *_internal.h"
    exit 1
fi
