#![no_std]
//! A bounded, blocking, in-process **pipe** (a channel) on a lock-free ring, for one or many senders and receivers.
//!
//! ```
//! let (tx, rx) = hornpipe::bounded(64);
//! let workers: Vec<_> = (0..4)
//!     .map(|_| {
//!         let rx = rx.clone();
//!         std::thread::spawn(move || rx.iter().sum::<u64>())
//!     })
//!     .collect();
//! (1..=1000).for_each(|n| tx.send(n).unwrap());
//! drop(tx); // the workers drain what is queued, then their iterators end
//! assert_eq!(workers.into_iter().map(|worker| worker.join().unwrap()).sum::<u64>(), 500_500);
//! ```
//!
//! Names, errors and meanings are crossbeam-channel's. Two differences matter: when the last receiver goes, queued
//! items are dropped at once; and a capacity of 0 is refused.
//!
//! # What it promises
//!
//! In this order: no item is lost or doubled (`send` returned `Ok`: it is received once, or dropped once because the last
//! receiver went; FIFO for each sender and receiver); no thread sleeps while an item (or space) is there for it, unless a
//! wake issued for it has not run yet; no CPU is burnt for nothing (a bounded budget awake, then a futex); then speed.
//! *Empty* (*Full*) is answered when it is so, and may be answered while an earlier send (receive) is still running;
//! never otherwise. Turns are not queued: a thread may be passed over as long as others keep up.
//!
//! # Progress
//!
//! | call | class |
//! |---|---|
//! | `try_send`, `try_recv` | lock-free; each extra turn is another thread's completed claim; a single end never takes one |
//! | `send`, `recv` and their timed forms, with space (an item) there | lock-free |
//! | the same, full (empty) or behind a slot that a suspended thread holds | may wait for a peer: awake for the spin budget, then asleep |
//! | `len`, `capacity`, counts, `is_disconnected` | wait-free |
//! | `clone`, `drop` of a handle | lock-free (with feature `stats`: take a lock); the last receiver's `drop` also drops the queued items |
//!
//! A thread suspended between its claim of a slot and its end (a few instructions) holds back the items behind it.
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
//! | module | senders | receivers | ring |
//! |---|---|---|---|
//! | [`spsc`] | one | one | indexed: packed items, no locked instruction (below 32 items, or on request, stamped) |
//! | [`mpsc`] | many | one | stamped; receives claim by a plain store |
//! | [`spmc`] | one | many | stamped; sends claim by a plain store |
//! | [`mpmc`] | many | many | stamped; both sides claim by compare-exchange |
//!
//! A single end can be sent to another thread, neither cloned nor shared: who needs neither pays for neither.
//!
//! # Bytes
//!
//! [`bytes`] has the pipe of the system, in process: [`bytes::pipe`], a contiguous ring between one writer and one reader, and
//! [`bytes::shared`], pieces of a page between any number of each, as [`std::io::Read`] and [`std::io::Write`] (feature `std`).
//!
//! # Lockref
//!
//! The handles are counted by a word that is there by itself too: [`Lockref`], a lock and a count as Linux's
//! directory entries have them, and [`LockrefCell`], the same with a value under the lock (feature `std`).
//!
//! # Tokens
//!
//! [`TokenPool`] (feature `std`) limits how many do something at once, as make's jobserver does; who waits is passed 64 times at
//! most.
//!
//! | feature | |
//! |---|---|
//! | `std` (default) | the blocking and timed calls; without it the `try_` calls, on `alloc` alone |
//! | `stats` | `stats()` on every handle: retries, spins, parks, wakes ...; nothing on the fast path |
//! | `baseline` | mutex pipes: the oracle and the yardstick, and the kernel's pipe rebuilt |
//! | `condvar` | park on a mutex and a condition variable even where there is a futex |
#![cfg_attr(docsrs, feature(doc_cfg))]
// Docs are written for `std`; without it some links lead nowhere.
#![cfg_attr(not(feature = "std"), allow(rustdoc::broken_intra_doc_links))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(not(target_has_atomic = "64"))]
compile_error!("hornpipe keeps positions and gates in 64-bit words: this target has no 64-bit atomics");

#[cfg(feature = "std")]
pub mod bytes;

mod builder;
#[cfg(feature = "std")]
mod call;
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
mod stats;
mod sync;
#[cfg(feature = "std")]
mod tempo;
#[cfg(feature = "std")]
mod tokens;
mod topologies;
mod topology;
#[cfg(feature = "std")]
mod wait;
mod wake;

#[cfg(hornpipe_loom)]
pub mod model;

#[cfg(feature = "baseline")]
pub mod baseline;

pub use builder::Builder;
pub use error::{
    BuildError, RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError,
};
#[cfg(feature = "std")]
pub use lockref::{CellGuard, CountError, Lockref, LockrefCell, LockrefGuard};
#[cfg(feature = "std")]
pub use receiver::{IntoIter, Iter};
pub use receiver::{Receiver, TryIter};
pub use relax::Relax;
pub use ring::RingKind;
pub use sender::Sender;
#[cfg(feature = "std")]
pub use spin::Spin;
#[cfg(feature = "stats")]
pub use stats::Stats;
#[cfg(feature = "std")]
pub use tokens::{Token, TokenPool};
pub use topologies::{mpmc, mpmc::bounded, mpsc, spmc, spsc};
pub use topology::{ManyReceivers, ManySenders, Mpmc, Mpsc, Spmc, Spsc, Topology};
pub use wake::WakePolicy;

/// Stall points and counters, for tests only.
#[cfg(all(hornpipe_hooks, feature = "std"))]
pub mod hooks {
    pub use crate::sync::point::{Counters, Guard, Point, counters, fail_barriers, on, thread_counters};
}

/// README's examples, as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
