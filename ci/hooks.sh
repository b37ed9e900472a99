#!/usr/bin/env bash
# The tests that freeze a thread inside a call or count what it did.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

with hooks "--cfg hornpipe_hooks" cargo test --no-fail-fast -p hornpipe --tests --features baseline
with hooks "--cfg hornpipe_hooks" cargo test --no-fail-fast -p hornpipe --tests --features baseline,condvar
# hornpipe-bench holds a peer where only stall points can.
with hooks "--cfg hornpipe_hooks" cargo test --no-fail-fast -p hornpipe-bench stall
with hooks "--cfg hornpipe_hooks" cargo test --no-fail-fast -p hornpipe --test stats --features stats
with hooks "--cfg hornpipe_hooks" cargo test --no-fail-fast -p hornpipe --test stats --features stats,condvar
