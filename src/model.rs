//! What models set, ask and take apart: under `--cfg hornpipe_loom` only, and no public interface.

pub use crate::lockref::Lockref;
pub use crate::sync::labels::{Kind, Label, tables};
pub use crate::sync::time::advance;
pub use crate::sync::{Fences, set_fences};

use crate::ring::stamped::Stamped;
use crate::sync::spin_loop;
use crate::topology::Mpmc;
use core::mem::{ManuallyDrop, MaybeUninit};

/// The stamped ring by itself, without gates.
pub struct Ring<T>(Stamped<T, Mpmc>);

impl<T> Ring<T> {
    /// An empty ring.
    pub fn new(capacity: usize) -> Self {
        Self(Stamped::new(capacity).unwrap())
    }

    /// Reserve, write, publish; the item back if the ring is full.
    pub fn push(&self, item: T) -> Result<(), T> {
        let item = ManuallyDrop::new(item);
        match self.0.reserve(|_| spin_loop()) {
            Ok(slot) => {
                slot.publish(&item);
                Ok(())
            }
            Err(_) => Err(ManuallyDrop::into_inner(item)),
        }
    }

    /// Claim, read, release.
    pub fn pop(&self) -> Option<T> {
        let mut item = MaybeUninit::uninit();
        self.0.take(|_| spin_loop()).ok()?.release(&mut item);
        // SAFETY: `release` initialized it.
        Some(unsafe { item.assume_init() })
    }

    /// Whether no item is in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items in it.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
