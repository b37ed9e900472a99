//! The word of the handles: a lock and a count in 64 bits, as Linux lib/lockref.c keeps them.
//!
//! Only the count's side is used here: clones and drops of handles are compare-exchange loops, and the last put
//! is one compare-exchange from 1 to dead that takes no lock, since destructors wait for nobody. (The lock half,
//! `get_not_dead` and the public type come with the lockref issue; the layout is theirs already.)

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::labels::labels;

labels! { "lockref";
    PUT: AcqRel, pairs "PUT",
        why "all that any handle did is before what the last put does",
        model "handles_word";
}

/// Bits 0..32 are the lock's, the count starts above.
const ONE: u64 = 1 << 32;
/// The top bit of the count.
const DEAD: u64 = 1 << 63;
/// So many handles at most; the rest up to the dead bit is room for racing clones that will be refused.
const LIMIT: u32 = i32::MAX as u32;

/// A count of handles that dies once.
pub struct Lockref(AtomicU64);

impl Lockref {
    /// With `count` handles.
    pub fn new(count: u32) -> Self {
        Self(AtomicU64::new(u64::from(count) * ONE))
    }

    /// Handles now; 0 when dead.
    pub fn count(&self) -> u32 {
        // Relaxed: a count that may be old when it is returned.
        let word = self.0.load(Relaxed);
        if word & DEAD != 0 { 0 } else { (word / ONE) as u32 }
    }

    /// One more handle, made from a live one.
    ///
    /// # Panics
    /// At 2^31 - 1 handles, with the count unchanged.
    pub fn get(&self) {
        // Relaxed: a new handle comes from a handle, whose transfer orders all that matters.
        let got = self.0.fetch_update(Relaxed, Relaxed, |word| {
            debug_assert!(word & DEAD == 0 && word >= ONE, "cloned from a dead handle");
            ((word / ONE) as u32 != LIMIT).then_some(word + ONE)
        });
        assert!(
            got.is_ok(),
            "a pipe has at most 2147483647 handles a side: were clones forgotten in a loop?"
        );
    }

    /// One handle less. True for the last one, once: the word is dead then.
    pub fn put(&self) -> bool {
        let next = |word| if word / ONE == 1 { (word - ONE) | DEAD } else { word - ONE };
        // Relaxed on failure: only the put that succeeds orders anything.
        let put = self.0.fetch_update(PUT.order(), Relaxed, |word| {
            debug_assert!(word & DEAD == 0 && word >= ONE, "put of a dead handle");
            Some(next(word))
        });
        put.is_ok_and(|word| word / ONE == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count goes up and down, dies once and stays 0.
    #[test]
    fn counts_and_dies() {
        let handles = Lockref::new(1);
        handles.get();
        assert_eq!(handles.count(), 2);
        assert!(!handles.put());
        assert!(handles.put());
        assert_eq!(handles.count(), 0);
    }

    /// At the limit a clone panics and leaves the count as it was.
    #[test]
    fn the_limit_is_refused() {
        let handles = Lockref::new(LIMIT);
        assert!(std::panic::catch_unwind(|| handles.get()).is_err());
        assert_eq!(handles.count(), LIMIT);
        assert!(!handles.put());
        handles.get();
        assert_eq!(handles.count(), LIMIT);
    }
}
