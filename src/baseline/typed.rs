//! A mutex pipe of typed items: the crate's endpoints on one lock.
//!
//! Names, errors and semantics are those of [`crate::Sender`] and [`crate::Receiver`]: exact capacity, first in
//! first out; with the last sender gone receivers drain the pipe, then fail; with the last receiver gone the
//! queued items are dropped at once and senders get their items back. See the [module above](super) for what it
//! is for.
//!
//! ```
//! use hornpipe::baseline::typed;
//!
//! let (tx, rx) = typed::bounded(2);
//! let sender = std::thread::spawn(move || (0..100).try_for_each(|n| tx.send(n)));
//! assert_eq!(rx.iter().sum::<i32>(), 4950);
//! assert!(sender.join().unwrap().is_ok());
//! ```

use super::endpoint::endpoint;
pub use super::iter::{IntoIter, Iter, TryIter};
use super::pipe::{Disconnected, Pipe, Role};
use crate::error::{
    BuildError, RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError,
};
use crate::relax::Relax;
use crate::spin::{Patience, Spin};
use crate::sync::time::Deadline;
use alloc::alloc::Layout;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::time::Duration;
use std::time::Instant;

/// A mutex pipe that holds exactly `capacity` items, with everything else at its default.
///
/// # Panics
/// With [`BuildError`]'s sentence, where [`Builder::build`] would fail.
///
/// # Progress
/// As [`Builder::build`]: waits for no peer, but allocates.
///
/// ```
/// let (tx, rx) = hornpipe::baseline::typed::bounded(1);
/// tx.send("hello").unwrap();
/// assert_eq!(rx.recv(), Ok("hello"));
/// ```
#[track_caller]
pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    match Builder::new(capacity).build() {
        Ok(ends) => ends,
        Err(error) => panic!("{error}"),
    }
}

/// Configures a mutex pipe: a small `Copy` value that builds any number of pipes, of any item type.
///
/// It has those of [`crate::Builder`]'s settings that make sense with a lock.
///
/// ```
/// use hornpipe::{Spin, baseline::typed::Builder};
///
/// # fn main() -> Result<(), hornpipe::BuildError> {
/// let (tx, rx) = Builder::new(16).spin(Spin::None).yields(2).name("jobs").build::<u32>()?;
/// tx.send(1).unwrap();
/// assert_eq!(rx.try_recv(), Ok(1));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Builder {
    capacity: usize,
    spin: Spin,
    wait: Relax,
    yields: Option<u8>,
    name: Option<&'static str>,
}

impl Builder {
    /// Slots of up to so many bytes are reserved up front; larger pipes grow as they fill.
    const UP_FRONT: usize = 1 << 20;

    /// A pipe that holds exactly `capacity` items.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        Self { capacity, spin: Spin::Adaptive, wait: Relax::WAIT, yields: None, name: None }
    }

    /// How long a blocking call looks before it sleeps. Default: [`Spin::Adaptive`].
    #[must_use]
    pub const fn spin(mut self, spin: Spin) -> Self {
        self.spin = spin;
        self
    }

    /// What a thread does between two looks while it waits awake. Default: [`Relax::WAIT`].
    #[must_use]
    pub const fn wait(mut self, relax: Relax) -> Self {
        self.wait = relax;
        self
    }

    /// How often a wait gives its CPU to others before it sleeps, and its default: as
    /// [`crate::Builder::yields`].
    #[must_use]
    pub const fn yields(mut self, yields: u8) -> Self {
        self.yields = Some(yields);
        self
    }

    /// A name for `Debug` output.
    #[must_use]
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Makes the pipe.
    ///
    /// # Errors
    /// A capacity of 0, one that cannot be addressed, or one there is no memory for; nothing is left behind.
    ///
    /// # Progress
    /// Waits for no peer, but allocates: as the allocator and the system allow.
    pub fn build<T>(&self) -> Result<(Sender<T>, Receiver<T>), BuildError> {
        let requested = self.capacity;
        if requested == 0 {
            return Err(BuildError::ZeroCapacity);
        }
        let slots = Layout::array::<T>(requested).map_err(|_| BuildError::CapacityTooLarge { requested })?;
        let mut queue = VecDeque::new();
        if slots.size() <= Self::UP_FRONT {
            queue.try_reserve_exact(requested).map_err(|_| BuildError::OutOfMemory { requested })?;
        }
        let patience = Patience::new(self.spin, self.wait, self.yields, requested);
        let pipe = Arc::new(Pipe::new(requested, queue, patience, self.name));
        Ok((Sender::first(Arc::clone(&pipe)), Receiver::first(pipe)))
    }
}

