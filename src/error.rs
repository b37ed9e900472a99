//! Errors, named as crossbeam-channel names them, so that moving over is a change of `use`.
//!
//! Every sending error gives the item back; `Debug` and `Display` never ask anything of `T`.

use core::error::Error;
use core::fmt;

/// [`build`](crate::Builder::build) failed; nothing is left behind.
///
/// ```
/// use hornpipe::{BuildError, Builder, Mpmc};
/// let refused = |capacity| Builder::<Mpmc>::new(capacity).build::<u64>().unwrap_err();
/// assert_eq!(refused(0), BuildError::ZeroCapacity);
/// assert_eq!(refused(usize::MAX), BuildError::CapacityTooLarge { requested: usize::MAX });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A capacity of zero items was asked for; a pipe holds at least one.
    ZeroCapacity,
    /// So many items do not fit an address space or the ring's position word.
    CapacityTooLarge {
        /// The capacity asked for, in items.
        requested: usize,
    },
    /// The allocator refused the memory for the slots.
    OutOfMemory {
        /// The capacity asked for, in items.
        requested: usize,
    },
    /// The indexed ring was asked for by a topology that may have more than one sender or receiver.
    IndexedNeedsSpsc,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::ZeroCapacity => {
                f.write_str("a pipe holds at least one item: the capacity must not be zero")
            }
            BuildError::CapacityTooLarge { requested } => {
                write!(f, "a pipe of {requested} items is too large: its slots would not fit in memory")
            }
            BuildError::OutOfMemory { requested } => {
                write!(f, "there is no memory for a pipe of {requested} items")
            }
            BuildError::IndexedNeedsSpsc => f.write_str(
                "the indexed ring serves one sender and one receiver: build it with Spsc, or take the stamped ring",
            ),
        }
    }
}

impl Error for BuildError {}

/// A [`Lockref`](crate::Lockref)'s count was left as it was.
///
/// ```
/// use hornpipe::{CountError, Lockref};
/// let lockref = Lockref::new(Lockref::MAX);
/// assert_eq!(lockref.get(), Err(CountError::Overflow));
/// assert_eq!(lockref.count(), Lockref::MAX);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountError {
    /// It is at its maximum.
    Overflow,
    /// It is 0: there was nothing to put.
    Underflow,
    /// It is 0, or would become 0, which the call was to refuse.
    Zero,
    /// It was marked dead.
    Dead,
    /// Somebody holds the lock, or was faster too many times: take the lock.
    Busy,
}

impl fmt::Display for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CountError::Overflow => "the count is at its maximum: were references forgotten in a loop?",
            CountError::Underflow => "the count is 0: something was put that was never got",
            CountError::Zero => "the count is 0 or would become 0",
            CountError::Dead => "the count is dead: its object is being taken down",
            CountError::Busy => "the count is locked, or too many others change it: take the lock",
        })
    }
}

impl Error for CountError {}

/// [`send`](crate::Sender::send) failed since no receiver is left; the item comes back.
///
/// ```
/// let (tx, rx) = hornpipe::mpmc::bounded(1);
/// drop(rx);
/// let error = tx.send("item").unwrap_err();
/// assert_eq!(error.into_inner(), "item");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// [`try_send`](crate::Sender::try_send) failed; the item comes back.
///
/// ```
/// let (tx, rx) = hornpipe::mpmc::bounded(1);
/// tx.try_send(1).unwrap();
/// let error = tx.try_send(2).unwrap_err();
/// assert!(error.is_full());
/// drop(rx);
/// let error = tx.try_send(error.into_inner()).unwrap_err();
/// assert!(error.is_disconnected());
/// assert_eq!(error.into_inner(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// No slot is free now.
    Full(T),
    /// No receiver is left.
    Disconnected(T),
}

/// [`send_timeout`](crate::Sender::send_timeout) or [`send_deadline`](crate::Sender::send_deadline) failed; the
/// item comes back.
///
/// ```
/// use std::time::Duration;
/// let (tx, rx) = hornpipe::mpmc::bounded(1);
/// tx.send(1).unwrap();
/// let error = tx.send_timeout(2, Duration::from_millis(1)).unwrap_err();
/// assert!(error.is_timeout());
/// drop(rx);
/// let error = tx.send_timeout(error.into_inner(), Duration::MAX).unwrap_err();
/// assert!(error.is_disconnected());
/// assert_eq!(error.into_inner(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// No slot came free in time.
    Timeout(T),
    /// No receiver is left.
    Disconnected(T),
}

