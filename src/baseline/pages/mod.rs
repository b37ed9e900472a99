//! The kernel's pipe in user space: the algorithm of `fs/pipe.c`, with the switches that its threads argued about.
//!
//! A ring of page buffers, each with an offset, a length and flags; one mutex over all of it; one wait queue a side,
//! with a lock of its own and exclusive sleepers; wakes after the mutex is let go. It is an oracle for byte pipes and the
//! subject of the kernel experiments, not a pipe for users: each call takes a lock. (On Linux a test holds what it answers
//! against the running kernel's own pipe.)
//!
//! ```
//! use hornpipe::baseline::pages::{self, Options};
//! use std::io::Read;
//!
//! let (writer, mut reader) = pages::pipe(16, Options::new())?;
//! let sender = std::thread::spawn(move || writer.write(&[7; 100_000]));
//! let mut all = Vec::new();
//! reader.read_to_end(&mut all)?; // until the writer is gone and the pipe drained
//! assert_eq!(all, vec![7; 100_000]);
//! assert_eq!(sender.join().unwrap()?, 100_000);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # The rules
//!
//! | rule | where |
//! |---|---|
//! | Head and tail run on and are masked only to find a buffer; what has no room in `pages` waits. | `ring` |
//! | A read frees a buffer when it has emptied it: a *partial* read frees nothing. | `read` |
//! | A read returns as soon as it has something; it waits only for its first byte. | `read` |
//! | Of packets it takes one, whole: what it has no room for is gone. | `read` |
//! | A read wakes one writer by the policy, see [`Options::wake`]. | `read` |
//! | A write returns when all is in, or short (or broken) when the last reader goes. | `write` |
//! | What a write has beyond whole pages goes into the last buffer, *first*, if all of it fits there, see [`Options::merge`]. | `write` |
//! | A buffer is filled before it is inserted: there is no empty one to skip. | `write` |
//! | A write wakes one reader if the pipe was empty when it began, or when it came back from waiting. | `write` |
//! | Sleepers queue up at the end and are woken from the front, one a wake. | `queue` |
//! | Who has waited wakes the next of its own side, if it leaves work behind. | `read`, `write` |
//! | The last end of one side wakes everybody; what is queued stays. | `pipe` |
//!
//! # What it follows, and where it differs
//!
//! Linux 6.15: `fs/pipe.c` at 00a7d39898c8 with what 6.15 changed of it: copy, then insert (ee5eda8ea595), and two spare
//! pages where there was one. `kernel/sched/wait.c` for the queues, where a woken thread looks before it queues up again,
//! also of 6.15. (K2 was measured before that: two more turns of the queue's lock a wake.) The switches are:
//! [`Options::wake`], January 2025 (K2); [`Options::merge`], tried in February 2025 (K3); [`Options::inner_lock`], what January 2023 took away (K4); [`Options::spin`],
//! proposed in August 2018 (K5); [`Options::look_first`], which nobody proposed. K1 to K5 are those threads by the names that
//! the experiments have.
//!
//! - No faults of user memory, signals, `poll`, `splice`, notifications, resizing; packets are the pipe's and not an end's.
//! - The mutex and the queue's lock are std's mutex, which spins a little and sleeps; the kernel's second one only spins.
//! - A sleeper is taken off its queue under the queue's lock, as there, but the system call that wakes it comes after. One
//!   that is just leaving its queue may be taken too: it hands on, as who waited does. (The kernel goes on to the next.)
//! - The kernel's wake is a hint to run the woken thread here (`WF_SYNC`); a futex has no such hint.

mod count;
mod ends;
mod options;
mod pipe;
mod queue;
mod read;
mod ring;
mod write;

#[cfg(test)]
mod tests;

pub use crate::bytes::Merge;
pub use count::{Counts, Waits};
pub use ends::{PageReader, PageWriter};
pub use options::Options;
pub use ring::PAGE;

use crate::wake::WakePolicy;
use pipe::Pipe;
use ring::Ring;
use std::io;
use std::sync::Arc;

/// A pipe of `pages` page buffers; the kernel's has 16 unless asked.
///
/// # Errors
/// `InvalidInput` where `pages` is 0 or more than 2^31, or [`Options::wake`] is none of the kernel's; `OutOfMemory` where
/// there is no memory for so many buffers (pages themselves are allocated as they are needed).
///
/// # Progress
/// Waits for nobody, but allocates.
///
/// ```
/// use hornpipe::baseline::pages::{PAGE, Options, pipe};
/// let (writer, reader) = pipe(1, Options::new())?;
/// assert_eq!(writer.try_write(&[1; PAGE + 1])?, PAGE, "a page is full");
/// assert_eq!(reader.try_read(&mut [0; 100])?, 100);
/// assert!(writer.try_write(&[2]).is_err(), "which it still is: its buffer is not free until it is empty");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn pipe(pages: usize, options: Options) -> io::Result<(PageWriter, PageReader)> {
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if pages == 0 {
        return refused("a page pipe holds at least one page: the capacity must not be zero");
    }
    if !matches!(options.wake, WakePolicy::OnEdge | WakePolicy::OnRelease | WakePolicy::Proactive) {
        return refused("a page pipe wakes as the kernel's: choose OnEdge, OnRelease or Proactive");
    }
    let Some(pages) = u32::try_from(pages).ok().filter(|pages| *pages <= ring::MOST) else {
        return refused("a page pipe holds at most 2^31 pages: its head and tail are 32 bits");
    };
    let pipe = Arc::new(Pipe::new(Ring::new(pages)?, pages, options));
    Ok((PageWriter::first(Arc::clone(&pipe)), PageReader::first(pipe)))
}
