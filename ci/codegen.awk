# Reads `objdump -d --no-show-raw-insn` and looks at the function `entry` and all of this library's that it calls, at any
# depth. Given what a compare-exchange and a hint look like, as regular expressions (`cas`, `hint`), it prints
#
#     CLAIMS HINTS SPINS ALL SHOWN CODE
#
# CLAIMS: compare-exchanges in a loop; HINTS: hints in a loop with one; SPINS: hints in any loop; ALL: hints at all;
# SHOWN: how one is written; CODE: all mnemonics. A loop is what lies between a branch and the earlier instruction that
# it goes to.

/^[0-9a-f]+ <.*>:$/ {
    name = substr($2, 2, length($2) - 3)
    next
}

/^ *[0-9a-f]+:\t/ {
    n++
    sub(/:$/, "", $1)
    at[$1] = n
    $1 = ""
    text[n] = substr($0, 2)
    mnemonic[n] = $2
    if (!(name in first)) first[name] = n
    last[name] = n
    # An address and whose it is, as operand or, where it took two instructions to make, as a comment.
    if (match($0, /[0-9a-f]+ <[^>]*>/)) {
        split(substr($0, RSTART, RLENGTH - 1), to, " <")
        target[n] = to[1]
        callee = to[2]
        sub(/[+-]0x[0-9a-f]+$/, "", callee) # POWER's second entry; branches inside
        calls[n] = callee
    }
}

END {
    if (!(entry in first)) {
        print "there is no function " entry > "/dev/stderr"
        exit 1
    }
    todo[1] = entry
    seen[entry] = 1
    found = 1
    for (f = 1; f <= found; f++) look(todo[f])
    print claims + 0, hints + 0, spins + 0, all + 0, (shown ? shown : "-"), code
}

function look(name,    i, callee, from, end, has) {
    for (i = first[name]; i <= last[name]; i++) {
        code = code "," mnemonic[i]
        callee = calls[i]
        # Not what a hint takes, which is measured by giving some.
        if (callee ~ /hornpipe/ && callee !~ /measure_hint/ && callee in first && !(callee in seen)) {
            seen[callee] = 1
            todo[++found] = callee
        }
        if (text[i] ~ hint) {
            all++
            shown = text[i]
            gsub(/ +/, "_", shown)
        }
        inside[i] = claimed[i] = 0
    }
    # Each loop: what it contains.
    for (end = first[name]; end <= last[name]; end++) {
        from = at[target[end]]
        if (!from || from > end || from < first[name]) continue
        has = 0
        for (i = from; i <= end; i++) has += text[i] ~ cas
        for (i = from; i <= end; i++) {
            inside[i] = 1
            if (has) claimed[i] = 1
        }
    }
    for (i = first[name]; i <= last[name]; i++) {
        if (inside[i] && text[i] ~ cas) claims++
        if (text[i] ~ hint) {
            spins += inside[i]
            hints += claimed[i]
        }
    }
}
