//! The public type: the word, its switches, and where lockers sleep.

use super::word::{self, LOCKED, Word};
use super::{CALL, CountError, FLAG, GIVE_UP, LEAVE, LISTEN, LockrefGuard, PASS_ON, PUT, TAKE};
use crate::fence::Ordered;
use crate::futex;
use crate::relax::Relax;
use crate::spin::look_briefly;
use crate::sync::atomic::Ordering::{self, Relaxed};
use crate::sync::constructor;
use crate::sync::labels::Label;
use crate::sync::point::{Point, at};
use crate::sync::time::Deadline;
use core::fmt;

/// Linux's bound on the loop (893a7d32e8e0).
const TRIES: u32 = 100;

/// A lock and a reference count in one 64-bit word (32 bytes with its switches and where lockers sleep, if that is a futex).
///
/// While the lock is free, gets and puts are a compare-exchange loop on the whole word; after so many lost tries, or
/// when the lock is held, they take the lock. While it is held nobody but its holder changes the count: whoever finds
/// under the lock that the count is 0 knows that it stays so. Linux keeps its directory entries in these
/// (lib/lockref.c); [`LockrefCell`](super::LockrefCell) adds the value.
///
/// The count goes from 0 to [`MAX`](Self::MAX), or is dead, for ever; what would leave that is refused, with nothing
/// changed. It counts, and frees nothing; who keeps it inside what it counts frees that only when every call on it has
/// returned (the kernel waits for an RCU grace period): the last put's thread may be ahead of one that still leaves the
/// lock.
///
/// A locker polls for 2 us before each sleep, where another CPU could let the lock go meanwhile. The lock is not fair
/// and is not poisoned by panics: a guard that a panic drops lets it go. Who holds it counts by its guard: any call that
/// may wait for the holder would wait for itself.
///
/// # Progress
///
/// | call | class |
/// |---|---|
/// | `get`, `get_not_zero`, `get_not_dead`, `put_not_zero`, `put_or_lock` | lock-free while nobody holds the lock and fewer than `tries` are lost; else may wait for the lock's holder, asleep |
/// | `put_return`, `try_lock` | wait-free: `tries` steps at most, or one |
/// | `lock` | may wait for the holder, asleep |
/// | `count`, `is_dead`, `is_locked`, a guard's drop | wait-free (the drop may make a futex wake call) |
///
/// ```
/// use hornpipe::Lockref;
/// let entry = Lockref::new(1); // the table's reference
/// assert_eq!(entry.get_not_dead(), Ok(2)); // a lookup's
/// assert!(entry.put_or_lock().unwrap().is_none()); // not the last one
/// let mut last = entry.put_or_lock().unwrap().expect("the last one comes with the lock");
/// assert_eq!(last.count(), 1); // and is still counted
/// last.mark_dead();
/// drop(last);
/// assert!(entry.is_dead());
/// ```
///
/// A counter with a limit counts down to it: `Lockref::new(limit)` and [`put_return`](Self::put_return), until
/// [`Underflow`](CountError::Underflow).
///
/// The retry loop's relax is a switch, as the kernel's once was:
///
/// ```
/// use hornpipe::{Lockref, Relax};
/// static HITS: Lockref = Lockref::new(0).retry(Relax::Hint).tries(10);
/// assert_eq!(HITS.get(), Ok(1));
/// ```
pub struct Lockref {
    word: Word,
    /// Where lockers sleep: one more each time that the lock was let go with some of them asleep.
    calls: futex::Word,
    tries: u32,
    retry: Relax,
}

impl Lockref {
    constructor! {
        /// Unlocked, at `count`.
        ///
        /// # Panics
        /// `count` is above [`MAX`](Self::MAX).
        #[track_caller]
        pub fn new(count: u32) -> Self {
            assert!(count <= Self::MAX, "a lockref counts to 2147483647");
            Self { word: Word::new(word::of(count)), calls: futex::Word::new(), tries: TRIES, retry: Relax::RETRY }
        }
    }

    /// As far as it counts: 2^31 - 1.
    pub const MAX: u32 = word::MAX;

    /// What the loop does after a lost compare-exchange; [`Relax::RETRY`] unless told.
    #[must_use]
    pub const fn retry(mut self, relax: Relax) -> Self {
        self.retry = relax;
        self
    }

