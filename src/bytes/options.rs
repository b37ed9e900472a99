//! How a byte pipe is laid out.

use super::error::invalid;
use super::pieces::LONGEST;
use std::io;

/// How much of a write's part beyond whole pieces goes behind what the last piece holds. (In Linux's history: February 2025,
/// arch-notes/kernel/k3.md.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Merge {
    /// All of it or nothing, as in Linux's pipe.
    #[default]
    Whole,
    /// As much as fits; the rest begins the next piece, which must be free, so that a write that may not be torn is not.
    Fits,
}

/// Default bytes in a piece, and in a write that is never torn.
const PAGE: usize = 4096;

/// In pieces.
const MOST: usize = isize::MAX as usize;

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) capacity: usize,
    pub(crate) piece: Option<usize>,
    pub(crate) atomic: Option<usize>,
    pub(crate) merge: Merge,
    pub(crate) packets: bool,
}

impl Asked {
    pub(crate) const fn new(capacity: usize) -> Self {
        Self { capacity, piece: None, atomic: None, merge: Merge::Whole, packets: false }
    }

    /// In bytes, if there may be so many.
    pub(super) fn capacity(&self, most: usize) -> io::Result<usize> {
        checked(self.capacity, most)
    }

    /// The pieces, and how many.
    pub(super) fn layout(&self) -> io::Result<(Layout, usize)> {
        let capacity = self.capacity(MOST)?;
        let piece = self.piece.unwrap_or(capacity.min(PAGE));
        if piece == 0 || piece > LONGEST {
            return Err(invalid("a piece has at least one byte and less than 2^30"));
        }
        let mut layout = Layout { piece, atomic: 0, merge: self.merge, packets: self.packets };
        let count = layout.count(capacity)?;
        layout.atomic = self.atomic.unwrap_or(PAGE.min(count * piece));
        layout.count(capacity).map(|count| (layout, count))
    }
}

/// The capacity, if there may be so many bytes.
fn checked(capacity: usize, most: usize) -> io::Result<usize> {
    match capacity {
        0 => Err(invalid("a byte pipe holds at least one byte: the capacity must not be zero")),
        capacity if capacity > most => Err(too_large()),
        capacity => Ok(capacity),
    }
}

#[cold]
fn too_large() -> io::Error {
    invalid("a byte pipe of this capacity cannot be addressed")
}

/// How the pieces of a pipe are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Bytes in a piece.
    pub(super) piece: usize,
    /// A write that is not longer is not torn.
    pub(super) atomic: usize,
    pub(super) merge: Merge,
    /// Whether each piece is a packet.
    pub(super) packets: bool,
}

impl Layout {
    /// So many pieces make up `capacity` bytes.
    pub(super) fn count(&self, capacity: usize) -> io::Result<usize> {
        let count = checked(capacity, MOST)?.div_ceil(self.piece);
        match count.checked_mul(self.piece) {
            Some(bytes) if bytes <= MOST => {
                if self.atomic > bytes {
                    return Err(invalid(
                        "the atomic size is above the capacity: such a write could never go in",
                    ));
                }
                Ok(count)
            }
            _ => Err(too_large()),
        }
    }

    /// Whether a write of so many bytes must not be torn.
    pub(super) fn is_whole(&self, bytes: usize) -> bool {
        bytes <= self.atomic
    }
}
