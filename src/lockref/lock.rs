//! The lock's half of the word. Its flag says that somebody sleeps; where, and who calls, is the public type's.

use super::word::{LOCKED, Word};
use crate::sync::atomic::{Ordering, Ordering::Relaxed};

/// Somebody sleeps, or is about to, until the lock is let go.
const PARKED: u64 = 1 << 1;

/// The count's half of a word.
pub(super) const fn counted(word: u64) -> u64 {
    word & !(LOCKED | PARKED)
}

impl Word {
    /// Takes the lock, if nobody holds it: the word that its holder found.
    #[inline]
    pub(super) fn lock(&self, order: Ordering) -> Option<u64> {
        // A single bit asked for: one instruction where there is one for that, and no loop whatever the count does.
        let taken = self.look() & LOCKED == 0 && self.0.fetch_or(LOCKED, order) & LOCKED == 0;
        taken.then(|| self.look())
    }

    /// Tells the holder, who calls at its end: somebody sleeps. For the holder itself. (Relaxed: LEAVE is its next step
    /// on this word.)
    pub(super) fn flag(&self) {
        self.0.fetch_or(PARKED, Relaxed);
    }

    /// The same, for who is about to sleep. False: nobody holds the lock.
    pub(super) fn park(&self) -> bool {
        let mut word = self.look();
        loop {
            if word & LOCKED == 0 || word & PARKED != 0 {
                return word & LOCKED != 0;
            }
            // Relaxed: flag and LEAVE change one word, so one comes first; LISTEN has seen to it that this is no old one.
            match self.0.compare_exchange_weak(word, word | PARKED, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    /// The holder's end: the count as it left it, the lock open. Whether somebody sleeps.
    pub(super) fn unlock(&self, counted: u64, order: Ordering) -> bool {
        self.0.swap(counted, order) & PARKED != 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::word;
    use super::*;

    /// Taken once, flagged once, opened with the count that its holder says.
    #[test]
    fn the_locks_half() {
        let word = Word::new(word::of(7));
        assert!(!word.park(), "nobody holds it");
        assert_eq!(word.lock(Relaxed).map(counted), Some(word::of(7)));
        assert_eq!(word.lock(Relaxed), None);
        assert!(word.park() && word.park());
        assert_eq!((counted(word.look()), word::count(word.look())), (word::of(7), 7));
        assert!(word.unlock(word::of(8), Relaxed), "somebody sleeps");
        assert_eq!(word.look(), word::of(8));
        assert!(word.lock(Relaxed).is_some() && !word.unlock(word::of(9), Relaxed));
    }
}
