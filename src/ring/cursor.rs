//! Who moves a cursor: many threads, by compare-exchange, or one thread, by plain stores.

use super::labels::{CLAIM, SETTLE};
use crate::fence::Ordered;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Shared {}
    impl Sealed for super::Exclusive {}
}

/// One end's position in the ring, and how it moves. Sealed: the crate's topologies choose among its kinds.
#[allow(private_interfaces)]
pub trait Cursor: sealed::Sealed + Sized {
    /// Whether one thread moves it, so that it is never stale for that one and no claim is lost.
    #[doc(hidden)]
    const ALONE: bool;

    #[doc(hidden)]
    fn new() -> Self;

    /// The word as it was a moment ago: for a [`Shared`] one never trusted without a claim or a stamp.
    #[doc(hidden)]
    fn load(&self) -> u64;

    /// The word without the bits that [`close`](Self::close) sets, if that is cheaper.
    #[doc(hidden)]
    fn position(&self) -> u64 {
        self.load()
    }

    /// Moves from `seen` to `next`; else says where it is now.
    #[doc(hidden)]
    fn claim(&self, seen: u64, next: u64) -> Result<(), u64>;

    /// The word, ordered against later claims: who claims after this call sees all that the caller wrote
    /// before it (a waiter its announcement), who claimed before is seen. `None`: claims cannot be ordered so.
    #[doc(hidden)]
    fn settle(&self) -> Option<(u64, Ordered)>;

    /// Sets `bits`, which no claim can miss for long.
    #[doc(hidden)]
    fn close(&self, bits: u64);
}

/// A cursor that any number of threads move, by compare-exchange.
#[derive(Debug)]
pub struct Shared(AtomicU64);

impl Cursor for Shared {
    const ALONE: bool = false;

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

    fn settle(&self) -> Option<(u64, Ordered)> {
        Some(Ordered::settle(&self.0, &SETTLE))
    }

    fn close(&self, bits: u64) {
        // Relaxed: a claim that misses the bit is found by the closer's fence and discard, one that sees it ends.
        self.0.fetch_or(bits, Relaxed);
    }
}

/// A cursor that one thread moves, by plain stores: the single end of its side, or after that one's end whoever has
/// the turn to discard (`pipe::lives`). It costs no locked instruction; in exchange a claim gives no order, and whoever
/// waits for this side pays for one with a process-wide barrier (`fence`).
#[derive(Debug)]
pub struct Exclusive {
    position: AtomicU64,
    /// What others set: in the position itself the owner's stores would undo it.
    bits: AtomicU64,
}

impl Cursor for Exclusive {
    const ALONE: bool = true;

    fn new() -> Self {
        Self { position: AtomicU64::new(0), bits: AtomicU64::new(0) }
    }

    #[inline(always)]
    fn load(&self) -> u64 {
        // Relaxed: the owner's own last store; others' looks are ordered by the fences around them (SERVE, HEAVY), and
        // an old word only makes them look again.
        self.position.load(Relaxed) | self.bits.load(Relaxed)
    }

    #[inline(always)]
    fn position(&self) -> u64 {
        self.position.load(Relaxed) // Relaxed: as above
    }

    #[inline(always)]
    fn claim(&self, _seen: u64, next: u64) -> Result<(), u64> {
        // Relaxed: nobody else claims here, and the slot's stamp publishes the item.
        self.position.store(next, Relaxed);
        Ok(())
    }

    fn settle(&self) -> Option<(u64, Ordered)> {
        None
    }

    fn close(&self, bits: u64) {
        // Relaxed: as for a shared one.
        self.bits.store(bits, Relaxed);
    }
}
