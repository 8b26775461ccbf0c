#!/bin/sh
# run.sh cmake|pkgconfig BUILD_DIR CMAKE CC GENERATOR: installs the build into a fresh prefix, then builds and runs
# main.c against it the way a stranger would.
set -eu
way=$1 build=$2 cmake=$3 cc=$4 generator=$5
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" > "$work/install.log"
hidden=$(find "$work/prefix" -name '*_internal.h')
if [ -n "$hidden" ]; then
    echo "internal headers were installed: $hidden"
    exit 1
fi
cp "$here/main.c" "$here/CMakeLists.txt" "$work/"

case $way in
cmake)
    "$cmake" -G "$generator" -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc"
    "$cmake" --build "$work/build"
    "$work/build/outside"
    ;;
pkgconfig)
    pc=$(find "$work/prefix" -name touchstone.pc)
    PKG_CONFIG_PATH=$(dirname "$pc")
    export PKG_CONFIG_PATH
    flags=$(pkg-config --cflags --libs touchstone)
    # shellcheck disable=SC2086
    "$cc" -std=c17 "$work/main.c" -o "$work/outside" $flags
    "$work/outside"
    ;;
*)
    echo "unknown way: $way"
    exit 2
    ;;
esac
