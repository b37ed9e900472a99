//! Any bytes are a byte pipe and a sequence of calls on it, beside the model.

#![no_main]

#[path = "../../bytes/machine.rs"]
mod machine;
#[path = "../../bytes/model.rs"]
mod model;
#[path = "../../bytes/own.rs"]
mod own;

libfuzzer_sys::fuzz_target!(|data: &[u8]| machine::run_bytes(data));
