#!/usr/bin/env bash
# Instructions of a solo send and receive, counted by callgrind, against the recorded ones.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! obtain valgrind valgrind; then
    skip "the instruction counts" "valgrind is not installed, and installing it takes root and apt"
    exit 0
fi

said=$target/instructions.txt
mkdir -p "$target"
run cargo bench -p hornpipe-bench --bench instructions >"$said"
cat "$said"
# It compares with counts of the same compiler and architecture only.
skipped=$(sed -n 's/^SKIPPED: //p' "$said")
[ -z "$skipped" ] || skip "the instruction counts" "$skipped"
