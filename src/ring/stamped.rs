//! The stamped ring: a claim is a compare-exchange on one's own cursor, allowed by the slot's own stamp.
//!
//! After D. Vyukov's bounded MPMC queue (1024cores.net, 2010) with rigtorp MPMCQueue's `2 * lap` stamps; the
//! retry loop in the style of Linux lib/lockref.c (f5fe24ef17b5: no relax after a lost compare-exchange). On the
//! fast path neither side reads the other's cursor: the stamp alone says yes, full, empty or stale.

use super::cursor::Cursor;
use super::position::{CLOSED, Geometry};
use super::slot::{Reserved, Slot, Taken};
use crate::error::BuildError;
use crate::sync::point::{Count, count};
#[cfg(feature = "std")]
use crate::sync::point::{Point, at};
use crate::sync::{Slots, no_hint};
use crate::topology::Topology;
use core::mem::MaybeUninit;
use crossbeam_utils::CachePadded;

/// Why no slot could be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// Full for a sender, empty for a receiver: the slot at the cursor is behind.
    NotReady,
    /// Sends may not start any more.
    Closed,
}

/// What a waiter's re-check finds at its side's cursor.
#[cfg(feature = "std")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// The slot can be claimed.
    Ready,
    /// Nobody has claimed what would make it ready: whoever will, sees the announcement.
    Nothing,
    /// A peer has claimed it and not finished: it may not see the announcement.
    Claimed,
}

/// The sender's way of looking at a slot.
const WRITE: u32 = 0;
/// The receiver's.
const READ: u32 = 1;

/// A ring of `capacity` slots between a tail cursor (senders) and a head cursor (receivers).
pub(crate) struct Stamped<T, K: Topology> {
    tail: CachePadded<K::Tx>,
    head: CachePadded<K::Rx>,
    slots: Slots<Slot<T>>,
    geometry: Geometry,
}

impl<T, K: Topology> Stamped<T, K> {
    /// A slot's size in bytes.
    pub(crate) const SLOT: usize = size_of::<Slot<T>>();

    /// Empty, for `capacity` items that the caller has checked to be in `1 ..= MAX_CAPACITY`.
    pub(crate) fn new(capacity: usize) -> Result<Self, BuildError> {
        Ok(Self {
            tail: CachePadded::new(K::Tx::new()),
            head: CachePadded::new(K::Rx::new()),
            slots: Slots::new(capacity).ok_or(BuildError::OutOfMemory { requested: capacity })?,
            geometry: Geometry::new(capacity),
        })
    }