endpoint! {
    /// The sending end of a mutex pipe.
    ///
    /// All methods take `&self`. When the last sender is dropped receivers drain what is queued, then fail.
    Sender of Role::Sender, facing Role::Receiver;
    /// Whether no receiver is left: every send fails from then on.
}

endpoint! {
    /// The receiving end of a mutex pipe.
    ///
    /// All methods take `&self`. When the last receiver is dropped the queued items are dropped at once and
    /// every send fails from then on.
    ///
    /// # Panics
    /// If an item's own `drop` panics, that comes out of the last receiver's drop. The others are still dropped; a
    /// second panic aborts the process, as in a `Vec`.
    Receiver of Role::Receiver, facing Role::Sender;
    /// Whether no sender is left: what is queued can still be received, nothing will be added.
}

impl<T> Sender<T> {
    /// Sends an item, waiting while the pipe is full. When it returns Ok the item is queued.
    ///
    /// # Errors
    /// No receiver is left; the item comes back.
    ///
    /// # Progress
    /// Takes the lock: may wait for a peer; asleep once the pipe is full and the budget is spent.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::baseline::typed::bounded(1);
    /// tx.send(7).unwrap();
    /// drop(rx);
    /// assert_eq!(tx.send(8).unwrap_err().into_inner(), 8);
    /// ```
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        // Without a deadline nothing comes back for being late.
        self.send_until(item, Deadline::NEVER).map_err(|error| SendError(error.into_inner()))
    }

    /// Sends an item if there is space now.
    ///
    /// # Errors
    /// The pipe is full, or no receiver is left; the item comes back.
    ///
    /// # Progress
    /// Takes the lock: may wait for a peer that holds it, never for space.
    ///
    /// ```
    /// use hornpipe::TrySendError;
    /// let (tx, _rx) = hornpipe::baseline::typed::bounded(1);
    /// assert_eq!(tx.try_send(1), Ok(()));
    /// assert_eq!(tx.try_send(2), Err(TrySendError::Full(2)));
    /// ```
    pub fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        let mut item = Some(item);
        let outcome = self.pipe.attempt(|state| state.put(&mut item));
        match (item, outcome) {
            (None, _) => Ok(()),
            (Some(item), None) => Err(TrySendError::Full(item)),
            (Some(item), Some(_)) => Err(TrySendError::Disconnected(item)),
        }
    }

    /// Sends an item, waiting for space no longer than `timeout`; zero is one attempt, `Duration::MAX` for ever.
    ///
    /// # Errors
    /// No space came free in time, or no receiver is left; the item comes back.
    ///
    /// # Progress
    /// As [`send`](Self::send), until the timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// let (tx, _rx) = hornpipe::baseline::typed::bounded(1);
    /// tx.send(1).unwrap();
    /// assert!(tx.send_timeout(2, Duration::from_millis(1)).unwrap_err().is_timeout());
    /// ```
    pub fn send_timeout(&self, item: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        self.send_until(item, Deadline::after(timeout))
    }

    /// As [`send_timeout`](Self::send_timeout), until a moment; one that is past is one attempt.
    ///
    /// # Errors
    /// No space came free in time, or no receiver is left; the item comes back.
    ///
    /// # Progress
    /// As [`send`](Self::send), until the deadline.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// let (tx, _rx) = hornpipe::baseline::typed::bounded(1);
    /// let end = Instant::now() + Duration::from_millis(1); // for both sends together
    /// assert_eq!(tx.send_deadline(1, end), Ok(()));
    /// assert!(tx.send_deadline(2, end).unwrap_err().is_timeout());
    /// ```
    pub fn send_deadline(&self, item: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        self.send_until(item, Deadline::at(deadline))
    }

    fn send_until(&self, item: T, deadline: Deadline) -> Result<(), SendTimeoutError<T>> {
        let mut item = Some(item);
        let outcome = self.pipe.turn(Role::Sender, deadline, |state| state.put(&mut item));
        match (item, outcome) {
            (None, _) => Ok(()),
            (Some(item), None) => Err(SendTimeoutError::Timeout(item)),
            (Some(item), Some(_)) => Err(SendTimeoutError::Disconnected(item)),
        }
    }
}

