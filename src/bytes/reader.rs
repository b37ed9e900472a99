//! The end that bytes come out of.

use super::ends::end;
use super::kind::Kind;
use super::pipe::Shared;
use super::ring::{Ring, Until};
use super::slices::{Row, Sink};
use crate::stats::Meter;
use crate::sync::time::Deadline;
use crate::topology::{Mpmc, Spsc};
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::time::Duration;
use std::io::{self, IoSliceMut};
use std::sync::Arc;

end! {
    /// The end of a byte pipe that bytes come out of. When its last handle is dropped writers find the pipe broken; what is
    /// queued is gone.
    ///
    /// (`PipeReader` by itself is the one reader of [`pipe`](super::pipe()), which is [`BufRead`](std::io::BufRead) too; one of a
    /// [shared](super::shared) pipe is a `PipeReader<Mpmc>`: wrap it in a [`BufReader`](std::io::BufReader). Each byte goes to
    /// one reader, and a read ends where its room does, not where a write did: readers that share messages need packets, or
    /// messages of one size.)
    ///
    /// ```
    /// use std::io::{BufRead, Write};
    /// let (mut writer, reader) = hornpipe::bytes::pipe(64)?;
    /// let writing = std::thread::spawn(move || writer.write_all(b"one\ntwo\n"));
    /// let lines: Vec<String> = reader.lines().collect::<Result<_, _>>()?;
    /// assert_eq!(lines, ["one", "two"]);
    /// # writing.join().unwrap()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    PipeReader, readers, put_reader
}

impl<K: Kind> PipeReader<K> {
    #[inline(always)]
    fn take(&self, into: impl Sink, until: Until) -> io::Result<usize> {
        // SAFETY: a single reader's handle is not Sync, so its calls come one by one.
        unsafe { self.shared.read(into, until, &self.meter) }
    }

    /// Reads what there is, at most `into`'s length; waits for the first byte only. 0 where every writer is gone and the pipe
    /// is drained, and at once where `into` is empty. In [packets](super::Builder::packets): one packet, and what `into`
    /// has no room for is gone.
    ///
    /// # Errors
    /// None: the end of the stream is no error. (An `io::Result` for the sake of [`io::Read`].)
    ///
    /// # Progress
    /// [`Spsc`]: wait-free where there is something. [`Mpmc`]: takes the readers' lock, which others hold while they copy:
    /// may wait for a peer. Either waits for a writer when the pipe is empty, awake for the spin budget, then asleep.
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// writer.write(b"abc")?;
    /// drop(writer);
    /// let mut two = [0; 2];
    /// assert_eq!((reader.read(&mut two)?, two), (2, *b"ab"));
    /// assert_eq!((reader.read(&mut two)?, two[0]), (1, b'c'));
    /// assert_eq!(reader.read(&mut two)?, 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[inline]
    pub fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        self.take(into, Until::NEVER)
    }

    /// Reads what there is now.
    ///
    /// # Errors
    /// `WouldBlock` where the pipe is empty and has writers, or on an [`Mpmc`] pipe another reader is at work.
    ///
    /// # Progress
    /// [`Spsc`]: wait-free. [`Mpmc`]: never waits for anybody.
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// let nothing = reader.try_read(&mut [0; 8]).unwrap_err();
    /// assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
    /// drop(writer);
    /// assert_eq!(reader.try_read(&mut [0; 8])?, 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[inline]
    pub fn try_read(&self, into: &mut [u8]) -> io::Result<usize> {
        self.take(into, Until::Now)
    }

    /// [`read`](Self::read), which waits for the first byte no longer than `timeout`: zero never sleeps, `Duration::MAX` is for
    /// ever.
    ///
    /// # Errors
    /// `TimedOut` where nothing came.
    ///
    /// # Progress
    /// As [`read`](Self::read), until the timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (_writer, reader) = hornpipe::bytes::pipe(8)?;
    /// let late = reader.read_timeout(&mut [0; 8], Duration::from_millis(1)).unwrap_err();
    /// assert_eq!(late.kind(), std::io::ErrorKind::TimedOut);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read_timeout(&self, into: &mut [u8], timeout: Duration) -> io::Result<usize> {
        self.take(into, Until::Deadline(Deadline::after(timeout)))
    }

    /// [`read`](Self::read) into several slices as if they were one.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// # Progress
    /// As [`read`](Self::read).
    ///
    /// ```
    /// use std::io::IoSliceMut;
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// writer.write(b"abc")?;
    /// let (mut one, mut rest) = ([0; 1], [0; 8]);
    /// assert_eq!(reader.read_vectored(&mut [IoSliceMut::new(&mut one), IoSliceMut::new(&mut rest)])?, 3);
    /// assert_eq!((&one, &rest[..2]), (b"a", &b"bc"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read_vectored(&self, slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.take(Row::of_mut(slices), Until::NEVER)
    }

    /// Whether no writer is left: what is queued is all there will be.
    ///
    /// # Progress
    /// Wait-free.
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
    /// assert!(!reader.is_ending());
    /// drop(writer);
    /// assert!(reader.is_ending());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_ending(&self) -> bool {
        self.shared.writers_gone()
    }
}

/// Implements `io::Read` for a handle or a reference to one.
macro_rules! read {
    ($($reader:ty),+) => {$(
        impl<K: Kind> io::Read for $reader {
            #[inline]
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                PipeReader::read(self, into)
            }

            fn read_vectored(&mut self, slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
                PipeReader::read_vectored(self, slices)
            }
        }
    )+};
}
read!(PipeReader<K>, &PipeReader<K>);
