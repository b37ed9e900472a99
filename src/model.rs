//! What models set, ask and take apart: under `--cfg hornpipe_loom` only, and no public interface.

pub use crate::lockref::Handles;
pub use crate::sync::labels::{Kind, Label, tables};
pub use crate::sync::point::{Point, at_next};
pub use crate::sync::time::advance;
pub use crate::sync::{Fences, begin, set_fences};

use crate::ring::{self, RingKind};
use crate::sync::spin_loop;
use crate::sync::time::Deadline;
use crate::topology::{Mpmc, Topology};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::time::Duration;

/// Takes a lockref's lock, waiting no longer than that.
pub fn lock_within(lockref: &crate::Lockref, timeout: Duration) -> Option<crate::LockrefGuard<'_>> {
    lockref.lock_until(Deadline::after(timeout))
}

/// A topology's ring by itself, without gates.
pub struct Ring<T, K: Topology = Mpmc>(K::Ring<T>);

impl<T, K: Topology> Ring<T, K> {
    /// Empty.
    pub fn new(capacity: usize, kind: RingKind) -> Self {
        Self(ring::Ring::new(capacity, kind).unwrap())
    }

    /// Reserve, write, publish; the item back if the ring is full.
    ///
    /// # Safety
    /// By one thread at a time, if the topology has one sender.
    pub unsafe fn push(&self, item: T) -> Result<(), T> {
        let item = ManuallyDrop::new(item);
        // SAFETY: the caller's.
        match unsafe { ring::Ring::push(&self.0, &item, |_| spin_loop()) } {
            Ok(_) => Ok(()),
            Err(_) => Err(ManuallyDrop::into_inner(item)),
        }
    }

    /// Claim, read, release.
    ///
    /// # Safety
    /// By one thread at a time, if the topology has one receiver.
    pub unsafe fn pop(&self) -> Option<T> {
        let mut item = MaybeUninit::uninit();
        // SAFETY: the caller's.
        unsafe { ring::Ring::pop(&self.0, &mut item, |_| spin_loop()) }.ok()?;
        // SAFETY: `pop` initialized it.
        Some(unsafe { item.assume_init() })
    }

    /// Whether no item is in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items in it.
    pub fn len(&self) -> usize {
        ring::Ring::len(&self.0)
    }
}

// SAFETY: its users keep to `push`'s and `pop`'s contracts.
unsafe impl<T: Send, K: Topology> Send for Ring<T, K> {}
// SAFETY: as above.
unsafe impl<T: Send, K: Topology> Sync for Ring<T, K> {}

impl<T, K: Topology> Drop for Ring<T, K> {
    fn drop(&mut self) {
        // SAFETY: nobody else has a reference.
        unsafe { ring::Ring::drain(&self.0) };
    }
}
