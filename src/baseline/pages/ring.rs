//! The page buffers, and where they begin and end.

use std::boxed::Box;
use std::io;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::vec::Vec;

/// Bytes in a page, and so in a buffer: 4096.
pub const PAGE: usize = 4096;

/// Pages at most: head and tail must not be further apart than half their range.
pub(super) const MOST: u32 = 1 << 31;

/// What a buffer may be used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    /// More bytes may follow in the same page.
    pub(super) const CAN_MERGE: Self = Self(1);
    /// A read takes no more than this, and all of it.
    pub(super) const PACKET: Self = Self(2);

    fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }
}

type Page = Box<[u8; PAGE]>;

/// A piece of a page. Free without one; else it is never empty while the lock is free.
#[derive(Default)]
pub(super) struct Buffer {
    page: Option<Page>,
    offset: usize,
    len: usize,
    flags: Flags,
}

impl Buffer {
    fn filled(mut page: Page, bytes: &[u8], flags: Flags) -> Self {
        page[..bytes.len()].copy_from_slice(bytes);
        Self { page: Some(page), offset: 0, len: bytes.len(), flags }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_packet(&self) -> bool {
        self.flags.has(Flags::PACKET)
    }

    fn end(&self) -> usize {
        self.offset + self.len
    }

    /// How many bytes may follow what it holds.
    pub(super) fn room(&self) -> usize {
        if self.flags.has(Flags::CAN_MERGE) { PAGE - self.end() } else { 0 }
    }

    /// Takes `bytes`, no more than there is [`room`](Self::room) for, behind what it holds.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        let end = self.end();
        if let Some(page) = &mut self.page {
            page[end..end + bytes.len()].copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }

    /// Gives as much as `into` has room for. A packet keeps no rest.
    pub(super) fn copy_out(&mut self, into: &mut [u8]) -> usize {
        let Some(page) = &self.page else { return 0 };
        let chars = self.len.min(into.len());
        into[..chars].copy_from_slice(&page[self.offset..self.offset + chars]);
        self.offset += chars;
        self.len = if self.is_packet() { 0 } else { self.len - chars };
        chars
    }
}

/// What the mutex guards: the buffers, and pages to fill next.
pub(super) struct Ring {
    /// A power of two of them, so that positions can run on.
    buffers: Box<[Buffer]>,
    spares: [Option<Page>; 2],
}

impl Ring {
    pub(super) fn new(pages: u32) -> io::Result<Self> {
        let buffers = pages.next_power_of_two() as usize;
        let mut ring = Vec::new();
        ring.try_reserve_exact(buffers).map_err(|_| io::ErrorKind::OutOfMemory)?;
        ring.resize_with(buffers, Buffer::default);
        Ok(Self { buffers: ring.into_boxed_slice(), spares: [None, None] })
    }

    /// The buffer at a position.
    pub(super) fn buffer(&mut self, position: u32) -> &mut Buffer {
        let mask = self.buffers.len() - 1;
        &mut self.buffers[position as usize & mask]
    }

    /// Fills the free buffer there with up to a page of `bytes`; how many it took.
    pub(super) fn fill(&mut self, position: u32, bytes: &[u8], flags: Flags) -> usize {
        let chars = bytes.len().min(PAGE);
        let page = self.spares.iter_mut().find_map(Option::take).unwrap_or_else(|| Box::new([0; PAGE]));
        *self.buffer(position) = Buffer::filled(page, &bytes[..chars], flags);
        chars
    }

    /// Frees the buffer there; its page is kept where there is a place for a spare.
    pub(super) fn free(&mut self, position: u32) {
        let page = mem::take(self.buffer(position)).page;
        if let Some(place) = self.spares.iter_mut().find(|place| place.is_none()) {
            *place = page;
        }
    }

    #[cfg(test)]
    pub(super) fn spares(&self) -> usize {
        self.spares.iter().flatten().count()
    }
}

/// The buffers in use: from `tail` up to `head`. Both wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) head: u32,
    pub(super) tail: u32,
}

impl Span {
    pub(super) fn len(self) -> u32 {
        self.head.wrapping_sub(self.tail)
    }

    pub(super) fn is_empty(self) -> bool {
        self.head == self.tail
    }

    pub(super) fn positions(self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(move |n| self.tail.wrapping_add(n))
    }
}

/// Where the span is: moved under the mutex, and in one word, so that who waits outside it sees both ends of one moment.
pub(super) struct Cursors(AtomicU64);

impl Cursors {
    pub(super) fn at(position: u32) -> Self {
        let cursors = Self(AtomicU64::new(0));
        cursors.store(Span { head: position, tail: position });
        cursors
    }

    // Relaxed, both: the mutex orders what it guards, the queue's lock (or a fence) what who waits must not miss.
    pub(super) fn load(&self) -> Span {
        let word = self.0.load(Relaxed);
        Span { head: (word >> 32) as u32, tail: word as u32 }
    }

    pub(super) fn store(&self, span: Span) {
        self.0.store(u64::from(span.head) << 32 | u64::from(span.tail), Relaxed);
    }
}