/// [`recv`](crate::Receiver::recv) failed: the pipe is empty and no sender is left.
///
/// ```
/// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
/// drop(tx);
/// assert_eq!(rx.recv(), Err(hornpipe::RecvError));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvError;

/// [`try_recv`](crate::Receiver::try_recv) failed.
///
/// ```
/// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
/// assert!(rx.try_recv().unwrap_err().is_empty());
/// drop(tx);
/// assert!(rx.try_recv().unwrap_err().is_disconnected());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryRecvError {
    /// No item is receivable now.
    Empty,
    /// The pipe is empty and no sender is left.
    Disconnected,
}

/// [`recv_timeout`](crate::Receiver::recv_timeout) or [`recv_deadline`](crate::Receiver::recv_deadline) failed.
///
/// ```
/// use std::time::Duration;
/// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
/// assert!(rx.recv_timeout(Duration::from_millis(1)).unwrap_err().is_timeout());
/// drop(tx);
/// assert!(rx.recv_timeout(Duration::MAX).unwrap_err().is_disconnected());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecvTimeoutError {
    /// No item came in time.
    Timeout,
    /// The pipe is empty and no sender is left.
    Disconnected,
}

impl<T> SendError<T> {
    /// Gives the item back.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> TrySendError<T> {
    /// Gives the item back.
    pub fn into_inner(self) -> T {
        match self {
            TrySendError::Full(item) | TrySendError::Disconnected(item) => item,
        }
    }

    /// Whether no slot was free.
    pub fn is_full(&self) -> bool {
        matches!(self, TrySendError::Full(_))
    }

    /// Whether no receiver was left.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, TrySendError::Disconnected(_))
    }
}

impl<T> SendTimeoutError<T> {
    /// Gives the item back.
    pub fn into_inner(self) -> T {
        match self {
            SendTimeoutError::Timeout(item) | SendTimeoutError::Disconnected(item) => item,
        }
    }

    /// Whether no slot came free in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, SendTimeoutError::Timeout(_))
    }

    /// Whether no receiver was left.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, SendTimeoutError::Disconnected(_))
    }
}

impl TryRecvError {
    /// Whether no item was receivable.
    pub fn is_empty(&self) -> bool {
        matches!(self, TryRecvError::Empty)
    }

    /// Whether no sender was left and nothing queued.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, TryRecvError::Disconnected)
    }
}

impl RecvTimeoutError {
    /// Whether no item came in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, RecvTimeoutError::Timeout)
    }

    /// Whether no sender was left and nothing queued.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, RecvTimeoutError::Disconnected)
    }
}

/// `Debug` without `T: Debug`: the item is never printed.
macro_rules! opaque_debug {
    ($($name:ident: $($variant:ident)|+;)+) => {$(
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($name::$variant(..) => f.write_str(concat!(stringify!($variant), "(..)")),)+
                }
            }
        }
    )+};
}

opaque_debug! {
    TrySendError: Full | Disconnected;
    SendTimeoutError: Timeout | Disconnected;
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError { .. }")
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sending on a disconnected pipe")
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "sending on a full pipe",
            TrySendError::Disconnected(_) => "sending on a disconnected pipe",
        })
    }
}

impl<T> fmt::Display for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendTimeoutError::Timeout(_) => "timed out waiting on send operation",
            SendTimeoutError::Disconnected(_) => "sending on a disconnected pipe",
        })
    }
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("receiving on an empty and disconnected pipe")
    }
}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TryRecvError::Empty => "receiving on an empty pipe",
            TryRecvError::Disconnected => "receiving on an empty and disconnected pipe",
        })
    }
}

impl fmt::Display for RecvTimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RecvTimeoutError::Timeout => "timed out waiting on receive operation",
            RecvTimeoutError::Disconnected => "receiving on an empty and disconnected pipe",
        })
    }
}

impl<T> Error for SendError<T> {}
impl<T> Error for TrySendError<T> {}
impl<T> Error for SendTimeoutError<T> {}
impl Error for RecvError {}
impl Error for TryRecvError {}
impl Error for RecvTimeoutError {}

impl<T> From<SendError<T>> for TrySendError<T> {
    fn from(error: SendError<T>) -> Self {
        TrySendError::Disconnected(error.0)
    }
}

impl<T> From<SendError<T>> for SendTimeoutError<T> {
    fn from(error: SendError<T>) -> Self {
        SendTimeoutError::Disconnected(error.0)
    }
}

impl From<RecvError> for TryRecvError {
    fn from(_: RecvError) -> Self {
        TryRecvError::Disconnected
    }
}

impl From<RecvError> for RecvTimeoutError {
    fn from(_: RecvError) -> Self {
        RecvTimeoutError::Disconnected
    }
}
