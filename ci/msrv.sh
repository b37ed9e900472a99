#!/usr/bin/env bash
# The library with a real compiler of the version that Cargo.toml promises: rustup's if it has one, else Debian's,
# unpacked below target/ without installing it. (The bench program promises less and is not built here.)
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
root=$PWD/$target/msrv
[[ $target == /* ]] && root=$target/msrv

# unpack SUFFIX: Debian's compiler and what it loads; web browsers' own packages have it in older releases.
unpack() {
    rm -rf "$root/debs" "$root/rust"
    mkdir -p "$root/debs" "$root/rust"
    (cd "$root/debs" && apt-get download -qq "rustc$1=$version.*" "libstd-rust$1-dev=$version.*" \
        "libstd-rust$1-$version=$version.*" libllvm19 libz3-4 libedit2 libbsd0 libxml2) || return
    for deb in "$root"/debs/*.deb; do
        dpkg-deb -x "$deb" "$root/rust" || return
    done
    rm -rf "$root/debs"
}

# Prints the path of the compiler, if there is one.
compiler() {
    local toolchain=''
    if have rustup; then
        toolchain=$(rustup toolchain list | sed -n "s/^\(${version}[.-][^ ]*\).*/\1/p" | head -n 1)
    fi
    if [ -n "$toolchain" ]; then
        rustup which --toolchain "$toolchain" rustc
    elif [ -x "$root/rust/usr/bin/rustc" ]; then
        echo "$root/rust/usr/bin/rustc"
    fi
}

rustc=$(compiler)
if [ -z "$rustc" ] && have apt-get && have dpkg-deb; then
    unpack -web || unpack "" || {
        [ "$(id -u)" = 0 ] && apt-get update -qq && { unpack -web || unpack ""; }
    } || rm -rf "$root/rust"
    rustc=$(compiler)
fi
if [ "$rustc" = "$root/rust/usr/bin/rustc" ]; then
    libraries=$(find "$root/rust/usr/lib" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
    export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
if [ -z "$rustc" ] || [[ $("$rustc" -V) != "rustc $version."* ]]; then
    skip "the build with Rust $version" "no such compiler is installed, and Debian's packages have none to unpack"
    exit 0
fi

run "$rustc" -V
export RUSTC=$rustc CARGO_TARGET_DIR=$target/msrv
while read -ra features; do
    run cargo check -p hornpipe --lib "${features[@]}"
done < <(feature_sets Cargo.toml)
run cargo check -p hornpipe --examples
run cargo test --no-fail-fast -p hornpipe --lib --tests --features baseline
