//! The pieces' memory: a word a piece, and its bytes.
//!
//! ```text
//! 31           30        29 .. 0
//! | MERGEABLE | PACKET | end |      0: free, and where a drained piece goes back to
//! ```
//!
//! A word is where a writer that adds to the last piece meets a reader that has drained it: whoever changes it first has
//! its way, and the other one sees it. Everything else about a piece is one side's own.

use super::super::labels::{APPEND, FILLED};
use crate::sync::atomic::{AtomicU32, Ordering::Relaxed};
use crate::sync::{Buffer, Slots, Zeroed};

/// More bytes may follow in the same piece.
const MERGEABLE: u32 = 1 << 31;
/// A read takes no more than this, and all of it.
const PACKET: u32 = 1 << 30;
const END: u32 = PACKET - 1;

/// A piece is at most so long.
pub(in super::super) const LONGEST: usize = END as usize;

/// A piece's word.
struct Word(AtomicU32);

// SAFETY: a word of 0.
unsafe impl Zeroed for Word {
    fn zeroed() -> Self {
        Self(AtomicU32::new(0))
    }
}

/// What a reader sees of a piece.
#[derive(Clone, Copy)]
pub(super) struct Filled(u32);

impl Filled {
    /// Where its bytes end.
    pub(super) fn end(self) -> usize {
        (self.0 & END) as usize
    }

    pub(super) fn is_packet(self) -> bool {
        self.0 & PACKET != 0
    }
}

/// So many pieces.
pub(super) struct Body {
    words: Slots<Word>,
    bytes: Buffer,
    piece: usize,
}

impl Body {
    /// `count` free ones, of `piece` bytes each. `None` where there is no memory.
    pub(super) fn new(count: usize, piece: usize) -> Option<Self> {
        let bytes = Buffer::new(count.checked_mul(piece)?)?;
        Some(Self { words: Slots::new(count)?, bytes, piece })
    }

    pub(super) fn count(&self) -> usize {
        self.words.len()
    }

    /// The piece after this one.
    pub(super) fn next(&self, index: usize) -> usize {
        if index + 1 < self.count() { index + 1 } else { 0 }
    }

    /// The piece before this one.
    pub(super) fn before(&self, index: usize) -> usize {
        if index > 0 { index - 1 } else { self.count() - 1 }
    }

    /// A writer's look at how many bytes may follow in a piece. (Relaxed: only writers make it more.)
    pub(super) fn room(&self, index: usize) -> usize {
        let word = self.words[index].0.load(Relaxed);
        if word & MERGEABLE != 0 { self.piece - Filled(word).end() } else { 0 }
    }

    /// Fills a free piece from its beginning; what is not published yet is seen by nobody.
    ///
    /// # Safety
    /// The piece is free, and the caller holds the writers' lock. `bytes` writes so many, at most a piece.
    pub(super) unsafe fn fill(&self, index: usize, len: usize, packet: bool, bytes: impl FnOnce(Gap<'_>)) {
        bytes(Gap { buffer: &self.bytes, at: index * self.piece });
        let kind = if packet { PACKET } else { MERGEABLE };
        // Relaxed: the count of published pieces shows it. Each bit is set anew: nothing is left of what the piece was.
        self.words[index].0.store(len as u32 | kind, Relaxed);
    }

    /// Adds `len` bytes, for which there is [`room`](Self::room), behind what the last piece holds. False: a reader has
    /// drained and freed it, and nothing was added.
    ///
    /// # Safety
    /// The piece is the last one published, and the caller holds the writers' lock. `bytes` writes so many.
    pub(super) unsafe fn append(&self, index: usize, len: usize, bytes: impl FnOnce(Gap<'_>)) -> bool {
        let word = &self.words[index].0;
        let before = word.load(Relaxed); // Relaxed: as in `room`
        if before & MERGEABLE == 0 || Filled(before).end() + len > self.piece {
            return false;
        }
        // Behind the end nobody reads, and nobody else writes.
        bytes(Gap { buffer: &self.bytes, at: index * self.piece + Filled(before).end() });
        // Relaxed on failure: nothing is concluded from it.
        word.compare_exchange(before, before + len as u32, APPEND.order(), Relaxed).is_ok()
    }

    /// What a published piece holds.
    pub(super) fn filled(&self, index: usize) -> Filled {
        Filled(self.words[index].0.load(FILLED.order()))
    }

    /// Copies out from `at` in a piece.
    ///
    /// # Safety
    /// A reader has seen it [`filled`](Self::filled) as far as that goes, and the caller holds the readers' lock.
    pub(super) unsafe fn read(&self, index: usize, at: usize, into: &mut [u8]) {
        // SAFETY: writers touch what is behind the end only, until the piece is freed.
        unsafe { self.bytes.read(index * self.piece + at, into) }
    }

    /// Frees a piece that was drained as far as it was `seen` filled. False: a writer has added to it.
    pub(super) fn free(&self, index: usize, seen: Filled) -> bool {
        // Relaxed: the count of freed pieces gives it away; a failure is followed by another look.
        self.words[index].0.compare_exchange(seen.0, 0, Relaxed, Relaxed).is_ok()
    }

    /// Takes a piece over from another body, as it is.
    ///
    /// # Safety
    /// The caller holds both locks, of both bodies.
    pub(super) unsafe fn adopt(&self, index: usize, from: &Self, old: usize) {
        let word = from.words[old].0.load(Relaxed); // Relaxed, both: under both locks
        // SAFETY: nobody else uses either.
        unsafe {
            let bytes = from.bytes.slice(old * self.piece, Filled(word).end());
            self.bytes.write(index * self.piece, bytes);
        }
        self.words[index].0.store(word, Relaxed);
    }
}

/// Where a writer puts its bytes, one part after the other.
pub(super) struct Gap<'a> {
    buffer: &'a Buffer,
    at: usize,
}

impl Gap<'_> {
    /// The next part.
    ///
    /// # Safety
    /// What was put, with this, is no more than [`Body::fill`] or [`Body::append`] was told.
    pub(super) unsafe fn put(&mut self, part: &[u8]) {
        // SAFETY: the piece is the writer's there.
        unsafe { self.buffer.write(self.at, part) };
        self.at += part.len();
    }
}
