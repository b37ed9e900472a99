//! The stream: a contiguous ring of bytes between one writer and one reader. No locked instruction, no retry.
//!
//! `ring::indexed` for bytes: each end keeps a copy of the far position and looks at it only where the copy says that there
//! is not enough. A position is one word, and a move stores nothing else: where the other end looks at it all the time, each
//! further store to its line would wait for that line (far apart a third of a small write's time).
//!
//! ```text
//! 63      44          0
//! | moves |   bytes   |      both wrap; what counts is how far two positions are apart
//! ```

use super::error;
use super::labels::{FAR_BYTES, READ_OUT, WROTE};
use super::options::Asked;
use super::ring::{Ring, Stuck, Took, Until};
use super::slices::{Sink, Source};
use crate::ring::Found;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::labels::Label;
use crate::sync::point::{Point, at};
use crate::sync::{Buffer, UnsafeCell};
use crossbeam_utils::CachePadded;
use std::io;

/// Moved at once: what is larger is published in parts, so that the other end works on one while the next is copied.
const PART: usize = 16 << 10;

/// Of a position.
const BYTES: u64 = MOVE - 1;
const MOVE: u64 = 1 << 44;

/// The most that positions can tell apart.
const MOST: usize = if usize::BITS < 64 { isize::MAX as usize } else { (BYTES / 2 + 1) as usize };

/// Where positions begin: near the end of their range where tests are to see them pass it.
const BEGIN: u64 = if cfg!(hornpipe_small) { BYTES - 5 } else { 0 };

/// Bytes from one position to a later one.
#[inline(always)]
fn between(head: u64, tail: u64) -> usize {
    (tail.wrapping_sub(head) & BYTES) as usize
}

/// One end: how far it has come.
struct End {
    position: AtomicU64,
    own: UnsafeCell<Own>,
}

/// What only the end's owner knows.
struct Own {
    /// The position at which the buffer began this time round.
    lap: u64,
    /// The far end's position when it was looked at.
    far: u64,
}

impl End {
    fn new() -> CachePadded<Self> {
        CachePadded::new(Self {
            position: AtomicU64::new(BEGIN),
            own: UnsafeCell::new(Own { lap: BEGIN, far: BEGIN }),
        })
    }

    /// Relaxed: the owner's own last store, or a look that is ordered by the fences around it (SERVE, HEAVY); an old one
    /// only makes its reader look again.
    #[inline(always)]
    fn load(&self) -> u64 {
        self.position.load(Relaxed)
    }

    /// Where in the buffer this end stands, and how much `of` the far position says there is; looked up anew only where
    /// the last look says less than `wanted`.
    ///
    /// # Safety
    /// For the end's owner only.
    #[inline(always)]
    unsafe fn stretch(&self, far: &Self, wanted: usize, of: impl Fn(u64, u64) -> usize) -> (usize, usize) {
        let position = self.load();
        // SAFETY: only the owner, so this thread, uses `own`.
        self.own.with_mut(|own| unsafe {
            if of(position, (*own).far) < wanted {
                (*own).far = far.position.load(FAR_BYTES.order());
            }
            (between((*own).lap, position), of(position, (*own).far))
        })
    }

    /// Moves on by `count` bytes of a buffer of `capacity`.
    ///
    /// # Safety
    /// For the end's owner only; the far one's look says that they are there.
    #[inline(always)]
    unsafe fn advance(&self, count: usize, capacity: usize, label: &Label) {
        let position = self.load().wrapping_add(MOVE + count as u64);
        // SAFETY: only the owner, so this thread, uses `own`.
        self.own.with_mut(|own| unsafe {
            if between((*own).lap, position) >= capacity {
                (*own).lap = (*own).lap.wrapping_add(capacity as u64);
            }
        });
        self.position.store(position, label.order());
    }
}

/// A ring of bytes between the writer's position and the reader's.
pub struct Stream {
    tail: CachePadded<End>,
    head: CachePadded<End>,
    buffer: Buffer,
}

impl Stream {
    #[inline(always)]
    fn free(&self, tail: u64, head: u64) -> usize {
        self.buffer.len() - between(head, tail)
    }

    /// Where a writer of `wanted` bytes may begin, and how many there is room for, perhaps over the buffer's end.
    ///
    /// # Safety
    /// For the writer only.
    #[inline(always)]
    unsafe fn room(&self, wanted: usize) -> (usize, usize) {
        // SAFETY: the caller's promise.
        unsafe { self.tail.stretch(&self.head, wanted, |tail, head| self.free(tail, head)) }
    }

    /// Where a reader of `wanted` bytes may begin, and how many there are, perhaps over the buffer's end.
    ///
    /// # Safety
    /// For the reader only.
    #[inline(always)]
    unsafe fn bytes(&self, wanted: usize) -> (usize, usize) {
        // SAFETY: the caller's promise.
        unsafe { self.head.stretch(&self.tail, wanted, between) }
    }

