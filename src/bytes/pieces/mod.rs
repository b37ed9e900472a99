//! The pieces: a ring of page-sized buffers between any number of writers and readers.
//!
//! Each side's threads take turns by a lock of their own, so a write is never torn by another; between the sides there is
//! no lock, only counts of pieces and a word a piece (`body`). A writer that finds no room *lines up* (`line`), and only the
//! first in line waits at the gate: what it needs is what readers wake it for. Whoever comes then leaves as much room as that
//! one needs, and lines up where the rest is not enough: large needs are not passed over by small ones.

mod body;
mod fill;
mod line;
mod resize;

pub(super) use body::LONGEST;

use super::error;
use super::labels::{FREED, MEET, THERE};
use super::options::{Asked, Layout};
use super::ring::{Ring, Stuck, Took, Until};
use super::slices::{Sink, Source};
use crate::fence;
use crate::lockref::{CellGuard, Lockref, LockrefCell};
use crate::ring::Found;
use crate::sync::UnsafeCell;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::point::{Point, at};
use body::Body;
use crossbeam_utils::CachePadded;
use fill::Demand;
use line::{Line, Place};
use std::io;
use std::sync::Arc;

/// Moved before the other side is told of it, and of what may be torn under one hold of the lock.
const PART: usize = 16 << 10;

/// What the writers' lock guards.
struct Tail {
    /// Where the next piece is put.
    index: usize,
    /// Pieces freed when that was looked at.
    freed: u64,
    /// Writers that found no room.
    line: Line,
}

/// What the readers' lock guards.
struct Head {
    /// Which piece is read next.
    index: usize,
    /// How much of it was read.
    offset: usize,
    /// Pieces published when that was looked at.
    published: u64,
}

/// One side: its lock, and how far it has come. (On two lines: the other side looks at the second one all the time.)
struct Side<V> {
    own: CachePadded<Own<V>>,
    /// Pieces: published by writers, freed by readers.
    pieces: CachePadded<AtomicU64>,
}

struct Own<V> {
    lock: LockrefCell<V>,
    /// Bytes: in, out.
    bytes: AtomicU64,
}

impl<V> Side<V> {
    fn new(value: V) -> Self {
        let lock = LockrefCell::new(Lockref::new(0), value);
        Self {
            own: CachePadded::new(Own { lock, bytes: AtomicU64::new(0) }),
            pieces: CachePadded::new(AtomicU64::new(0)),
        }
    }

    fn lock(&self, until: Until) -> Result<CellGuard<'_, V>, Stuck> {
        let guard = match until {
            Until::Now => self.own.lock.try_lock(),
            Until::Deadline(deadline) => self.own.lock.lock_until(deadline),
        };
        guard.ok_or(Stuck::Behind)
    }

    /// Counts bytes. (Relaxed: under the lock; others only ask how many.)
    fn count_bytes(&self, count: usize) {
        let bytes = &self.own.bytes;
        bytes.store(bytes.load(Relaxed).wrapping_add(count as u64), Relaxed);
    }

    /// A waiter's look at this side, whether one of it is at work. If not, all that any did is seen, and whoever comes sees
    /// the waiter.
    fn meet(&self) -> (bool, fence::Ordered) {
        self.own.lock.refs().meet(&MEET)
    }
}

/// A ring of pieces.
pub struct Pieces {
    writers: Side<Tail>,
    readers: Side<Head>,
    /// Free pieces that the first writer in line waits for.
    need: AtomicU64,
    /// Pieces that there are.
    count: AtomicU64,
    /// Shared by holders of either lock, changed by who holds both.
    body: UnsafeCell<Body>,
    layout: Layout,
}

// SAFETY: the body is reached by holders of a lock: its words are atomic, its bytes are one side's at a time (`body`); who
// replaces it holds both locks. The rest is Sync by itself.
unsafe impl Sync for Pieces {}

