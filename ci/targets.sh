# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of those who source it, and of lib.sh
# Sourced after lib.sh by cross.sh and codegen.sh: the foreign architectures, what each takes, and how to build for one.
#
# Debian's Rust for web browsers (rustc-web) is a recent one, and rust-web-src is std's source for it: with these
# -Zbuild-std makes a std for any target. What is lacking is installed, as root with apt; where that does not work, the
# target is left out and the packages are named, loudly, as everywhere in ci/. With HORNPIPE_CROSS=required that fails: for
# a machine that ought to have them.

# Rust's name of each, as GNU, Debian and qemu call it.
declare -A names=(
    [aarch64-unknown-linux-gnu]='aarch64-linux-gnu arm64 aarch64'
    [armv7-unknown-linux-gnueabihf]='arm-linux-gnueabihf armhf arm'
    [i686-unknown-linux-gnu]='i686-linux-gnu i386 i386'
    [powerpc64le-unknown-linux-gnu]='powerpc64le-linux-gnu ppc64el ppc64le'
    [riscv64gc-unknown-linux-gnu]='riscv64-linux-gnu riscv64 riscv64'
    [s390x-unknown-linux-gnu]='s390x-linux-gnu s390x s390x'
)
foreign=(aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf i686-unknown-linux-gnu
    powerpc64le-unknown-linux-gnu s390x-unknown-linux-gnu riscv64gc-unknown-linux-gnu)

# names_of TARGET: sets gnu, debian and qemu.
names_of() {
    [ -n "${names[$1]:-}" ] || fail "there is no target $1 here, only: ${foreign[*]}"
    read -r gnu debian qemu <<<"${names[$1]}"
}

# Whether Debian's compiler is there, not too old for this library, and with the source of its very version.
has_rust() {
    local oldest version
    oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    version=$(/usr/bin/rustc -V 2>/dev/null | sed 's/^rustc \([0-9.]*\).*/\1/')
    [ -n "$version" ] && printf '%s\n' "$oldest" "$version" | sort -CV &&
        [[ $(readlink -f /usr/lib/rustlib/src/rust) == *"$version" ]] &&
        [ -f /usr/lib/rustlib/src/rust/library/std/Cargo.toml ]
}

# lacking TARGET...: the packages that are not here, one a line.
lacking() {
    local t gnu debian qemu
    for t in "$@"; do
        names_of "$t"
        has_rust || printf '%s\n' rustc-web rust-web-src
        have "qemu-$qemu" || echo qemu-user
        have "$gnu-gcc" || echo "gcc-$gnu"
        [ -e "/usr/$gnu/lib/libc.so" ] || echo "libc6-dev-$debian-cross"
    done | sort -u
}

# Installs what these targets lack; `complete` names what is lacking still.
provide() {
    local wanted
    mapfile -t wanted < <(lacking "$@")
    ((${#wanted[@]} == 0)) || packages "${wanted[@]}" || true
}

# complete TARGET: whether it can be built for; says what it lacks.
complete() {
    local wanted
    wanted=$(lacking "$1" | paste -sd' ')
    [ -n "$wanted" ] || return 0
    local why="it lacks Debian's $wanted"
    if [ "${HORNPIPE_CROSS:-}" = required ]; then
        broken "$1: $why"
    else
        skip "$1" "$why"
    fi
    return 1
}

# build_for TARGET: sets `build`, cargo's arguments for it with a std of its own, and its `linker` and `objdump`. What is
# not ours is optimised a little: the tests run faster by more than that takes.
build_for() {
    names_of "$1"
    local upper
    upper=$(tr 'a-z-' 'A-Z_' <<<"$1")
    build_in_common
    export RUSTC=/usr/bin/rustc
    export "CARGO_TARGET_${upper}_LINKER=$gnu-gcc"
    # The libraries by name too: qemu would mix them with those that Debian may have installed for this architecture, and
    # threads then hang.
    export "CARGO_TARGET_${upper}_RUNNER=timeout 600 qemu-$qemu -L /usr/$gnu -E LD_LIBRARY_PATH=/usr/$gnu/lib"
    build=(--locked --target "$1" -Zbuild-std -Zbuild-std-features=panic-unwind
        --config 'profile.dev.package."*".opt-level=1')
    linker=$gnu-gcc objdump=$gnu-objdump
}

# build_here TARGET: the same for this machine's own.
build_here() {
    build_in_common
    unset RUSTC
    build=(--locked --target "$1")
    linker=cc objdump=objdump
}

build_in_common() {
    # What is asked of them here is not stable: -Z.
    export RUSTC_BOOTSTRAP=1
    export CARGO_TARGET_DIR=$target/cross CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
}
