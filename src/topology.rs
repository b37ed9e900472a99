//! How many senders and receivers a pipe may have, as types.

use crate::ring::cursor::{Cursor, Exclusive, Shared};
use crate::ring::either::Either;
use crate::ring::stamped::Stamped;
use crate::ring::{Ring, RingKind};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Spsc {}
    impl Sealed for super::Mpsc {}
    impl Sealed for super::Spmc {}
    impl Sealed for super::Mpmc {}
    /// A cursor that any number of threads may move.
    #[diagnostic::on_unimplemented(
        message = "this end of the pipe is a single one: it cannot be cloned, or used by two threads at once",
        note = "move it to one thread, or take a topology with many ends on this side, such as `hornpipe::mpmc`"
    )]
    pub trait Many {}
    impl Many for crate::ring::cursor::Shared {}
}

/// How many threads may hold each end: [`Spsc`], [`Mpsc`], [`Spmc`] or [`Mpmc`]. Sealed.
///
/// ```
/// use hornpipe::{Receiver, Topology};
/// fn sum<K: Topology>(rx: Receiver<u32, K>) -> u32 {
///     rx.iter().sum()
/// }
/// let (tx, rx) = hornpipe::spsc::bounded(2);
/// tx.send(1).unwrap();
/// drop(tx);
/// assert_eq!(sum(rx), 1);
/// ```
#[allow(private_interfaces, private_bounds)]
pub trait Topology: sealed::Sealed + 'static {
    /// How the senders' cursor moves.
    #[doc(hidden)]
    type Tx: Cursor;
    /// How the receivers' cursor moves.
    #[doc(hidden)]
    type Rx: Cursor;
    /// What carries the items.
    #[doc(hidden)]
    type Ring<T>: Ring<T>;
    /// Which of the rings, where nobody says.
    #[doc(hidden)]
    fn ring(capacity: usize) -> RingKind;
}

/// Topologies with many senders: their [`Sender`](crate::Sender) can be cloned and shared. Sealed.
///
/// ```
/// use hornpipe::{ManySenders, Sender};
/// fn two<T, K: ManySenders>(tx: Sender<T, K>) -> [Sender<T, K>; 2] {
///     [tx.clone(), tx]
/// }
/// let (tx, _rx) = hornpipe::mpsc::bounded::<u8>(1);
/// assert_eq!(two(tx)[0].sender_count(), 2);
/// ```
pub trait ManySenders: Topology<Tx: sealed::Many> {}
impl<K: Topology<Tx: sealed::Many>> ManySenders for K {}

/// Topologies with many receivers: their [`Receiver`](crate::Receiver) can be cloned and shared. Sealed.
///
/// ```
/// use hornpipe::{ManyReceivers, Receiver};
/// fn two<T, K: ManyReceivers>(rx: Receiver<T, K>) -> [Receiver<T, K>; 2] {
///     [rx.clone(), rx]
/// }
/// let (_tx, rx) = hornpipe::spmc::bounded::<u8>(1);
/// assert_eq!(two(rx)[0].receiver_count(), 2);
/// ```
pub trait ManyReceivers: Topology<Rx: sealed::Many> {}
impl<K: Topology<Rx: sealed::Many>> ManyReceivers for K {}

/// In smaller rings the item and its stamp, on one line, beat the position on another (arch-notes/decisions.md).
const INDEXED_FROM: usize = 32;

/// Declares a topology: its cursors, its ring and that one's kind.
macro_rules! topology {
    ($(#[$doc:meta])* $name:ident: $tx:ty, $rx:ty, $ring:ty, $kind:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        #[allow(private_interfaces)]
        impl Topology for $name {
            type Tx = $tx;
            type Rx = $rx;
            type Ring<T> = $ring;

            fn ring(capacity: usize) -> RingKind {
                if capacity < INDEXED_FROM { RingKind::Stamped } else { RingKind::$kind }
            }
        }
    };
}

topology! {
    /// One sender, one receiver: neither handle can be cloned or shared, both can be sent to another thread. A type
    /// without values, to name in [`Builder`](crate::Builder)'s and the ends' parameters.
    ///
    /// ```
    /// use hornpipe::{Builder, Receiver, Sender, Spsc};
    /// let (tx, rx): (Sender<u8, Spsc>, Receiver<u8, Spsc>) = Builder::<Spsc>::new(4).build().unwrap();
    /// std::thread::spawn(move || tx.send(1).unwrap());
    /// assert_eq!(rx.recv(), Ok(1));
    /// ```
    Spsc: Exclusive, Exclusive, Either<T>, Indexed
}

topology! {
    /// Many senders, one receiver.
    ///
    /// ```
    /// use hornpipe::{Builder, Mpsc};
    /// let (tx, rx) = Builder::<Mpsc>::new(4).build().unwrap();
    /// let more = tx.clone();
    /// std::thread::spawn(move || more.send(1).unwrap());
    /// assert_eq!(rx.recv(), Ok(1));
    /// ```
    Mpsc: Shared, Exclusive, Stamped<T, Shared, Exclusive>, Stamped
}

topology! {
    /// One sender, many receivers.
    ///
    /// ```
    /// use hornpipe::{Builder, Spmc};
    /// let (tx, rx) = Builder::<Spmc>::new(4).build().unwrap();
    /// let more = rx.clone();
    /// tx.send(1).unwrap();
    /// assert_eq!(more.recv(), Ok(1));
    /// ```
    Spmc: Exclusive, Shared, Stamped<T, Exclusive, Shared>, Stamped
}

topology! {
    /// Many senders, many receivers: both handles can be cloned and shared.
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc, Receiver, Sender};
    /// let (tx, rx): (Sender<u8, Mpmc>, Receiver<u8, Mpmc>) = Builder::<Mpmc>::new(4).build().unwrap();
    /// let _more = (tx.clone(), rx.clone());
    /// ```
    Mpmc: Shared, Shared, Stamped<T, Shared, Shared>, Stamped
}
