//! No operating system: the blocking calls do not exist, so the word is only a word.

use crate::sync::atomic::{AtomicU32, Ordering};

/// The word.
pub(crate) struct Word(AtomicU32);

impl Word {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub(crate) fn bump(&self, order: Ordering) {
        self.0.fetch_add(1, order);
    }

    /// Nobody sleeps.
    pub(crate) fn wake_one(&self) -> bool {
        false
    }

    /// Nobody sleeps.
    pub(crate) fn wake_all(&self) -> bool {
        false
    }
}
