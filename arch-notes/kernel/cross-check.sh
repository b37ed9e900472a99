#!/usr/bin/env bash
# Does our sched-messaging the same work as the kernel's? On the system's pipe, beside `perf bench sched messaging -p -t` and
# rt-tests' hackbench at the same parameters, in turns: medians of the seconds each tells, and the median ratio of ours to each,
# paired by turn. Linux, with perf and hackbench (Debian: linux-perf, rt-tests).
# usage: cross-check.sh [TURNS ["GROUPS LOOPS" ...]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

turns=${1:-9}
loads=("${@:2}")
((${#loads[@]})) || loads=("1 5000" "2 3000" "4 2000")
for tool in perf hackbench; do
    command -v "$tool" >/dev/null || { echo "cross-check.sh: there is no $tool here" >&2; exit 1; }
done
cargo build --quiet --release -p hornpipe-bench
bench=${CARGO_TARGET_DIR:-target}/release/hornpipe-bench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ours() {
    "$bench" kernel messaging --groups "$1" --loops "$2" --rounds 1 --json "$folder/ours.json" >/dev/null 2>&1
    awk '/"on": "os"/ { os = 1 } os && /"seconds"/ { gsub(/[^0-9.e-]/, "", $2); print $2; exit }' "$folder/ours.json"
}
theirs() {
    perf bench sched messaging -p -t -g "$1" -l "$2" 2>/dev/null | awk '/Total time/ { print $3 }'
}
hack() {
    hackbench -T -p -g "$1" -l "$2" | awk '/^Time/ { print $2 }'
}
median() {
    sort -g | awk '{ a[NR] = $1 } END { printf "%.3f", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

printf '%-8s %-8s %10s %10s %10s %12s %16s\n' groups loops ours perf hackbench ours/perf ours/hackbench
for load in "${loads[@]}"; do
    read -r groups loops <<<"$load"
    for _ in $(seq "$turns"); do
        printf '%s %s %s\n' "$(ours "$groups" "$loops")" "$(theirs "$groups" "$loops")" "$(hack "$groups" "$loops")"
    done >"$folder/all"
    column() { awk "{ print $1 }" "$folder/all" | median; }
    printf '%-8s %-8s %10s %10s %10s %12s %16s\n' "$groups" "$loops" "$(column '$1')" "$(column '$2')" "$(column '$3')" \
        "$(column '$1 / $2')" "$(column '$1 / $3')"
done
