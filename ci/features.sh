#!/usr/bin/env bash
# Each feature alone, none and all, with warnings as errors; the unit tests without std, and what `stats` counts.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for manifest in Cargo.toml benches/Cargo.toml loom-tests/Cargo.toml; do
    package=$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)
    while read -ra features; do
        # Denies warnings in the library alone, so that what it depends on stays built.
        run cargo rustc --profile check --lib -p "$package" "${features[@]}" -- -D warnings
    done < <(feature_sets "$manifest")
done

run cargo test --no-fail-fast -p hornpipe --no-default-features --lib
# What `stats` adds, and that the handles are the same pipe's with it.
run cargo test --no-fail-fast -p hornpipe --features baseline,stats --lib --test stats --test api --test memory --test oracle
run cargo test --no-fail-fast -p hornpipe --features baseline,stats --doc
