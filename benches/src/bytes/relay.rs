//! The least that a stream through a buffer of that size can do: two threads, one buffer, handed over by a flag. Who waits
//! spins briefly, then yields; with one CPU, where spinning is in vain, it yields at once.

use std::{
    cell::UnsafeCell,
    io::{self, ErrorKind::BrokenPipe, Read, Write},
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicUsize,
            Ordering::{Acquire, Release},
        },
    },
    thread,
};

use crossbeam_utils::{Backoff, CachePadded};

/// The two ends around a buffer of so many bytes. A write is one hand-over, or several where it is larger.
pub fn pipe(limit: usize) -> (Writer, Reader) {
    let relay = Arc::new(Relay {
        buffer: UnsafeCell::new(vec![0; limit].into()),
        filled: CachePadded::default(),
        closed: AtomicBool::new(false),
        spins: thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1),
    });
    (Writer(Arc::clone(&relay)), Reader { relay, taken: 0 })
}

/// Tries again until there is something; between tries it `spins` first and yields its CPU in the end.
pub fn until<T>(spins: bool, mut look: impl FnMut() -> Option<T>) -> T {
    let backoff = Backoff::new();
    loop {
        match look() {
            Some(found) => return found,
            None if spins => backoff.snooze(),
            None => thread::yield_now(),
        }
    }
}

/// What both ends share.
struct Relay {
    buffer: UnsafeCell<Box<[u8]>>,
    /// So many bytes are the reader's to take; at 0 the buffer is the writer's to fill.
    filled: CachePadded<AtomicUsize>,
    /// Whether either end is gone.
    closed: AtomicBool,
    /// Whether the other end can run meanwhile.
    spins: bool,
}

// SAFETY: `buffer` is the one end's or the other's, by `filled`, which is stored with Release when it changes hands and
// loaded with Acquire before it is touched; there is one of each end, and their calls take `&mut`.
unsafe impl Sync for Relay {}

/// Where bytes go in.
pub struct Writer(Arc<Relay>);

/// Where they come out.
pub struct Reader {
    relay: Arc<Relay>,
    /// Of what is filled.
    taken: usize,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let relay = &*self.0;
        until(relay.spins, || match relay.filled.load(Acquire) {
            _ if relay.closed.load(Acquire) => Some(Err(BrokenPipe)),
            0 => Some(Ok(())),
            _ => None,
        })?;
        // SAFETY: nothing is filled: the buffer is the writer's until the store below.
        let buffer = unsafe { &mut *relay.buffer.get() };
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        relay.filled.store(count, Release);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let relay = &*self.relay;
        let filled = until(relay.spins, || match relay.filled.load(Acquire) {
            // What was filled before the writer went can be seen now.
            0 if relay.closed.load(Acquire) => Some(relay.filled.load(Acquire)),
            0 => None,
            filled => Some(filled),
        });
        // SAFETY: something is filled: the buffer is the reader's until the store below. (Or the writer is gone.)
        let buffer = unsafe { &*relay.buffer.get() };
        let there = &buffer[self.taken..filled];
        let count = there.len().min(into.len());
        into[..count].copy_from_slice(&there[..count]);
        self.taken += count;
        if self.taken == filled {
            self.taken = 0;
            relay.filled.store(0, Release);
        }
        Ok(count)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.closed.store(true, Release);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.relay.closed.store(true, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_handed_over_and_taken_in_parts() {
        let (mut writer, mut reader) = pipe(4);
        assert_eq!(writer.write(b"abcdef").ok(), Some(4), "as much as there is room for");
        let mut into = [0; 3];
        assert_eq!((reader.read(&mut into).ok(), &into), (Some(3), b"abc"));
        assert_eq!((reader.read(&mut into).ok(), into[0]), (Some(1), b'd'));
        assert_eq!(writer.write(b"ef").ok(), Some(2));
        drop(writer);
        assert_eq!((reader.read(&mut into).ok(), &into[..2]), (Some(2), &b"ef"[..]));
        assert_eq!(reader.read(&mut into).ok(), Some(0));
    }

    #[test]
    fn without_a_reader_it_is_broken() {
        let (mut writer, reader) = pipe(4);
        drop(reader);
        assert_eq!(writer.write(b"a").map_err(|e| e.kind()), Err(BrokenPipe));
    }
}
