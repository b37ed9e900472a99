//! Elsewhere, under feature `condvar`, and in models: a mutex and a condition variable beside each word.
//!
//! The waker takes the lock between the change of the word and the notification, so a waiter that read the old
//! value under the lock is asleep by then.

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::point::{Count, count};
use crate::sync::time::Deadline;
use crate::sync::{Condvar, Mutex, constructor};

/// The word, and where its sleepers are.
pub(crate) struct Word {
    word: AtomicU32,
    lock: Mutex,
    sleepers: Condvar,
}

impl Word {
    constructor! {
        /// At 0.
        pub(crate) fn new() -> Self {
            Self { word: AtomicU32::new(0), lock: Mutex::new(), sleepers: Condvar::new() }
        }
    }

    #[inline]
    pub(crate) fn load(&self, order: Ordering) -> u32 {
        self.word.load(order)
    }

    /// Changes it, so that nobody falls asleep on an older value.
    #[inline]
    pub(crate) fn bump(&self, order: Ordering) {
        self.word.fetch_add(1, order);
    }

    /// Sleeps while the word is `expected`, until a wake or the deadline, or for no reason.
    pub(crate) fn wait(&self, expected: u32, deadline: Deadline) {
        count(Count::FutexWait);
        let guard = self.lock.lock();
        // Relaxed: the futex's own contract, it orders nothing.
        if self.word.load(Ordering::Relaxed) == expected && !deadline.passed() {
            self.sleepers.wait(guard, deadline);
        }
    }

    /// A condition variable does not say whether it found anybody: yes.
    pub(crate) fn wake_one(&self) -> bool {
        count(Count::FutexWake);
        drop(self.lock.lock());
        self.sleepers.notify_one();
        true
    }

    /// As `wake_one`.
    pub(crate) fn wake_all(&self) -> bool {
        count(Count::FutexWake);
        drop(self.lock.lock());
        self.sleepers.notify_all();
        true
    }
}
