//! Keeps the compiler's version for the machine's facts; says where `compare --stall` and `kernel::trace` can be built.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC for build scripts");
    let version =
        Command::new(rustc).arg("--version").output().ok().and_then(|o| String::from_utf8(o.stdout).ok());
    println!("cargo::rustc-env=HORNPIPE_BENCH_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());

    // Signals by a thread's own clock, and the clocks of others.
    println!("cargo::rustc-check-cfg=cfg(stall)");
    let target = |fact: &str| env::var(format!("CARGO_CFG_TARGET_{fact}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-cfg=stall");
    }

    // Tracepoints, where perf-event2 is (Cargo.toml).
    println!("cargo::rustc-check-cfg=cfg(tracepoints)");
    if target("OS") == "linux" && ["aarch64", "riscv64", "x86_64"].contains(&target("ARCH").as_str()) {
        println!("cargo::rustc-cfg=tracepoints");
    }
}
