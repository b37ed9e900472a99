//! Who moves a cursor: many threads, by compare-exchange, or (with the single-ended topologies) one.

use super::labels::{CLAIM, SETTLE};
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Shared {}
}

/// One end's position in the ring, and how it moves. Sealed: the crate's topologies choose among its kinds.
#[allow(private_interfaces)]
pub trait Cursor: sealed::Sealed + Sized {
    #[doc(hidden)]
    fn new() -> Self;

    /// The word as it was a moment ago: never trusted without a claim or a stamp.
    #[doc(hidden)]
    fn load(&self) -> u64;

    /// Moves from `seen` to `next`; else says where it is now.
    #[doc(hidden)]
    fn claim(&self, seen: u64, next: u64) -> Result<(), u64>;

    /// The word, ordered against later claims: who claims after this call sees all that the caller wrote
    /// before it (a waiter its announcement), who claimed before is seen.
    #[doc(hidden)]
    fn settle(&self) -> u64;

    /// Sets `bits`, which no claim can miss.
    #[doc(hidden)]
    fn close(&self, bits: u64);
}

/// A cursor that any number of threads move, by compare-exchange.
#[derive(Debug)]
pub struct Shared(AtomicU64);

impl Cursor for Shared {
    fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    #[inline(always)]
    fn load(&self) -> u64 {
        // Relaxed: for a claim only a proposal, the compare-exchange decides; a waiter's or waker's look is
        // ordered by the fences around it (SERVE, WOKEN, SETTLE), and an old word only makes it look again.
        self.0.load(Relaxed)
    }

    #[inline(always)]
    fn claim(&self, seen: u64, next: u64) -> Result<(), u64> {
        // Relaxed on failure: the next turn reads the slot's stamp with Acquire.
        self.0.compare_exchange_weak(seen, next, CLAIM.order(), Relaxed).map(drop)
    }

    fn settle(&self) -> u64 {
        if SETTLE.kept() {
            // An RMW, not a load: it has a place between two claims in the word's one order.
            self.0.fetch_or(0, SETTLE.order())
        } else {
            self.0.load(Relaxed)
        }
    }

    fn close(&self, bits: u64) {
        // Relaxed: a claim that misses the bit is found by the closer's fence and discard, one that sees it ends.
        self.0.fetch_or(bits, Relaxed);
    }
}
