#!/bin/sh
# ts: one command from a fresh clone to a running Touchstone. `./ts help` tells what it can do.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
installed=0 # set when packages were installed just now: then CMake has to look again

# Debian 12 and Ubuntu 24.04 name these packages alike; the clang run-time is the exception (clang_runtime).
build_packages='gcc libc6-dev cmake ninja-build pkg-config python3 libxml2-dev libqhull-dev libhdf5-dev libpng-dev
    libglfw3-dev libgl-dev libopengl-dev libegl-dev libgl1-mesa-dri libcglm-dev python3-glad
    g++ libimgui-dev libfreetype-dev fonts-dejavu-core'
test_packages='g++ clang lld llvm libcriterion-dev python3-numpy python3-h5py xvfb xdotool'
bench_packages='g++ libbullet-dev libccd-dev libfcl-dev libbox2d-dev libeigen3-dev python3-venv'
lint_packages='clang-format clang-tidy shellcheck'

usage() {
    cat <<'END'
usage: ./ts COMMAND [ARGUMENTS]

  demo            build, then compare the contact models on one scene and say where the report is
  view [ARGS]     build, then open the viewer
  test            build and test: optimised (gcc), then with address and undefined-behaviour sanitizers and a
                  minute of fuzzing (clang). --quick: only the first; --all: more compilers, no options, threads
  bench [NAME]    build beside other libraries and measure: NAME (then its flags, as in 'touchstone bench'), or
                  everything, with JSON and figures in build/bench-results. --quick: only to see that it runs
  build           build the optimised program
  lint            check format and run the static checks
  clean           remove what was built
  help            this text

Missing Debian or Ubuntu packages are installed with apt-get, as root or through sudo, after naming them.
TS_NO_INSTALL=1 leaves packages alone and builds with what there is.
END
}

say() { printf '%s\n' "ts: $*"; }

fail() {
    printf '%s\n' "ts: $*" >&2
    exit 1
}

wrong_use() {
    printf '%s\n' "ts: $*; './ts help' tells what there is" >&2
    exit 2
}

# The package with clang's sanitizer and fuzzer libraries carries a version in its name.
clang_runtime() {
    version=
    if [ -r /etc/os-release ]; then
        # shellcheck source=/dev/null
        version=$(. /etc/os-release && echo "${ID-}:${VERSION_ID-}")
    fi
    case $version in
    debian:12) echo libclang-rt-14-dev ;;
    ubuntu:24.04) echo libclang-rt-18-dev ;;
    *) echo libclang-rt-dev ;;
    esac
}

# need PACKAGE...: installs those that are missing. Does nothing, not even ask apt, when all are there.
need() {
    if [ "${TS_NO_INSTALL:-0}" = 1 ]; then return 0; fi
    if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
        # Not Debian: go on when the tools and the two libraries nothing works without are there.
        if command -v cmake > /dev/null && command -v ninja > /dev/null && command -v pkg-config > /dev/null &&
            pkg-config --exists libxml-2.0 qhull_r; then
            return 0
        fi
        say 'this system has no apt-get. Please install what these Debian packages hold, then run me again:'
        say "  $*"
        exit 1
    fi

    present=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2> /dev/null | sed -n 's/^ii *//p' | tr '\n' ' ')
    missing=
    for package in "$@"; do
        case " $present" in
        *" $package "*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    if [ -z "$missing" ]; then return 0; fi

    if [ "$(id -u)" -eq 0 ]; then
        become='env'
    elif command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then
        become='sudo env'
    else
        say 'these packages are missing and I have no right to install them. As root, please run:'
        say "  apt-get install --no-install-recommends$missing"
        exit 1
    fi
    say "installing:$missing"
    lists=$(find /var/lib/apt/lists -name '*_Packages*' 2> /dev/null | head -n 1)
    if [ -z "$lists" ]; then
        $become apt-get update -q || fail 'apt-get update failed'
    fi
    # shellcheck disable=SC2086
    set -- $become DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
    if ! "$@"; then
        # Package lists grow old: refresh them once before giving up.
        say 'the installation failed; refreshing the package lists and trying once more'
        $become apt-get update -q || fail 'apt-get update failed'
        "$@" || fail "could not install:$missing"
    fi
    installed=1
}

need_for_build() {
    # shellcheck disable=SC2086
    need $build_packages "$@"
}

