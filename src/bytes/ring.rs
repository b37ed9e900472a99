//! What a byte pipe asks of the ring that carries its bytes.

use super::options::Asked;
use super::slices::{Sink, Source};
use crate::ring::Found;
use crate::sync::time::Deadline;
use std::io;

/// How long a call may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// Not at all.
    Now,
    /// Until then.
    Deadline(Deadline),
}

impl Until {
    /// As long as it takes.
    pub(crate) const NEVER: Self = Self::Deadline(Deadline::NEVER);
}

/// Why nothing was moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// No room for a writer, no bytes for a reader.
    NotReady,
    /// Another call of this side's is in the way, and was so until this one may wait no longer.
    Behind,
    /// It was, and is no more.
    Again,
}

/// What a take leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Took {
    /// Perhaps more that the same read may take.
    Part,
    /// Nothing for this read.
    All,
}

/// A ring of bytes.
#[doc(hidden)]
#[allow(private_interfaces, private_bounds)]
pub trait Ring: Sized {
    /// A writer's place among writers, from its call's beginning to its end.
    type Turn<'a>
    where
        Self: 'a;

    /// Whether a side's peers may act without seeing that it sleeps: there is one thread a side, and no claim.
    const UNSEEN: bool;

    /// Empty.
    fn new(asked: &Asked) -> io::Result<Self>;

    /// A call's, which is about to write so many bytes.
    fn turn(&self, bytes: usize) -> Self::Turn<'_>;

    /// Puts as many bytes in, from the front of what is not empty, as may go in now; some on Ok.
    ///
    /// # Safety
    /// If there is one writer, that one calls.
    unsafe fn put<'a>(
        &'a self,
        turn: &mut Self::Turn<'a>,
        from: &mut impl Source,
        until: Until,
    ) -> Result<(), Stuck>;

    /// Takes as many bytes out as there are and go into what is not full; some on Ok. A long one tells `made_room` meanwhile.
    ///
    /// # Safety
    /// If there is one reader, that one calls.
    unsafe fn take(&self, into: &mut impl Sink, until: Until, made_room: impl Fn()) -> Result<Took, Stuck>;

    /// Whether the writer that waits for room would find it. It may say yes too early, then that one looks again; never no too
    /// late.
    fn has_room(&self) -> bool;

    /// Whether a reader would find bytes; as above.
    fn has_bytes(&self) -> bool;

    /// The same for a waiting writer, after its announcement.
    fn find_room(&self) -> Found;

    /// The same for a waiting reader.
    fn find_bytes(&self) -> Found;

    /// Wakes for no reason whoever sleeps elsewhere than at a gate.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    fn disturb(&self) {}

    /// Writes so far, or parts of them, as far as they fit: for measures of distance.
    fn writes(&self) -> u64;

    /// Bytes in it.
    fn len(&self) -> usize;

    /// In bytes.
    fn capacity(&self) -> usize;
}
