#!/usr/bin/env bash
# Each thing that a build can choose to do after a lost compare-exchange.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for relax in none hint backoff; do
    flags="--cfg hornpipe_retry=\"$relax\""
    with "retry-$relax" "$flags" cargo rustc --profile check --lib -p hornpipe -- -D warnings
    with "retry-$relax" "$flags" cargo test --no-fail-fast -p hornpipe --lib
done
