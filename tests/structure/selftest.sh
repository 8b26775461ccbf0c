#!/bin/sh
# selftest.sh CC CXX: shows that each check of this folder accepts a small tree that keeps the rules and refuses the
# same tree with one rule broken, naming the culprit. A check that cannot fail proves nothing.
set -eu
cc=${1:?no C compiler given}
cxx=${2-}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# A tree that keeps every rule.
fresh() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/base" "$tree/collision" "$tree/contact/solvers" "$tree/engine" "$tree/scenes" "$tree/viewer"
    cat > "$tree/base/a.h" <<'END'
// A header.
#ifndef A_H
#define A_H
#ifdef __cplusplus
extern "C" {
#endif
/// A type.
typedef struct ts_a {
    int x;  // a number
} ts_a;

struct ts_forward;
typedef struct ts_later ts_later;

/// Described here.
struct ts_later {
    int (*call)(ts_later* self, int x);
};

/// A function that
/// takes two lines.
int ts_a_get(const ts_a* a,
             int other);

/// Inline.
static inline int ts_a_twice(int x) {
    if (x) { return 2 * x; }
    return 0;
}
#ifdef __cplusplus
}
#endif
#endif
END
    echo '#include "base/a.h"' > "$tree/base/a.c"
    echo '#include "base/a.h"' > "$tree/collision/c.c"
    printf '#include <stdio.h>\n#include "contact/inner_internal.h"\n' > "$tree/contact/solvers/s.c"
    printf '#ifndef I_H\n#define I_H\n#include "base/a.h"\n#endif\n' > "$tree/contact/inner_internal.h"
    printf '#include "collision/c.h"\n#include "contact/s.h"\n' > "$tree/engine/e.c"
    printf '#include <GLFW/glfw3.h>\n#include "scenes/x.h"\n' > "$tree/viewer/v.c"
    echo '#include "base/a.h"' > "$tree/touchstone.h"
    echo 'First words.' > "$tree/CHANGELOG.md"
    # shellcheck disable=SC2016
    printf '[a](base/a.h) [b](base/a.h#x) [c](https://example.org/)\n```\n[d](nowhere)\n```\n' > "$tree/README.md"
}

# accepts NAME CHECK [ARGS]
accepts() {
    name=$1 check=$2
    shift 2
    if ! sh "$here/$check" "$tree" "$@" > "$tree/.out" 2>&1; then
        echo "FAILED: $check refuses: $name"
        cat "$tree/.out"
        failures=$((failures + 1))
    fi
}

# refuses NAME WORDS CHECK [ARGS]: the check must fail and say WORDS
refuses() {
    name=$1 words=$2 check=$3
    shift 3
    if sh "$here/$check" "$tree" "$@" > "$tree/.out" 2>&1; then
        echo "FAILED: $check accepts: $name"
        failures=$((failures + 1))
    elif ! grep -qF -- "$words" "$tree/.out"; then
        echo "FAILED: $check refuses without naming it: $name"
        cat "$tree/.out"
        failures=$((failures + 1))
    fi
}

fresh
accepts 'a clean tree' check_includes.sh
accepts 'a clean tree' check_docs.sh
accepts 'a clean tree' check_sizes.sh
accepts 'a clean tree' check_links.sh
accepts 'a clean tree' check_headers.sh "$cc" "$cxx"
accepts 'a clean tree' check_umbrella.sh
accepts 'a clean tree' check_pairs.sh "$cc" "$cxx"

includes_refuse() { # FILE LINE WHY
    fresh
    echo "$2" >> "$tree/$1"
    refuses "$2 in $1" "$1" check_includes.sh
    refuses "$2 in $1" "$3" check_includes.sh
}
includes_refuse base/a.c '#include "engine/sim.h"' 'against the arrows'
includes_refuse collision/c.c '#include "contact/problem.h"' 'against the arrows'
includes_refuse contact/solvers/s.c '#include "collision/distance/gjk/gjk.h"' 'against the arrows'
includes_refuse contact/solvers/s.c '  #  include <collision/distance/gjk/gjk.h>' 'against the arrows'
includes_refuse engine/e.c '#include "scenes/scene_table.h"' 'against the arrows'
includes_refuse scenes/t.c '#include "viewer/window.h"' 'against the arrows'
includes_refuse engine/e.c '#include "tests/helper.h"' 'against the arrows'
includes_refuse engine/e.c '#include "contact/inner_internal.h"' 'internal header of another folder'
includes_refuse base/a.c '#include "a.h"' 'not relative to the root'
includes_refuse base/a.c '#include "../engine/sim.h"' 'not relative to the root'
includes_refuse engine/e.c '#include "touchstone.h"' 'umbrella'
includes_refuse engine/e.c '#include <cglm/cglm.h>' 'graphics library'

