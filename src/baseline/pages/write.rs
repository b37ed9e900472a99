//! Writing, step by step.

use super::pipe::{Held, Mode, Pipe, Side};
use super::ring::{Flags, PAGE, Span};
use crate::bytes::Merge;
use std::io;

impl Held<'_> {
    /// Puts what `bytes` has beyond whole pages behind the last buffer's, if there is one that has room for all of that (or
    /// for some, by [`Merge`]); how much that was. (So small writes share a page, and large ones go on in whole pages.)
    pub(super) fn merge(&mut self, bytes: &[u8]) -> usize {
        let (span, chars) = (self.span(), bytes.len() % PAGE);
        if chars == 0 || span.is_empty() {
            return 0;
        }
        // What does not fit takes a buffer now, or others might come between.
        let some = self.options().merge == Merge::Fits && !self.is_full();
        let last = self.ring.buffer(span.head.wrapping_sub(1));
        let room = last.room();
        let chars = if some { chars.min(room) } else { chars };
        if chars > room {
            return 0;
        }
        last.append(&bytes[..chars]);
        chars
    }

    /// Fills and inserts buffers until `bytes` ends or the pipe is full; how much went in.
    pub(super) fn insert(&mut self, bytes: &[u8]) -> usize {
        let flags = if self.options().packets { Flags::PACKET } else { Flags::CAN_MERGE };
        let mut done = 0;
        while done < bytes.len() && !self.is_full() {
            let span = self.span();
            done += self.ring.fill(span.head, &bytes[done..], flags);
            self.advance(Span { head: span.head.wrapping_add(1), ..span });
        }
        done
    }
}

impl Pipe {
    /// Writes all of `bytes`, waiting for room in that mode; less if it may not wait or the last reader goes.
    pub(super) fn write(&self, bytes: &[u8], mode: Mode) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut waited = false;
        let mut held = self.lock();
        if self.ends(Side::Readers) == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut was_empty = held.is_empty();
        let mut done = held.merge(bytes);
        // What ends it if nothing is done by then.
        let end = loop {
            if self.ends(Side::Readers) == 0 {
                break io::ErrorKind::BrokenPipe;
            }
            done += held.insert(&bytes[done..]);
            if done == bytes.len() || mode == Mode::NonBlocking {
                break io::ErrorKind::WouldBlock;
            }
            // Full: let the readers know first, they make room.
            drop(held);
            if was_empty {
                self.wake(Side::Readers, self.options.look_first);
            }
            waited |= self.wait(Side::Writers);
            held = self.lock();
            was_empty = held.is_empty();
        };
        let wake_next_writer = waited && !held.is_full();
        drop(held);

        if was_empty {
            self.wake(Side::Readers, self.options.look_first);
        }
        if wake_next_writer {
            self.wake(Side::Writers, self.options.look_first);
        }
        if done > 0 { Ok(done) } else { Err(end.into()) }
    }
}
