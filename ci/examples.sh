#!/usr/bin/env bash
# Every example: each checks its own result.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for example in examples/*.rs; do
    run cargo run --release -p hornpipe --example "$(basename "$example" .rs)"
done
