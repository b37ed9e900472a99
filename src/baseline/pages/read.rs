//! Reading, step by step.

use super::pipe::{Held, Mode, Pipe, Side};
use super::ring::Span;
use crate::wake::{Call, Wake, WakePolicy, decide};
use std::io;

/// What one hold of the mutex took out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Drained {
    pub(super) bytes: usize,
    /// It freed a buffer, and the pipe was full just before.
    pub(super) edge: bool,
}

impl Held<'_> {
    /// Copies out as much as there is and `into` has room for, or one packet; frees the buffers that this empties.
    pub(super) fn drain(&mut self, into: &mut [u8]) -> Drained {
        let mut drained = Drained::default();
        while drained.bytes < into.len() && !self.is_empty() {
            let span = self.span();
            let buffer = self.ring.buffer(span.tail);
            drained.bytes += buffer.copy_out(&mut into[drained.bytes..]);
            let packet = buffer.is_packet();
            if buffer.len() == 0 {
                drained.edge |= self.is_full();
                self.ring.free(span.tail);
                self.advance(Span { tail: span.tail.wrapping_add(1), ..span });
            }
            if packet {
                break;
            }
        }
        drained
    }
}

impl Pipe {
    /// Reads what there is, up to `into`'s length; waits for the first byte, in that mode. 0: there are no writers.
    pub(super) fn read(&self, into: &mut [u8], mode: Mode) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let mut waited = false;
        let mut held = self.lock();
        let (began_at_edge, drained) = loop {
            let was_full = held.is_full();
            let drained = held.drain(into);
            if drained.bytes > 0 || self.ends(Side::Writers) == 0 {
                break (was_full, drained);
            }
            if mode == Mode::NonBlocking {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            // It was empty, so it has freed nothing and nobody is owed a wake.
            drop(held);
            waited |= self.wait(Side::Readers);
            held = self.lock();
        };
        let (wake_next_reader, full) = (waited && !held.is_empty(), held.is_full());
        drop(held);

        if drained.bytes > 0 {
            self.wake_writer(began_at_edge, drained.edge, full);
        }
        if wake_next_reader {
            self.wake(Side::Readers, self.options.look_first);
        }
        Ok(drained.bytes)
    }

    /// Wakes a writer where the policy says so. Whether one sleeps is the queue's to find out, so here it is assumed.
    fn wake_writer(&self, began_at_edge: bool, edge: bool, full: bool) {
        let policy = self.options.wake;
        // The look that only `Proactive` takes is at the room too, and never takes the lock for nobody.
        let extra = policy == WakePolicy::Proactive && !edge;
        let call = Call::Made { began_at_edge, edge };
        if decide(policy, call, 1, 0, || !(extra && full)) == Wake::One {
            self.wake(Side::Writers, extra || self.options.look_first);
        }
    }
}
