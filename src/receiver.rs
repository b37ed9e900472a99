//! The receiving end, and its iterators.

use crate::endpoint::endpoint;
use crate::error::TryRecvError;
#[cfg(feature = "std")]
use crate::error::{RecvError, RecvTimeoutError};
use crate::pipe::Shared;
use crate::stats::Meter;
#[cfg(feature = "std")]
use crate::sync::time::Deadline;
use crate::topology::{ManyReceivers, Mpmc, Topology};
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
/// All methods take `&self`. Where the topology has one receiver, this handle is it: it can be moved to another thread, not
/// cloned or shared. When the last receiver is dropped the queued items are dropped at once (should a send under way be at
/// that already, by it) and every send fails from then on.
///
/// # Panics
/// If an item's own `drop` panics, that comes out of the last receiver's drop. The others are still dropped; a
/// second panic aborts the process, as in a `Vec`.
///
/// # Progress
/// A drop is lock-free. The last receiver's wakes all senders that sleep and drops the queued items, so it takes
/// as long as their `Drop` does; it waits for no send that is under way.
///
/// ```
/// use std::sync::Arc;
/// let (tx, rx) = hornpipe::mpmc::bounded(4);
/// let item = Arc::new(());
/// tx.try_send(item.clone()).unwrap();
/// drop(rx); // drops what is queued
/// assert_eq!(Arc::strong_count(&item), 1);
/// assert!(tx.try_send(item).unwrap_err().is_disconnected());
/// ```
pub struct Receiver<T, K: Topology = Mpmc> {
    shared: NonNull<Shared<T, K>>,
    meter: Meter,
}

endpoint!(
    Receiver,
    ManyReceivers,
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
        match self.shared().recv(&mut item, Deadline::NEVER, &self.meter) {
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
    /// Lock-free: each extra turn is another thread's completed claim (or, on LL/SC machines, a spurious failure);
    /// it never waits for a suspended one. When others sleep it may make up to two futex wake calls, one a side.
    ///
    /// Systems that park on a mutex and a condition variable (all but Linux and Android, and feature `condvar`)
    /// take that mutex for a moment to wake somebody: there this call can wait for a thread that was preempted
    /// while it was falling asleep.
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
        self.shared().try_recv(&mut item, &self.meter).map(|()| unsafe { item.assume_init() })
    }

    /// Receives the oldest item, waiting no longer than `timeout`: zero never sleeps, `Duration::MAX` is for ever.
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

    /// As [`recv_timeout`](Self::recv_timeout), until a moment: one that is past never sleeps.
    ///
    /// # Errors
    /// No item came in time, or the pipe is empty and no sender is left.
    ///
    /// # Progress
    /// As [`recv`](Self::recv), until the deadline.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// let (tx, rx) = hornpipe::mpmc::bounded(1);
    /// tx.send(1).unwrap();
    /// let end = Instant::now() + Duration::from_millis(1); // for both receives together
    /// assert_eq!(rx.recv_deadline(end), Ok(1));
    /// assert!(rx.recv_deadline(end).unwrap_err().is_timeout());
    /// ```
    #[cfg(feature = "std")]
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Deadline::at(deadline))
    }

    #[cfg(feature = "std")]
    fn recv_until(&self, deadline: Deadline) -> Result<T, RecvTimeoutError> {
        let mut item = MaybeUninit::uninit();
        // SAFETY: `recv` initializes it on Ok.
        self.shared().recv(&mut item, deadline, &self.meter).map(|()| unsafe { item.assume_init() })
    }

    /// Items as they come, waiting for each, until the pipe is empty and no sender is left.
    ///
    /// # Progress
    /// Wait-free; each `next` is a [`recv`](Self::recv) and may wait for a peer.
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

    /// The items that are receivable now, waiting for none. It ends at the first moment without one (so it may go
    /// on for as long as senders keep up), and may go on later.
    ///
    /// # Progress
    /// Wait-free; each `next` is a [`try_recv`](Self::try_recv): lock-free.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::mpmc::bounded(3);
    /// tx.try_send(1).unwrap();
    /// tx.try_send(2).unwrap();
    /// assert_eq!(rx.try_iter().collect::<Vec<_>>(), [1, 2]);
    /// assert_eq!(rx.try_iter().next(), None); // a sender is left, and nothing is queued
    /// ```
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

/// Owning iterator that waits, as [`Receiver::iter`] does: `for item in receiver`. It is the receiver: dropping it
/// drops that.
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
