#!/usr/bin/env bash
# Runs every row of README.md's tables and compares: `./check.sh`, or `./check.sh --all` with the slow ones.
# GENMC and HERD say how the tools are called, if not as `genmc` and `herd7`.
# Ends with 1 if a verdict is not the expected one, with 2 if a tool is not there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

read -ra genmc <<<"${GENMC:-genmc}"
read -ra herd <<<"${HERD:-herd7}"
all=${1:-}
[[ $all == "" || $all == --all ]] || { echo "usage: check.sh [--all]" >&2; exit 2; }

# speed, model, expected, file and what is taken away
programs='
fast rc11 kept shared.c
fast imm  kept shared.c
fast rc11 lost shared.c -DNO_HEAVY
fast rc11 lost shared.c -DNO_LIGHT
fast rc11 lost shared.c -DNO_SETTLE
fast sc   kept shared.c -DNO_SETTLE -DNO_HEAVY
fast rc11 lost shared.c -DNO_RELOOK
slow rc11 kept shared.c -DPUBLISHERS=2
slow imm  kept shared.c -DPUBLISHERS=2
fast rc11 kept exclusive.c
fast imm  kept exclusive.c
fast rc11 lost exclusive.c -DNO_HEAVY
fast imm  lost exclusive.c -DNO_HEAVY
fast tso  lost exclusive.c -DNO_LIGHT
fast sc   kept exclusive.c -DNO_HEAVY
fast rc11 lost exclusive.c -DNO_LIGHT
fast rc11 kept exclusive.c -DBORN_SYM
fast imm  kept exclusive.c -DBORN_SYM
fast rc11 lost exclusive.c -DBORN_SYM -DNO_SERVE
fast imm  lost exclusive.c -DBORN_SYM -DNO_SERVE
fast tso  lost exclusive.c -DBORN_SYM -DNO_SERVE
fast rc11 lost exclusive.c -DBORN_SYM -DNO_WAITER_FENCE
fast tso  kept exclusive.c -DBORN_SYM -DNO_WAITER_FENCE
fast rc11 kept shared.c -DBORN_SYM
fast rc11 lost shared.c -DBORN_SYM -DNO_SERVE
fast rc11 lost shared.c -DBORN_SYM -DNO_WAITER_FENCE -DNO_BETWEEN
fast rc11 kept switch.c
fast imm  kept switch.c
fast rc11 lost switch.c -DNO_HEAVY
fast rc11 lost switch.c -DNO_LIGHT
fast rc11 lost switch.c -DNO_SERVE
fast rc11 lost switch.c -DNO_WAITER_FENCE
fast sc   kept switch.c -DNO_HEAVY -DNO_WAITER_FENCE
fast rc11 lost switch.c -DTRUST_SYM
fast rc11 lost switch.c -DLOAD_BEFORE
fast rc11 kept switch.c -DLOAD_AFTER
fast rc11 lost switch.c -DBLIND_BACK
slow rc11 lost switch.c -DANYBODY_SETTLES -DSWITCHERS=2
slow rc11 kept switch.c -DSWITCHERS=2
slow rc11 kept switch.c -DSWITCHERS=2 -DLOAD_AFTER
slow rc11 kept switch.c -DWAITERS=2
fast rc11 kept between.c
fast rc11 lost between.c -DNO_BETWEEN
slow imm  kept between.c
slow imm  lost between.c -DNO_BETWEEN
fast tso  kept between.c -DNO_BETWEEN
'

# expected, file, and what is replaced by what
litmus='
Never     sym.c
Sometimes sym.c /PUBLISHER/d
Sometimes sym.c /WAITER/d
Never     sym.aarch64
Sometimes sym.aarch64 s/DMB.ISH.(\*PUBLISHER/NOP(*/
Sometimes sym.aarch64 s/DMB.ISH.(\*WAITER/NOP(*/
Never     settle.aarch64
Sometimes settle.aarch64 s/LDSETL/LDSET/
Sometimes settle.aarch64 s/LDSETL.WZR,/LDR_/
Never     between.c
Sometimes between.c /BETWEEN/d
Never     between.ppc
Sometimes between.ppc s/sync.(\*BETWEEN/nop(*/
Sometimes between.ppc s/sync.(\*BETWEEN/lwsync(*/
Never     between.aarch64
Never     between.aarch64 s/DMB.ISH.(\*BETWEEN/NOP(*/
'

there() {
    command -v "$1" >/dev/null || { echo "not checked: there is no $1"; missing=1; return 1; }
}

# verdict WHAT EXPECTED GOT
verdict() {
    local mark=
    [[ $2 == "$3" ]] || { mark=" <- expected $2"; different=1; }
    printf '%-64s %s%s\n' "$1" "$3" "$mark"
}

different=0 missing=0
if there "${genmc[0]}"; then
    while read -r speed model expected file flags; do
        [[ $speed == fast || ($speed == slow && $all) ]] || continue
        read -ra flags <<<"$flags"
        said=$("${genmc[@]}" --disable-estimation --check-liveness "--$model" -- -I. ${flags[@]+"${flags[@]}"} "$file" 2>&1) || true
        case $said in
            *"No errors were detected"*) got=kept ;;
            *"Liveness violation"* | *"Safety violation"*) got=lost ;;
            *) got="no answer" ;;
        esac
        verdict "genmc --$model $file ${flags[*]-}" "$expected" "$got"
    done <<<"$programs"
fi
if there "${herd[0]}"; then
    changed=$(mktemp -d)
    trap 'rm -r "$changed"' EXIT
    while read -r expected name change; do
        [[ $name ]] || continue
        model=() test=$changed/$name.litmus
        [[ $name == *.c ]] && model=(-cat rc11.cat)
        # A blank would split the change: `.` and `_` stand for it.
        sed "${change//_/ }" "herd/$name.litmus" >"$test"
        if [[ $change ]] && cmp -s "herd/$name.litmus" "$test"; then
            got="nothing changed"
        else
            got=$("${herd[@]}" ${model[@]+"${model[@]}"} "$test" 2>&1 | sed -n 's/^Observation [a-z]* \([A-Z][a-z]*\).*/\1/p') || true
        fi
        verdict "herd7 $name $change" "$expected" "${got:-no answer}"
    done <<<"$litmus"
fi
((different == 0)) || exit 1
((missing == 0)) || exit 2