docs_refuse() { # TEXT
    fresh
    printf '%s\n' "$1" >> "$tree/base/a.h"
    refuses "$1" 'no /// comment before' check_docs.sh
}
docs_refuse 'int ts_bare(void);'
docs_refuse '// Not a documentation comment.
int ts_plain(void);'
docs_refuse 'typedef struct ts_bare ts_bare;'
docs_refuse 'typedef enum ts_e { TS_X } ts_e;'
docs_refuse 'static inline int ts_i(void) {
    return 1;
}'
docs_refuse '/// A comment left behind.

int ts_far(void);'
docs_refuse '/// First.
int ts_first(void);
int ts_second(void);'

fresh
awk 'BEGIN { for (i = 0; i < 801; i++) print "// line" }' > "$tree/engine/long.c"
refuses 'a file of 801 lines' 'engine/long.c' check_sizes.sh
long_function() { # FILE LINES: a function of that many lines, its signature among them, with braces that do not count
    fresh
    mkdir -p "$tree/tests"
    awk -v n="$2" 'BEGIN {
        print "static const int before[] = {1, 2};"
        print "static struct pair* f("
        print "    int x,  // {"
        print "    int y) {"
        for (i = 0; i < n - 4; i++) print i % 3 ? "    ;" : "    if (x) { g(\"}\", '"'}'"'); }"
        print "}"
    }' > "$tree/$1"
}
long_function engine/f.c 70
accepts 'a function of 70 lines' check_sizes.sh
long_function engine/f.c 71
refuses 'a function of 71 lines' 'engine/f.c:2: a function of 71 lines' check_sizes.sh
long_function tests/f.c 120
accepts 'a test of 120 lines' check_sizes.sh
long_function tests/f.c 121
refuses 'a test of 121 lines' 'tests/f.c:2: a function of 121 lines' check_sizes.sh
fresh
awk 'BEGIN { print "namespace {\nstruct S {\n    int f() {"; for (i = 0; i < 70; i++) print "    ;"; print "    }\n};\n}" }' > "$tree/engine/f.cpp"
refuses 'a method of 72 lines' 'engine/f.cpp:3: a function of 72 lines' check_sizes.sh

headers() { # COUNT of public headers, beside internal ones and those of bench/
    fresh
    mkdir -p "$tree/bench"
    for i in $(seq 2 "$1"); do echo '// .' > "$tree/viewer/h$i.h"; done
    for i in $(seq 9); do echo '// .' > "$tree/base/h${i}_internal.h"; echo '// .' > "$tree/bench/h$i.h"; done
}
headers 125
accepts '125 public headers' check_sizes.sh
headers 126
refuses '126 public headers' '126 public headers, more than 125' check_sizes.sh

seven='int a, int b, int c, int d, int e, int f, int g'
eight="$seven, int h"
takes() { # HOW LINES
    fresh
    printf '%s\n' "$2" > "$tree/engine/p.h"
    "$1" "$2" check_sizes.sh
}
too_many() { refuses "$1" 'engine/p.h:1: 9 parameters' "$2"; }
takes accepts "int ts_p($eight);"
takes accepts "static inline int ts_p($eight) { return q(1, 2, 3, 4, 5, 6, 7, 8, 9, 10); }"
takes accepts "static const int ts_p[] = {Q(1, 2, 3, 4, 5, 6, 7, 8, 9)};"
takes accepts "int ts_p($seven, /* int i, */ int (*call)($eight)) __attribute__((nonnull(1, 2, 3, 4, 5, 6, 7, 8, 9)));"
takes too_many "int ts_p($eight, int i);"
takes too_many "static inline int ts_p($eight, int i) { return 0; }"
takes too_many "typedef int (*ts_p)($eight, int i);"
takes too_many "struct ts_p { int (*call)($eight, int i); };"
takes too_many '#define TS_P(a, b, c, d, e, f, g, h, i) a'

