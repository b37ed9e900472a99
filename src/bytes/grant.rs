//! Zero copy on a stream: room to write into and bytes to read where they are.

use super::error;
use super::kind::Kind;
use super::reader::PipeReader;
use super::ring::{Stuck, Until};
use super::writer::PipeWriter;
use crate::sync::time::Deadline;
use core::ops::{Deref, DerefMut};
use core::time::Duration;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

/// Room in a pipe, to be written and then [committed](Self::commit): until then nobody sees it; dropped, it leaves no trace.
/// What it holds at first is zeros or older bytes.
#[must_use = "nothing is written before `commit`"]
#[derive(Debug)]
pub struct Grant<'a> {
    writer: &'a PipeWriter,
    room: &'a mut [u8],
}

impl Grant<'_> {
    /// Publishes the first `count` bytes.
    ///
    /// # Errors
    /// `InvalidInput` where that is more than was granted; `BrokenPipe`: no reader is left. Nothing is published then.
    ///
    /// # Progress
    /// Wait-free; it may make a futex wake call.
    ///
    /// ```
    /// let (mut writer, reader) = hornpipe::bytes::pipe(8)?;
    /// let mut grant = writer.grant(4)?;
    /// grant[..2].copy_from_slice(b"ab");
    /// grant.commit(2)?;
    /// assert_eq!(reader.len(), 2);
    /// assert_eq!(writer.grant(4)?.commit(5).unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    /// assert_eq!(reader.len(), 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn commit(self, count: usize) -> io::Result<()> {
        if count > self.room.len() {
            return Err(error::overfilled());
        }
        if count > 0 && self.writer.shared.readers_gone() {
            return Err(error::broken());
        }
        if count > 0 {
            // SAFETY: the writer is borrowed exclusively since the grant, and the room is written: it always was.
            unsafe { self.writer.shared.ring.publish(count) };
            self.writer.shared.wrote(&self.writer.meter);
        }
        Ok(())
    }
}

impl Deref for Grant<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.room
    }
}

impl DerefMut for Grant<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.room
    }
}

