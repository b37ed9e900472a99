//! Keeps the compiler's version for the machine's facts.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC for build scripts");
    let version =
        Command::new(rustc).arg("--version").output().ok().and_then(|o| String::from_utf8(o.stdout).ok());
    println!("cargo::rustc-env=HORNPIPE_BENCH_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());
}
