//! Runs one model by its name, or lists them.

#[cfg(hornpipe_loom)]
fn main() -> std::process::ExitCode {
    loom_tests::model::main()
}

#[cfg(not(hornpipe_loom))]
fn main() -> std::process::ExitCode {
    eprintln!("models need: RUSTFLAGS=\"--cfg hornpipe_loom\" cargo run --release -p loom-tests [MODEL]");
    std::process::ExitCode::from(2)
}
