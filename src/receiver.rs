//! The receiving end, and its iterators.

use crate::endpoint::endpoint;
use crate::error::TryRecvError;
#[cfg(feature = "std")]
use crate::error::{RecvError, RecvTimeoutError};
use crate::pipe::Shared;
#[cfg(feature = "std")]
use crate::sync::time::Deadline;
use crate::topology::{Mpmc, Topology};
use core::fmt;
use core::mem::MaybeUninit;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::ptr::NonNull;
#[cfg(feature = "std")]
use std::{
    iter::FusedIterator,
    time::{Duration, Instant},
};

/// The receiving end of a pipe.
///
/// All methods take `&self`. When the last receiver is dropped the queued items are dropped at once and every
/// send fails from then on.
pub struct Receiver<T, K: Topology = Mpmc> {
    shared: NonNull<Shared<T, K>>,
}

endpoint!(
    Receiver,
    receivers,
    put_receiver,
    senders_gone,
    "Whether no sender is left: what is queued can still be received, nothing will be added."
);

impl<T, K: Topology> Receiver<T, K> {
    /// Receives the oldest item, waiting while the pipe is empty.
    ///
    /// # Errors
    /// The pipe is empty and no sender is left.
    ///
    /// # Progress
    /// Lock-free while an item is receivable; else it may wait for a peer, asleep once its budget is spent.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::mpmc::bounded(4);
    /// std::thread::spawn(move || tx.send("hello").unwrap());
    /// assert_eq!(rx.recv(), Ok("hello"));
    /// assert_eq!(rx.recv(), Err(hornpipe::RecvError));
    /// ```
    #[cfg(feature = "std")]
    #[inline]
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut item = MaybeUninit::uninit();
        match self.shared().recv(&mut item, Deadline::NEVER) {
            // SAFETY: `recv` initializes it on Ok.
            Ok(()) => Ok(unsafe { item.assume_init() }),
            Err(_) => Err(RecvError),
        }
    }

    /// Receives the oldest item if one is receivable now.
    ///
    /// # Errors
    /// Empty (an earlier send that has not returned yet may hold back later ones), or empty and no sender is left.
    ///
    /// # Progress
    /// Lock-free: each extra turn is another thread's completed claim; it never waits for a suspended one.
    ///
    /// ```
    /// use hornpipe::TryRecvError;
    /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    /// drop(tx);
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
    /// ```
    #[inline]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut item = MaybeUninit::uninit();
        // SAFETY: `try_recv` initializes it on Ok.
        self.shared().try_recv(&mut item).map(|()| unsafe { item.assume_init() })
    }

    /// Receives the oldest item, waiting no longer than `timeout`; zero is one attempt, `Duration::MAX` for ever.
    ///
    /// # Errors
    /// No item came in time, or the pipe is empty and no sender is left.
    ///
    /// # Progress
    /// As [`recv`](Self::recv), until the timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (_tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
    /// assert!(rx.recv_timeout(Duration::from_millis(1)).unwrap_err().is_timeout());
    /// ```
    #[cfg(feature = "std")]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Deadline::after(timeout))
    }

    /// As [`recv_timeout`](Self::recv_timeout), until a moment; one that is past is one attempt.
    ///
    /// # Errors
    /// No item came in time, or the pipe is empty and no sender is left.
    ///
    /// # Progress
    /// As [`recv`](Self::recv), until the deadline.
    #[cfg(feature = "std")]
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Deadline::at(deadline))
    }

    #[cfg(feature = "std")]
    fn recv_until(&self, deadline: Deadline) -> Result<T, RecvTimeoutError> {
        let mut item = MaybeUninit::uninit();
        // SAFETY: `recv` initializes it on Ok.
        self.shared().recv(&mut item, deadline).map(|()| unsafe { item.assume_init() })
    }

    /// Items as they come, waiting for each, until the pipe is empty and no sender is left.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::mpmc::bounded(3);
    /// for n in 0..3 {
    ///     tx.send(n).unwrap();
    /// }
    /// drop(tx);
    /// assert_eq!(rx.iter().sum::<i32>(), 3);
    /// ```
    #[cfg(feature = "std")]
    pub fn iter(&self) -> Iter<'_, T, K> {
        Iter { receiver: self }
    }

    /// The items that are receivable now, waiting for none.
    pub fn try_iter(&self) -> TryIter<'_, T, K> {
        TryIter { receiver: self }
    }
}

/// Borrowing iterator that waits: [`Receiver::iter`].
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Iter<'a, T, K: Topology = Mpmc> {
    receiver: &'a Receiver<T, K>,
}

/// Borrowing iterator that does not wait: [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T, K: Topology = Mpmc> {
    receiver: &'a Receiver<T, K>,
}

/// Owning iterator that waits: `for item in receiver`.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct IntoIter<T, K: Topology = Mpmc> {
    receiver: Receiver<T, K>,
}

#[cfg(feature = "std")]
impl<T, K: Topology> Iterator for Iter<'_, T, K> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T, K: Topology> Iterator for TryIter<'_, T, K> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

#[cfg(feature = "std")]
impl<T, K: Topology> Iterator for IntoIter<T, K> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

// Disconnected is for ever. (`TryIter` is not fused: more may come.)
#[cfg(feature = "std")]
impl<T, K: Topology> FusedIterator for Iter<'_, T, K> {}
#[cfg(feature = "std")]
impl<T, K: Topology> FusedIterator for IntoIter<T, K> {}

#[cfg(feature = "std")]
impl<T, K: Topology> IntoIterator for Receiver<T, K> {
    type Item = T;
    type IntoIter = IntoIter<T, K>;

    fn into_iter(self) -> IntoIter<T, K> {
        IntoIter { receiver: self }
    }
}

#[cfg(feature = "std")]
impl<'a, T, K: Topology> IntoIterator for &'a Receiver<T, K> {
    type Item = T;
    type IntoIter = Iter<'a, T, K>;

    fn into_iter(self) -> Iter<'a, T, K> {
        self.iter()
    }
}
