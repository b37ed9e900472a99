//! Many senders, many receivers.

use crate::builder::Builder;

/// The sending end: clone it, share it.
pub type Sender<T> = crate::Sender<T, crate::Mpmc>;
/// The receiving end: clone it, share it.
pub type Receiver<T> = crate::Receiver<T, crate::Mpmc>;

/// A pipe that holds exactly `capacity` items, with every setting's default.
///
/// # Panics
/// Where [`Builder::build`] returns an error, with its sentence: capacity 0, or too large to be had.
///
/// # Progress
/// As [`Builder::build`]: waits for no peer, but allocates.
///
/// ```
/// let (tx, rx) = hornpipe::mpmc::bounded(2);
/// tx.send(1).unwrap();
/// assert_eq!(rx.recv(), Ok(1));
/// ```
#[track_caller]
pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    match Builder::new(capacity).build() {
        Ok(ends) => ends,
        Err(error) => panic!("{error}"),
    }
}