    /// Claims the slot at the tail. `lost` runs after each lost race, with their number.
    #[inline(always)]
    pub(crate) fn reserve(&self, lost: impl FnMut(u32)) -> Result<Reserved<'_, T>, Refused> {
        let (slot, at) = self.claim::<WRITE, _>(&*self.tail, lost)?;
        Ok(Reserved { slot, readable: self.geometry.writable(at) | READ })
    }

    /// Claims the item at the head. `lost` runs after each lost race, with their number.
    #[inline(always)]
    pub(crate) fn take(&self, lost: impl FnMut(u32)) -> Result<Taken<'_, T>, Refused> {
        let (slot, at) = self.claim::<READ, _>(&*self.head, lost)?;
        Ok(Taken { slot, writable: self.geometry.released(at) })
    }

    /// The one claim loop. Each turn beyond the first is another thread's completed claim (or a spurious
    /// failure of a weak compare-exchange).
    #[inline(always)]
    fn claim<const HOW: u32, C: Cursor>(
        &self,
        cursor: &C,
        mut lost: impl FnMut(u32),
    ) -> Result<(&Slot<T>, u64), Refused> {
        let mut word = cursor.load();
        let mut races = 0;
        loop {
            if HOW == WRITE && word & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            let slot = self.slot(word);
            let wanted = self.geometry.writable(word) | HOW;
            let stamp = slot.stamp();
            if stamp == wanted {
                match cursor.claim(word, self.geometry.next(word)) {
                    Ok(()) => return Ok((slot, word)),
                    Err(now) => word = now,
                }
            } else if self.geometry.behind(stamp, wanted) {
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

    /// Whether a sender would find a slot now.
    #[inline]
    pub(crate) fn has_space(&self) -> bool {
        self.ready::<WRITE>(self.tail.load())
    }

    /// Whether a receiver would find an item now.
    #[inline]
    pub(crate) fn has_item(&self) -> bool {
        self.ready::<READ>(self.head.load())
    }

    /// A stale word counts as ready: its holder looks again.
    #[inline]
    fn ready<const HOW: u32>(&self, word: u64) -> bool {
        !self.geometry.behind(self.slot(word).stamp(), self.geometry.writable(word) | HOW)
    }

    /// From here on no slot is reserved; those reserved before are still published.
    pub(crate) fn close(&self) {
        self.tail.close(CLOSED);
    }

    /// Whether [`close`](Self::close) was called.
    pub(crate) fn is_closed(&self) -> bool {
        self.tail.load() & CLOSED != 0
    }

    /// Items claimed for sending and not yet claimed for receiving: exact when nothing moves meanwhile, near it
    /// else, always in `0 ..= capacity`.
    pub(crate) fn len(&self) -> usize {
        // A few tries for a moment at which both were so; then a bound that is right for two moments.
        let mut head = self.head.load();
        let mut tail = self.tail.load();
        for _ in 0..8 {
            let again = self.head.load();
            if again == head {
                break;
            }
            head = again;
            tail = self.tail.load();
        }
        self.geometry.distance(tail, head).clamp(0, self.capacity() as i64) as usize
    }

    /// In items.
    pub(crate) fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    #[inline(always)]
    fn slot(&self, word: u64) -> &Slot<T> {
        let index = self.geometry.index(word);
        debug_assert!(index < self.slots.len());
        // SAFETY: every cursor word comes from `Geometry::next`, which keeps the index below the capacity.
        unsafe { self.slots.get_unchecked(index) }
    }
}

/// What a waiter asks.
#[cfg(feature = "std")]
impl<T, K: Topology> Stamped<T, K> {
    /// A waiting sender's re-check, after its announcement.
    pub(crate) fn find_space(&self) -> Found {
        let head = self.head.settle();
        at(Point::BetweenLoads);
        let tail = self.tail.load();
        self.found::<WRITE>(tail, self.geometry.lap_on(head))
    }

    /// A waiting receiver's re-check, after its announcement.
    pub(crate) fn find_item(&self) -> Found {
        let tail = self.tail.settle();
        at(Point::BetweenLoads);
        self.found::<READ>(self.head.load(), tail)
    }

    /// At `word`, which peers that have claimed up to `limit` can make ready.
    fn found<const HOW: u32>(&self, word: u64, limit: u64) -> Found {
        crate::fence::full();
        if self.ready::<HOW>(word) {
            Found::Ready
        } else if self.geometry.same(word, limit) {
            Found::Nothing
        } else {
            Found::Claimed
        }
    }
}

impl<T, K: Topology> Drop for Stamped<T, K> {
    /// Drops what was published and not received.
    fn drop(&mut self) {
        self.drain();
    }
}

impl<T, K: Topology> Stamped<T, K> {
    /// Drops every item that is receivable; a panic in one's drop does not keep the others.
    pub(crate) fn drain(&self) {
        struct Rest<'a, T, K: Topology>(&'a Stamped<T, K>);
        impl<T, K: Topology> Drop for Rest<'_, T, K> {
            fn drop(&mut self) {
                self.0.drop_items();
            }
        }
        let rest = Rest(self);
        self.drop_items();
        core::mem::forget(rest);
    }

    fn drop_items(&self) {
        while let Ok(taken) = self.take(|_| no_hint()) {
            let mut item = MaybeUninit::uninit();
            taken.release(&mut item);
            // SAFETY: `release` initialized it.
            drop(unsafe { item.assume_init() });
        }
    }
}
