#!/usr/bin/env bash
# README's two set-up commands, as they stand there: the first shell block of README.md that has cargo commands
# in it has exactly these two, and both succeed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expected='cargo run --release -p hornpipe-bench -- compare --quick
cargo test --workspace'

# Prompts and comments are left out.
found=$(awk '
    /^ *```/ { if (inside && commands) exit; inside = !inside && /^ *``` *(sh|bash|shell|console)/; next }
    inside && sub(/^ *(\$ )?cargo /, "cargo ") { sub(/ +#.*$/, ""); print; commands = 1 }
' README.md)

[ "$found" = "$expected" ] || fail "README.md's first block of cargo commands must be exactly
$expected
but is
${found:-(there is none)}"

while IFS= read -r command; do
    run bash -c "$command" </dev/null
done <<<"$found"
