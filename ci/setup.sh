#!/usr/bin/env bash
# What the other scripts need, and what machine and compiler their results are from.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run uname -srm
run rustc -vV
run cargo -V
printf '\n%s CPUs usable\n' "$(getconf _NPROCESSORS_ONLN)"

obtain cc gcc || fail "there is no C compiler, which rustc needs to link"
obtain make make || skip "make's jobserver" "make is neither there nor to be had"
component cargo-fmt rustfmt || skip "cargo fmt" "rustfmt is neither there nor to be had"
component cargo-clippy clippy || skip "cargo clippy" "clippy is neither there nor to be had"

# Everything below resolves against the lock file: it has to say what the manifests say.
cargo tree --locked --workspace --all-features >/dev/null || fail "Cargo.lock does not say what the manifests say"
