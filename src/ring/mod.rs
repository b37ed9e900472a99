//! The rings: where items are. They know cursors, slots and stamps; nothing of waiting.

pub(crate) mod cursor;
pub(crate) mod either;
pub(crate) mod indexed;
pub(crate) mod labels;
pub(crate) mod position;
mod slot;
pub(crate) mod stamped;

use crate::error::BuildError;
#[cfg(feature = "std")]
use crate::fence::Ordered;
use crate::sync::{Slots, Zeroed, no_hint};
use core::mem::{ManuallyDrop, MaybeUninit};

/// The ring that carries a pipe's items.
///
/// ```
/// use hornpipe::{BuildError, Builder, Mpmc, RingKind, Spsc};
/// let (tx, rx) = Builder::<Spsc>::new(4).ring(RingKind::Stamped).build().unwrap();
/// tx.send(1).unwrap();
/// assert_eq!(rx.recv(), Ok(1));
/// let refused = Builder::<Mpmc>::new(4).ring(RingKind::Indexed).build::<u8>().unwrap_err();
/// assert_eq!(refused, BuildError::IndexedNeedsSpsc);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RingKind {
    /// A stamp a slot: any number of threads at either end. The default where an end may be many.
    #[default]
    Stamped,
    /// A packed array and two positions: one sender, one receiver. The default of [`Spsc`](crate::Spsc) but in the
    /// smallest pipes.
    Indexed,
}

/// Why no slot could be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Full for a sender, empty for a receiver: the slot at the cursor is behind.
    NotReady,
    /// Sends may not start any more.
    Closed,
}

/// What a waiter's re-check finds at its side's cursor.
#[cfg(feature = "std")]
#[derive(PartialEq, Eq, Debug)]
pub enum Found {
    /// The slot can be claimed.
    Ready,
    /// Nobody has claimed what would make it ready: whoever will, sees the announcement.
    Nothing(Ordered),
    /// A peer may be about to make it ready without seeing the announcement: it has claimed the slot already, or its
    /// claims give no order.
    Unseen,
}

/// What a pipe asks of its ring. Positions are cursor words.
#[doc(hidden)]
#[allow(private_interfaces)]
pub trait Ring<T>: Sized {
    /// Empty, for a capacity in `1 ..= MAX_CAPACITY`.
    fn new(capacity: usize, kind: RingKind) -> Result<Self, BuildError>;

    /// Reserves the slot at the tail, writes it, publishes it; its position. `lost` runs after each lost race, with
    /// their number. On an error the item stays with the caller, else it is moved out.
    ///
    /// # Safety
    /// The item is not used after Ok. If the topology has one sender, that one calls.
    unsafe fn push(&self, item: &ManuallyDrop<T>, lost: impl FnMut(u32)) -> Result<u64, Refused>;

    /// Claims the item at the head, reads it, releases its slot; its position. `to` is initialized on Ok only.
    ///
    /// # Safety
    /// If the topology has one receiver, that one calls, or one thread at a time after its end.
    unsafe fn pop(&self, to: &mut MaybeUninit<T>, lost: impl FnMut(u32)) -> Result<u64, Refused>;

    /// Whether a sender would find a slot now. A stale answer is yes: its holder looks again.
    fn has_space(&self) -> bool;

    /// Whether a receiver would find an item now. A stale answer is yes.
    fn has_item(&self) -> bool;

    /// Whether the senders' cursor has come to the slot that the item at `popped` left.
    fn awaited_space(&self, popped: u64) -> bool;

    /// Whether the receivers' cursor has come to the item at `pushed`.
    fn awaited_item(&self, pushed: u64) -> bool;

    /// A waiting sender's re-check, after its announcement.
    #[cfg(feature = "std")]
    fn find_space(&self) -> Found;

    /// A waiting receiver's re-check, after its announcement.
    #[cfg(feature = "std")]
    fn find_item(&self) -> Found;

    /// From here on no slot is reserved; those reserved before are still published.
    fn close(&self);

    /// Whether [`close`](Self::close) was called.
    fn is_closed(&self) -> bool;

    /// Items claimed for sending and not yet claimed for receiving.
    fn len(&self) -> usize;

    /// In items.
    fn capacity(&self) -> usize;

    /// Items sent so far, modulo what a position can count: for measures of distance.
    #[cfg(feature = "std")]
    fn sent(&self) -> u64;

    /// Drops every item that is receivable; a panic in one's drop does not keep the others.
    ///
    /// # Safety
    /// As [`pop`](Self::pop).
    unsafe fn drain(&self) {
        struct Rest<'a, T, R: Ring<T>>(&'a R, core::marker::PhantomData<fn() -> T>);
        impl<T, R: Ring<T>> Drop for Rest<'_, T, R> {
            fn drop(&mut self) {
                // SAFETY: the caller of `drain` promised it.
                unsafe { drop_items::<T>(self.0) };
            }
        }
        let rest = Rest(self, core::marker::PhantomData);
        // SAFETY: the caller promised it.
        unsafe { drop_items::<T>(self) };
        core::mem::forget(rest);
    }
}

/// # Safety
/// As [`Ring::pop`].
unsafe fn drop_items<T>(ring: &impl Ring<T>) {
    loop {
        let mut item = MaybeUninit::uninit();
        // SAFETY: the caller promised it.
        if unsafe { ring.pop(&mut item, |_| no_hint()) }.is_err() {
            return;
        }
        // SAFETY: `pop` initialized it.
        drop(unsafe { item.assume_init() });
    }
}

/// Zeroed slots for `capacity` items.
fn slots<S: Zeroed>(capacity: usize) -> Result<Slots<S>, BuildError> {
    if size_of::<S>().checked_mul(capacity).is_none_or(|bytes| bytes > isize::MAX as usize) {
        return Err(BuildError::CapacityTooLarge { requested: capacity });
    }
    Slots::new(capacity).ok_or(BuildError::OutOfMemory { requested: capacity })
}
