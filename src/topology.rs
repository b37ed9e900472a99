//! How many senders and receivers a pipe may have, as types.

use crate::ring::cursor::{Cursor, Shared};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Mpmc {}
}

/// How many threads may hold each end. Sealed: [`Mpmc`] is the one there is so far.
pub trait Topology: sealed::Sealed + 'static {
    /// How the senders' cursor moves.
    #[doc(hidden)]
    type Tx: Cursor;
    /// How the receivers' cursor moves.
    #[doc(hidden)]
    type Rx: Cursor;
}

/// Many senders, many receivers: both handles can be cloned and shared. A type without values, to name in
/// [`Builder`](crate::Builder)'s and the ends' parameters.
///
/// ```
/// use hornpipe::{Builder, Mpmc, Receiver, Sender};
/// let (tx, rx): (Sender<u8, Mpmc>, Receiver<u8, Mpmc>) = Builder::<Mpmc>::new(4).build().unwrap();
/// let _more = (tx.clone(), rx.clone());
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Mpmc {}

impl Topology for Mpmc {
    type Tx = Shared;
    type Rx = Shared;
}
