//! What ends that may be many can do besides: another capacity, and writing by a closure.

use super::error;
use super::reader::PipeReader;
use super::writer::PipeWriter;
use crate::topology::Mpmc;
use std::io;
use std::vec::Vec;

impl PipeWriter<Mpmc> {
    /// Gives the pipe another capacity, as whole pieces. What is queued stays, in order; a writer that now has room goes on.
    ///
    /// # Errors
    /// `ResourceBusy`: more pieces are queued than the new capacity has. `InvalidInput`: as
    /// [`Builder::build`](super::Builder::build), or, as whole pieces, less than the atomic size. `OutOfMemory`. Nothing is changed then.
    ///
    /// # Progress
    /// Takes both sides' locks: may wait for peers. Copies what is queued.
    ///
    /// ```
    /// use std::io::ErrorKind;
    /// let (writer, reader) = hornpipe::bytes::shared(8192)?;
    /// writer.write(&[7; 5000])?;
    /// assert_eq!(writer.resize(4096).unwrap_err().kind(), ErrorKind::ResourceBusy);
    /// reader.resize(1 << 20)?;
    /// assert_eq!((writer.capacity(), reader.len()), (1 << 20, 5000));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn resize(&self, capacity: usize) -> io::Result<()> {
        self.shared.ring.resize(capacity)?;
        self.shared.took(&self.meter);
        Ok(())
    }

    /// Writes what `fill` puts at the beginning of up to `most` zeroed bytes, no more than the capacity: it answers how many.
    /// (Above the atomic size the write may be torn.) They are the call's own until `fill` returns, so an answer of 0, an error or a panic leaves no trace in the pipe.
    ///
    /// # Errors
    /// What `fill` answers; as [`write`](Self::write); `InvalidInput` where it answers more than it was given.
    ///
    /// # Panics
    /// If `fill` does.
    ///
    /// # Progress
    /// Allocates; then as [`write`](Self::write).
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::shared(8192)?;
    /// writer.write_with(100, |room| {
    ///     room[..3].copy_from_slice(b"abc");
    ///     Ok(3)
    /// })?;
    /// assert_eq!((writer.write_with(100, |_| Ok(0))?, reader.len()), (0, 3));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_with(
        &self,
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let (mut room, most) = (Vec::new(), most.min(self.capacity()));
        room.try_reserve_exact(most).map_err(|_| error::memory())?;
        room.resize(most, 0);
        let filled = fill(&mut room)?;
        self.write(room.get(..filled).ok_or_else(error::overfilled)?)
    }
}

impl PipeReader<Mpmc> {
    /// As the writer's [`resize`](PipeWriter::resize), which has an example.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Progress
    /// As there.
    pub fn resize(&self, capacity: usize) -> io::Result<()> {
        self.shared.ring.resize(capacity)?;
        self.shared.took(&self.meter);
        Ok(())
    }
}
