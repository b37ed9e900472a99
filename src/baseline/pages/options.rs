//! The switches.

use crate::bytes::Merge;
use crate::spin::Spin;
use crate::wake::WakePolicy;

/// A page pipe's switches: a small `Copy` value. [`new`](Self::new) is the kernel as it stands.
///
/// ```
/// use hornpipe::baseline::pages::{self, Options};
/// use hornpipe::{Spin, WakePolicy};
/// use std::time::Duration;
/// let options = Options::new().wake(WakePolicy::OnEdge).spin(Spin::Fixed(Duration::from_micros(10)));
/// let (_writer, _reader) = pages::pipe(16, options)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Options {
    pub(super) wake: WakePolicy,
    pub(super) spin: Spin,
    pub(super) inner_lock: bool,
    pub(super) look_first: bool,
    pub(super) merge: Merge,
    pub(super) packets: bool,
}

impl Options {
    /// `OnRelease`, no spin, no inner lock, a wake takes the queue's lock before it looks; bytes, merged whole.
    pub const fn new() -> Self {
        Self {
            wake: WakePolicy::OnRelease,
            spin: Spin::None,
            inner_lock: false,
            look_first: false,
            merge: Merge::Whole,
            packets: false,
        }
    }

    /// K2: when a read wakes a writer. (A write wakes a reader by its own rule, the same under each.)
    ///
    /// | policy | in the thread | a read wakes a writer |
    /// |---|---|---|
    /// | `OnRelease` | mainline | if it freed a buffer and the pipe was full just before that |
    /// | `OnEdge` | `was_full` | if the pipe was full when it began, even where it freed nothing |
    /// | `Proactive` | proactive | as `OnRelease`; else, where the pipe is not full: a full fence, a look, and if one sleeps |
    ///
    /// The others are a ring's and are refused.
    pub const fn wake(self, wake: WakePolicy) -> Self {
        Self { wake, ..self }
    }

    /// K5: how long a call that found the pipe full (empty) looks before it joins the queue. No yields; not at all where
    /// only one CPU can be used. `Adaptive` looks up to 50 us and remembers, a side, whether that pays.
    ///
    /// Who found room (bytes) that way has taken nobody's wake and hands nothing on.
    pub const fn spin(self, spin: Spin) -> Self {
        Self { spin, ..self }
    }

    /// K4: whether head and tail are moved under the readers' queue's lock too, as they were until January 2023.
    pub const fn inner_lock(self, inner_lock: bool) -> Self {
        Self { inner_lock, ..self }
    }

    /// Whether a wake looks whether anybody sleeps (a full fence and a load) before it takes the queue's lock. The
    /// kernel's takes the lock, then looks.
    pub const fn look_first(self, look_first: bool) -> Self {
        Self { look_first, ..self }
    }

    /// K3: which part of a small write joins the last page. (What was tried there took `Fits` even without room for the rest,
    /// so that others could come between its parts, and readers saw one without the other.)
    ///
    /// ```
    /// use hornpipe::baseline::pages::{self, Merge, Options, PAGE};
    /// for (merge, room) in [(Merge::Whole, PAGE - 20), (Merge::Fits, PAGE - 10)] {
    ///     let (writer, _reader) = pages::pipe(2, Options::new().merge(merge))?;
    ///     writer.write(&[1; PAGE - 10])?;
    ///     writer.write(&[2; 20])?; // on a page of its own, or from the first page's last ten bytes on
    ///     assert!(writer.try_write(&vec![3; room + 1]).is_err());
    ///     assert_eq!(writer.try_write(&vec![3; room])?, room);
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn merge(self, merge: Merge) -> Self {
        Self { merge, ..self }
    }

    /// Packets (`O_DIRECT`): each write up to a page is one, a longer one several; nothing merges. A read takes one packet,
    /// and what it has no room for is gone.
    ///
    /// ```
    /// use hornpipe::baseline::pages::{self, Options};
    /// let (writer, reader) = pages::pipe(16, Options::new().packets(true))?;
    /// writer.write(b"one")?;
    /// writer.write(b"two")?;
    /// let mut into = [0; 2];
    /// assert_eq!((reader.read(&mut into)?, &into), (2, b"on"));
    /// assert_eq!((reader.read(&mut into)?, &into), (2, b"tw"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn packets(self, packets: bool) -> Self {
        Self { packets, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
