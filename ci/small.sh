#!/usr/bin/env bash
# Positions so narrow that they wrap many times a test; also with threads frozen inside calls.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

with small "--cfg hornpipe_small" cargo test --no-fail-fast -p hornpipe --tests --features baseline
with small "--cfg hornpipe_small" cargo test --no-fail-fast -p hornpipe --test stats --features stats
with hooks-small "--cfg hornpipe_hooks --cfg hornpipe_small" cargo test --no-fail-fast -p hornpipe --tests --features baseline