fresh
echo '[x](docs/none.md)' >> "$tree/README.md"
refuses 'a dead link' 'docs/none.md' check_links.sh
fresh
# shellcheck disable=SC2016
echo 'See `base/a.h`, `contact/solvers/`, `base/NAME.h` and `std/io.h`.' >> "$tree/README.md"
accepts 'paths that are there, and words that are no paths' check_links.sh
# shellcheck disable=SC2016
echo 'See `base/gone.h`.' >> "$tree/README.md"
refuses 'a path that is gone' 'README.md: speaks of a file that does not exist: base/gone.h' check_links.sh
fresh
mkdir "$tree/docs"
# shellcheck disable=SC2016
echo '`base/` `collision/` `contact/solvers/` `engine/`, `viewer/`' > "$tree/docs/architecture.md"
accepts 'a map of all folders' check_links.sh
# shellcheck disable=SC2016
echo '`base/` `collision/` `engine/`, `viewer/`' > "$tree/docs/architecture.md"
refuses 'a map without a folder' 'does not name contact/solvers/' check_links.sh
fresh
rm "$tree/CHANGELOG.md"
refuses 'no change log' 'CHANGELOG.md' check_links.sh

fresh
printf '#ifndef B_H\n#define B_H\nsize_t ts_b(void);\n#endif\n' > "$tree/base/b.h"
refuses 'a header that needs another first' 'base/b.h: does not compile alone as C17' check_headers.sh "$cc" "$cxx"
fresh
echo 'struct ts_twice { int x; };' > "$tree/base/b.h"
refuses 'a header without a guard' 'base/b.h: does not compile alone as C17' check_headers.sh "$cc" "$cxx"
if [ -n "$cxx" ]; then
    fresh
    printf '#ifndef B_H\n#define B_H\nint ts_b(int class);\n#endif\n' > "$tree/base/b.h"
    refuses 'a header that is no C++' 'base/b.h: does not compile alone as C++17' check_headers.sh "$cc" "$cxx"
fi

pairs_refuse() { # WHAT LINES WORDS
    fresh
    printf '#ifndef Z_H\n#define Z_H\n%s\n#endif\n' "$2" > "$tree/scenes/z.h"
    refuses "$1" "$3" check_pairs.sh "$cc" "$cxx"
}
pairs_refuse 'two enums of one name' 'typedef enum ts_a { TS_Z } ts_a;' 'do not compile together as C17'
pairs_refuse 'two enums of one name' 'typedef enum ts_a { TS_Z } ts_a;' 'scenes/z.h: declared in base/a.h as well: ts_a'
pairs_refuse 'a macro that spoils the header before it' '#define other 3' 'sort -r: do not compile together as C17'
pairs_refuse 'a function declared twice alike' '/// Again.
int ts_a_twice(
    int x);' 'declared in base/a.h as well: ts_a_twice'
pairs_refuse 'a macro defined twice alike' '#define A_H' 'declared in base/a.h as well: A_H'
pairs_refuse 'a callback of the name of a function' 'typedef int (*ts_a_get)(int x);' 'declared in base/a.h as well: ts_a_get'
fresh
printf '#ifndef Y_H\n#define Y_H\nenum { TS_ONE, TS_TWO = 2 };\n#endif\n' > "$tree/scenes/y.h"
printf '#ifndef Z_H\n#define Z_H\ntypedef enum ts_z { TS_TWO } ts_z;\n#endif\n' > "$tree/scenes/z.h"
refuses 'an enumerator of two enums' 'declared in scenes/y.h as well: TS_TWO' check_pairs.sh "$cc" "$cxx"
fresh
printf '#ifndef Z_H\n#define Z_H\nstruct ts_forward;\ntypedef struct ts_later ts_later;\n#endif\n' \
    > "$tree/scenes/z.h"
accepts 'a type announced twice' check_pairs.sh "$cc" ""
if [ -n "$cxx" ]; then
    fresh
    printf '#ifndef Z_H\n#define Z_H\n#ifdef __cplusplus\nvoid ts_a_get(const ts_a*, int);\n#endif\n#endif\n' > "$tree/scenes/z.h"
    refuses 'what only C++ sees twice' 'do not compile together as C++17' check_pairs.sh "$cc" "$cxx"
fi

fresh
echo '/// More.' > "$tree/engine/more.h"
refuses 'a public header that the umbrella forgets' 'not named: engine/more.h' check_umbrella.sh
fresh
echo '/// More.' > "$tree/base/b.h"
printf '#include "base/b.h"\n#include "base/a.h"\n' > "$tree/touchstone.h"
refuses 'an umbrella out of order' 'alphabetical order' check_umbrella.sh
fresh
echo '#include "contact/inner_internal.h"' >> "$tree/touchstone.h"
refuses 'an internal header in the umbrella' 'not a public header' check_umbrella.sh

if [ "$failures" -gt 0 ]; then
    echo "$failures expectation(s) failed"
    exit 1
fi
echo "every check accepts the clean tree and refuses the broken ones"
