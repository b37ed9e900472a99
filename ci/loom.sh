#!/usr/bin/env bash
# The models of the shipped code, and its mutants, which must not pass them. Some two million runs: three minutes on 2
# CPUs of a virtual machine that had other work too, of which the mutants took half of one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

models=(cargo test --no-fail-fast --release -p loom-tests)
with loom "--cfg hornpipe_loom" "${models[@]}"
# Without the cfg, or with a wrong name, there would be nothing in there, and that would pass.
with loom "--cfg hornpipe_loom" "${models[@]}" -- --list | grep ': test$' || broken "there are no models"
