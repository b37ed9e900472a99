//! The choice that one sender and one receiver have: either ring, told apart by one branch that never changes.

#[cfg(feature = "std")]
use super::Found;
use super::cursor::Exclusive;
use super::indexed::Indexed;
use super::position::CLOSED;
use super::stamped::Stamped;
use super::{Refused, Ring, RingKind};
use crate::error::BuildError;
use core::mem::{ManuallyDrop, MaybeUninit};

/// One of the rings.
#[allow(private_interfaces, clippy::large_enum_variant)] // one a pipe, on the heap
pub enum Either<T> {
    /// Two positions.
    Indexed(Indexed<T>),
    /// A stamp a slot.
    Stamped(Stamped<T, Exclusive, Exclusive>),
}

/// `self`'s ring, whichever it is.
macro_rules! ring {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self {
            Self::Indexed(ring) => ring.$method($($argument),*),
            Self::Stamped(ring) => Ring::<T>::$method(ring, $($argument),*),
        }
    };
}

/// What one of the stamped ring's steps gave, in a register: a position, or a word that no position is.
struct Code(u64);

impl Code {
    const NOT_READY: u64 = CLOSED;
    const CLOSED: u64 = !0;

    fn new(result: Result<u64, Refused>) -> Self {
        Self(match result {
            Ok(at) => at,
            Err(Refused::NotReady) => Self::NOT_READY,
            Err(Refused::Closed) => Self::CLOSED,
        })
    }

    #[inline(always)]
    fn result(self) -> Result<u64, Refused> {
        match self.0 {
            Self::NOT_READY => Err(Refused::NotReady),
            Self::CLOSED => Err(Refused::Closed),
            at => Ok(at),
        }
    }
}

/// Out of line and marked as the less likely, so that the indexed ring's path goes inline and straight on. (No race is
/// ever lost here.)
///
/// # Safety
/// As [`Ring::push`].
#[cold]
#[inline(never)]
unsafe fn push_aside<T>(ring: &Stamped<T, Exclusive, Exclusive>, item: &ManuallyDrop<T>) -> Code {
    // SAFETY: the caller's.
    Code::new(unsafe { ring.push(item, |_| {}) })
}

/// As `push_aside`.
///
/// # Safety
/// As [`Ring::pop`].
#[cold]
#[inline(never)]
unsafe fn pop_aside<T>(ring: &Stamped<T, Exclusive, Exclusive>, to: &mut MaybeUninit<T>) -> Code {
    // SAFETY: the caller's.
    Code::new(unsafe { ring.pop(to, |_| {}) })
}

#[allow(private_interfaces)]
impl<T> Ring<T> for Either<T> {
    fn new(capacity: usize, kind: RingKind) -> Result<Self, BuildError> {
        Ok(match kind {
            RingKind::Indexed => Self::Indexed(Indexed::new(capacity, kind)?),
            RingKind::Stamped => Self::Stamped(Stamped::new(capacity, kind)?),
        })
    }

    #[inline(always)]
    unsafe fn push(&self, item: &ManuallyDrop<T>, lost: impl FnMut(u32)) -> Result<u64, Refused> {
        match self {
            // SAFETY: the caller's.
            Self::Indexed(ring) => unsafe { ring.push(item, lost) },
            // SAFETY: the caller's.
            Self::Stamped(ring) => unsafe { push_aside(ring, item) }.result(),
        }
    }

    #[inline(always)]
    unsafe fn pop(&self, to: &mut MaybeUninit<T>, lost: impl FnMut(u32)) -> Result<u64, Refused> {
        match self {
            // SAFETY: the caller's.
            Self::Indexed(ring) => unsafe { ring.pop(to, lost) },
            Self::Stamped(ring) => {
                // A place of its own, as in `Shared::recv`.
                let mut item = MaybeUninit::uninit();
                // SAFETY: the caller's.
                let at = unsafe { pop_aside(ring, &mut item) }.result();
                *to = item;
                at
            }
        }
    }

    #[inline]
    fn has_space(&self) -> bool {
        ring!(self.has_space())
    }

    #[inline]
    fn has_item(&self) -> bool {
        ring!(self.has_item())
    }

    fn awaited_space(&self, popped: u64) -> bool {
        ring!(self.awaited_space(popped))
    }

    fn awaited_item(&self, pushed: u64) -> bool {
        ring!(self.awaited_item(pushed))
    }

    #[cfg(feature = "std")]
    fn find_space(&self) -> Found {
        ring!(self.find_space())
    }

    #[cfg(feature = "std")]
    fn find_item(&self) -> Found {
        ring!(self.find_item())
    }

    fn close(&self) {
        ring!(self.close())
    }

    fn is_closed(&self) -> bool {
        ring!(self.is_closed())
    }

    fn len(&self) -> usize {
        ring!(self.len())
    }

    fn capacity(&self) -> usize {
        ring!(self.capacity())
    }

    #[cfg(feature = "std")]
    fn sent(&self) -> u64 {
        ring!(self.sent())
    }
}
