//! One slot: a stamp and room for an item, and the two things that may be done to a claimed one.
//!
//! | stamp | state | who may act | next |
//! |---|---|---|---|
//! | `2 * lap` | writable in `lap` | the sender that claims the position | `2 * lap + 1` by publish |
//! | `2 * lap + 1` | readable in `lap` | the receiver that claims the position | `2 * (lap + 1)` by release |
//!
//! A claim gives a typestate that does its one step and is gone: `Reserved` is written and published, `Taken`
//! is read and released. No user code runs in between, so no panic can leave a hole.

use super::labels::{PUBLISH, READ_STAMP, RELEASE};
use crate::sync::atomic::AtomicU32;
use crate::sync::point::{Point, at};
use crate::sync::{UnsafeCell, Zeroed};
use core::mem::{ManuallyDrop, MaybeUninit};

/// A place for one item.
pub(super) struct Slot<T> {
    stamp: AtomicU32,
    item: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: the stamp hands the item from one claimer to the next, so sharing a slot is sending items.
unsafe impl<T: Send> Sync for Slot<T> {}

// SAFETY: a zero stamp is the first lap's writable one; an item is MaybeUninit.
unsafe impl<T> Zeroed for Slot<T> {
    fn zeroed() -> Self {
        Self { stamp: AtomicU32::new(0), item: UnsafeCell::new(MaybeUninit::uninit()) }
    }
}

impl<T> Slot<T> {
    #[inline(always)]
    pub(super) fn stamp(&self) -> u32 {
        self.stamp.load(READ_STAMP.order())
    }
}

/// A slot that this thread alone may write, once.
#[must_use = "an unpublished slot stops the ring"]
pub(super) struct Reserved<'a, T> {
    pub(super) slot: &'a Slot<T>,
    /// What publishing leaves.
    pub(super) readable: u32,
}

impl<T> Reserved<'_, T> {
    /// Moves the item in and makes it receivable. The caller's copy is gone with it.
    #[inline(always)]
    pub(super) fn publish(self, item: &ManuallyDrop<T>) {
        at(Point::Claimed);
        // SAFETY: the claim makes this thread the slot's only user until the stamp is stored; the caller gives
        // the item away (`ManuallyDrop`), so the bitwise copy is the one owner.
        self.slot.item.with_mut(|to| unsafe {
            core::ptr::copy_nonoverlapping(core::ptr::from_ref(item).cast::<T>(), to.cast::<T>(), 1);
        });
        self.slot.stamp.store(self.readable, PUBLISH.order());
    }
}

/// A slot that this thread alone may read, once.
#[must_use = "an unreleased slot stops the ring, and its item is lost"]
pub(super) struct Taken<'a, T> {
    pub(super) slot: &'a Slot<T>,
    /// What releasing leaves.
    pub(super) writable: u32,
}

impl<T> Taken<'_, T> {
    /// Moves the item out into `to` and gives the slot to the next lap. `to` is initialized then.
    #[inline(always)]
    pub(super) fn release(self, to: &mut MaybeUninit<T>) {
        at(Point::Claimed);
        // SAFETY: the stamp said that an item is here, the claim makes this thread its only reader.
        self.slot.item.with(|from| unsafe { core::ptr::copy_nonoverlapping(from, to, 1) });
        self.slot.stamp.store(self.writable, RELEASE.order());
    }
}
