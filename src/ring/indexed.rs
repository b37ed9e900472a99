//! The indexed ring: a packed array and two positions, for one sender and one receiver. No locked instruction, no retry.
//!
//! After L. Lamport's ring (1983) with both ends' copies of the far position, as MCRingBuffer (Lee et al., 2010) and
//! rtrb keep them: an end reads the other's line only where its copy says full (or empty). The positions are those of
//! the stamped ring, so any capacity is exact here too.

#[cfg(feature = "std")]
use super::Found;
use super::cursor::{Cursor, Exclusive, between};
use super::labels::{ADVANCE_HEAD, ADVANCE_TAIL, SEE};
use super::position::{CLOSED, Geometry};
use super::{Refused, Ring, RingKind, slots};
use crate::error::BuildError;
use crate::sync::point::{Point, at};
use crate::sync::{Slots, UnsafeCell, Zeroed};
use core::mem::{ManuallyDrop, MaybeUninit};
use crossbeam_utils::CachePadded;

/// Room for one item: between the head and the tail it holds one.
struct Place<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: the positions hand a place from one end to the other, so sharing it is sending items.
unsafe impl<T: Send> Sync for Place<T> {}

// SAFETY: an item is MaybeUninit.
unsafe impl<T> Zeroed for Place<T> {
    fn zeroed() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

/// One end: its position, and up to where it may go by what it last saw of the other's.
struct End {
    cursor: Exclusive,
    limit: UnsafeCell<u64>,
}

impl End {
    fn new(limit: u64) -> Self {
        Self { cursor: Exclusive::new(), limit: UnsafeCell::new(limit) }
    }

    /// # Safety
    /// For the end's owner only.
    #[inline(always)]
    unsafe fn limit(&self) -> u64 {
        // SAFETY: only the owner, so this thread, uses it.
        self.limit.with(|limit| unsafe { *limit })
    }

    /// # Safety
    /// For the end's owner only.
    #[inline(always)]
    unsafe fn set_limit(&self, to: u64) {
        // SAFETY: only the owner, so this thread, uses it.
        self.limit.with_mut(|limit| unsafe { *limit = to });
    }
}

/// A ring of `capacity` places between the sender's position and the receiver's.
pub struct Indexed<T> {
    tail: CachePadded<End>,
    head: CachePadded<End>,
    places: Slots<Place<T>>,
    geometry: Geometry<0>,
}

impl<T> Indexed<T> {
    #[inline(always)]
    fn place(&self, word: u64) -> &Place<T> {
        let index = self.geometry.index(word);
        debug_assert!(index < self.places.len());
        // SAFETY: every position comes from `Geometry::next`, which keeps the index below the capacity.
        unsafe { self.places.get_unchecked(index) }
    }

    /// Whether `end`'s owner, at `word`, stands where it has to stop, also by a new look at the other end.
    ///
    /// # Safety
    /// For the end's owner only.
    #[inline(always)]
    unsafe fn stopped(&self, end: &End, word: u64, look: impl FnOnce() -> u64) -> bool {
        // SAFETY: the caller is the owner.
        if word != unsafe { end.limit() } {
            return false;
        }
        let limit = look();
        // SAFETY: the caller is the owner.
        unsafe { end.set_limit(limit) };
        word == limit
    }

    /// The tail's limit: a lap on from the head.
    #[inline(always)]
    fn space_ends(&self, head: u64) -> u64 {
        self.geometry.lap_on(head)
    }

    #[cfg(feature = "std")]
    fn found(ready: bool) -> Found {
        crate::fence::full();
        if ready { Found::Ready } else { Found::Unseen }
    }
}

#[allow(private_interfaces)]
impl<T> Ring<T> for Indexed<T> {
    fn new(capacity: usize, _: RingKind) -> Result<Self, BuildError> {
        let geometry = Geometry::new(capacity);
        Ok(Self {
            tail: CachePadded::new(End::new(geometry.lap_on(0))),
            head: CachePadded::new(End::new(0)),
            places: slots(capacity)?,
            geometry,
        })
    }

    #[inline(always)]
    fn push(&self, item: &ManuallyDrop<T>, _: impl FnMut(u32)) -> Result<u64, Refused> {
        if self.tail.cursor.bits() != 0 {
            return Err(Refused::Closed);
        }
        let word = self.tail.cursor.position();
        // SAFETY: a push is a sender's call, the topology has one sender, and that is not Sync.
        if unsafe { self.stopped(&self.tail, word, || self.space_ends(self.head.cursor.see(SEE.order()))) } {
            return Err(Refused::NotReady);
        }
        let next = self.geometry.next(word);
        at(Point::Claimed);
        // SAFETY: from the tail to a lap on from the head the places are the sender's; the caller gives the item away
        // (`ManuallyDrop`), so the bitwise copy is the one owner.
        self.place(word).0.with_mut(|to| unsafe {
            core::ptr::copy_nonoverlapping(core::ptr::from_ref(item).cast::<T>(), to.cast::<T>(), 1);
        });
        self.tail.cursor.advance(next, ADVANCE_TAIL.order());
        Ok(word)
    }

    #[inline(always)]
    fn pop(&self, to: &mut MaybeUninit<T>, _: impl FnMut(u32)) -> Result<u64, Refused> {
        let word = self.head.cursor.position();
        // SAFETY: a pop is a receiver's call, the topology has one receiver, and that is not Sync; after its end it is a
        // discarder's, of which there is one at a time (`pipe::lives`).
        if unsafe { self.stopped(&self.head, word, || self.tail.cursor.see(SEE.order())) } {
            return Err(Refused::NotReady);
        }
        let next = self.geometry.next(word);
        at(Point::Claimed);
        // SAFETY: from the head to the tail the places hold items, and they are the receiver's.
        self.place(word).0.with(|from| unsafe { core::ptr::copy_nonoverlapping(from, to, 1) });
        self.head.cursor.advance(next, ADVANCE_HEAD.order());
        Ok(word)
    }

    #[inline]
    fn has_space(&self) -> bool {
        self.tail.cursor.position() != self.space_ends(self.head.cursor.position())
    }

    #[inline]
    fn has_item(&self) -> bool {
        self.head.cursor.position() != self.tail.cursor.position()
    }

    fn awaited_space(&self, popped: u64) -> bool {
        self.geometry.distance(self.tail.cursor.position(), self.space_ends(popped)) >= 0
    }

    fn awaited_item(&self, pushed: u64) -> bool {
        self.geometry.distance(self.head.cursor.position(), pushed) >= 0
    }

    #[cfg(feature = "std")]
    fn find_space(&self) -> Found {
        Self::found(self.has_space())
    }

    #[cfg(feature = "std")]
    fn find_item(&self) -> Found {
        Self::found(self.has_item())
    }

    fn close(&self) {
        self.tail.cursor.close(CLOSED);
    }

    fn is_closed(&self) -> bool {
        self.tail.cursor.bits() != 0
    }

    fn len(&self) -> usize {
        between(&self.geometry, &self.tail.cursor, &self.head.cursor)
    }

    fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    #[cfg(feature = "std")]
    fn sent(&self) -> u64 {
        self.geometry.items(self.tail.cursor.position())
    }
}
