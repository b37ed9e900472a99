//! Linux: futex(2). Untimed waits through atomic-wait; what that does not offer, a timeout and the number of the woken,
//! through the same private calls of rustix.

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::point::{Count, count};
use crate::sync::time::Deadline;
use rustix::thread::futex::{self, Timespec};

/// The word.
pub(crate) struct Word(AtomicU32);

impl Word {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    #[inline]
    pub(crate) fn load(&self, order: Ordering) -> u32 {
        self.0.load(order)
    }

    /// Changes it, so that nobody falls asleep on an older value.
    #[inline]
    pub(crate) fn bump(&self, order: Ordering) {
        self.0.fetch_add(1, order);
    }

    /// Sleeps while the word is `expected`, until a wake or the deadline, or for no reason.
    pub(crate) fn wait(&self, expected: u32, deadline: Deadline) {
        count(Count::FutexWait);
        // A duration that the kernel's clock cannot hold is as good as for ever.
        match deadline.left().map(Timespec::try_from) {
            // An error is a change of the word, a signal or the time: the caller looks again anyway.
            Some(Ok(left)) => drop(futex::wait(&self.0, futex::Flags::PRIVATE, expected, Some(&left))),
            None | Some(Err(_)) => atomic_wait::wait(&self.0, expected),
        }
    }

    /// Whether anybody slept.
    pub(crate) fn wake_one(&self) -> bool {
        self.wake(1)
    }

    /// Whether anybody slept.
    pub(crate) fn wake_all(&self) -> bool {
        self.wake(i32::MAX as u32)
    }

    fn wake(&self, sleepers: u32) -> bool {
        count(Count::FutexWake);
        futex::wake(&self.0, futex::Flags::PRIVATE, sleepers).is_ok_and(|woken| woken > 0)
    }
}
