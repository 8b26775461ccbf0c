#!/bin/sh
# check_headers.sh ROOT CC CXX [include flags]: every header compiles alone, and twice over, as C17 and as C++17
# without a warning. An empty CXX leaves the C++ half out. Headers of viewer/ are taken only with TS_CHECK_VIEWER=1.
set -eu
root=${1:?usage: check_headers.sh ROOT CC CXX [flags]}
cc=${2:?no C compiler given}
cxx=${3-}
if [ $# -ge 3 ]; then shift 3; else shift 2; fi
cd "$root"

folders='base collision contact engine scenes python cli bench'
if [ "${TS_CHECK_VIEWER:-0}" = 1 ]; then folders="$folders viewer"; fi
# shellcheck disable=SC2086
list=$(find $folders -type f -name '*.h' 2>/dev/null | LC_ALL=C sort)
if [ -f touchstone.h ]; then list="$list touchstone.h"; fi
if [ -z "$list" ]; then
    echo "check_headers: no headers under $root"
    exit 1
fi
warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only'
bad=0
for header in $list; do
    # Twice, so that a missing include guard shows.
    source=$(printf '#include "%s"\n#include "%s"\nextern int ts_unit_is_not_empty;\n' "$header" "$header")
    # shellcheck disable=SC2086
    if ! printf '%s\n' "$source" | "$cc" -x c -std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $warnings \
        -I. "$@" -; then
        echo "$header: does not compile alone as C17"
        bad=1
    fi
    # shellcheck disable=SC2086
    if [ -n "$cxx" ] && ! printf '%s\n' "$source" | "$cxx" -x c++ -std=c++17 $warnings -I. "$@" -; then
        echo "$header: does not compile alone as C++17"
        bad=1
    fi
done
exit $bad
