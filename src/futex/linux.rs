//! Linux: futex(2). Untimed waits and wakes through atomic-wait, timed waits through the same private
//! FUTEX_WAIT with a timeout, which atomic-wait does not offer.

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::point::{Count, count};
use crate::sync::time::Deadline;
use rustix::thread::futex::{self, Timespec};

/// The word.
pub(crate) struct Word(AtomicU32);

impl Word {
    pub(crate) fn new() -> Self {
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

    pub(crate) fn wake_one(&self) {
        count(Count::FutexWake);
        atomic_wait::wake_one(&self.0);
    }

    pub(crate) fn wake_all(&self) {
        count(Count::FutexWake);
        atomic_wait::wake_all(&self.0);
    }
}
