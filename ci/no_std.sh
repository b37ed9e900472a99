#!/usr/bin/env bash
# The library without std: a program that has none links it and runs here; and it builds for every target without
# std that is installed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out=$target/no_std
mkdir -p "$out"

run cargo build --release -p hornpipe --no-default-features --target-dir "$out"
run rustc --edition 2024 ci/no_std.rs -o "$out/program" -O -C panic=abort -C link-arg=-lc \
    --extern hornpipe="$out/release/libhornpipe.rlib" -L dependency="$out/release/deps"
run "$out/program"

bare=0
for triple in $(if have rustup; then rustup target list --installed | grep -e -none || true; fi); do
    run cargo build --release -p hornpipe --no-default-features --target-dir "$out" --target "$triple"
    bare=1
done
[ "$bare" = 1 ] || skip "the build for a target without an operating system" \
    "none is installed (rustup target add x86_64-unknown-none); a program without std was linked and run instead"
