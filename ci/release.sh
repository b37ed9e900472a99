#!/usr/bin/env bash
# The library's tests optimised, where races show that a slow build hides; then on one CPU, where whoever does not
# give it up starves the others.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run cargo test --no-fail-fast --release -p hornpipe --tests --features baseline

if have taskset; then
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    run taskset -c "$first" cargo test --no-fail-fast --release -p hornpipe --tests --features baseline
else
    skip "the tests on one CPU" "there is no taskset"
fi