impl<T> Receiver<T> {
    /// Receives the oldest item, waiting while the pipe is empty.
    ///
    /// # Errors
    /// The pipe is empty and no sender is left.
    ///
    /// # Progress
    /// Takes the lock: may wait for a peer; asleep once the pipe is empty and the budget is spent.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::baseline::typed::bounded(4);
    /// std::thread::spawn(move || tx.send("hello").unwrap());
    /// assert_eq!(rx.recv(), Ok("hello"));
    /// assert_eq!(rx.recv(), Err(hornpipe::RecvError));
    /// ```
    pub fn recv(&self) -> Result<T, RecvError> {
        // Without a deadline the only failure is the last one.
        self.recv_until(Deadline::NEVER).map_err(|_| RecvError)
    }

    /// Receives the oldest item if there is one now.
    ///
    /// # Errors
    /// The pipe is empty, or empty and no sender is left.
    ///
    /// # Progress
    /// Takes the lock: may wait for a peer that holds it, never for an item.
    ///
    /// ```
    /// use hornpipe::TryRecvError;
    /// let (tx, rx) = hornpipe::baseline::typed::bounded::<u8>(1);
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    /// drop(tx);
    /// assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
    /// ```
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match self.pipe.attempt(|state| state.take()) {
            Some(Ok(item)) => Ok(item),
            Some(Err(Disconnected)) => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
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
    /// let (_tx, rx) = hornpipe::baseline::typed::bounded::<u8>(1);
    /// assert!(rx.recv_timeout(Duration::from_millis(1)).unwrap_err().is_timeout());
    /// ```
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
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// let (tx, rx) = hornpipe::baseline::typed::bounded(1);
    /// tx.send(1).unwrap();
    /// let end = Instant::now() + Duration::from_millis(1); // for both receives together
    /// assert_eq!(rx.recv_deadline(end), Ok(1));
    /// assert!(rx.recv_deadline(end).unwrap_err().is_timeout());
    /// ```
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Deadline::at(deadline))
    }

    fn recv_until(&self, deadline: Deadline) -> Result<T, RecvTimeoutError> {
        match self.pipe.turn(Role::Receiver, deadline, |state| state.take()) {
            Some(Ok(item)) => Ok(item),
            Some(Err(Disconnected)) => Err(RecvTimeoutError::Disconnected),
            None => Err(RecvTimeoutError::Timeout),
        }
    }

    /// Items as they come, waiting for each, until the pipe is empty and no sender is left.
    ///
    /// # Progress
    /// Wait-free; each `next` is a [`recv`](Self::recv) and may wait for a peer.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::baseline::typed::bounded(3);
    /// for n in 0..3 {
    ///     tx.send(n).unwrap();
    /// }
    /// drop(tx);
    /// assert_eq!(rx.iter().sum::<i32>(), 3);
    /// ```
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// The items that are queued now, waiting for none. It ends at the first moment without one.
    ///
    /// # Progress
    /// Wait-free; each `next` is a [`try_recv`](Self::try_recv) and may wait for a peer that holds the lock.
    ///
    /// ```
    /// let (tx, rx) = hornpipe::baseline::typed::bounded(3);
    /// tx.send(1).unwrap();
    /// tx.send(2).unwrap();
    /// assert_eq!(rx.try_iter().collect::<Vec<_>>(), [1, 2]);
    /// ```
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}
