# shellcheck shell=bash
# Sourced by every script in ci/: strict mode, the repository's root, and the helpers that they share.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Builds with flags of their own get a folder of their own below this one, so that no build throws out another's.
target=${CARGO_TARGET_DIR:-target}

# Says loudly that something was not checked or did not pass; .ci/run says it again at its end.
tell() {
    printf '\n!!!! %s: %s\n' "$1" "$2"
    if [ -n "${CI_TOLD:-}" ]; then
        printf '%s: %s: %s\n' "$1" "$(basename "$0" .sh)" "$2" >>"$CI_TOLD"
    fi
}

# skip WHAT WHY
skip() {
    tell SKIPPED "$1: $2"
}

# fail WHY: gives up.
fail() {
    tell FAILED "$1"
    exit 1
}

# Shows a command as it could be typed and runs it. One that fails fails the script, at its end: the others still run.
run() {
    printf '\n+ %s\n' "$*"
    "$@" || broken "$*"
}

# with DIR FLAGS COMMAND...: the same, with these RUSTFLAGS for all that it builds, in target/DIR.
with() {
    local dir=$1 flags=$2
    shift 2
    printf "\n+ RUSTFLAGS='%s' %s\n" "$flags" "$*"
    RUSTFLAGS=$flags CARGO_TARGET_DIR=$target/$dir "$@" || broken "RUSTFLAGS='$flags' $*"
}

broke=0
broken() {
    broke=1
    tell FAILED "$1"
}
finish() {
    local status=$?
    exit $((status ? status : broke))
}
trap finish EXIT

have() {
    command -v "$1" >/dev/null 2>&1
}

# obtain PROGRAM PACKAGE: whether the program is there, if need be from the system's packages.
obtain() {
    have "$1" || { packages "$2" && have "$1"; }
}

# packages PACKAGE...: installs them, in one call so that their versions match. Nothing is removed for them (Debian's rustc
# and rustup are at odds with its rustc-web). Tried again past any cache: a mirror in the middle of an update is the usual
# cause of a failure.
packages() {
    local fresh
    [ "$(id -u)" = 0 ] && have apt-get || return
    for fresh in false true; do
        printf '\n+ installing %s\n' "$*"
        apt-get update -qq -o "Acquire::http::No-Cache=$fresh" || true # the lists that are there may do
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-remove \
            -o "Acquire::http::No-Cache=$fresh" "$@" >/dev/null && return
    done
    return 1
}

# component PROGRAM COMPONENT: the same for a part of the Rust toolchain.
component() {
    "$1" --version >/dev/null 2>&1 && return
    have rustup && rustup component add "$2" && "$1" --version >/dev/null 2>&1
}

# The sets of features to build a manifest's package with, as arguments, one a line: none, each alone, all.
feature_sets() {
    echo --no-default-features
    sed -n '/^\[features\]/,/^\[[^f]/s/^\([a-z0-9_-]*\) *=.*/--no-default-features --features \1/p' "$1"
    echo --all-features
}
