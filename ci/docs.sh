#!/usr/bin/env bash
# The documentation, with every warning an error: as people get it, with all features, and of what is private.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export RUSTDOCFLAGS="-D warnings"

run cargo doc --no-deps -p hornpipe
run cargo doc --no-deps --workspace --all-features
run cargo doc --no-deps -p hornpipe --all-features --document-private-items
