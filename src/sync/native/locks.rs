//! What the futex fallback sleeps on: std's mutex and condition variable.

use crate::sync::time::Deadline;
use std::sync::{MutexGuard, PoisonError};

/// std's mutex, without poison: nothing that can panic runs under it.
pub(crate) struct Mutex(std::sync::Mutex<()>);

impl Mutex {
    pub(crate) const fn new() -> Self {
        Self(std::sync::Mutex::new(()))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// std's condition variable, waiting until a deadline.
pub(crate) struct Condvar(std::sync::Condvar);

impl Condvar {
    pub(crate) const fn new() -> Self {
        Self(std::sync::Condvar::new())
    }

    /// Sleeps until notified or the deadline, or for no reason.
    pub(crate) fn wait(&self, guard: MutexGuard<'_, ()>, deadline: Deadline) {
        match deadline.left() {
            None => drop(self.0.wait(guard)),
            Some(left) => drop(self.0.wait_timeout(guard, left)),
        }
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
