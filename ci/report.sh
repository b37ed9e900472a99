#!/usr/bin/env bash
# The page of `hornpipe-bench report` in a real browser: that it is drawn, and that its tables can be sorted.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

browser=''
for name in chromium-headless-shell chromium; do
    # Debian's packages are called as their programs are.
    if [ -z "$browser" ] && obtain "$name" "$name"; then
        browser=$name
    fi
done
[ -n "$browser" ] || skip "the page in a browser" "there is no Chromium, and installing it takes root and apt"

# With a browser named, the tests fail rather than skip when it is of no use.
run env ${browser:+HORNPIPE_BROWSER="$browser"} \
    cargo test --no-fail-fast --release -p hornpipe-bench --features peers --test page
