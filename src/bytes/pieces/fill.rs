//! How a write's bytes get into pieces: a part joins the last one, the rest fills free ones.

use super::super::labels::{PUBLISHED, ROOM};
use super::super::options::Merge;
use super::super::slices::Source;
use super::body::Body;
use super::{PART, Pieces, Tail};
use crate::sync::atomic::Ordering::Relaxed;

/// What a write asks of the room there is.
#[derive(Clone, Copy)]
pub(super) struct Demand {
    /// All of it at once, or nothing.
    pub(super) whole: bool,
    /// So many free pieces are to be left.
    pub(super) spared: u64,
}

impl Pieces {
    /// How many pieces so many bytes take. (Most are less than one: no division then.)
    fn pieces(&self, bytes: usize) -> u64 {
        let piece = self.layout.piece;
        if bytes <= piece { u64::from(bytes > 0) } else { bytes.div_ceil(piece) as u64 }
    }

    /// How much of `left` bytes goes behind what the last piece holds, where that has `room`: what they have beyond whole
    /// pieces, as far as the rule says.
    fn share(&self, left: usize, room: usize) -> usize {
        let piece = self.layout.piece;
        let beyond = if left < piece { left } else { left % piece };
        match self.layout.merge {
            Merge::Whole if beyond > room => 0,
            _ => beyond.min(room),
        }
    }

    /// Up to `wanted` free pieces, whose bytes were read out, besides those `spared`. Looked up anew only where the last look
    /// says less. (Relaxed: under the lock.)
    fn free_for(&self, tail: &mut Tail, spared: u64, wanted: u64) -> u64 {
        let most = self.count.load(Relaxed).saturating_sub(spared);
        let published = self.writers.pieces.load(Relaxed);
        if published.wrapping_sub(tail.freed) + wanted > most {
            tail.freed = self.readers.pieces.load(ROOM.order());
        }
        most.saturating_sub(published.wrapping_sub(tail.freed)).min(wanted)
    }

    /// Puts in what has room; on an error nothing, and how many pieces it takes.
    pub(super) fn fill(
        &self,
        body: &Body,
        tail: &mut Tail,
        demand: Demand,
        from: &mut impl Source,
    ) -> Result<(), u64> {
        let all = from.left();
        self.join(body, tail, demand, from);
        if from.left() > 0 {
            self.insert(body, tail, demand, all, from)?;
        }
        self.writers.count_bytes(all - from.left());
        Ok(())
    }

    /// Puts a part behind what the last piece holds, where the rest of what must be whole has room too.
    fn join(&self, body: &Body, tail: &mut Tail, demand: Demand, from: &mut impl Source) {
        let (all, last) = (from.left(), body.before(tail.index));
        let share = self.share(all, body.room(last));
        let rest = self.pieces(all - share);
        let mut torn = || demand.whole && self.free_for(tail, demand.spared, rest) < rest;
        if share == 0 || (rest > 0 && torn()) {
            return;
        }
        let mut shared = from.clone();
        // SAFETY: the last piece published, or one that is free; the lock is held.
        let added =
            unsafe { body.append(last, share, |mut place| shared.take(share, |part| place.put(part))) };
        // Else a reader has drained and freed the piece meanwhile, and with it all.
        if added {
            *from = shared;
        }
    }

    /// Fills and publishes pieces with what is left of `all` bytes; on an error none, and nothing had joined.
    fn insert(
        &self,
        body: &Body,
        tail: &mut Tail,
        Demand { whole, spared }: Demand,
        all: usize,
        from: &mut impl Source,
    ) -> Result<(), u64> {
        let wanted = self.pieces(from.left());
        let mut count = self.free_for(tail, spared, wanted);
        if count < wanted && from.left() == all && (whole || count == 0) {
            // A part may join the last piece, so it needs fewer than `wanted`; asking for all would sleep beside room.
            let joins = self.share(all, body.room(body.before(tail.index)));
            return Err(if whole { self.pieces(all - joins) } else { 1 });
        }
        if !whole {
            count = count.min(self.pieces(PART));
        }
        for _ in 0..count {
            let len = from.left().min(self.layout.piece);
            // SAFETY: free, by the counts; the lock is held.
            unsafe {
                body.fill(tail.index, len, self.layout.packets, |mut place| {
                    from.take(len, |part| place.put(part))
                });
            }
            tail.index = body.next(tail.index);
            let published = self.writers.pieces.load(Relaxed).wrapping_add(1); // Relaxed: under the lock
            self.writers.pieces.store(published, PUBLISHED.order());
        }
        Ok(())
    }
}
