#!/usr/bin/env bash
# Which instruction stands in the loops, by disassembly: `ci/codegen.sh [TARGET...]`, by default for this machine and for
# those of ci/targets.sh.
#
# In the loop that counts handles (that of every lockref, with a relax that is known while compiling): the architecture's hint where the build asks for it (--cfg hornpipe_retry="hint");
# none with "none", or where the build says nothing. In the loops that wait: the hint. Where Rust knows no hint, there is
# none anywhere, and "hint" and "none" are the same code.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/targets.sh"

# expected TARGET: sets, as regular expressions, `cas`, the compare-exchange of 64 bits (or the store that ends it, or
# compiler-builtins' function for it), and `hint`; and whether Rust `knows` that.
expected() {
    knows=yes
    case $1 in
        x86_64-*) cas='^lock cmpxchg ' hint='^pause' ;;
        i686-*) cas='^lock cmpxchg8b ' hint='^pause' ;;
        aarch64-*) cas='<__aarch64_cas8_|^(stl?xr|casa?l?) ' hint='^isb' ;;
        armv7-*) cas='^strexd ' hint='^yield' ;;
        riscv64gc-*) cas='^lr[.]d' hint='^(pause|fence w,unknown)' ;; # the second: an older objdump's
        # Linux's own: lower the thread's priority; give the processor back to the hypervisor.
        powerpc64le-*) cas='^stdcx[.] ' hint='^or r?1,r?1,r?1' knows=no ;;
        s390x-*) cas='^csg ' hint='^diag ' knows=no ;;
        *) return 1 ;;
    esac
}

# compile TARGET RETRY: the library as in a release with the loops in question; prints where it is.
compile() {
    local retry=() std=() built hornpipe crate made=$target/cross/codegen/$1-$2.so
    [ "$2" = default ] || retry=(--cfg "hornpipe_retry=\"$2\"")
    # Calls by name and not through a table, or a disassembler does not see whom they call.
    local flags=(-C opt-level=3 -C debug-assertions=off -C overflow-checks=off -C codegen-units=1 -Z plt=yes)
    built=$(cargo rustc -q -p hornpipe --lib "${build[@]}" --message-format=json-render-diagnostics -- \
        "${flags[@]}" "${retry[@]}") || return
    hornpipe=$(made hornpipe)
    # A std of our own: rustc does not look for that by itself.
    for crate in std panic_unwind; do
        [ -z "$(made $crate)" ] || std+=(--extern "$crate=$(made $crate)")
    done
    "${RUSTC:-rustc}" --edition 2024 --crate-type cdylib --target "$1" "${flags[@]}" -C linker="$linker" \
        --extern hornpipe="$hornpipe" "${std[@]}" -L dependency="$(dirname "$hornpipe")/deps" \
        ci/codegen.rs -o "$made" || return
    echo "$made"
}

# made CRATE: where cargo has put it, in this build.
made() {
    grep -o "\"[^\"]*/lib$1\(-[0-9a-f]*\)\?[.]rlib\"" <<<"$built" | tail -n 1 | tr -d '"'
}

# loops LIBRARY FUNCTION: sets what ci/codegen.awk finds in the function and what it calls.
loops() {
    read -r claims hints spins all shown code < <("$objdump" -d --no-show-raw-insn "$1" |
        awk -v entry="$2" -v cas="$cas" -v hint="$hint" -f ci/codegen.awk)
}

# ensure TARGET WHAT CONDITION...: the condition, a `[` without brackets, holds.
ensure() {
    local where=$1 what=$2
    shift 2
    [ "$@" ] || broken "$where: $what ($*)"
}

# check TARGET
check() {
    local library codes=() row='' retry
    for retry in hint none default; do
        if ! library=$(compile "$1" "$retry"); then
            broken "$1: no library with retry $retry"
            return
        fi
        loops "$library" hornpipe_retry
        codes+=("$code")
        ensure "$1" "retry $retry: a compare-exchange is in a loop" "${claims:-0}" -gt 0
        case $knows-$retry in
            yes-hint) ensure "$1" "retry $retry: a hint is in the loop with the compare-exchange" "${hints:-0}" -gt 0 ;;
            *) ensure "$1" "retry $retry: there is no hint" "${all:-1}" -eq 0 ;;
        esac
        row+=$(printf ' %8s' "$hints")
    done
    [ $knows = yes ] || ensure "$1" "hint and none are the same code" "${codes[0]}" = "${codes[1]}"
    loops "$library" hornpipe_wait
    case $knows in
        yes) ensure "$1" "a hint is in a loop that waits" "${spins:-0}" -gt 0 ;;
        no) ensure "$1" "no hint is where it waits" "${all:-1}" -eq 0 ;;
    esac
    printf -v table '%s%-30s %-16s%s %8s\n' "$table" "$1" "$shown" "$row" "$spins"
}

table=''
targets=("$@")
host=$(rustc -vV | sed -n 's/^host: //p')
if ((${#targets[@]} == 0)); then
    targets=("${foreign[@]}")
    if expected "$host"; then
        targets=("$host" "${targets[@]}")
    else
        skip "$host" "what to expect there is not known here"
    fi
fi
mkdir -p "$target/cross/codegen"
abroad=()
for t in "${targets[@]}"; do
    expected "$t" || fail "what to expect on $t is not known here"
    [ "$t" = "$host" ] || abroad+=("$t")
done
provide "${abroad[@]}"

for t in "${targets[@]}"; do
    expected "$t"
    printf '\n-- %s\n' "$t"
    if [ "$t" = "$host" ]; then
        if obtain objdump binutils; then
            build_here "$t"
            check "$t"
        else
            skip "$t" "there is no objdump (binutils)"
        fi
    else
        complete "$t" || continue
        build_for "$t"
        check "$t"
    fi
done
if [ -n "$table" ]; then
    printf '\nhints in the loop with the compare-exchange, by retry; hints in the loops that wait\n'
    printf '%-30s %-16s %8s %8s %8s %8s\n%s' target hint hint none unsaid waiting "$table"
fi
