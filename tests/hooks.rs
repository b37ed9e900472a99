//! The scenarios in which a thread is frozen at a stall point inside a call, or futex calls are counted. Build with
//! `RUSTFLAGS="--cfg hornpipe_hooks"`.

#![cfg(hornpipe_hooks)]

mod support;

#[path = "scenarios/frozen/bytes.rs"]
mod bytes;
#[path = "scenarios/frozen/closing.rs"]
mod closing;
#[path = "scenarios/frozen/cost.rs"]
mod cost;
#[path = "scenarios/frozen/discarding.rs"]
mod discarding;
#[path = "scenarios/frozen/lockref.rs"]
mod lockref;
#[path = "scenarios/frozen/pests.rs"]
mod pests;
#[path = "scenarios/frozen/policies.rs"]
mod policies;
#[path = "scenarios/frozen/progress.rs"]
mod progress;
#[path = "scenarios/frozen/single.rs"]
mod single;
#[path = "scenarios/frozen/symmetry.rs"]
mod symmetry;
#[path = "scenarios/frozen/timeouts.rs"]
mod timeouts;
#[path = "scenarios/frozen/tokens.rs"]
mod tokens;
#[path = "scenarios/frozen/wakes.rs"]
mod wakes;
