//! The lock's holder.

use super::{CountError, Lockref};
use super::{lock, word};
use core::fmt;

/// The lock of a [`Lockref`], held: nobody else changes the count until this is dropped.
///
/// What it does to the count is seen by others when it is dropped. Leaked (`mem::forget`), the lock stays held.
#[must_use = "the lock is let go when this is dropped"]
pub struct LockrefGuard<'a> {
    lockref: &'a Lockref,
    /// The count's half of the word, to be.
    counted: u64,
}

impl<'a> LockrefGuard<'a> {
    /// Of the lock that the caller has just taken, with the word that it found.
    pub(super) fn new(lockref: &'a Lockref, word: u64) -> Self {
        Self { lockref, counted: lock::counted(word) }
    }

    /// The count; 0 when dead.
    pub fn count(&self) -> u32 {
        word::count(self.counted)
    }

    /// Whether it is dead.
    pub fn is_dead(&self) -> bool {
        word::is_dead(self.counted)
    }

    /// One more; the new count.
    ///
    /// # Errors
    /// [`Overflow`](CountError::Overflow) at [`Lockref::MAX`], [`Dead`](CountError::Dead).
    pub fn get(&mut self) -> Result<u32, CountError> {
        self.change(|word| word::more(word, 0))
    }

    /// One less; the new count, which may be 0.
    ///
    /// # Errors
    /// [`Underflow`](CountError::Underflow) at 0, [`Dead`](CountError::Dead).
    pub fn put(&mut self) -> Result<u32, CountError> {
        self.change(|word| word::fewer(word, 0))
    }

    /// Nothing gets it from here on: once this guard is dropped every get and put says [`Dead`](CountError::Dead). The count
    /// goes with it.
    ///
    /// ```
    /// use hornpipe::{CountError, Lockref};
    /// let lockref = Lockref::new(1);
    /// if let Some(mut last) = lockref.put_or_lock().unwrap() {
    ///     last.mark_dead();
    /// }
    /// assert_eq!(lockref.get_not_dead(), Err(CountError::Dead));
    /// ```
    pub fn mark_dead(&mut self) {
        self.counted = word::dead();
    }

    pub(super) fn change(
        &mut self,
        next: impl Fn(u64) -> Result<u64, CountError>,
    ) -> Result<u32, CountError> {
        self.counted = next(self.counted)?;
        Ok(self.count())
    }
}

impl Drop for LockrefGuard<'_> {
    fn drop(&mut self) {
        self.lockref.unlock(self.counted);
    }
}

impl fmt::Debug for LockrefGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockrefGuard").field("count", &self.count()).field("dead", &self.is_dead()).finish()
    }
}
