//! The sending end.

use crate::endpoint::endpoint;
use crate::error::TrySendError;
#[cfg(feature = "std")]
use crate::error::{SendError, SendTimeoutError};
use crate::pipe::{NotSent, Shared};
use crate::stats::Meter;
#[cfg(feature = "std")]
use crate::sync::time::Deadline;
use crate::topology::{ManySenders, Mpmc, Topology};
use core::fmt;
use core::mem::ManuallyDrop;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::ptr::NonNull;
#[cfg(feature = "std")]
use std::time::{Duration, Instant};

/// The sending end of a pipe.
///
/// All methods take `&self`. Where the topology has one sender, this handle is it: it can be moved to another thread, not
/// cloned or shared. When the last sender is dropped receivers drain what is queued and then find the
/// pipe disconnected.
///
/// # Progress
/// A drop is lock-free. The last sender's wakes all receivers that sleep.
///
/// ```
/// let (tx, rx) = hornpipe::mpmc::bounded(4);
/// std::thread::scope(|scope| {
///     scope.spawn(|| tx.send(1).unwrap()); // shared ...
///     let mine = tx.clone();
///     scope.spawn(move || mine.send(2).unwrap()); // ... or cloned
/// });
/// drop(tx);
/// assert_eq!(rx.iter().sum::<i32>(), 3);
/// ```
pub struct Sender<T, K: Topology = Mpmc> {
    shared: NonNull<Shared<T, K>>,
    meter: Meter,
}

endpoint!(
    Sender,
    ManySenders,
    senders,
    put_sender,
    receivers_gone,
    "Whether no receiver is left: every send fails from then on."
);

impl<T, K: Topology> Sender<T, K> {
    /// Sends an item, waiting while the pipe is full. When it returns Ok the item is published.
    ///
    /// # Errors
    /// No receiver is left; the item comes back. (An item that was sent while the last receiver went is dropped.)
    ///
    /// # Panics
    /// Only if an item's own `drop` panics: a send that was under way when the last receiver went drops what is
    /// queued, other senders' items included. The others are still dropped; a second panic aborts the process.
    ///
    /// # Progress
    /// Lock-free while there is space; when full it may wait for a peer.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::mpmc::bounded(1);
    /// tx.send(7).unwrap();
    /// drop(rx);
    /// assert_eq!(tx.send(8).unwrap_err().into_inner(), 8);
    /// ```
    #[cfg(feature = "std")]
    #[inline]
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        let item = ManuallyDrop::new(item);
        match self.shared().send(&item, Deadline::NEVER, &self.meter) {
            Ok(()) => Ok(()),
            // Without a deadline nothing is refused for being full.
            Err(_) => Err(SendError(ManuallyDrop::into_inner(item))),
        }
    }

    /// Sends an item if there is space now.
    ///
    /// # Errors
    /// Full (a receive that has not ended yet may still hold the space), or no receiver is left; the item comes
    /// back.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    ///
    /// # Progress
    /// Lock-free: each extra turn is another thread's completed claim; it never waits for a suspended one. (On
    /// LL/SC machines a weak compare-exchange may also fail spuriously: a turn that is nobody's claim.)
    ///
    /// When others sleep it may make up to two futex wake calls, one a side. When the last receiver went during
    /// the call it may drop queued items, other senders' included: their `Drop` runs in this call.
    ///
    /// Systems that park on a mutex and a condition variable (all but Linux and Android, and feature `condvar`)
    /// take that mutex for a moment to wake somebody: there this call can wait for a thread that was preempted
    /// while it was falling asleep.
    ///
    /// ```
    /// use hornpipe::TrySendError;
    /// let (tx, _rx) = hornpipe::mpmc::bounded(1);
    /// assert_eq!(tx.try_send(1), Ok(()));
    /// assert_eq!(tx.try_send(2), Err(TrySendError::Full(2)));
    /// ```
    #[inline]
    pub fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        let item = ManuallyDrop::new(item);
        match self.shared().try_send(&item, &self.meter) {
            Ok(()) => Ok(()),
            Err(NotSent::Full) => Err(TrySendError::Full(ManuallyDrop::into_inner(item))),
            Err(NotSent::Disconnected) => Err(TrySendError::Disconnected(ManuallyDrop::into_inner(item))),
        }
    }

    /// Sends an item, waiting for space no longer than `timeout`: zero never sleeps, `Duration::MAX` is for ever.
    ///
    /// # Errors
    /// No space came free in time, or no receiver is left; the item comes back.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    ///
    /// # Progress
    /// As [`send`](Self::send), until the timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (tx, _rx) = hornpipe::mpmc::bounded(1);
    /// tx.send(1).unwrap();
    /// assert!(tx.send_timeout(2, Duration::from_millis(1)).unwrap_err().is_timeout());
    /// ```
    #[cfg(feature = "std")]
    pub fn send_timeout(&self, item: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        self.send_until(item, Deadline::after(timeout))
    }

    /// As [`send_timeout`](Self::send_timeout), until a moment: one that is past never sleeps.
    ///
    /// # Errors
    /// No space came free in time, or no receiver is left; the item comes back.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    ///
    /// # Progress
    /// As [`send`](Self::send), until the deadline.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// let (tx, _rx) = hornpipe::mpmc::bounded(1);
    /// let end = Instant::now() + Duration::from_millis(1); // for both sends together
    /// assert_eq!(tx.send_deadline(1, end), Ok(()));
    /// assert!(tx.send_deadline(2, end).unwrap_err().is_timeout());
    /// ```
    #[cfg(feature = "std")]
    pub fn send_deadline(&self, item: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        self.send_until(item, Deadline::at(deadline))
    }

    #[cfg(feature = "std")]
    fn send_until(&self, item: T, deadline: Deadline) -> Result<(), SendTimeoutError<T>> {
        let item = ManuallyDrop::new(item);
        match self.shared().send(&item, deadline, &self.meter) {
            Ok(()) => Ok(()),
            Err(NotSent::Full) => Err(SendTimeoutError::Timeout(ManuallyDrop::into_inner(item))),
            Err(NotSent::Disconnected) => Err(SendTimeoutError::Disconnected(ManuallyDrop::into_inner(item))),
        }
    }
}
