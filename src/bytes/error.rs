//! What goes wrong, with a kind and a sentence.

use core::fmt;
use std::io;

/// No reader is left.
#[cold]
pub(super) fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "no reader is left: what is written here goes nowhere")
}

/// The caller asked for what cannot be.
#[cold]
pub(super) fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// More is said to be written than there was room for.
#[cold]
pub(super) fn overfilled() -> io::Error {
    invalid("more is committed than was granted")
}

/// There is no memory for it.
#[cold]
pub(super) fn memory() -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, "there is no memory for so many bytes")
}

/// Why a [`PipeWriter::write_all`](super::PipeWriter::write_all) stopped, and after how many bytes.
///
/// As an [`io::Error`], which `?` makes of it, it keeps the kind and, as its source, this.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// let (writer, reader) = hornpipe::bytes::pipe(4)?;
/// let reading = std::thread::spawn(move || reader.read(&mut [0; 3])); // and is gone
/// let stopped = writer.write_all(&[7; 10]).unwrap_err();
/// assert!(stopped.written >= 4 && stopped.written < 10);
/// assert_eq!(Error::from(stopped).kind(), ErrorKind::BrokenPipe);
/// # reading.join().unwrap()?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct WriteAllError {
    /// Bytes that went in: the first ones.
    pub written: usize,
    /// What stopped it.
    pub error: io::Error,
}

impl WriteAllError {
    /// What kind of error stopped it.
    ///
    /// ```
    /// let (writer, reader) = hornpipe::bytes::pipe(4)?;
    /// drop(reader);
    /// assert_eq!(writer.write_all(b"a").unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn kind(&self) -> io::ErrorKind {
        self.error.kind()
    }
}

impl fmt::Display for WriteAllError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped after {} bytes: {}", self.written, self.error)
    }
}

impl core::error::Error for WriteAllError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<WriteAllError> for io::Error {
    fn from(stopped: WriteAllError) -> Self {
        Self::new(stopped.error.kind(), stopped)
    }
}
