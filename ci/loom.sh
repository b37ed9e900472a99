#!/usr/bin/env bash
# The models of the shipped code, and its mutants, which must not pass them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

models=(cargo test --no-fail-fast --release -p loom-tests)
with loom "--cfg hornpipe_loom" "${models[@]}"
# Without the cfg, or with a wrong name, there would be nothing in there, and that would pass.
with loom "--cfg hornpipe_loom" "${models[@]}" -- --list | grep ': test$' || broken "there are no models"
