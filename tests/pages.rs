//! The page pipe, `baseline::pages`, from outside: beside a queue, beside the running kernel's own pipe, and in crowds.
//! Its rules one by one are its unit tests.

#![cfg(feature = "baseline")]

mod support;

#[path = "pages/answers.rs"]
mod answers;
#[path = "pages/crowds.rs"]
mod crowds;

use hornpipe::WakePolicy;
use hornpipe::baseline::pages::{Options, PageReader, PageWriter};
use static_assertions::assert_impl_all;
use std::fmt::Debug;
use std::io::{Read, Write};
use std::panic::{RefUnwindSafe, UnwindSafe};
use support::SPINS;

assert_impl_all!(PageReader: Read, Clone, Debug, Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(PageWriter: Write, Clone, Debug, Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(&PageReader: Read);
assert_impl_all!(&PageWriter: Write);

/// Every setting of the switches.
fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for wake in [WakePolicy::OnRelease, WakePolicy::OnEdge, WakePolicy::Proactive] {
        for spin in SPINS {
            for (inner_lock, look_first) in [(false, false), (false, true), (true, false), (true, true)] {
                all.push(Options::new().wake(wake).spin(spin).inner_lock(inner_lock).look_first(look_first));
            }
        }
    }
    all
}