    /// Up to `most` bytes of room in one piece, at least one if there is any.
    ///
    /// # Safety
    /// For the writer only, who lets go of the last one before.
    #[expect(clippy::mut_from_ref, reason = "the writer has one at a time")]
    pub(super) unsafe fn room_mut(&self, most: usize) -> &mut [u8] {
        // SAFETY: the caller is the writer; what is free is its own until it publishes.
        unsafe {
            let (index, room) = self.room(most);
            self.buffer.slice_mut(index, most.min(room).min(self.buffer.len() - index))
        }
    }

    /// Publishes the first `count` bytes of the room.
    ///
    /// # Safety
    /// For the writer only, who has written them.
    #[inline(always)]
    pub(super) unsafe fn publish(&self, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.tail.advance(count, self.buffer.len(), &WROTE) }
    }

    /// The bytes that there are, as many as are in one piece.
    ///
    /// # Safety
    /// For the reader only, who lets go of them before it releases.
    pub(super) unsafe fn bytes_ref(&self) -> &[u8] {
        // SAFETY: the caller is the reader; what is there is its own until it releases.
        unsafe {
            let (index, bytes) = self.bytes(1);
            self.buffer.slice(index, bytes.min(self.buffer.len() - index))
        }
    }

    /// Releases the first `count` bytes.
    ///
    /// # Safety
    /// For the reader only, who has seen that they are there.
    #[inline(always)]
    pub(super) unsafe fn release(&self, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.head.advance(count, self.buffer.len(), &READ_OUT) }
    }

    /// A waiter's look. The fence: see `fence::full`.
    fn found(ready: impl FnOnce() -> bool) -> Found {
        crate::fence::full();
        if ready() { Found::Ready } else { Found::Unseen }
    }
}

#[allow(private_interfaces, private_bounds)]
impl Ring for Stream {
    type Turn<'a> = ();

    const UNSEEN: bool = true;

    fn new(asked: &Asked) -> io::Result<Self> {
        let capacity = asked.capacity(MOST)?;
        let buffer = Buffer::new(capacity).ok_or_else(error::memory)?;
        Ok(Self { tail: End::new(), head: End::new(), buffer })
    }

    fn turn(&self, _: usize) {}

    #[inline(always)]
    unsafe fn put(&self, (): &mut (), from: &mut impl Source, _: Until) -> Result<(), Stuck> {
        let wanted = from.left().min(PART);
        // SAFETY: the caller is the one writer.
        let (mut index, room) = unsafe { self.room(wanted) };
        let count = wanted.min(room);
        if count == 0 {
            return Err(Stuck::NotReady);
        }
        at(Point::Claimed);
        from.take(count, |part| {
            let first = part.len().min(self.buffer.len() - index);
            // SAFETY: the free part of the buffer is the writer's until it publishes.
            unsafe { self.buffer.write(index, &part[..first]) };
            index += part.len();
            if index >= self.buffer.len() {
                index -= self.buffer.len();
                // SAFETY: as above.
                unsafe { self.buffer.write(0, &part[first..]) };
            }
        });
        // SAFETY: written just now.
        unsafe { self.publish(count) };
        Ok(())
    }

    #[inline(always)]
    unsafe fn take(&self, into: &mut impl Sink, _: Until, _: impl Fn()) -> Result<Took, Stuck> {
        let wanted = into.left().min(PART);
        // SAFETY: the caller is the one reader.
        let (mut index, bytes) = unsafe { self.bytes(wanted) };
        let count = wanted.min(bytes);
        if count == 0 {
            return Err(Stuck::NotReady);
        }
        at(Point::Claimed);
        into.fill(count, |part| {
            let first = part.len().min(self.buffer.len() - index);
            // SAFETY: the used part of the buffer is the reader's until it releases.
            unsafe { self.buffer.read(index, &mut part[..first]) };
            index += part.len();
            if index >= self.buffer.len() {
                index -= self.buffer.len();
                // SAFETY: as above.
                unsafe { self.buffer.read(0, &mut part[first..]) };
            }
        });
        // SAFETY: they are there.
        unsafe { self.release(count) };
        Ok(if count == PART && into.left() > 0 { Took::Part } else { Took::All })
    }

    fn has_room(&self) -> bool {
        self.free(self.tail.load(), self.head.load()) > 0
    }

    fn has_bytes(&self) -> bool {
        between(self.head.load(), self.tail.load()) > 0
    }

    fn find_room(&self) -> Found {
        Self::found(|| self.has_room())
    }

    fn find_bytes(&self) -> Found {
        Self::found(|| self.has_bytes())
    }

    fn writes(&self) -> u64 {
        // 20 bits: once in a million writes a habit is forgotten.
        self.tail.load() / MOVE
    }

    fn len(&self) -> usize {
        // Head first: the tail, read later, is not behind it. What came meanwhile may be more than fits.
        let head = self.head.load();
        between(head, self.tail.load()).min(self.buffer.len())
    }

    fn capacity(&self) -> usize {
        self.buffer.len()
    }
}
