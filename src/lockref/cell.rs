//! A lockref with the value that its lock is for.

use super::{CountError, Lockref, LockrefGuard};
use crate::sync::constructor;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A [`Lockref`] and the value under its lock, as a directory entry is one: references are counted without the lock, the
/// value is reached with it.
///
/// It is the `Lockref` for everything about the count; [`lock`](Self::lock), [`try_lock`](Self::try_lock) and
/// [`put_or_lock`](Self::put_or_lock) give the value too.
///
/// ```
/// use hornpipe::{CellGuard, CountError, Lockref, LockrefCell};
/// let entry = LockrefCell::new(Lockref::new(1), String::from("a name"));
/// entry.get_not_dead().unwrap();
/// entry.lock().push_str(", longer");
/// entry.put_not_zero().unwrap();
/// // The last reference: what the value is needs no lock any more once nobody can get to it.
/// let mut last = entry.put_or_lock().unwrap().expect("the last one comes with the lock");
/// CellGuard::refs(&mut last).mark_dead();
/// assert_eq!(std::mem::take(&mut *last), "a name, longer");
/// drop(last);
/// assert_eq!(entry.get(), Err(CountError::Dead));
/// ```
pub struct LockrefCell<T> {
    lockref: Lockref,
    value: UnsafeCell<T>,
}

// SAFETY: a reference to the value exists only in a guard of the lock, so the value is with one thread at a time.
unsafe impl<T: Send> Sync for LockrefCell<T> {}

impl<T> LockrefCell<T> {
    constructor! {
        /// `value` under `lockref`'s lock.
        pub fn new(lockref: Lockref, value: T) -> Self {
            Self { lockref, value: UnsafeCell::new(value) }
        }
    }

    /// Takes the lock; waits for it. See [`Lockref::lock`].
    #[inline]
    pub fn lock(&self) -> CellGuard<'_, T> {
        self.guard(self.lockref.lock())
    }

    /// Takes the lock if nobody holds it.
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

/// All about the count.
impl<T> Deref for LockrefCell<T> {
    type Target = Lockref;

    fn deref(&self) -> &Lockref {
        &self.lockref
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

/// The lock of a [`LockrefCell`], held: the value by dereference, the count by [`refs`](Self::refs).
#[must_use = "the lock is let go when this is dropped"]
pub struct CellGuard<'a, T> {
    refs: LockrefGuard<'a>,
    value: &'a UnsafeCell<T>,
    /// It is the one reference to the value: shared only where that may be.
    unique: PhantomData<&'a mut T>,
}

// SAFETY: as `&mut T`, which it stands for; the lock may be let go by any thread.
unsafe impl<T: Send> Send for CellGuard<'_, T> {}
// SAFETY: as `&T`, which is all that `&CellGuard` gives.
unsafe impl<T: Sync> Sync for CellGuard<'_, T> {}

impl<'a, T> CellGuard<'a, T> {
    /// The count. (Not a method: the value's own come first.)
    pub fn refs(guard: &mut Self) -> &mut LockrefGuard<'a> {
        &mut guard.refs
    }
}

impl<T> Deref for CellGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the one guard, and lends the value shared.
        unsafe { &*self.value.get() }
    }
}

impl<T> DerefMut for CellGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the one guard, and lends the value once.
        unsafe { &mut *self.value.get() }
    }
}

impl<T: fmt::Debug> fmt::Debug for CellGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellGuard").field("refs", &self.refs).field("value", &**self).finish()
    }
}
