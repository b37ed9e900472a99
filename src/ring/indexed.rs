//! The indexed ring: a packed array and two positions, for one sender and one receiver. No locked instruction, no retry.
//!
//! After L. Lamport's ring (1983) with both ends' copies of the far position, as MCRingBuffer (Lee et al., 2010) and
//! rtrb keep them: an end reads the other's line only where its copy says full (or empty). The positions are those of
//! the stamped ring without its low bits, so any capacity is exact here too.

#[cfg(feature = "std")]
use super::Found;
use super::labels::{ADVANCE_HEAD, ADVANCE_TAIL, SEE};
use super::position::Geometry;
use super::{Refused, Ring, RingKind, slots};
use crate::error::BuildError;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use crate::sync::point::{Point, at};
use crate::sync::{Slots, UnsafeCell, Zeroed};
use core::mem::{ManuallyDrop, MaybeUninit};
use crossbeam_utils::CachePadded;

/// Room for one item: between the head and the tail it holds one.
struct Place<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: an item is MaybeUninit.
unsafe impl<T> Zeroed for Place<T> {
    fn zeroed() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

/// One end: its position, and up to where it may go by what it last saw of the other's.
struct End {
    position: AtomicU64,
    limit: UnsafeCell<u64>,
}

impl End {
    fn new(limit: u64) -> CachePadded<Self> {
        CachePadded::new(Self { position: AtomicU64::new(0), limit: UnsafeCell::new(limit) })
    }

    /// Where the owner may act, if it need not stop there also by a new `look` at the limit.
    ///
    /// # Safety
    /// For the end's owner only.
    #[inline(always)]
    unsafe fn next(&self, look: impl FnOnce() -> u64) -> Option<u64> {
        let word = self.load();
        // SAFETY: only the owner, so this thread, uses `limit`.
        let go = self.limit.with_mut(|limit| unsafe {
            word != *limit || {
                *limit = look();
                word != *limit
            }
        });
        go.then_some(word)
    }

    /// Where it stands. Relaxed: the owner's own last store, or a look that is ordered by the fences around it (SERVE,
    /// HEAVY), and an old word only makes its reader look again.
    #[inline(always)]
    fn load(&self) -> u64 {
        self.position.load(Relaxed)
    }
}

/// A ring of `capacity` places between the sender's position and the receiver's.
pub struct Indexed<T> {
    tail: CachePadded<End>,
    head: CachePadded<End>,
    places: Slots<Place<T>>,
    geometry: Geometry<0>,
    /// Whether sends may not start any more.
    closed: AtomicU32,
}

impl<T> Indexed<T> {
    #[inline(always)]
    fn place(&self, word: u64) -> &Place<T> {
        let index = self.geometry.index(word);
        debug_assert!(index < self.places.len());
        // SAFETY: every position comes from `Geometry::next`, which keeps the index below the capacity.
        unsafe { self.places.get_unchecked(index) }
    }

    /// Where the sender has to stop: a lap on from the head.
    #[inline(always)]
    fn space_ends(&self, head: u64) -> u64 {
        self.geometry.lap_on(head)
    }

    /// A waiter's look. The fence: see `fence::full`.
    #[cfg(feature = "std")]
    fn found(ready: impl FnOnce() -> bool) -> Found {
        crate::fence::full();
        if ready() { Found::Ready } else { Found::Unseen }
    }
}

#[allow(private_interfaces)]
impl<T> Ring<T> for Indexed<T> {
    fn new(capacity: usize, _: RingKind) -> Result<Self, BuildError> {
        let geometry = Geometry::new(capacity);
        Ok(Self {
            tail: End::new(geometry.lap_on(0)),
            head: End::new(0),
            places: slots(capacity)?,
            geometry,
            closed: AtomicU32::new(0),
        })
    }

    #[inline(always)]
    unsafe fn push(&self, item: &ManuallyDrop<T>, _: impl FnMut(u32)) -> Result<u64, Refused> {
        // SAFETY: the caller is the one sender.
        let end = unsafe { self.tail.next(|| self.space_ends(self.head.position.load(SEE.order()))) };
        // After the look: space that the last receiver's discard has made is not for a sender.
        if self.is_closed() {
            return Err(Refused::Closed);
        }
        let word = end.ok_or(Refused::NotReady)?;
        let next = self.geometry.next(word);
        at(Point::Claimed);
        // SAFETY: from the tail to a lap on from the head the places are the sender's; the caller gives the item away,
        // so the bitwise copy is the one owner.
        self.place(word).0.with_mut(|to| unsafe {
            core::ptr::copy_nonoverlapping(core::ptr::from_ref(item).cast::<T>(), to.cast::<T>(), 1);
        });
        self.tail.position.store(next, ADVANCE_TAIL.order());
        Ok(word)
    }

    #[inline(always)]
    unsafe fn pop(&self, to: &mut MaybeUninit<T>, _: impl FnMut(u32)) -> Result<u64, Refused> {
        // SAFETY: the caller is the one receiver, or the one discarder after it.
        let end = unsafe { self.head.next(|| self.tail.position.load(SEE.order())) };
        let word = end.ok_or(Refused::NotReady)?;
        let next = self.geometry.next(word);
        at(Point::Claimed);
        // SAFETY: from the head to the tail the places hold items, and they are the receiver's.
        self.place(word).0.with(|from| unsafe { core::ptr::copy_nonoverlapping(from, to, 1) });
        self.head.position.store(next, ADVANCE_HEAD.order());
        Ok(word)
    }

    #[inline]
    fn has_space(&self) -> bool {
        self.tail.load() != self.space_ends(self.head.load())
    }

    #[inline]
    fn has_item(&self) -> bool {
        self.head.load() != self.tail.load()
    }

    fn awaited_space(&self, popped: u64) -> bool {
        self.geometry.distance(self.tail.load(), self.space_ends(popped)) >= 0
    }

    fn awaited_item(&self, pushed: u64) -> bool {
        self.geometry.distance(self.head.load(), pushed) >= 0
    }

    #[cfg(feature = "std")]
    fn find_space(&self) -> Found {
        Self::found(|| self.has_space())
    }

    #[cfg(feature = "std")]
    fn find_item(&self) -> Found {
        Self::found(|| self.has_item())
    }

    fn close(&self) {
        // Relaxed: a send that misses it is found by the closer's fence and discard.
        self.closed.store(1, Relaxed);
    }

    #[inline(always)]
    fn is_closed(&self) -> bool {
        self.closed.load(Relaxed) != 0 // Relaxed: as there
    }

    fn len(&self) -> usize {
        self.geometry.between(|| self.tail.load(), || self.head.load())
    }

    fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    #[cfg(feature = "std")]
    fn sent(&self) -> u64 {
        self.geometry.items(self.tail.load())
    }
}
