//! The pipe's counts of its handles: the word without its lock, for nobody who clones or drops a handle waits.

use super::word::{self, Word};
use super::{CountError, PUT};
use crate::relax::Relax;
use crate::sync::atomic::Ordering::Relaxed;

/// A count of handles that dies once.
pub struct Handles(Word);

impl Handles {
    /// With `count` handles.
    pub fn new(count: u32) -> Self {
        Self(Word::new(word::of(count)))
    }

    /// Handles now; 0 when dead.
    pub fn count(&self) -> u32 {
        word::count(self.0.look())
    }

    /// One more handle, made from a live one.
    ///
    /// # Panics
    /// At 2^31 - 1 handles, with the count unchanged.
    #[inline]
    pub fn get(&self) {
        // Relaxed: a new handle comes from a handle, whose transfer orders all that matters.
        let got = self.0.update(Relaxed, lost, |word| word::more(word, 1));
        match got {
            Ok(_) => {}
            Err(CountError::Overflow) => {
                panic!("a pipe has at most 2147483647 handles a side: were clones forgotten in a loop?")
            }
            Err(error) => unreachable!("cloned from a handle that is not there: {error}"),
        }
    }

    /// One handle less. True for the last one, once: the word is dead then.
    #[inline]
    pub fn put(&self) -> bool {
        let put = self.0.update(PUT.order(), lost, |word| match word::count(word) {
            1 => Ok(word::dead()),
            _ => word::fewer(word, 0),
        });
        debug_assert!(put.is_ok(), "put of a dead handle");
        put.is_ok_and(word::is_dead)
    }
}

/// After a lost compare-exchange: the build's relax, and on. Each turn is another handle's progress.
#[inline(always)]
fn lost(times: u32) -> bool {
    Relax::RETRY.retry(times);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count goes up and down, dies once and stays 0.
    #[test]
    fn counts_and_dies() {
        let handles = Handles::new(1);
        handles.get();
        assert_eq!(handles.count(), 2);
        assert!(!handles.put());
        assert!(handles.put());
        assert_eq!(handles.count(), 0);
    }

    /// At the limit a clone panics and leaves the count as it was.
    #[test]
    fn the_limit_is_refused() {
        let handles = Handles::new(word::MAX);
        assert!(std::panic::catch_unwind(|| handles.get()).is_err());
        assert_eq!(handles.count(), word::MAX);
        assert!(!handles.put());
        handles.get();
        assert_eq!(handles.count(), word::MAX);
    }
}