    /// After how many lost compare-exchanges in a row a get or put takes the lock, and `put_return` is
    /// [`Busy`](CountError::Busy); 100 unless told, and one try is always made.
    #[must_use]
    pub const fn tries(mut self, tries: u32) -> Self {
        self.tries = tries;
        self
    }

    // ---- the count ----

    /// One more, for someone who has one already or keeps the object alive otherwise; the new count.
    ///
    /// Waits for ever if the caller holds the lock: it is the guard that counts then.
    ///
    /// # Errors
    /// [`Overflow`](CountError::Overflow) at [`MAX`](Self::MAX), [`Dead`](CountError::Dead).
    #[inline]
    pub fn get(&self) -> Result<u32, CountError> {
        // Relaxed, as in the kernel (d2212b4dce59): a reference comes from a reference, or from where the object was found.
        self.change(Relaxed, |word| word::more(word, 0))
    }

    /// One more, unless the count is 0; the new count.
    ///
    /// Waits for ever if the caller holds the lock: it is the guard that counts then.
    ///
    /// # Errors
    /// [`Zero`](CountError::Zero), [`Overflow`](CountError::Overflow), [`Dead`](CountError::Dead).
    #[inline]
    pub fn get_not_zero(&self) -> Result<u32, CountError> {
        self.change(Relaxed, |word| word::more(word, 1)) // Relaxed: as in `get`
    }

    /// One more, for someone who does not know whether it lives; the new count. (The same as [`get`](Self::get): the
    /// kernel's `lockref_get` does not check.)
    ///
    /// Waits for ever if the caller holds the lock: it is the guard that counts then.
    ///
    /// # Errors
    /// [`Dead`](CountError::Dead), [`Overflow`](CountError::Overflow).
    #[inline]
    pub fn get_not_dead(&self) -> Result<u32, CountError> {
        self.get()
    }

    /// One less, if that leaves at least 1; the new count.
    ///
    /// Waits for ever if the caller holds the lock: it is the guard that counts then.
    ///
    /// # Errors
    /// [`Zero`](CountError::Zero) if it would not, [`Dead`](CountError::Dead).
    #[inline]
    pub fn put_not_zero(&self) -> Result<u32, CountError> {
        self.change(PUT.order(), |word| word::fewer(word, 1))
    }

    /// One less, without ever waiting; the new count, which may be 0.
    ///
    /// # Errors
    /// [`Busy`](CountError::Busy) while the lock is held, or when [`tries`](Self::tries) are lost: lock, and put under the
    /// lock. [`Underflow`](CountError::Underflow) at 0, [`Dead`](CountError::Dead).
    #[inline]
    pub fn put_return(&self) -> Result<u32, CountError> {
        self.try_change(PUT.order(), |word| word::fewer(word, 0))
    }