/// A writer's turn among writers: its place in the line, once it has one.
pub struct Turn<'a> {
    pieces: &'a Pieces,
    /// Whether its write must not be torn.
    whole: bool,
    place: Option<Arc<Place>>,
}

impl Turn<'_> {
    fn is_first(&self, tail: &Tail) -> bool {
        self.place.as_ref().is_some_and(|place| tail.line.is_first(place))
    }

    /// Leaves the line, as the first in it.
    fn leave(&mut self, mut tail: CellGuard<'_, Tail>) {
        self.place = None;
        let next = tail.line.leave();
        // What the next one needs it has not said yet. (Relaxed: under the lock.)
        self.pieces.need.store(1, Relaxed);
        rouse(tail, next);
    }
}

/// Lets the lock go, then makes the system call.
fn rouse(tail: CellGuard<'_, Tail>, place: Option<Arc<Place>>) {
    drop(tail);
    if let Some(place) = place {
        place.rouse();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.place.as_ref().is_some_and(|place| !place.give_up()) {
            self.leave(self.pieces.writers.own.lock.lock());
        }
    }
}

impl Pieces {
    /// Free pieces. An old look may say too few; a reader's may say too many, and then the writer looks again.
    fn free(&self) -> u64 {
        // Relaxed: ordered by the fences around it (SERVE, HEAVY) or by MEET. Where `freed` is newer than what is
        // published here, none are said to be free: the reader that freed looks again itself.
        let freed = self.readers.pieces.load(Relaxed);
        let used = self.writers.pieces.load(Relaxed).wrapping_sub(freed);
        self.count.load(Relaxed).saturating_sub(used)
    }

    /// Takes out what there is, or one packet; whether anything. It looks once what there is: nobody shall write for ever to a
    /// read that goes on.
    fn drain(
        &self,
        body: &Body,
        head: &mut Head,
        into: &mut impl Sink,
        made_room: impl Fn(),
    ) -> Result<Took, Stuck> {
        let (mut out, mut read, mut told) = (0, 0, 0);
        let mut freed = self.readers.pieces.load(Relaxed); // Relaxed: under the lock
        let (mut packet, mut looked) = (false, false);
        while into.left() > 0 && !packet {
            if freed == head.published {
                if looked {
                    break;
                }
                head.published = self.writers.pieces.load(THERE.order());
                looked = true;
                continue;
            }
            let filled = body.filled(head.index);
            let len = (filled.end() - head.offset).min(into.left());
            let mut from = head.offset;
            into.fill(len, |part| {
                // SAFETY: seen filled as far as that; the lock is held.
                unsafe { body.read(head.index, from, part) };
                from += part.len();
            });
            read += len;
            packet = filled.is_packet();
            let end = if packet { filled.end() } else { from };
            out += end - head.offset;
            head.offset = end;
            if end == filled.end() && body.free(head.index, filled) {
                (head.index, head.offset) = (body.next(head.index), 0);
                freed = freed.wrapping_add(1);
                self.readers.pieces.store(freed, FREED.order());
                if read - told >= PART {
                    told = read;
                    made_room();
                }
            }
        }
        self.readers.count_bytes(out);
        // By one hold of the lock: between two, another reader would leave a hole in what this one gives.
        if read > 0 { Ok(Took::All) } else { Err(Stuck::NotReady) }
    }
}

#[allow(private_interfaces, private_bounds)]
impl Ring for Pieces {
    type Turn<'a> = Turn<'a>;

    const UNSEEN: bool = false;

    fn new(asked: &Asked) -> io::Result<Self> {
        let (layout, count) = asked.layout()?;
        Ok(Self {
            writers: Side::new(Tail { index: 0, freed: 0, line: Line::default() }),
            readers: Side::new(Head { index: 0, offset: 0, published: 0 }),
            need: AtomicU64::new(1),
            count: AtomicU64::new(count as u64),
            body: UnsafeCell::new(Body::new(count, layout.piece).ok_or_else(error::memory)?),
            layout,
        })
    }

