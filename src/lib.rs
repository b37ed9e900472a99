#![no_std]
#![doc = include_str!("../README.md")]
//!
//! # A message's way
//!
//! ```text
//! Sender::send ─► reserve ─► write ─► publish ─► look at the gates ─► (somebody sleeps) decide, wake
//!                   │ lost a compare-exchange: retry, then off the CPU
//!                   └ full: nudge, look for the budget, announce, re-check, sleep, reserve again
//!
//! Receiver::recv ─► claim ─► read ─► release ─► look at the gates ─► (somebody sleeps) decide, wake
//! ```
//!
//! Endpoints call the pipe; the pipe calls ring, gate, wake and lockref; those call relax, spin, futex and fence;
//! all of them the `sync` facade. Nothing calls up.
//!
//! # Topologies and features
//!
//! | module | senders | receivers | ring | features |
//! |---|---|---|---|---|
//! | [`mpmc`] | many | many | stamped | `std` (default): the blocking and timed calls; without it `try_` calls on `alloc` alone |
//! | `baseline` | many | many | one mutex | `baseline`: the oracle and the yardstick |
#![cfg_attr(docsrs, feature(doc_cfg))]
// Docs are written for `std`; without it some links lead nowhere.
#![cfg_attr(not(feature = "std"), allow(rustdoc::broken_intra_doc_links))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(not(target_has_atomic = "64"))]
compile_error!("hornpipe keeps positions and gates in 64-bit words: this target has no 64-bit atomics");

mod builder;
mod endpoint;
mod error;
mod fence;
mod futex;
mod gate;
mod lockref;
mod pipe;
mod receiver;
mod relax;
mod ring;
mod sender;
#[cfg(feature = "std")]
mod spin;
mod sync;
mod topology;
mod wake;

#[cfg(hornpipe_loom)]
pub mod model;

#[cfg(feature = "baseline")]
pub mod baseline;
pub mod mpmc;

pub use builder::{Builder, RingKind};
pub use error::{
    BuildError, RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError,
};
#[cfg(feature = "std")]
pub use receiver::{IntoIter, Iter};
pub use receiver::{Receiver, TryIter};
pub use relax::Relax;
pub use sender::Sender;
#[cfg(feature = "std")]
pub use spin::Spin;
pub use topology::{Mpmc, Topology};
pub use wake::WakePolicy;

/// Stall points and counters, for tests only.
#[cfg(all(hornpipe_hooks, feature = "std"))]
pub mod hooks {
    pub use crate::sync::point::{Counters, Guard, Point, counters, fail_barriers, on, thread_counters};
}
