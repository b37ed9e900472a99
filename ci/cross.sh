#!/usr/bin/env bash
# The library's tests on other architectures, which qemu-user emulates: `ci/cross.sh [TARGET...]`, all six by default.
# They show word size, byte order, line size and system calls; not orderings, since the machine below keeps its own
# (loom-tests and arch-notes/fence have those). ci/targets.sh says how they are built, and what happens where a package
# is lacking.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/targets.sh"

targets=("$@")
((${#targets[@]})) || targets=("${foreign[@]}")
for t in "${targets[@]}"; do
    names_of "$t"
done
provide "${targets[@]}"

# The tests do less and are given more CPU time (tests/support).
export HORNPIPE_EMULATED=1

table=''
for t in "${targets[@]}"; do
    complete "$t" || continue
    build_for "$t"
    tests=(cargo test -p hornpipe --lib --tests --features baseline "${build[@]}" --no-fail-fast)
    log=$target/cross/$t.log
    mkdir -p "$target/cross"
    start=$SECONDS
    run "${tests[@]}" --no-run
    built=$SECONDS
    run "${tests[@]}" > >(tee "$log")
    wait $! # for the last of the log
    # Each test program's line: "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; ..."
    read -r passed left < <(
        awk '/^test result:/ { passed += $4; left += $8 + $12 } END { print passed + 0, left + 0 }' "$log"
    )
    ((passed > 0)) || broken "$t: no test has run"
    printf -v row '%-30s %6d %9d %6d s %6d s' "$t" "$passed" "$left" $((built - start)) $((SECONDS - built))
    table+=$row$'\n'
done
[ -z "$table" ] || printf '\n%-30s %6s %9s %8s %8s\n%s' target passed "left out" build tests "$table"
