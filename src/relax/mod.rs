//! What a thread does between two looks, with two verbs that are two questions.
//!
//! [`retry`](Relax::retry): it lost a compare-exchange, so another thread made progress, and on x86 the line is here now.
//! [`wait`](Relax::wait): it needs another thread's progress first. Linux asked the first for lockref and took
//! the pause out for every architecture (f5fe24ef17b5); the second is where a pause belongs. What a hint is, and what a
//! lost compare-exchange leaves behind, by architecture: arch-notes/relax.

use crate::sync::{hint_nanos, no_hint, spin_loop};
use core::num::NonZeroU8;
use core::time::Duration;

cfg_if::cfg_if! {
    if #[cfg(any(target_arch = "x86", target_arch = "x86_64"))] {
        // A failed cmpxchg leaves the line with its loser; PAUSE is 10 to 140 cycles.
        mod x86;
        use x86 as arch;
    } else if #[cfg(any(target_arch = "aarch64", target_arch = "arm"))] {
        // spin_loop is ISB (aarch64) or YIELD (arm).
        mod arm;
        use arm as arch;
    } else {
        // spin_loop is what there is: Zihintpause on RISC-V, IBAR on LoongArch, nothing on POWER and s390x.
        mod generic;
        use generic as arch;
    }
}

/// What to do between two tries of a loop.
///
/// Which is best is a question of the architecture and of the load; each pipe can choose
/// ([`Builder::retry`](crate::Builder::retry), [`Builder::wait`](crate::Builder::wait)), each build can
/// (`--cfg hornpipe_retry="none|hint|backoff"`), and each architecture has defaults. It changes time only,
/// never a result. Where `core::hint::spin_loop` is nothing (POWER, s390x, wasm) every value is [`None`](Relax::None).
///
/// ```
/// use hornpipe::{Builder, Mpmc, Relax};
/// use std::time::Duration;
/// let backoff = Relax::Backoff { max: Duration::from_micros(2) };
/// let (_tx, _rx) = Builder::<Mpmc>::new(64).retry(backoff).wait(Relax::Hint).build::<u32>().unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relax {
    /// Try again at once.
    None,
    /// One `core::hint::spin_loop` (PAUSE on x86, ISB on aarch64).
    Hint,
    /// So many of them.
    Hints(NonZeroU8),
    /// Twice as many each time, until one back-off takes about `max`.
    Backoff {
        /// The longest back-off, in time; at least one hint is given. What a hint takes is measured once.
        max: Duration,
    },
}

/// What `--cfg hornpipe_retry` asks for.
const ASKED: Option<Relax> = if cfg!(hornpipe_retry = "none") {
    Some(Relax::None)
} else if cfg!(hornpipe_retry = "hint") {
    Some(Relax::Hint)
} else if cfg!(hornpipe_retry = "backoff") {
    Some(Relax::Backoff { max: Duration::from_micros(2) })
} else {
    None
};

impl Relax {
    /// What this build does after a lost compare-exchange where the pipe does not say: the cfg's choice, else
    /// the architecture's.
    pub const RETRY: Relax = match ASKED {
        Some(relax) => relax,
        None => arch::RETRY,
    };

    /// What this architecture does between two looks while it waits, where the pipe does not say: two hints on
    /// x86, one elsewhere.
    pub const WAIT: Relax = arch::WAIT;

    /// After the `lost`th lost compare-exchange in a row (from 1).
    #[inline]
    pub(crate) fn retry(self, lost: u32) {
        self.relax(lost);
    }

    /// Before the next look at what another thread has to change; `looked` counts from 1.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn wait(self, looked: u32) {
        self.relax(looked);
    }

    #[inline]
    fn relax(self, times: u32) {
        match self {
            Relax::None => no_hint(),
            Relax::Hint => spin_loop(),
            Relax::Hints(hints) => hint(u32::from(hints.get())),
            Relax::Backoff { max } => hint((1 << times.min(20)).min(hints_in(max))),
        }
    }

    /// How many hints one step of `self` takes at most, for pacing.
    #[cfg(feature = "std")]
    pub(crate) fn hints(self) -> u32 {
        match self {
            Relax::None => 0,
            Relax::Hint => 1,
            Relax::Hints(hints) => u32::from(hints.get()),
            Relax::Backoff { max } => hints_in(max),
        }
    }
}

impl Default for Relax {
    /// [`Relax::RETRY`].
    fn default() -> Self {
        Relax::RETRY
    }
}

#[inline]
fn hint(times: u32) {
    for _ in 0..times {
        spin_loop();
    }
}

/// How many hints fit into `time`, at least one.
fn hints_in(time: Duration) -> u32 {
    let nanos = u32::try_from(time.as_nanos()).unwrap_or(u32::MAX);
    (nanos / hint_nanos()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A back-off grows and stops at its maximum; a maximum of zero still ends.
    #[test]
    fn backoff_is_bounded() {
        let max = Duration::from_micros(50);
        let start = std::time::Instant::now();
        for lost in 1..40 {
            Relax::Backoff { max }.retry(lost);
        }
        assert!(start.elapsed() < Duration::from_secs(1), "40 back-offs of at most 50 us");
        Relax::Backoff { max: Duration::ZERO }.retry(u32::MAX);
        assert_eq!(hints_in(Duration::ZERO), 1);
        assert!(hints_in(Duration::MAX) >= hints_in(max));
    }

    /// A hint is calibrated to something a processor could do.
    #[test]
    fn a_hint_takes_nanoseconds() {
        assert!((1..10_000).contains(&hint_nanos()));
    }
}
