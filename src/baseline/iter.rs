//! A receiver's items as iterators: waiting or not, borrowing or owning.

use super::typed::Receiver;
use std::iter::FusedIterator;

/// Borrowing iterator that waits: [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    pub(super) receiver: &'a Receiver<T>,
}

/// Borrowing iterator that does not wait: [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T> {
    pub(super) receiver: &'a Receiver<T>,
}

/// Owning iterator that waits: `for item in receiver`.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

// Disconnected is for ever. (`TryIter` is not fused: more may come.)
impl<T> FusedIterator for Iter<'_, T> {}
impl<T> FusedIterator for IntoIter<T> {}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
