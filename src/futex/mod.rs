//! A 32-bit word that threads sleep on: `wait` if it is as expected, `wake_one`, `wake_all`.
//!
//! A wake says whether it found anybody, where that is known. `wait` may return for no reason; it never sleeps once the word has changed. A wake does not order anything:
//! what the woken thread may rely on, it reads.

cfg_if::cfg_if! {
    if #[cfg(not(feature = "std"))] {
        // Without an operating system nobody sleeps, so there is nobody to wake.
        mod absent;
        pub(crate) use absent::Word;
    } else if #[cfg(all(
        any(target_os = "linux", target_os = "android"),
        not(any(feature = "condvar", hornpipe_loom, miri))
    ))] {
        // One system call for both kinds of wait.
        mod linux;
        pub(crate) use linux::Word;
    } else {
        // No timed futex, or none at all, or a model or interpreter.
        mod fallback;
        pub(crate) use fallback::Word;
    }
}