    /// One less, or, for the last one, the lock: with it the count is as it was, 1, to be put or marked dead under it. (A guard
    /// that is dropped untouched puts nothing.)
    ///
    /// Waits for ever if the caller holds the lock: it is the guard that counts then.
    ///
    /// # Errors
    /// [`Underflow`](CountError::Underflow) at 0, [`Dead`](CountError::Dead).
    #[inline]
    pub fn put_or_lock(&self) -> Result<Option<LockrefGuard<'_>>, CountError> {
        match self.try_change(PUT.order(), |word| word::fewer(word, 1)) {
            Ok(_) => Ok(None),
            Err(CountError::Dead) => Err(CountError::Dead),
            Err(_) => self.put_locked(),
        }
    }

    #[cold]
    fn put_locked(&self) -> Result<Option<LockrefGuard<'_>>, CountError> {
        let mut guard = self.lock();
        match guard.count() {
            1 => Ok(Some(guard)),
            _ => guard.put().map(|_| None),
        }
    }

    /// The loop, then the lock.
    #[inline(always)]
    fn change(
        &self,
        order: Ordering,
        next: impl Fn(u64) -> Result<u64, CountError>,
    ) -> Result<u32, CountError> {
        match self.try_change(order, &next) {
            Err(CountError::Busy) => self.change_locked(next),
            done => done,
        }
    }

    #[cold]
    fn change_locked(&self, next: impl Fn(u64) -> Result<u64, CountError>) -> Result<u32, CountError> {
        self.lock().change(next)
    }

    /// The loop.
    #[inline(always)]
    fn try_change(
        &self,
        order: Ordering,
        next: impl Fn(u64) -> Result<u64, CountError>,
    ) -> Result<u32, CountError> {
        self.word.update(order, |lost| self.goes_on(lost), next).map(word::count)
    }

    /// After the n-th lost compare-exchange.
    #[inline]
    fn goes_on(&self, lost: u32) -> bool {
        let goes_on = lost < self.tries;
        if goes_on {
            self.retry.retry(lost);
        }
        goes_on
    }

    // ---- the lock ----

    /// Takes the lock; waits for it, for ever if the caller holds it.
    #[inline]
    pub fn lock(&self) -> LockrefGuard<'_> {
        self.lock_until(Deadline::NEVER).expect("no deadline, so it waits until it has it")
    }

    /// Takes the lock; waits for it until the deadline.
    #[inline]
    pub(crate) fn lock_until(&self, deadline: Deadline) -> Option<LockrefGuard<'_>> {
        self.try_lock().or_else(|| self.lock_slow(deadline))
    }

    /// Takes the lock if nobody holds it.
    #[must_use = "the lock is let go when the guard is dropped"]
    #[inline]
    pub fn try_lock(&self) -> Option<LockrefGuard<'_>> {
        self.word.lock(TAKE.order()).map(|word| LockrefGuard::new(self, word))
    }

    /// Awake for a moment, then asleep until a holder's end calls, and again.
    #[cold]
    fn lock_slow(&self, deadline: Deadline) -> Option<LockrefGuard<'_>> {
        let mut slept = false;
        loop {
            look_briefly(|| !self.is_locked());
            if let Some(guard) = self.try_lock() {
                if slept && PASS_ON.kept() {
                    // Others may sleep still, and the call that woke this thread took the flag away.
                    self.word.flag();
                }
                return Some(guard);
            }
            if deadline.passed() {
                if slept {
                    self.give_up();
                }
                return None;
            }
            let epoch = self.calls.load(LISTEN.order());
            if !FLAG.kept() || self.word.park() {
                self.calls.wait(epoch, deadline);
                slept = true;
            }
        }
    }

    /// Of a locker that slept and may have been the one called: the next holder's end calls again, or this thread does.
    fn give_up(&self) {
        if GIVE_UP.kept() && !self.word.park() {
            self.call();
        }
    }

    /// A guard's end.
    pub(super) fn unlock(&self, counted: u64) {
        if self.word.unlock(counted, LEAVE.order()) {
            self.call();
        }
    }

    #[cold]
    fn call(&self) {
        self.calls.bump(CALL.order());
        at(Point::BeforeWake);
        self.calls.wake_one();
    }

    // ---- what is asked from outside ----

    /// The count; 0 when dead. It may be old when it is returned, and does not show what a holder is about.
    pub fn count(&self) -> u32 {
        word::count(self.word.look())
    }

    /// Whether it was marked dead.
    pub fn is_dead(&self) -> bool {
        word::is_dead(self.word.look())
    }

    /// For who is about to sleep until a holder has done something: whether somebody holds the lock. If not, it sees what all
    /// holders so far did, and whoever takes the lock after sees what it did.
    pub(crate) fn meet(&self, label: &Label) -> (bool, Ordered) {
        let (word, ordered) = Ordered::settle(&self.word.0, label);
        (word & LOCKED != 0, ordered)
    }

    /// Whether somebody holds the lock now.
    pub fn is_locked(&self) -> bool {
        self.word.look() & LOCKED != 0
    }
}

impl fmt::Debug for Lockref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockref")
            .field("count", &self.count())
            .field("dead", &self.is_dead())
            .field("locked", &self.is_locked())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::hint_nanos;
    use core::time::Duration;
    use std::time::Instant;

    /// So many tries as it was told, at least one, and its own relax between them.
    #[test]
    fn switches_are_heard() {
        let lockref = Lockref::new(1).tries(3);
        assert_eq!([1, 2, 3, 4].map(|lost| lockref.goes_on(lost)), [true, true, false, false]);
        assert!(!Lockref::new(1).tries(0).goes_on(1));
        assert!(Lockref::new(1).goes_on(99) && !Lockref::new(1).goes_on(100));
        let long = Duration::from_millis(2);
        let slow = Lockref::new(1).retry(Relax::Backoff { max: long }).tries(u32::MAX);
        let _ = hint_nanos();
        let start = Instant::now();
        assert!(slow.goes_on(30));
        assert!(start.elapsed() > long / 20, "{:?} of back-off", start.elapsed());
    }
}