impl PipeWriter {
    fn room(&mut self, most: usize, until: Until) -> io::Result<Grant<'_>> {
        if most == 0 {
            return Ok(Grant { writer: self, room: &mut [] });
        }
        let room = || {
            // SAFETY: the writer is borrowed exclusively, so this is the one writer's only room.
            match unsafe { self.shared.ring.room_mut(most) } {
                [] => Err(Stuck::NotReady),
                room => Ok(room),
            }
        };
        let room = self.shared.when_room(room, until, &self.meter)?;
        Ok(Grant { writer: self, room })
    }

    /// Room for up to `most` bytes in the pipe itself, at least one unless `most` is 0; waits for the first. Less than asked
    /// for where less is free, or where the ring's end is nearer: take the rest by another grant.
    ///
    /// # Errors
    /// `BrokenPipe`: no reader is left.
    ///
    /// # Progress
    /// Wait-free while there is room; else may wait for the reader.
    ///
    /// ```
    /// let (mut writer, reader) = hornpipe::bytes::pipe(4)?;
    /// let mut grant = writer.grant(100)?;
    /// assert_eq!(grant.len(), 4);
    /// grant.fill(7);
    /// grant.commit(4)?;
    /// let mut into = [0; 8];
    /// assert_eq!((reader.read(&mut into)?, &into[..4]), (4, &[7; 4][..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn grant(&mut self, most: usize) -> io::Result<Grant<'_>> {
        self.room(most, Until::NEVER)
    }

    /// [`grant`](Self::grant), if there is room now.
    ///
    /// # Errors
    /// `WouldBlock`: there is none. `BrokenPipe`: no reader is left.
    ///
    /// # Progress
    /// Wait-free.
    ///
    /// ```
    /// let (mut writer, _reader) = hornpipe::bytes::pipe(4)?;
    /// writer.write(b"abcd")?;
    /// assert_eq!(writer.try_grant(1).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn try_grant(&mut self, most: usize) -> io::Result<Grant<'_>> {
        self.room(most, Until::Now)
    }

    /// [`grant`](Self::grant), waiting no longer than `timeout`.
    ///
    /// # Errors
    /// `TimedOut`: none came free. `BrokenPipe`: no reader is left.
    ///
    /// # Progress
    /// As [`grant`](Self::grant), until the timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (mut writer, _reader) = hornpipe::bytes::pipe(4)?;
    /// writer.write(b"abcd")?;
    /// let late = writer.grant_timeout(1, Duration::from_millis(1)).unwrap_err();
    /// assert_eq!(late.kind(), std::io::ErrorKind::TimedOut);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn grant_timeout(&mut self, most: usize, timeout: Duration) -> io::Result<Grant<'_>> {
        self.room(most, Until::Deadline(Deadline::after(timeout)))
    }

    /// Writes what `fill` puts at the beginning of the pipe's own room, a [`grant`](Self::grant) of `most` bytes: it answers
    /// how many. An answer of 0, an error or a panic leaves no trace.
    ///
    /// # Errors
    /// What `fill` answers; as [`grant`](Self::grant); `InvalidInput` where it answers more than it was given.
    ///
    /// # Panics
    /// If `fill` does.
    ///
    /// # Progress
    /// As [`grant`](Self::grant).
    ///
    /// ```
    /// let (mut writer, reader) = hornpipe::bytes::pipe(8)?;
    /// let written = writer.write_with(5, |room| {
    ///     room.fill(b'x');
    ///     Ok(room.len())
    /// })?;
    /// assert_eq!((written, reader.len()), (5, 5));
    /// assert!(writer.write_with(5, |_| Err(std::io::ErrorKind::Other.into())).is_err());
    /// assert_eq!(reader.len(), 5);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_with(
        &mut self,
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let mut grant = self.grant(most)?;
        let filled = fill(&mut grant)?;
        grant.commit(filled)?;
        Ok(filled)
    }

    /// Writes all that `from` gives until its end, reading straight into the pipe: how much that was. (Where the ring's end is
    /// near it reads little at a time: from packets, whose rest would be lost, use [`io::copy`].)
    ///
    /// # Errors
    /// `from`'s own, but for `Interrupted`, which is tried again; `BrokenPipe`: the last reader went before it had got all. What
    /// came before is written. (As with [`io::copy`], how much that was is not told.)
    ///
    /// # Panics
    /// If `from` does.
    ///
    /// # Progress
    /// As [`grant`](Self::grant), and as `from` does.
    ///
    /// ```
    /// let (mut writer, reader) = hornpipe::bytes::pipe(3)?;
    /// assert_eq!(writer.copy_from(&mut &b"abc"[..])?, 3);
    /// assert_eq!(reader.len(), 3);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn copy_from(&mut self, from: &mut (impl Read + ?Sized)) -> io::Result<u64> {
        let mut copied = 0;
        loop {
            match self.copy_some(from) {
                Ok(0) => return Ok(copied),
                Ok(more) => copied += more as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn copy_some(&mut self, from: &mut (impl Read + ?Sized)) -> io::Result<usize> {
        if let Ok(mut grant) = self.try_grant(usize::MAX) {
            let count = from.read(&mut grant)?;
            return grant.commit(count).map(|()| count);
        }
        // No room, or no reader, and none is needed if `from` has ended: a byte tells.
        let mut byte = [0];
        match from.read(&mut byte)? {
            0 => Ok(0),
            _ => self.write(&byte),
        }
    }
}

impl PipeReader {
    /// Waits for bytes; false at the end of the stream.
    fn wait(&self, until: Until) -> io::Result<bool> {
        // SAFETY: this reader's handle is not Sync, so its calls come one by one; the bytes are let go of at once.
        let there = || match unsafe { self.shared.ring.bytes_ref() } {
            [] => Err(Stuck::NotReady),
            _ => Ok(()),
        };
        Ok(self.shared.when_bytes(there, until, &self.meter)?.is_some())
    }

    /// Passes bytes on from where they are: what there is, in one piece, up to `most` bytes. 0 at the end of the stream.
    fn pass_on(&mut self, most: usize, to: impl FnOnce(&[u8]) -> io::Result<usize>) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let bytes = &bytes[..bytes.len().min(most)];
        if bytes.is_empty() {
            return Ok(0);
        }
        let passed = match to(bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            passed => passed,
        };
        assert!(passed <= bytes.len(), "{passed} bytes are said to be written, of {}", bytes.len());
        self.consume(passed);
        Ok(passed)
    }

    /// Writes all that comes until the end of the stream to `to`, straight from the pipe: how much that was.
    ///
    /// # Errors
    /// `to`'s own, but for `Interrupted`, which is tried again; `WriteZero` where it takes nothing. What it did not take is
    /// still in the pipe.
    ///
    /// # Panics
    /// If `to` does, or says that it wrote more than it was given.
    ///
    /// # Progress
    /// As [`read`](Self::read), and as `to` does.
    ///
    /// ```
    /// let (writer, mut reader) = hornpipe::bytes::pipe(8)?;
    /// writer.write(b"abc")?;
    /// drop(writer);
    /// let mut all = Vec::new();
    /// assert_eq!(reader.copy_to(&mut all)?, 3);
    /// assert_eq!(all, b"abc");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn copy_to(&mut self, to: &mut (impl Write + ?Sized)) -> io::Result<u64> {
        let mut copied = 0;
        loop {
            match self.pass_on(usize::MAX, |bytes| to.write(bytes)) {
                Ok(0) => return Ok(copied),
                Ok(more) => copied += more as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves up to `most` bytes straight into another pipe, once there are some here and room there: how many. It waits for
    /// the first byte here, then until what is there, in one piece, is in. 0 at the end of the stream, or for `most` 0.
    ///
    /// # Errors
    /// `BrokenPipe`: the other pipe has no reader. What did not go in is still here. `InvalidInput`: it is this pipe.
    ///
    /// # Progress
    /// As [`read`](Self::read), then as [`PipeWriter::write`].
    ///
    /// ```
    /// use hornpipe::bytes;
    /// let (writer, mut reader) = bytes::pipe(8)?;
    /// let (to, rest) = bytes::shared(8)?;
    /// writer.write(b"abc")?;
    /// assert_eq!(reader.splice(&to, 2)?, 2);
    /// assert_eq!((reader.len(), rest.len()), (1, 2));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn splice<K: Kind>(&mut self, to: &PipeWriter<K>, most: usize) -> io::Result<usize> {
        if Arc::as_ptr(&self.shared).cast::<()>() == Arc::as_ptr(&to.shared).cast() {
            return Err(error::invalid("a pipe is not spliced to itself: nobody would make room"));
        }
        if most == 0 {
            return Ok(0);
        }
        self.pass_on(most, |bytes| to.write(bytes))
    }
}

/// Bytes that there are, where they are: as many as it knows of in one piece, at least one. Waits for that; empty at the end of
/// the stream.
///
/// ```
/// use std::io::BufRead;
/// let (writer, mut reader) = hornpipe::bytes::pipe(8)?;
/// writer.write(b"abc")?;
/// assert_eq!(reader.fill_buf()?, b"abc");
/// reader.consume(2);
/// assert_eq!(reader.fill_buf()?, b"c");
/// # Ok::<(), std::io::Error>(())
/// ```
impl BufRead for PipeReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.wait(Until::NEVER)?;
        // SAFETY: the reader is borrowed exclusively, so nothing is released while the slice lives.
        Ok(unsafe { self.shared.ring.bytes_ref() })
    }

    /// Releases the first `count` bytes.
    ///
    /// # Panics
    /// `count` is more than [`fill_buf`](BufRead::fill_buf) gave.
    fn consume(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        // SAFETY: the reader is borrowed exclusively, and the bytes were seen to be there.
        unsafe {
            let there = self.shared.ring.bytes_ref().len();
            assert!(count <= there, "consumed {count} bytes, of {there} that were there to read");
            self.shared.ring.release(count);
        }
        self.shared.took(&self.meter);
    }
}
