//! Stall points: named places in the algorithms where a test may hold a thread, and counters beside them.
//!
//! Nothing of it is compiled without `--cfg hornpipe_hooks`: `at` and `count` are empty then. (Models have points of
//! their own, and no counters.)

/// A place where a hook may hold the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(any(hornpipe_hooks, hornpipe_loom)), allow(dead_code))]
pub enum Point {
    /// A slot is claimed, not yet published or released.
    Claimed,
    /// Between the two index loads of a waiter's re-check.
    BetweenLoads,
    /// Registered as a waiter, before the re-check.
    Announced,
    /// Left the wait, before the retry.
    Woken,
    /// A waiter was chosen, before the futex call that wakes it.
    BeforeWake,
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(hornpipe_hooks), allow(dead_code))]
pub(crate) enum Count {
    FutexWait,
    FutexWake,
    Retry,
}

cfg_if::cfg_if! {
    if #[cfg(hornpipe_loom)] {
        mod modelled;
        pub(crate) use modelled::at;
        pub use modelled::at_next;
    } else if #[cfg(all(hornpipe_hooks, feature = "std"))] {
        mod hooked;
        pub use hooked::{Counters, Guard, counters, fail_barriers, on, thread_counters};
        pub(crate) use hooked::{at, barrier_fails, count};
    } else {
        /// A stall point.
        #[inline(always)]
        pub(crate) fn at(_: Point) {}
    }
}

cfg_if::cfg_if! {
    if #[cfg(any(hornpipe_loom, not(all(hornpipe_hooks, feature = "std"))))] {
        /// Whether a test makes the barrier fail.
        #[inline(always)]
        #[allow(dead_code)] // where there is no barrier nobody asks
        pub(crate) const fn barrier_fails() -> bool {
            false
        }

        /// Counts an event.
        #[inline(always)]
        pub(crate) fn count(_: Count) {}
    }
}