    fn turn(&self, bytes: usize) -> Turn<'_> {
        Turn { pieces: self, whole: self.layout.is_whole(bytes), place: None }
    }

    unsafe fn put<'a>(
        &'a self,
        turn: &mut Turn<'a>,
        from: &mut impl Source,
        until: Until,
    ) -> Result<(), Stuck> {
        let mut tail = self.writers.lock(until)?;
        at(Point::Claimed);
        let first = turn.is_first(&tail);
        // Who is not the first in line leaves the room that the first one needs. (Relaxed: written under the lock.)
        let spared = if first || tail.line.is_empty() { 0 } else { self.need.load(Relaxed) };
        let demand = Demand { whole: turn.whole, spared };
        // SAFETY: a lock is held.
        let filled = self.body.with(|body| self.fill(unsafe { &*body }, &mut tail, demand, from));
        let Err(need) = filled else {
            if first && from.left() == 0 {
                turn.leave(tail);
            }
            return Ok(());
        };
        // Whoever called the first one may be suspended before its system call: it is made again.
        let called = tail.line.called();
        let Until::Deadline(deadline) = until else {
            rouse(tail, called);
            return Err(Stuck::NotReady);
        };
        if first || tail.line.is_empty() {
            // Relaxed: ordered as the announcement is, by `fence::full` or MEET against SERVE or TAKE.
            self.need.store(need, Relaxed);
        }
        let place = Arc::clone(turn.place.get_or_insert_with(|| tail.line.join()));
        if tail.line.is_first(&place) {
            return Err(Stuck::NotReady);
        }
        rouse(tail, called);
        if place.wait(deadline) { Err(Stuck::Again) } else { Err(Stuck::Behind) }
    }

    unsafe fn take(&self, into: &mut impl Sink, until: Until, made_room: impl Fn()) -> Result<Took, Stuck> {
        let mut head = self.readers.lock(until)?;
        // SAFETY: a lock is held.
        let took = self.body.with(|body| self.drain(unsafe { &*body }, &mut head, into, made_room));
        at(Point::Claimed);
        took
    }

    fn has_room(&self) -> bool {
        self.free() >= self.need.load(Relaxed) // Relaxed: see there
    }

    fn has_bytes(&self) -> bool {
        // Relaxed: as in `free`.
        self.readers.pieces.load(Relaxed) != self.writers.pieces.load(Relaxed)
    }

    fn find_room(&self) -> Found {
        let (at_work, ordered) = self.readers.meet();
        at(Point::BetweenLoads);
        found(|| self.has_room(), at_work, ordered)
    }

    fn find_bytes(&self) -> Found {
        let (at_work, ordered) = self.writers.meet();
        at(Point::BetweenLoads);
        found(|| self.has_bytes(), at_work, ordered)
    }

    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    fn disturb(&self) {
        self.writers.own.lock.lock().line.disturb();
    }

    fn writes(&self) -> u64 {
        self.writers.pieces.load(Relaxed) // Relaxed: a measure of distance
    }

    fn len(&self) -> usize {
        // Relaxed: two numbers of two moments, counted after the bytes were there, or gone: near the truth.
        let (all, out) = (self.writers.own.bytes.load(Relaxed), self.readers.own.bytes.load(Relaxed));
        (all.wrapping_sub(out) as i64).clamp(0, self.capacity() as i64) as usize
    }

    fn capacity(&self) -> usize {
        self.count.load(Relaxed) as usize * self.layout.piece // Relaxed: a number
    }
}

/// What a waiter's re-check is, after its `meet`. The fence: see `fence::full`.
fn found(ready: impl Fn() -> bool, at_work: bool, ordered: fence::Ordered) -> Found {
    fence::full();
    match ready() {
        true => Found::Ready,
        false if at_work => Found::Unseen,
        false => Found::Nothing(ordered),
    }
}
