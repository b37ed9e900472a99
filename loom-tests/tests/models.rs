//! Each model, in a process of its own.
#![cfg(hornpipe_loom)]

use loom_tests::{each_model, process};
use std::time::Duration;

fn passes(model: &str) {
    let limit = Duration::from_secs(600);
    let outcome =
        process::run(env!("CARGO_BIN_EXE_models"), env!("CARGO_TARGET_TMPDIR"), model, None, limit).unwrap();
    assert!(outcome.passed(), "{:?}\n{}", outcome.status, outcome.output);
    println!("{}", outcome.output.trim_end());
}

macro_rules! tests {
    ($($name:ident: $run:expr, $fences:ident, $bound:literal, $runs:literal, $what:literal;)+) => {$(
        #[test]
        fn $name() {
            passes(stringify!($name));
        }
    )+};
}
each_model!(tests);
