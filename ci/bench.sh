#!/usr/bin/env bash
# Every benchmark once, as a test; the bench program with the rivals that it measures against, what it says of pauses and of
# byte pipes, and the kernel's experiments.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run cargo bench -p hornpipe-bench -- --test
run cargo test --no-fail-fast --release -p hornpipe-bench --features peers
run cargo run --release -p hornpipe-bench --features peers -- relax --rounds 1
run cargo run --release -p hornpipe-bench --features peers -- kernel all --rounds 1
run cargo run --release -p hornpipe-bench --features peers -- bytes --rounds 1
