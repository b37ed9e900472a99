//! A lockref with the value that its lock is for.

use super::{CountError, Lockref, LockrefGuard};
use crate::sync::constructor;
use crate::sync::time::Deadline;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A [`Lockref`] and the value under its lock, as a directory entry is one: references are counted without the lock, the
/// value is reached with it.
///
/// [`refs`](Self::refs) is the `Lockref`, for all about the count; [`lock`](Self::lock), [`try_lock`](Self::try_lock) and
/// [`put_or_lock`](Self::put_or_lock) give the value too.
///
/// ```
/// use hornpipe::{CellGuard, CountError, Lockref, LockrefCell};
/// let entry = LockrefCell::new(Lockref::new(1), String::from("a name"));
/// entry.refs().get_not_dead().unwrap();
/// entry.lock().push_str(", longer");
/// entry.refs().put_not_zero().unwrap();
/// let mut last = entry.put_or_lock().unwrap().expect("the last one comes with the lock");
/// CellGuard::mark_dead(&mut last);
/// assert_eq!(std::mem::take(&mut *last), "a name, longer");
/// drop(last);
/// assert_eq!(entry.refs().get_not_dead(), Err(CountError::Dead));
/// ```
pub struct LockrefCell<T> {
    lockref: Lockref,
    value: UnsafeCell<T>,
}

// SAFETY: a reference to the value comes only from a CellGuard, which keeps the lock's one guard until its own end (see
// there), so the value is with one thread at a time.
unsafe impl<T: Send> Sync for LockrefCell<T> {}

impl<T> LockrefCell<T> {
    constructor! {
        /// `value` under `lockref`'s lock.
        pub fn new(lockref: Lockref, value: T) -> Self {
            Self { lockref, value: UnsafeCell::new(value) }
        }
    }

    /// All about the count. (Its `lock` is the same lock, without the value.)
    pub fn refs(&self) -> &Lockref {
        &self.lockref
    }

    /// Takes the lock; waits for it. See [`Lockref::lock`].
    #[inline]
    pub fn lock(&self) -> CellGuard<'_, T> {
        self.guard(self.lockref.lock())
    }

    /// Takes the lock; waits for it until the deadline.
    #[inline]
    pub(crate) fn lock_until(&self, deadline: Deadline) -> Option<CellGuard<'_, T>> {
        self.lockref.lock_until(deadline).map(|refs| self.guard(refs))
    }

    /// Takes the lock if nobody holds it.
    #[must_use = "the lock is let go when the guard is dropped"]
    #[inline]
    pub fn try_lock(&self) -> Option<CellGuard<'_, T>> {
        self.lockref.try_lock().map(|refs| self.guard(refs))
    }

    /// One less, or, for the last one, the lock. See [`Lockref::put_or_lock`].
    ///
    /// # Errors
    /// [`Underflow`](CountError::Underflow) at 0, [`Dead`](CountError::Dead).
    #[inline]
    pub fn put_or_lock(&self) -> Result<Option<CellGuard<'_, T>>, CountError> {
        Ok(self.lockref.put_or_lock()?.map(|refs| self.guard(refs)))
    }

    /// The value, without the lock: nobody else has a reference.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value by itself.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    fn guard<'a>(&'a self, refs: LockrefGuard<'a>) -> CellGuard<'a, T> {
        CellGuard { refs, value: &self.value, unique: PhantomData }
    }
}

impl<T: fmt::Debug> fmt::Debug for LockrefCell<T> {
    /// With the value, if the lock is free.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cell = f.debug_struct("LockrefCell");
        cell.field("lockref", &self.lockref);
        match self.try_lock() {
            Some(guard) => cell.field("value", &*guard),
            None => cell.field("value", &format_args!("<locked>")),
        };
        cell.finish()
    }
}

/// The lock of a [`LockrefCell`], held: the value by dereference, the count by functions that are not methods, since the
/// value's own come first.
#[must_use = "the lock is let go when this is dropped"]
pub struct CellGuard<'a, T> {
    /// Never lent out: exchanged for another lock's guard it would open this one under the value's references.
    refs: LockrefGuard<'a>,
    value: &'a UnsafeCell<T>,
    /// It is the one reference to the value: shared only where that may be.
    unique: PhantomData<&'a mut T>,
}

// SAFETY: as `&mut T`, which it stands for; the lock may be let go by any thread.
unsafe impl<T: Send> Send for CellGuard<'_, T> {}
// SAFETY: as `&T`, which is all that `&CellGuard` gives.
unsafe impl<T: Sync> Sync for CellGuard<'_, T> {}

impl<T> CellGuard<'_, T> {
    /// See [`LockrefGuard::count`].
    pub fn count(guard: &Self) -> u32 {
        guard.refs.count()
    }

    /// See [`LockrefGuard::is_dead`].
    pub fn is_dead(guard: &Self) -> bool {
        guard.refs.is_dead()
    }

    /// See [`LockrefGuard::get`].
    ///
    /// # Errors
    /// [`Overflow`](CountError::Overflow), [`Dead`](CountError::Dead).
    pub fn get(guard: &mut Self) -> Result<u32, CountError> {
        guard.refs.get()
    }

    /// See [`LockrefGuard::put`].
    ///
    /// # Errors
    /// [`Underflow`](CountError::Underflow), [`Dead`](CountError::Dead).
    pub fn put(guard: &mut Self) -> Result<u32, CountError> {
        guard.refs.put()
    }

    /// See [`LockrefGuard::mark_dead`].
    pub fn mark_dead(guard: &mut Self) {
        guard.refs.mark_dead();
    }
}

impl<T> Deref for CellGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is this guard's until its end, and it lends the value shared.
        unsafe { &*self.value.get() }
    }
}

impl<T> DerefMut for CellGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is this guard's until its end, and it lends the value once.
        unsafe { &mut *self.value.get() }
    }
}

impl<T: fmt::Debug> fmt::Debug for CellGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellGuard").field("refs", &self.refs).field("value", &**self).finish()
    }
}
