#!/bin/sh
# check_includes.sh ROOT: every include must follow the arrows of the house.
#   base <- collision, contact <- engine <- scenes <- viewer, cli, python;  bench may use all but the faces,
#   and cli runs it.
# collision and contact do not know each other; a *_internal.h never leaves its folder; paths start at the root;
# cglm, GLFW and the OpenGL loader stay inside viewer/. Tests may look anywhere and are not checked.
set -eu
root=${1:?usage: check_includes.sh ROOT}
cd "$root"

list=$(find base collision contact engine scenes viewer cli python bench -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) 2>/dev/null | LC_ALL=C sort)
if [ -z "$list" ]; then
    echo "check_includes: no source files under $root"
    exit 1
fi

# File names hold no spaces in this repository.
# shellcheck disable=SC2086
awk '
BEGIN {
    below["base"] = " base "
    below["collision"] = " collision base "
    below["contact"] = " contact base "
    below["engine"] = " engine collision contact base "
    below["scenes"] = " scenes engine collision contact base "
    below["viewer"] = " viewer scenes engine collision contact base "
    below["cli"] = " cli viewer bench scenes engine collision contact base "
    below["python"] = " python scenes engine collision contact base "
    below["bench"] = " bench scenes engine collision contact base "
    folders = " base collision contact engine scenes viewer cli python bench tests "
    faces = " cli python bench "
    bad = 0
}
function complain(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, why, path; bad++ }
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    path = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", path)
    quote = substr(path, 1, 1)
    path = substr(path, 2)
    sub(/[>"].*$/, "", path)
    split(FILENAME, here, "/")
    from = here[1]
    depth = split(path, there, "/")
    to = there[1]
    if (path == "touchstone.h") {
        if (!index(faces, " " from " ")) complain("only the faces may use the umbrella header")
    } else if (depth > 1 && index(folders, " " to " ")) {
        if (!index(below[from], " " to " ")) complain("include against the arrows")
        else if (path ~ /_internal\.h$/ && from != to) complain("internal header of another folder")
    } else if (quote == "\"") {
        complain("include is not relative to the root")
    } else if ((to == "cglm" || to == "GLFW" || to == "glad") && from != "viewer") {
        complain("graphics library outside viewer/")
    }
}
END {
    if (bad) { printf "%d include(s) against the rules\n", bad; exit 1 }
}' $list
