//! A pipe's other capacity: as `pipe_resize_ring` of Linux, under both sides' locks.

use super::super::error;
use super::Pieces;
use super::body::Body;
use crate::sync::atomic::Ordering::Relaxed;
use std::io;

impl Pieces {
    /// As many pieces as `capacity` bytes take: what is queued keeps its order. On an error nothing is changed.
    pub(in super::super) fn resize(&self, capacity: usize) -> io::Result<()> {
        let count = self.layout.count(capacity)?;
        // Before the locks: it may take its time.
        let body = Body::new(count, self.layout.piece).ok_or_else(error::memory)?;
        // Writers first, as nobody else takes both.
        let mut tail = self.writers.own.lock.lock();
        let mut head = self.readers.own.lock.lock();
        // Relaxed: under both locks.
        let queued = self.writers.pieces.load(Relaxed).wrapping_sub(self.readers.pieces.load(Relaxed));
        if queued > count as u64 {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "more is queued than the new capacity holds: read first",
            ));
        }
        // SAFETY: both locks are held, so nobody else uses either body.
        self.body.with_mut(|old| unsafe {
            let mut from = head.index;
            for index in 0..queued as usize {
                body.adopt(index, &*old, from);
                from = (*old).next(from);
            }
            *old = body;
        });
        tail.index = if queued < count as u64 { queued as usize } else { 0 };
        head.index = 0;
        self.count.store(count as u64, Relaxed);
        Ok(())
    }
}
