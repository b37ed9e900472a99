#!/usr/bin/env bash
# The tests where threads park on Mutex + Condvar, as they do where the system has no futex that we use.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

run cargo test --no-fail-fast -p hornpipe --tests --features baseline,condvar
