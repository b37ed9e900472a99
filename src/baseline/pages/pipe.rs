//! The pipe: its mutex, its two sides, and how a call waits.

use super::count::{Counters, Counts, Event};
use super::options::Options;
use super::queue::Queue;
use super::ring::{Cursors, Ring, Span};
use crate::relax::Relax;
use crate::spin::{Credit, Patience, Spin};
use crate::stats::{Meter, Meters};
use crate::sync::time::Deadline;
use crossbeam_utils::CachePadded;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The two sides of a pipe; also the index of what is kept once a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Readers = 0,
    Writers = 1,
}

/// Whether a call may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Blocking,
    NonBlocking,
}

/// What one side shares.
struct Ends {
    /// Living handles, changed under the mutex.
    count: AtomicUsize,
    queue: Queue,
    /// What it has learned about spinning.
    credit: Credit,
}

impl Ends {
    fn of(side: Side) -> Self {
        Self { count: AtomicUsize::new(1), queue: Queue::new(side), credit: Credit::new() }
    }
}

/// A pipe of pages.
pub(super) struct Pipe {
    ring: CachePadded<Mutex<Ring>>,
    cursors: CachePadded<Cursors>,
    sides: [CachePadded<Ends>; 2],
    /// Buffers that may be in use, at most the ring's.
    pages: u32,
    pub(super) options: Options,
    patience: Patience,
    /// Of a baseline nobody asks.
    meter: Meter,
    counters: Counters,
}

impl Pipe {
    /// With one end a side.
    pub(super) fn new(ring: Ring, pages: u32, options: Options) -> Self {
        Self {
            ring: CachePadded::new(Mutex::new(ring)),
            // Short of where positions wrap, so that each test passes there.
            cursors: CachePadded::new(Cursors::at(u32::MAX - 1)),
            sides: [Side::Readers, Side::Writers].map(|side| CachePadded::new(Ends::of(side))),
            pages,
            options,
            patience: Patience::new(options.spin, Relax::WAIT, Some(0), pages as usize),
            meter: Meters::new().join(),
            counters: Counters::default(),
        }
    }

    pub(super) fn pages(&self) -> usize {
        self.pages as usize
    }

    pub(super) fn counts(&self) -> Counts {
        self.counters.sum()
    }

    pub(super) fn queue(&self, side: Side) -> &Queue {
        &self.sides[side as usize].queue
    }

    /// Handles of a side.
    pub(super) fn ends(&self, side: Side) -> usize {
        // Relaxed: as the cursors.
        self.sides[side as usize].count.load(Relaxed)
    }

    pub(super) fn span(&self) -> Span {
        self.cursors.load()
    }

    /// Of the pipe; a span does not know.
    pub(super) fn full(&self, span: Span) -> bool {
        span.len() >= self.pages
    }

    /// Takes the mutex. No user code runs under it and nothing panics.
    pub(super) fn lock(&self) -> Held<'_> {
        Held { pipe: self, ring: self.ring.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Whether a call of `side`'s has no reason to wait; asked without the mutex.
    fn ready(&self, side: Side) -> bool {
        let span = self.span();
        match side {
            Side::Readers => !span.is_empty() || self.ends(Side::Writers) == 0,
            Side::Writers => !self.full(span) || self.ends(Side::Readers) == 0,
        }
    }

    /// Waits, without the mutex, until there is none. Whether the queue was asked, and so perhaps a wake taken.
    pub(super) fn wait(&self, side: Side) -> bool {
        self.counters.count(side, Event::Wait);
        let Ends { queue, credit, .. } = &*self.sides[side as usize];
        let ready = || self.ready(side);
        if self.options.spin != Spin::None && self.patience.poll(credit, Deadline::NEVER, ready, &self.meter)
        {
            self.counters.count(side, Event::SpinPaid);
            return false;
        }
        queue.wait(ready, &self.counters);
        true
    }

    /// Wakes one of `side`'s, after the mutex is let go.
    pub(super) fn wake(&self, side: Side, look_first: bool) {
        self.queue(side).wake_one(look_first, &self.counters);
    }

    /// Counts one more end.
    pub(super) fn join(&self, side: Side) {
        let _held = self.lock();
        self.sides[side as usize].count.fetch_add(1, Relaxed);
    }

    /// Counts one less. The last one wakes everybody, unless the other side is gone already: under the mutex, as the kernel.
    pub(super) fn leave(&self, side: Side) {
        let _held = self.lock();
        self.sides[side as usize].count.fetch_sub(1, Relaxed);
        if (self.ends(Side::Readers) == 0) != (self.ends(Side::Writers) == 0) {
            for side in &self.sides {
                side.queue.wake_all(self.options.look_first, &self.counters);
            }
        }
    }

    /// `Debug` of the end `end`.
    pub(super) fn describe(&self, end: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut held = self.lock();
        let (len, pages_used) = (held.len(), held.span().len());
        let (readers, writers) = (self.ends(Side::Readers), self.ends(Side::Writers));
        drop(held);
        f.debug_struct(end)
            .field("len", &len)
            .field("pages", &self.pages)
            .field("pages_used", &pages_used)
            .field("readers", &readers)
            .field("writers", &writers)
            .field("readers_asleep", &self.queue(Side::Readers).len())
            .field("writers_asleep", &self.queue(Side::Writers).len())
            .field("options", &self.options)
            .finish()
    }

    #[cfg(test)]
    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// The pipe with its mutex held.
pub(super) struct Held<'a> {
    pipe: &'a Pipe,
    pub(super) ring: MutexGuard<'a, Ring>,
}

impl Held<'_> {
    pub(super) fn options(&self) -> Options {
        self.pipe.options
    }

    pub(super) fn span(&self) -> Span {
        self.pipe.span()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.span().is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.pipe.full(self.span())
    }

    /// Bytes queued.
    pub(super) fn len(&mut self) -> usize {
        self.span().positions().map(|position| self.ring.buffer(position).len()).sum()
    }

    /// Moves head or tail.
    pub(super) fn advance(&mut self, span: Span) {
        let queue = self.pipe.queue(Side::Readers);
        let _inner = self.pipe.options.inner_lock.then(|| queue.lock(&self.pipe.counters));
        self.pipe.cursors.store(span);
    }
}