# make PRESET [TARGET]: configures when that was never done, then builds what changed, on all cores.
make() {
    preset=$1
    if [ $installed -eq 1 ] || [ ! -f "$root/build/$preset/build.ninja" ]; then
        (cd "$root" && cmake --preset "$preset") || return 1
    fi
    if [ $# -gt 1 ]; then
        cmake --build "$root/build/$preset" --target "$2"
    else
        cmake --build "$root/build/$preset"
    fi
}

command_build() {
    need_for_build
    make release
    say "built $root/build/release/touchstone"
}

command_demo() {
    need_for_build
    make release touchstone
    report=$PWD/demo-report
    "$root/build/release/touchstone" compare sliding-cube-rotated --out "$report"
    say "open $report/report.html in a browser"
    if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
        exec "$root/build/release/touchstone" view sliding-cube-rotated
    fi
}

command_view() {
    need_for_build
    make release touchstone
    exec "$root/build/release/touchstone" view "$@"
}

# coal and MuJoCo come as Python packages. They go into a virtual environment of their own; what cannot be had is left out.
need_python_peers() {
    peers=$root/build/peers
    if [ "${TS_NO_INSTALL:-0}" = 1 ]; then return 0; fi
    for package in coal mujoco; do
        if [ -e "$peers/tried-$package" ]; then continue; fi
        mkdir -p "$root/build"
        if { [ -x "$peers/bin/pip" ] || python3 -m venv "$peers"; } &&
            "$peers/bin/pip" install -q --disable-pip-version-check "$package"; then
            installed=1
        else
            say "$package could not be had; benchmarks go on without it (remove build/peers to try again)"
        fi
        mkdir -p "$peers" && : > "$peers/tried-$package"
    done
}

command_bench() {
    # shellcheck disable=SC2086
    need_for_build $bench_packages
    need_python_peers
    coal=$(find "$root/build/peers" -type d -name cmeel.prefix 2> /dev/null | head -n 1)
    mujoco=$(find "$root/build/peers" -type d -path '*/site-packages/mujoco' 2> /dev/null | head -n 1)
    if [ $installed -eq 1 ] || [ ! -f "$root/build/bench/build.ninja" ]; then
        (cd "$root" && cmake --preset bench -DTS_COAL_PREFIX="$coal" -DTS_MUJOCO_PREFIX="$mujoco") || fail 'could not configure'
        installed=0
    fi
    make bench touchstone
    program=$root/build/bench/touchstone
    case ${1-} in
    '' | -*) ;;
    *) exec "$program" bench "$@" ;;
    esac
    results=$root/build/bench-results
    mkdir -p "$results"
    bad=0
    for name in $("$program" bench | sed -n '/^$/q; s/ .*//p'); do
        "$program" bench "$name" --json "$results/$name.json" --svg "$results" "$@" || bad=1
    done
    say "JSON and figures are in $results"
    return $bad
}

# try_preset PRESET: builds and tests one preset and adds its numbers to passed and failed.
try_preset() {
    say "testing $1"
    if ! make "$1"; then
        say "$1 does not build"
        failed=$((failed + 1))
        return 0
    fi
    log=$root/build/$1/ctest.log
    rm -f "$log"
    ctest --test-dir "$root/build/$1" --output-on-failure --no-tests=error -j "$cores" --output-log "$log" || true
    # "96% tests passed, 2 tests failed out of 51"
    counts=$(sed -n 's/^.*, \([0-9]*\) tests failed out of \([0-9]*\).*$/\1 \2/p' "$log" | tail -n 1)
    if [ -z "$counts" ]; then
        say "$1 has no test results"
        failed=$((failed + 1))
        return 0
    fi
    failed=$((failed + ${counts% *}))
    passed=$((passed + ${counts#* } - ${counts% *}))
}

command_test() {
    presets='release debug-clang'
    case ${1-} in
    '') ;;
    --quick) presets='release' ;;
    --all) presets='release debug-clang debug-gcc release-clang minimal tsan' ;;
    *) wrong_use "unknown option of test: $1" ;;
    esac
    # shellcheck disable=SC2086
    need_for_build $test_packages "$(clang_runtime)"
    cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1)
    passed=0
    failed=0
    for preset in $presets; do try_preset "$preset"; done
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

command_lint() {
    # shellcheck disable=SC2086
    need_for_build $test_packages $lint_packages "$(clang_runtime)"
    make release # generated headers have to exist
    cd "$root"
    bad=0
    find base collision contact engine scenes viewer cli python bench tests touchstone.h -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -exec clang-format --dry-run -Werror {} + || bad=1
    find . -path ./build -prune -o -path ./.git -prune -o -type f \( -name '*.sh' -o -name ts \) \
        -exec shellcheck {} + || bad=1
    shellcheck .ci/run || bad=1
    run-clang-tidy -quiet -p build/release "$root/(base|collision|contact|engine|scenes|viewer|cli|bench)/.*\.c$" \
        > build/tidy.log 2>&1 || bad=1
    # Without the colour codes, which run-clang-tidy cannot be told to leave out everywhere.
    escape=$(printf '\033')
    sed "s/$escape\[[0-9;]*m//g" build/tidy.log | grep -E '(warning|error):' | LC_ALL=C sort -u || true
    [ $bad -eq 0 ] || fail 'lint found something (details of clang-tidy: build/tidy.log)'
    say 'nothing to complain about'
}

command_clean() {
    rm -rf "${root:?}/build" "$root/demo-report"
}

command=${1-help}
if [ $# -gt 0 ]; then shift; fi
case $command in
build | demo | view | bench | test | lint | clean) "command_$command" "$@" ;;
help | --help | -h) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
