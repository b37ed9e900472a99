//! Wake policies: whom a publisher (a releaser, a taker) wakes when it sees sleepers. One pure function decides.
//!
//! | policy | sleepers | wakes in flight | slot at their cursor ready | answer |
//! |---|---|---|---|---|
//! | any | 0 | any | any | none |
//! | any | any | any | no | none: whoever makes it ready looks again |
//! | `Chain` | > 0 | 0 | yes | one |
//! | `Chain` | > 0 | > 0 | yes | none: the woken one hands on |
//! | `Each` | > 0 | any | yes | one |
//! | `All` | > 0 | any | yes | all |
//!
//! A thread about to sleep, and one that finds the ring full or empty, wakes as `Each` whatever the policy: should
//! the thread in flight never run, the others wait until such a call comes, and no longer.

/// Whom to wake when an item (or a slot) becomes available and threads sleep for it.
///
/// All are safe and lose nothing; they differ in system calls, and in how soon how many threads run.
///
/// ```
/// use hornpipe::{Builder, Mpmc, WakePolicy};
/// let (_tx, _rx) = Builder::<Mpmc>::new(64).wake(WakePolicy::Each).build::<u32>().unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WakePolicy {
    /// One wake in flight a side: the woken thread hands on while work and sleepers remain. The fewest system
    /// calls and context switches; most threads sleep while a few run. (Should the woken thread be suspended, the
    /// next call that finds the pipe full or empty wakes another.)
    #[default]
    Chain,
    /// One wake for each item, also while others are in flight.
    Each,
    /// All sleepers, each time: the thundering herd, to measure against.
    All,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    None,
    One,
    All,
}

/// The table above; `ready` is asked last, it may cost a cache line.
pub(crate) fn decide(
    policy: WakePolicy,
    sleepers: u32,
    in_flight: u32,
    ready: impl FnOnce() -> bool,
) -> Wake {
    if sleepers == 0 || (policy == WakePolicy::Chain && in_flight > 0) || !ready() {
        return Wake::None;
    }
    match policy {
        WakePolicy::Chain | WakePolicy::Each => Wake::One,
        WakePolicy::All => Wake::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole table.
    #[test]
    fn decisions() {
        use WakePolicy::{All, Chain, Each};
        for policy in [Chain, Each, All] {
            for sleepers in [0, 1, 2, 100] {
                for in_flight in [0, 1, 7] {
                    for ready in [false, true] {
                        let wanted = match (policy, sleepers, in_flight, ready) {
                            (_, 0, _, _) | (_, _, _, false) => Wake::None,
                            (Chain, _, 0, _) | (Each, ..) => Wake::One,
                            (Chain, ..) => Wake::None,
                            (All, ..) => Wake::All,
                        };
                        assert_eq!(decide(policy, sleepers, in_flight, || ready), wanted);
                    }
                }
            }
        }
        // Nobody sleeps: the slot is not even looked at.
        decide(Chain, 0, 0, || unreachable!());
        decide(Chain, 1, 1, || unreachable!());
    }
}
