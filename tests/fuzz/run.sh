#!/bin/sh
# run.sh PROGRAM CORPUS OUT SECONDS: fuzzes for SECONDS on a copy of the corpus (0: runs the seeds once). An input that
# breaks the program is left in OUT.
set -eu
program=$1 corpus=$2 out=$3 seconds=$4
if [ ! -d "$corpus" ]; then
    echo "no corpus at $corpus"
    exit 1
fi
if [ "$seconds" -eq 0 ]; then
    exec "$program" "$corpus"/*
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$corpus"/* "$work/"
dictionary=$corpus.dict
set -- -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -verbosity=0 -print_final_stats=1 -artifact_prefix="$out/"
if [ -f "$dictionary" ]; then
    set -- "$@" -dict="$dictionary"
fi
"$program" "$@" "$work"
