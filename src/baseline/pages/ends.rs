//! The two ends.

use super::count::Counts;
use super::pipe::{Mode, Pipe, Side};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Declares an end with all that does not depend on its side.
macro_rules! end {
    ($(#[$doc:meta])* $name:ident of $side:expr) => {
        $(#[$doc])*
        pub struct $name {
            pub(super) pipe: Arc<Pipe>,
        }

        impl $name {
            /// The side's first end: `pipe` counts it already.
            pub(super) fn first(pipe: Arc<Pipe>) -> Self {
                Self { pipe }
            }

            /// How many page buffers the pipe has, exactly as asked for.
            pub fn pages(&self) -> usize {
                self.pipe.pages()
            }

            /// Bytes written and not yet read (`FIONREAD`).
            ///
            /// # Progress
            /// Takes the lock: may wait for a peer.
            pub fn len(&self) -> usize {
                self.pipe.lock().len()
            }

            /// Whether [`len`](Self::len) is 0.
            pub fn is_empty(&self) -> bool {
                self.pipe.lock().is_empty()
            }

            /// What the pipe's calls did until now, both sides'.
            ///
            /// # Progress
            /// Wait-free.
            pub fn counts(&self) -> Counts {
                self.pipe.counts()
            }
        }

        impl Clone for $name {
            /// One more handle on the same pipe.
            fn clone(&self) -> Self {
                self.pipe.join($side);
                Self { pipe: Arc::clone(&self.pipe) }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.pipe.leave($side);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.pipe.describe(stringify!($name), f)
            }
        }
    };
}

end! {
    /// The end that bytes come out of. Its last handle's drop breaks the pipe for writers.
    PageReader of Side::Readers
}

end! {
    /// The end that bytes go into. Its last handle's drop ends the stream for readers, once they have drained it.
    PageWriter of Side::Writers
}

impl PageReader {
    /// Reads what there is, at most `into`'s length; waits only for the first byte. 0 where every writer is gone and the
    /// pipe is drained, and where `into` is empty, which wakes nobody.
    ///
    /// # Errors
    /// None: the pipe's own end is no error. (An `io::Result` for the sake of [`io::Read`].)
    ///
    /// # Progress
    /// Takes the lock. Empty: waits for a writer, awake for the spin budget, then asleep.
    ///
    /// ```
    /// use hornpipe::baseline::pages::{Options, pipe};
    /// let (writer, reader) = pipe(16, Options::new())?;
    /// writer.write(b"abc")?;
    /// drop(writer);
    /// let mut two = [0; 2];
    /// assert_eq!((reader.read(&mut two)?, two), (2, *b"ab"));
    /// assert_eq!((reader.read(&mut two)?, two[0]), (1, b'c'));
    /// assert_eq!(reader.read(&mut two)?, 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        self.pipe.read(into, Mode::Blocking)
    }

    /// [`read`](Self::read) with `O_NONBLOCK`.
    ///
    /// # Errors
    /// `WouldBlock` where the pipe is empty and has writers.
    ///
    /// # Progress
    /// Takes the lock: may wait for a peer that holds it.
    pub fn try_read(&self, into: &mut [u8]) -> io::Result<usize> {
        self.pipe.read(into, Mode::NonBlocking)
    }
}

impl PageWriter {
    /// Writes all of `bytes`, waiting for room as often as needed; less where the last reader goes meanwhile. Up to a page
    /// goes in at once or not at all. 0 where `bytes` is empty, which wakes nobody and is no error either.
    ///
    /// # Errors
    /// `BrokenPipe` where every reader is gone and nothing was written. (No signal.)
    ///
    /// # Progress
    /// Takes the lock. Full: waits for a reader, awake for the spin budget, then asleep.
    ///
    /// ```
    /// use hornpipe::baseline::pages::{Options, pipe};
    /// let (writer, reader) = pipe(16, Options::new())?;
    /// assert_eq!(writer.write(b"abc")?, 3);
    /// drop(reader);
    /// assert_eq!(writer.write(b"abc").unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.pipe.write(bytes, Mode::Blocking)
    }

    /// [`write`](Self::write) with `O_NONBLOCK`: as much as there is room for.
    ///
    /// # Errors
    /// `BrokenPipe` as `write`; `WouldBlock` where nothing had room.
    ///
    /// # Progress
    /// Takes the lock: may wait for a peer that holds it.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.pipe.write(bytes, Mode::NonBlocking)
    }
}

impl io::Read for &PageReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        PageReader::read(self, into)
    }
}

impl io::Read for PageReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        PageReader::read(self, into)
    }
}

impl io::Write for &PageWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        PageWriter::write(self, bytes)
    }

    /// Nothing: what was written is in the pipe.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Write for PageWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        PageWriter::write(self, bytes)
    }

    /// Nothing: what was written is in the pipe.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
