//! The word: a lock and a count in 64 bits, and the one compare-exchange loop that changes the count. (What is done to the
//! lock's half: `lock`.)
//!
//! ```text
//! 63     62   32              1        0
//! | DEAD | count |  ...  | PARKED | LOCKED |
//! ```

use super::CountError;
use crate::sync::atomic::{AtomicU64, Ordering, Ordering::Relaxed};
use crate::sync::constructor;

/// Somebody holds the lock: only that one may change the count.
pub(super) const LOCKED: u64 = 1 << 0;
const ONE: u64 = 1 << 32;
const DEAD: u64 = 1 << 63;
/// As far as it counts.
pub(super) const MAX: u32 = i32::MAX as u32;

/// A word that says `count`, unlocked.
#[inline(always)]
pub(super) const fn of(count: u32) -> u64 {
    count as u64 * ONE
}

/// The dead word.
#[inline(always)]
pub(super) const fn dead() -> u64 {
    DEAD
}

#[inline(always)]
pub(super) const fn is_dead(word: u64) -> bool {
    word & DEAD != 0
}

/// The count; 0 when dead.
#[inline(always)]
pub(super) const fn count(word: u64) -> u32 {
    if is_dead(word) { 0 } else { (word / ONE) as u32 }
}

/// One more than `word`, if that holds at least `least`.
#[inline(always)]
pub(super) fn more(word: u64, least: u32) -> Result<u64, CountError> {
    if word >= of(MAX) {
        return Err(if is_dead(word) { CountError::Dead } else { CountError::Overflow });
    }
    if word < of(least) { Err(CountError::Zero) } else { Ok(word + ONE) }
}

/// One less, if at least `least` are left.
#[inline(always)]
pub(super) fn fewer(word: u64, least: u32) -> Result<u64, CountError> {
    let enough = of(least + 1);
    // One comparison: the dead, above all counts, wraps as little as what is too few.
    if word.wrapping_sub(enough) >= DEAD - enough {
        return Err(too_few(word, least));
    }
    Ok(word - ONE)
}

#[cold]
fn too_few(word: u64, least: u32) -> CountError {
    match (is_dead(word), least) {
        (true, _) => CountError::Dead,
        (false, 0) => CountError::Underflow,
        (false, _) => CountError::Zero,
    }
}

/// The word and its loop.
pub(super) struct Word(pub(super) AtomicU64);

impl Word {
    constructor! {
        /// `word` as it stands.
        pub(super) fn new(word: u64) -> Self {
            Self(AtomicU64::new(word))
        }
    }

    /// A look. Relaxed: who acts on it compares and exchanges, or asks for a number that may be old when it comes.
    #[inline(always)]
    pub(super) fn look(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Replaces the word by what `next` makes of it, and returns that; as long as nobody holds the lock, and while
    /// `goes_on` after the n-th lost compare-exchange (from 1): else [`CountError::Busy`].
    ///
    /// After Linux lib/lockref.c's CMPXCHG_LOOP (f5fe24ef17b5). Relaxed on failure: nothing is concluded from it.
    #[inline(always)]
    pub(super) fn update(
        &self,
        order: Ordering,
        goes_on: impl FnMut(u32) -> bool,
        next: impl Fn(u64) -> Result<u64, CountError>,
    ) -> Result<u64, CountError> {
        let mut word = self.look();
        let mut lost = 0;
        if word & LOCKED == 0 {
            if let Ok(new) = next(word) {
                match self.0.compare_exchange_weak(word, new, order, Relaxed) {
                    Ok(_) => return Ok(new),
                    Err(now) => (word, lost) = (now, 1),
                }
            }
        }
        self.update_slow(word, lost, order, goes_on, next)
    }

    /// Everything but a first try that succeeds: aside, for then there is nothing else where the count is changed. As the
    /// kernel's, it pauses between the word that it lost against and the next try with that word.
    #[cold]
    fn update_slow(
        &self,
        mut word: u64,
        mut lost: u32,
        order: Ordering,
        mut goes_on: impl FnMut(u32) -> bool,
        next: impl Fn(u64) -> Result<u64, CountError>,
    ) -> Result<u64, CountError> {
        while lost == 0 || goes_on(lost) {
            if word & LOCKED != 0 {
                // The dead stay so, whoever holds the lock.
                return Err(if is_dead(word) { CountError::Dead } else { CountError::Busy });
            }
            let new = next(word)?;
            match self.0.compare_exchange_weak(word, new, order, Relaxed) {
                Ok(_) => return Ok(new),
                Err(now) => word = now,
            }
            lost += 1;
        }
        Err(CountError::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CountError::*;

    /// What each rule makes of each kind of word, and that a refusal comes before anything could carry into a neighbour.
    #[test]
    fn the_rules() {
        for (count, least, wanted) in [
            (0, 0, Ok(1)),
            (0, 1, Err(Zero)),
            (1, 1, Ok(2)),
            (MAX - 1, 0, Ok(MAX)),
            (MAX, 0, Err(Overflow)),
            (MAX, 1, Err(Overflow)),
        ] {
            assert_eq!(more(of(count), least), wanted.map(of), "{count} + 1, at least {least}");
        }
        for (count, least, wanted) in [
            (0, 0, Err(Underflow)),
            (1, 0, Ok(0)),
            (0, 1, Err(Zero)),
            (1, 1, Err(Zero)),
            (2, 1, Ok(1)),
            (MAX, 0, Ok(MAX - 1)),
        ] {
            assert_eq!(fewer(of(count), least), wanted.map(of), "{count} - 1, {least} left");
        }
        for least in [0, 1] {
            assert_eq!((more(DEAD, least), fewer(DEAD, least)), (Err(Dead), Err(Dead)));
        }
        assert_eq!((count(DEAD), count(of(MAX) | 3)), (0, MAX));
    }

    /// A held lock stops the loop before anything changes; what is lost ends it when it is told so.
    #[test]
    fn the_loop_ends() {
        let word = Word::new(of(1) | LOCKED);
        assert_eq!(word.update(Relaxed, |_| unreachable!(), |word| more(word, 0)), Err(Busy));
        assert_eq!(word.look(), of(1) | LOCKED);
        let word = Word::new(of(1));
        let lost = core::cell::Cell::new(0);
        let stirred = |seen| {
            // Another "thread" is always faster.
            word.0.store(seen + ONE, Relaxed);
            more(seen, 0)
        };
        let goes_on = |times| {
            lost.set(times);
            times < 7
        };
        assert_eq!(word.update(Relaxed, goes_on, stirred), Err(Busy));
        assert_eq!(lost.get(), 7);
    }
}
