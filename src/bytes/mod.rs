//! Byte pipes: the system's pipe, in process.
//!
//! ```
//! use hornpipe::bytes;
//! use std::io::{BufRead, Write};
//!
//! let (mut writer, reader) = bytes::pipe(1 << 16)?;
//! let lines = std::thread::spawn(move || reader.lines().count());
//! for n in 0..1000 {
//!     writeln!(writer, "line {n}")?;
//! }
//! drop(writer); // the end of the stream
//! assert_eq!(lines.join().unwrap(), 1000);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | | [`pipe()`] | [`shared`] |
//! |---|---|---|
//! | ends | one of each: moved, not cloned | any number, cloned or shared |
//! | capacity | exact | whole pieces of 4096 bytes (or one smaller piece), each write's rest in a piece of its own or joining the last |
//! | made of | one contiguous ring; no locked instruction | a ring of pieces; a lock a side |
//! | a write | goes in as there is room | up to [`atomic_size`](Builder::atomic_size) never torn (`try_write`: all or nothing) |
//! | besides | [`grant`](PipeWriter::grant), [`BufRead`](std::io::BufRead), [`splice`](PipeReader::splice), `copy_from`, `copy_to` | [`packets`](Builder::packets), [`merge`](Builder::merge), [`resize`](PipeWriter::resize) |
//!
//! # What holds for both
//!
//! As for [`std::io::pipe`]: a write waits until all of it is in, and is short only where the last reader goes; a read waits
//! for its first byte only. Writers gone: readers drain the pipe, then read 0. Readers gone: writes fail with
//! `BrokenPipe`, without a signal. Empty reads and writes return 0 at once, whoever is gone, and wake nobody. What a write
//! brought is there for readers when it returns. An empty piece is never published.
//!
//! One thread's calls keep their order. On a shared pipe writers that find no room are served as they came; a later write goes
//! in before them only where it leaves the first one the room that it needs: large writes are not passed over by small ones.
//!
//! Never torn is one call of `write`. `write!` and `writeln!` make a call for each part of the format: make the line first
//! (`format!`) and write it at once, or wrap each thread's clone, `LineWriter::with_capacity(4096, log.clone())`.
//!
//! The stream ends when *every* writer is gone: a forgotten clone keeps readers waiting.
//!
//! # Progress
//!
//! | call | [`pipe()`] | [`shared`] |
//! |---|---|---|
//! | `try_write`, `try_read` | wait-free | never wait: they answer `WouldBlock` also where another call of their side's is at work |
//! | `write`, `read` with room (bytes) there | wait-free | may wait for a peer of their side that copies, or is suspended while it does |
//! | the same, full (empty) | may wait for a peer: awake for the spin budget, then asleep | the same |
//! | `len`, `capacity`, counts | wait-free | wait-free |
//! | `resize` | | takes both locks |

mod builder;
mod ends;
mod error;
mod grant;
mod kind;
mod labels;
mod many;
mod options;
mod pieces;
mod pipe;
mod reader;
mod ring;
mod slices;
mod stream;
mod writer;

pub use builder::Builder;
pub use error::WriteAllError;
pub use grant::Grant;
pub use kind::Kind;
pub use options::Merge;
pub use reader::PipeReader;
pub use writer::PipeWriter;

#[cfg(any(test, hornpipe_loom))]
pub(crate) use labels::LABELS;

use crate::topology::{Mpmc, Spsc};
use std::io;

/// A pipe of exactly `capacity` bytes between one writer and one reader. To choose how it waits: [`Builder`].
///
/// # Errors
/// As [`Builder::build`].
///
/// # Progress
/// As [`Builder::build`].
///
/// ```
/// let (writer, reader) = hornpipe::bytes::pipe(3)?;
/// assert_eq!(writer.try_write(b"abcd")?, 3);
/// let mut into = [0; 8];
/// assert_eq!((reader.read(&mut into)?, &into[..3]), (3, &b"abc"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn pipe(capacity: usize) -> io::Result<(PipeWriter<Spsc>, PipeReader<Spsc>)> {
    Builder::new(capacity).build()
}

/// A pipe of `capacity` bytes, rounded up to whole pieces, between any number of writers and readers. For packets, another
/// piece or atomic size, or how it waits: [`Builder`].
///
/// A write that does not fit behind what the last piece holds begins a new one, so that writes of a little more than half a piece
/// fill half of the pipe; [`Merge::Fits`] uses it all.
///
/// # Errors
/// As [`Builder::build`].
///
/// # Progress
/// As [`Builder::build`].
///
/// ```
/// let (writer, reader) = hornpipe::bytes::shared(1 << 16)?;
/// let writers: Vec<_> = (0..4)
///     .map(|n| {
///         let writer = writer.clone();
///         std::thread::spawn(move || writer.write(&[n; 100]))
///     })
///     .collect();
/// let mut message = [0; 100];
/// for _ in 0..4 {
///     std::io::Read::read_exact(&mut &reader, &mut message)?;
///     assert_eq!(message, [message[0]; 100]); // never torn
/// }
/// # writers.into_iter().for_each(|writer| drop(writer.join().unwrap().unwrap()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn shared(capacity: usize) -> io::Result<(PipeWriter<Mpmc>, PipeReader<Mpmc>)> {
    Builder::new(capacity).build()
}
