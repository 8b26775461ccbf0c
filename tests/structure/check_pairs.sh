#!/bin/sh
# check_pairs.sh ROOT CC CXX [include flags]: any two public headers compile together, in either order, as C17 and as C++17, and no
# name is declared by two of them. All headers in one unit, forwards and backwards, hold every pair in both orders (that
# each compiles alone is check_headers.sh). What a compiler lets pass, one function or macro declared twice alike, is found by its
# name: `typedef struct x x;` alone may stand in several. An empty CXX leaves C++ out. Headers of viewer/ are taken only with
# TS_CHECK_VIEWER=1.
set -eu
root=${1:?usage: check_pairs.sh ROOT CC CXX [flags]}
cc=${2:?no C compiler given}
cxx=${3-}
if [ $# -ge 3 ]; then shift 3; else shift 2; fi
cd "$root"

folders='base collision contact engine scenes python cli bench'
if [ "${TS_CHECK_VIEWER:-0}" = 1 ]; then folders="$folders viewer"; fi
# shellcheck disable=SC2086
list=$(find $folders -type f -name '*.h' ! -name '*_internal.h' 2>/dev/null | LC_ALL=C sort)
if [ -z "$list" ]; then
    echo "check_pairs: no public headers under $root"
    exit 1
fi
bad=0

# The lines of a unit with all headers, in the order `sort` gives with these flags.
unit() {
    printf '%s\n' "$list" | LC_ALL=C sort "$@" | sed 's/.*/#include "&"/'
    echo 'extern int ts_unit_is_not_empty;'
}
warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only'
for order in -f -r; do
    # shellcheck disable=SC2086
    if ! unit $order | "$cc" -x c -std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $warnings -I. "$@" -; then
        echo "all public headers, sort $order: do not compile together as C17"
        bad=1
    fi
    # shellcheck disable=SC2086
    if [ -n "$cxx" ] && ! unit $order | "$cxx" -x c++ -std=c++17 $warnings -I. "$@" -; then
        echo "all public headers, sort $order: do not compile together as C++17"
        bad=1
    fi
done

# shellcheck disable=SC2086
awk '
# Names are told at depth 0 of braces: of macros, of functions before their parenthesis, of types and objects before the
# semicolon; enumerators behind a brace or a comma of an enum.
function declare(name) {
    if (name !~ /^[A-Za-z_][A-Za-z0-9_]*$/) return
    if (!((FILENAME, name) in seen)) {
        seen[FILENAME, name] = 1
        if (name in first) { printf "%s: declared in %s as well: %s\n", FILENAME, first[name], name; bad++ }
        else first[name] = FILENAME
    }
}
function statement(text,    t, at) {
    t = text
    gsub(/__attribute__ *\(\(.*\)\)/, "", t)
    gsub(/\[[^]]*\]/, "", t)
    gsub(/[ \t]+/, " ", t)
    sub(/^ +/, "", t)
    if (t ~ /^(struct|union|enum) [A-Za-z0-9_]+ ?;/ || t ~ /^typedef (struct|union) [A-Za-z0-9_]+ [A-Za-z0-9_]+ ?;/ || t ~ /^_?[Ss]tatic_assert/) return
    sub(/ ?=.*/, ";", t)
    if (sub(/^TS_ARRAY_DECLARE\( ?/, "", t)) sub(/,.*/, "", t)
    if (t ~ /^typedef/ && match(t, /\( ?\* ?[A-Za-z0-9_]+ ?\)/)) {
        at = substr(t, RSTART, RLENGTH)
        gsub(/[(* )]/, "", at)
        declare(at)
        return
    }
    if (t !~ /^typedef/ && (at = index(t, "("))) t = substr(t, 1, at - 1)
    sub(/[ ;]*$/, "", t)
    sub(/^.*[^A-Za-z0-9_]/, "", t)
    declare(t)
}
function enumerators(text,    part, count, i) {
    count = split(text, part, ",")
    for (i = 1; i <= count; i++) {
        sub(/=.*/, "", part[i])
        gsub(/[ \t]/, "", part[i])
        declare(part[i])
    }
}
FNR == 1 { depth = 0; pending = ""; block = 0; continued = 0; cplusplus = 0; body = "" }
{
    line = $0
    if (continued) { continued = (line ~ /\\$/); next }
    gsub(/"[^"]*"/, "\"\"", line)
    sub(/\/\/.*$/, "", line)
    gsub(/\/\*[^*]*\*\//, "", line)
    if (block) { if (line !~ /\*\//) next; sub(/^.*\*\//, "", line); block = 0 }
    if (line ~ /\/\*/) { block = 1; sub(/\/\*.*$/, "", line) }
    if (line ~ /^[ \t]*#/) {
        continued = (line ~ /\\$/)
        if (line ~ /^[ \t]*#[ \t]*ifdef[ \t]+__cplusplus/) cplusplus = 1
        else if (line ~ /^[ \t]*#[ \t]*(endif|else)/) cplusplus = 0
        else if (match(line, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/.*[ \t]/, "", name)
            declare(name)
        }
        next
    }
    if (cplusplus) next
    count = split(line, letter, "")
    for (i = 1; i <= count; i++) {
        c = letter[i]
        if (c == "{") {
            if (depth++ == 0) { is_enum = (pending ~ /enum/); has_body = (pending !~ /\)[ \t]*$/); body = "" }
            continue
        }
        if (c == "}") {
            if (--depth == 0) {
                if (is_enum) enumerators(body)
                if (!has_body) { statement(pending ";"); pending = "" }       # a function with its body
                else sub(/[A-Za-z0-9_]*[ \t]*$/, "", pending)               # the tag goes, the name follows
                if (pending ~ /^[ \t]*(struct|union|enum)?[ \t]*$/) pending = ""
            }
            continue
        }
        if (depth > 0) { if (depth == 1) body = body c; continue }
        pending = pending c
        if (c == ";") { statement(pending); pending = "" }
    }
    if (depth == 0) pending = pending " "
    else body = body " "
}
END { exit bad > 0 }' $list || bad=1
exit $bad
