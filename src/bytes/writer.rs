//! The end that bytes go into.

use super::ends::end;
use super::error::WriteAllError;
use super::kind::Kind;
use super::pipe::Shared;
use super::ring::{Ring, Until};
use super::slices::{Row, Source};
use crate::stats::Meter;
use crate::sync::time::Deadline;
use crate::topology::{Mpmc, Spsc};
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::time::Duration;
use std::io::{self, IoSlice};
use std::sync::Arc;

end! {
    /// The end of a byte pipe that bytes go into. When its last handle is dropped readers drain the pipe and then find the end
    /// of the stream.
    ///
    /// Like a pipe of the system's: a write waits until all of it is in. (`PipeWriter` by itself is the one writer of
    /// [`pipe`](super::pipe()); one of a [shared](super::shared) pipe is a `PipeWriter<Mpmc>`, and can be cloned.)
    ///
    /// ```
    /// use std::io::{Read, Write};
    /// let (mut writer, mut reader) = hornpipe::bytes::pipe(64)?;
    /// let writing = std::thread::spawn(move || write!(writer, "{:1000}", "a pipe"));
    /// let mut text = String::new();
    /// reader.read_to_string(&mut text)?; // until the writer is gone and the pipe drained
    /// assert_eq!((text.trim_end(), text.len()), ("a pipe", 1000));
    /// # writing.join().unwrap()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    PipeWriter, writers, put_writer
}

impl<K: Kind> PipeWriter<K> {
    #[inline(always)]
    fn put(&self, from: impl Source, until: Until) -> io::Result<usize> {
        // SAFETY: a single writer's handle is not Sync, so its calls come one by one.
        unsafe { self.shared.write(from, until, &self.meter) }
    }

    /// Writes all of `bytes`, waiting for room as often as needed: their number, or less where the last reader goes
    /// meanwhile. 0 at once for no bytes, readers or not.
    ///
    /// # Errors
    /// `BrokenPipe`: no reader is left, and nothing of this was written. (No signal.)
    ///
    /// # Progress
    /// [`Spsc`]: wait-free while there is room. [`Mpmc`]: takes the writers' lock, which others hold while they copy: may
    /// wait for a peer. Either waits for a reader when the pipe is full, awake for the spin budget, then asleep.
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// assert_eq!(writer.write(b"abc")?, 3);
    /// drop(reader);
    /// assert_eq!(writer.write(b"abc").unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    /// assert_eq!(writer.write(b"")?, 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes, Until::NEVER)
    }

    /// Writes as much as there is room for now: on an [`Mpmc`] pipe, of what is not larger than its
    /// [`atomic_size`](super::Builder::atomic_size), all or nothing.
    ///
    /// # Errors
    /// `WouldBlock` where nothing went in: no room, or on an [`Mpmc`] pipe another writer is at work, or waits and needs it. `BrokenPipe`
    /// as [`write`](Self::write).
    ///
    /// # Progress
    /// [`Spsc`]: wait-free. [`Mpmc`]: never waits for anybody.
    ///
    /// ```
    /// let (writer, _reader) = hornpipe::bytes::pipe(4)?;
    /// assert_eq!(writer.try_write(b"abcdef")?, 4);
    /// assert_eq!(writer.try_write(b"ef").unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[inline]
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes, Until::Now)
    }

    /// Writes all of `bytes`, waiting for room no longer than `timeout` in all: how many went in by then. Zero never sleeps,
    /// `Duration::MAX` is for ever. Less than all: the time or the last reader went, [`is_broken`](Self::is_broken) tells which.
    ///
    /// # Errors
    /// `TimedOut` where nothing went in. `BrokenPipe` as [`write`](Self::write).
    ///
    /// # Progress
    /// As [`write`](Self::write), until the timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (writer, _reader) = hornpipe::bytes::pipe(4)?;
    /// assert_eq!(writer.write_timeout(&[1; 10], Duration::from_millis(1))?, 4);
    /// let late = writer.write_timeout(&[1; 6], Duration::from_millis(1)).unwrap_err();
    /// assert_eq!(late.kind(), std::io::ErrorKind::TimedOut);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_timeout(&self, bytes: &[u8], timeout: Duration) -> io::Result<usize> {
        self.put(bytes, Until::Deadline(Deadline::after(timeout)))
    }

    /// Writes all of `bytes`, waiting for room as often as needed. As `io::Write`'s, but it tells how much went in when it
    /// stops. (`?` makes an [`io::Error`] of its error. On a `&mut PipeWriter`, with `io::Write` in scope, method syntax finds
    /// that one's: `PipeWriter::write_all(writer, bytes)` is this.)
    ///
    /// # Errors
    /// `BrokenPipe`, with the number of bytes written: the last reader went before the rest had room.
    ///
    /// # Progress
    /// As [`write`](Self::write).
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// writer.write_all(b"abc")?;
    /// drop(reader);
    /// assert_eq!(writer.write_all(b"abc").unwrap_err().written, 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_all(&self, bytes: &[u8]) -> Result<(), WriteAllError> {
        let mut written = 0;
        while written < bytes.len() {
            match self.write(&bytes[written..]) {
                Ok(more) => written += more,
                Err(error) => return Err(WriteAllError { written, error }),
            }
        }
        Ok(())
    }

    /// [`write`](Self::write) of several slices as if they were one.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    ///
    /// # Progress
    /// As [`write`](Self::write).
    ///
    /// ```
    /// use std::io::IoSlice;
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// assert_eq!(writer.write_vectored(&[IoSlice::new(b"ab"), IoSlice::new(b"c")])?, 3);
    /// let mut into = [0; 8];
    /// assert_eq!((reader.read(&mut into)?, &into[..3]), (3, &b"abc"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.put(Row::of(slices), Until::NEVER)
    }

    /// Whether no reader is left: every write fails from then on.
    ///
    /// # Progress
    /// Wait-free.
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// assert!(!writer.is_broken());
    /// drop(reader);
    /// assert!(writer.is_broken());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_broken(&self) -> bool {
        self.shared.readers_gone()
    }
}

/// Implements `io::Write` for a handle or a reference to one.
macro_rules! write {
    ($($writer:ty),+) => {$(
        impl<K: Kind> io::Write for $writer {
            #[inline]
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                PipeWriter::write(self, bytes)
            }

            fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
                PipeWriter::write_vectored(self, slices)
            }

            /// Nothing: what was written is in the pipe.
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
    )+};
}
write!(PipeWriter<K>, &PipeWriter<K>);
