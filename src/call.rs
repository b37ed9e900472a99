//! What one thread sleeps on until another calls it.

use crate::futex;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::point::{Point, at};
use crate::sync::time::Deadline;

/// A sleeper's own word. It says that something was decided, not what: that is under a lock, or in a word of its own.
pub(crate) struct Call(futex::Word);

impl Call {
    pub(crate) fn new() -> Self {
        Self(futex::Word::new())
    }

    /// What it says until the next call. (Relaxed, as all here: who sees it change looks at what was decided.)
    pub(crate) fn seen(&self) -> u32 {
        self.0.load(Relaxed)
    }

    /// Sleeps until it says something else than was `seen`. False: the deadline passed.
    pub(crate) fn wait(&self, seen: u32, deadline: Deadline) -> bool {
        while self.seen() == seen {
            if deadline.passed() {
                return false;
            }
            self.0.wait(seen, deadline);
        }
        true
    }

    /// Calls; where that is under a lock the system call comes later.
    pub(crate) fn make(&self) {
        self.0.bump(Relaxed);
    }

    /// The system call.
    pub(crate) fn rouse(&self) {
        at(Point::BeforeWake);
        self.0.wake_one();
    }

    /// Makes the sleeper look again for no reason.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    pub(crate) fn disturb(&self) {
        self.0.wake_one();
    }
}
