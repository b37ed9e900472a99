#!/usr/bin/env bash
# Formatting, and clippy with every warning an error, in each configuration that there is.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

denied=(-D warnings -D clippy::undocumented_unsafe_blocks -D missing_docs -D unsafe_op_in_unsafe_fn)

if component cargo-fmt rustfmt; then
    run cargo fmt --all --check
    run rustfmt --check --edition 2024 ci/*.rs
else
    skip "formatting" "rustfmt is not installed"
fi

if component cargo-clippy clippy; then
    run cargo clippy --workspace --all-targets -- "${denied[@]}"
    run cargo clippy --workspace --all-targets --all-features -- "${denied[@]}"
    run cargo clippy -p hornpipe --no-default-features -- "${denied[@]}"
    with loom "--cfg hornpipe_loom" cargo clippy --release -p hornpipe -- "${denied[@]}"
    with loom "--cfg hornpipe_loom" cargo clippy --release -p loom-tests --all-targets -- "${denied[@]}"
    with hooks "--cfg hornpipe_hooks" cargo clippy -p hornpipe --tests --features baseline,stats -- "${denied[@]}"
    with hooks "--cfg hornpipe_hooks" cargo clippy -p hornpipe-bench --all-targets --all-features -- "${denied[@]}"
    with small "--cfg hornpipe_small" cargo clippy -p hornpipe --tests --features baseline -- "${denied[@]}"
else
    skip "clippy, in all configurations" "it is not installed"
fi

scripts=(.ci/run ci/*.sh)
for script in "${scripts[@]}"; do
    bash -n "$script" || broken "bash -n $script"
done
if obtain shellcheck shellcheck; then
    run shellcheck --external-sources --source-path=SCRIPTDIR "${scripts[@]}"
else
    skip "shellcheck" "it is not installed, and installing it takes root and apt"
fi
