//! What a lockref is measured against: a mutex's count, and words without a lock; and the lockref with a relax that the
//! crate does not have.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{
            AtomicU64,
            Ordering::{AcqRel, Acquire, Relaxed, Release},
        },
    },
    thread,
};

use super::word::{START, Word};

impl Word for Mutex<u64> {
    #[inline]
    fn get(&self) -> bool {
        *self.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        true
    }

    #[inline]
    fn put(&self) -> bool {
        let mut count = self.lock().unwrap_or_else(PoisonError::into_inner);
        *count -= 1;
        *count > 0
    }

    fn count(&self) -> u64 {
        *self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A compare-exchange loop.
pub struct Loop(AtomicU64);

impl Loop {
    pub fn new() -> Self {
        Self(AtomicU64::new(START))
    }
}

impl Word for Loop {
    #[inline]
    fn get(&self) -> bool {
        self.0.fetch_update(AcqRel, Relaxed, |count| Some(count + 1)).is_ok()
    }

    #[inline]
    fn put(&self) -> bool {
        self.0.fetch_update(AcqRel, Relaxed, |count| Some(count - 1)).is_ok_and(|before| before > 1)
    }

    fn count(&self) -> u64 {
        self.0.load(Acquire)
    }
}

/// Read-modify-writes that cannot be lost.
pub struct FetchAdd(AtomicU64);

impl FetchAdd {
    pub fn new() -> Self {
        Self(AtomicU64::new(START))
    }
}

impl Word for FetchAdd {
    #[inline]
    fn get(&self) -> bool {
        self.0.fetch_add(1, AcqRel) > 0
    }

    #[inline]
    fn put(&self) -> bool {
        self.0.fetch_sub(1, AcqRel) > 1
    }

    fn count(&self) -> u64 {
        self.0.load(Acquire)
    }
}

/// One try each.
pub struct LoadCas(AtomicU64);

impl LoadCas {
    pub fn new() -> Self {
        Self(AtomicU64::new(START))
    }

    #[inline]
    fn change(&self, change: impl FnOnce(u64) -> u64) -> bool {
        let count = self.0.load(Relaxed);
        self.0.compare_exchange(count, change(count), AcqRel, Relaxed).is_ok()
    }
}

impl Word for LoadCas {
    #[inline]
    fn get(&self) -> bool {
        self.change(|count| count + 1)
    }

    #[inline]
    fn put(&self) -> bool {
        self.change(|count| count - 1)
    }

    fn count(&self) -> u64 {
        self.0.load(Acquire)
    }
}

/// So many tries, then the lock; so many looks for a change, then a try all the same.
const TRIES: u32 = 100;
/// The lock's half of a word; the count is above.
const LOCKED: u64 = 1;
const ONE: u64 = 1 << 32;

/// A lockref whose loser waits for the next change.
pub struct UntilChanged(AtomicU64);

impl UntilChanged {
    pub fn new() -> Self {
        Self(AtomicU64::new(START * ONE))
    }

    /// What the count was.
    #[inline]
    fn change(&self, change: impl Fn(u64) -> u64) -> u64 {
        let mut word = self.0.load(Relaxed);
        for _ in 0..TRIES {
            if word & LOCKED != 0 {
                break;
            }
            match self.0.compare_exchange(word, change(word), AcqRel, Relaxed) {
                Ok(before) => return before / ONE,
                Err(now) => {
                    let looks = (0..TRIES).map(|_| self.0.load(Relaxed));
                    word = { looks }.find(|&next| next != now).unwrap_or(now);
                }
            }
        }
        self.change_locked(change)
    }

    #[cold]
    fn change_locked(&self, change: impl Fn(u64) -> u64) -> u64 {
        loop {
            let word = self.0.fetch_or(LOCKED, Acquire);
            if word & LOCKED == 0 {
                // Others write a locked word's lock bit only, which is set.
                self.0.store(change(word), Release);
                return word / ONE;
            }
            thread::yield_now();
        }
    }
}

impl Word for UntilChanged {
    #[inline]
    fn get(&self) -> bool {
        self.change(|word| word + ONE) > 0
    }

    #[inline]
    fn put(&self) -> bool {
        self.change(|word| word - ONE) > 1
    }

    fn count(&self) -> u64 {
        self.0.load(Acquire) / ONE
    }
}

/// Forgets its gets or its puts, so that checks can fail.
#[cfg(test)]
pub(crate) struct Forgetful(AtomicU64, &'static str);

#[cfg(test)]
impl Forgetful {
    pub fn new(what: &'static str) -> Self {
        Self(AtomicU64::new(START), what)
    }

    fn add(&self, call: &str, what: u64) -> bool {
        if call != self.1 {
            self.0.fetch_add(what, Relaxed);
        }
        true
    }
}

#[cfg(test)]
impl Word for Forgetful {
    fn get(&self) -> bool {
        self.add("get", 1)
    }

    fn put(&self) -> bool {
        self.add("put", u64::MAX)
    }

    fn count(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_changes_the_count_and_opens() {
        let word = UntilChanged::new();
        assert_eq!(word.change_locked(|word| word + ONE), 1);
        assert_eq!((word.0.load(Relaxed) & LOCKED, word.count()), (0, 2));
    }
}
