//! The stamped ring: a claim moves one's own cursor, allowed by the slot's own stamp.
//!
//! After D. Vyukov's bounded MPMC queue (1024cores.net, 2010) with rigtorp MPMCQueue's `2 * lap` stamps; the
//! retry loop in the style of Linux lib/lockref.c (f5fe24ef17b5: no relax after a lost compare-exchange). On the
//! fast path neither side reads the other's cursor: the stamp alone says yes, full, empty or stale.

#[cfg(feature = "std")]
use super::Found;
use super::cursor::Cursor;
use super::position::{CLOSED, Geometry};
use super::slot::{Reserved, Slot, Taken};
use super::{Refused, Ring, RingKind, slots};
use crate::error::BuildError;
use crate::sync::Slots;
use crate::sync::point::{Count, count};
#[cfg(feature = "std")]
use crate::{
    fence::{self, Ordered},
    sync::point::{Point, at},
};
use core::mem::{ManuallyDrop, MaybeUninit};
use crossbeam_utils::CachePadded;

/// The sender's way of looking at a slot.
const WRITE: u32 = 0;
/// The receiver's.
const READ: u32 = 1;

/// A ring of `capacity` slots between a tail cursor (senders) and a head cursor (receivers).
#[allow(private_interfaces)]
pub struct Stamped<T, Tx: Cursor, Rx: Cursor> {
    tail: CachePadded<Tx>,
    head: CachePadded<Rx>,
    slots: Slots<Slot<T>>,
    geometry: Geometry,
}

impl<T, Tx: Cursor, Rx: Cursor> Stamped<T, Tx, Rx> {
    /// Claims the slot at the tail.
    #[inline(always)]
    fn reserve(&self, lost: impl FnMut(u32)) -> Result<(Reserved<'_, T>, u64), Refused> {
        let (slot, at) = self.claim::<WRITE, _>(&*self.tail, lost)?;
        Ok((Reserved { slot, readable: self.geometry.writable(at) | READ }, at))
    }

    /// Claims the item at the head.
    #[inline(always)]
    fn take(&self, lost: impl FnMut(u32)) -> Result<(Taken<'_, T>, u64), Refused> {
        let (slot, at) = self.claim::<READ, _>(&*self.head, lost)?;
        Ok((Taken { slot, writable: self.geometry.released(at) }, at))
    }

    /// The one claim loop. Each turn beyond the first is another thread's completed claim (or a spurious
    /// failure of a weak compare-exchange).
    #[inline(always)]
    fn claim<const HOW: u32, C: Cursor>(
        &self,
        cursor: &C,
        mut lost: impl FnMut(u32),
    ) -> Result<(&Slot<T>, u64), Refused> {
        let closable = HOW == WRITE && !C::ALONE;
        let mut word = if closable { cursor.load() } else { cursor.position() };
        let mut races = 0;
        loop {
            if closable && word & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            let slot = self.slot(word);
            let wanted = self.geometry.writable(word) | HOW;
            let stamp = slot.stamp();
            // After the stamp: space that the last receiver's discard has made is not for a sender. (A shared tail's
            // compare-exchange sees to that.)
            if HOW == WRITE && C::ALONE && cursor.load() & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            if stamp == wanted {
                match cursor.claim(word, self.geometry.next(word)) {
                    Ok(()) => return Ok((slot, word)),
                    Err(now) => word = now,
                }
            } else if C::ALONE || self.geometry.behind(stamp, wanted) {
                // The cursor cannot have passed a slot that is behind, so it stood here when the stamp was
                // read: full (or empty) is the truth of that moment.
                return Err(Refused::NotReady);
            } else {
                word = cursor.load();
            }
            races += 1;
            count(Count::Retry);
            lost(races);
        }
    }

    /// Whether the slot at `word` can be claimed. A stale word counts as ready: its holder looks again.
    #[inline]
    fn ready<const HOW: u32>(&self, word: u64) -> bool {
        !self.geometry.behind(self.slot(word).stamp(), self.geometry.writable(word) | HOW)
    }

    /// At `word`, which peers that have claimed up to `limit` can make ready.
    #[cfg(feature = "std")]
    fn found<const HOW: u32>(&self, word: u64, limit: Option<(u64, Ordered)>) -> Found {
        fence::full();
        match limit {
            _ if self.ready::<HOW>(word) => Found::Ready,
            Some((limit, ordered)) if self.geometry.same(word, limit) => Found::Nothing(ordered),
            _ => Found::Unseen,
        }
    }

    #[inline(always)]
    fn slot(&self, word: u64) -> &Slot<T> {
        let index = self.geometry.index(word);
        debug_assert!(index < self.slots.len());
        // SAFETY: every cursor word comes from `Geometry::next`, which keeps the index below the capacity.
        unsafe { self.slots.get_unchecked(index) }
    }
}

#[allow(private_interfaces)]
impl<T, Tx: Cursor, Rx: Cursor> Ring<T> for Stamped<T, Tx, Rx> {
    fn new(capacity: usize, kind: RingKind) -> Result<Self, BuildError> {
        if kind == RingKind::Indexed {
            return Err(BuildError::IndexedNeedsSpsc);
        }
        Ok(Self {
            tail: CachePadded::new(Tx::new()),
            head: CachePadded::new(Rx::new()),
            slots: slots(capacity)?,
            geometry: Geometry::new(capacity),
        })
    }

    #[inline(always)]
    unsafe fn push(&self, item: &ManuallyDrop<T>, lost: impl FnMut(u32)) -> Result<u64, Refused> {
        let (slot, at) = self.reserve(lost)?;
        slot.publish(item);
        Ok(at)
    }

    #[inline(always)]
    unsafe fn pop(&self, to: &mut MaybeUninit<T>, lost: impl FnMut(u32)) -> Result<u64, Refused> {
        let (item, at) = self.take(lost)?;
        item.release(to);
        Ok(at)
    }

    #[inline]
    fn has_space(&self) -> bool {
        self.ready::<WRITE>(self.tail.load())
    }

    #[inline]
    fn has_item(&self) -> bool {
        self.ready::<READ>(self.head.load())
    }

    fn awaited_space(&self, popped: u64) -> bool {
        self.geometry.distance(self.tail.load(), self.geometry.lap_on(popped)) >= 0
    }

    fn awaited_item(&self, pushed: u64) -> bool {
        self.geometry.distance(self.head.load(), pushed) >= 0
    }

    #[cfg(feature = "std")]
    fn find_space(&self) -> Found {
        let head = self.head.settle();
        at(Point::BetweenLoads);
        let tail = self.tail.load();
        self.found::<WRITE>(tail, head.map(|(head, ordered)| (self.geometry.lap_on(head), ordered)))
    }

    #[cfg(feature = "std")]
    fn find_item(&self) -> Found {
        let tail = self.tail.settle();
        at(Point::BetweenLoads);
        self.found::<READ>(self.head.load(), tail)
    }

    fn close(&self) {
        self.tail.close(CLOSED);
    }

    fn is_closed(&self) -> bool {
        self.tail.load() & CLOSED != 0
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
