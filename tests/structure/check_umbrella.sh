#!/bin/sh
# check_umbrella.sh ROOT: touchstone.h names every public header from base/ to scenes/, and nothing else, floor by floor and in
# alphabetical order, so that two changes seldom meet in one line.
set -eu
root=${1:?usage: check_umbrella.sh ROOT}
cd "$root"

wanted=$(find base collision contact engine scenes -type f -name '*.h' ! -name '*_internal.h' 2>/dev/null |
    LC_ALL=C sort)
named=$(sed -n 's/^#include "\(.*\)".*/\1/p' touchstone.h | LC_ALL=C sort)
if [ -z "$wanted" ] || [ "$wanted" != "$named" ]; then
    echo "touchstone.h and the public headers differ:"
    for header in $wanted; do
        case " $(echo "$named" | tr '\n' ' ')" in *" $header "*) ;; *) echo "  not named: $header" ;; esac
    done
    for header in $named; do
        case " $(echo "$wanted" | tr '\n' ' ')" in *" $header "*) ;; *) echo "  not a public header: $header" ;; esac
    done
    exit 1
fi
# The floors from below are in alphabetical order themselves.
if ! sed -n 's/^#include "\(.*\)".*/\1/p' touchstone.h | LC_ALL=C sort -c 2> /dev/null; then
    echo "touchstone.h is not in alphabetical order:"
    sed -n 's/^#include "\(.*\)".*/\1/p' touchstone.h | LC_ALL=C sort -c 2>&1 | sed 's/^/  /'
    exit 1
fi
