//! Other crates' pipes of bytes, waiting as their users wait.
//!
//! The asynchronous ones are driven by futures-lite's `block_on`, call by call: it keeps a thread's parker and waker, so that
//! a call that need not wait costs neither an allocation (as with pollster, which makes a signal a call) nor a runtime's
//! round (as with tokio's, which has a scheduler to look after that has nothing to do here).

use std::io::{self, ErrorKind::BrokenPipe, Read, Write};

use futures_lite::{future::block_on, io::BlockOn};
use ringbuf::{
    HeapCons, HeapProd, HeapRb,
    traits::{Consumer, Observer, Producer, Split},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::relay::until;

/// One direction of tokio's pair of streams.
pub fn duplex(limit: usize) -> (Duplex, Duplex) {
    let (one, other) = tokio::io::duplex(limit);
    (Duplex(one), Duplex(other))
}

/// piper's.
pub fn piper(limit: usize) -> (BlockOn<piper::Writer>, BlockOn<piper::Reader>) {
    let (reader, writer) = piper::pipe(limit);
    (BlockOn::new(writer), BlockOn::new(reader))
}

/// ringbuf's ring of bytes, which cannot block: waiting is trying again, with crossbeam-utils' back-off as `bars` has it.
pub fn ringbuf(limit: usize) -> (RingWriter, RingReader) {
    let (producer, consumer) = HeapRb::new(limit).split();
    (RingWriter(producer), RingReader(consumer))
}

/// An end of tokio's.
pub struct Duplex(DuplexStream);

impl Write for Duplex {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        block_on(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Duplex {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        block_on(self.0.read(into))
    }
}

/// Where bytes go into ringbuf's.
pub struct RingWriter(HeapProd<u8>);

impl Write for RingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        until(true, || match self.0.push_slice(bytes) {
            0 if !self.0.read_is_held() => Some(Err(BrokenPipe.into())),
            0 => None,
            count => Some(Ok(count)),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where they come out.
pub struct RingReader(HeapCons<u8>);

impl Read for RingReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(until(true, || match self.0.pop_slice(into) {
            // What was pushed before the writer went can be seen now.
            0 if !self.0.write_is_held() => Some(self.0.pop_slice(into)),
            0 => None,
            count => Some(count),
        }))
    }
}
