//! Wake policies: whom a call wakes when it sees sleepers. One pure function decides, by the table of [`WakePolicy`].

/// Whom to wake when an item (or a slot) becomes available and threads sleep for it.
///
/// All are safe and lose nothing; they differ in system calls, and in how soon how many threads run. The last three are
/// the Linux pipe's (pipe_read, January 2025), which differ from each other on pages, of which a read may free none; on
/// a ring, where each receive frees a slot, the first two of them coincide.
///
/// A call *makes* a slot ready (it published or released one), *hands on* (it moved a cursor, and may have uncovered a slot
/// that was ready before), or is *stuck* (it found the pipe full or empty). An *edge* is a slot made ready that the
/// sleepers' cursor had come to: until then the pipe was empty (full) for them. *In flight* are threads that were woken
/// and have not run yet.
///
/// | policy | call | sleepers | in flight | slot at their cursor ready | wakes |
/// |---|---|---|---|---|---|
/// | any | any | 0 | any | any | nobody |
/// | any | any | any | any | no | nobody: whoever makes it ready looks again |
/// | any | stuck | > 0 | any | yes | one: should the thread in flight never run, nobody depends on it |
/// | `Chain` | makes, hands on | > 0 | 0 | yes | one |
/// | `Chain` | makes, hands on | > 0 | > 0 | yes | nobody: the woken one hands on |
/// | `Each` | makes, hands on | > 0 | any | yes | one |
/// | `All` | makes, hands on | > 0 | any | yes | all |
/// | `OnEdge` | makes, and the pipe was full (empty) when the call began (a ring looks when it ends) | > 0 | any | yes | one |
/// | `OnRelease` | makes, and that is an edge | > 0 | any | yes | one |
/// | `OnEdge`, `OnRelease` | makes otherwise | > 0 | any | yes | nobody: whom the edge woke hands on |
/// | `Proactive` | makes | > 0 | any | yes | one |
/// | `OnEdge`, `OnRelease`, `Proactive` | hands on | > 0 | 0 | yes | one |
/// | `OnEdge`, `OnRelease`, `Proactive` | hands on | > 0 | > 0 | yes | nobody |
///
/// On a ring each call makes one slot ready, so that "was full when the call began" and "an edge" are one and the same. On
/// pages (`baseline::pages`) they are not, and `OnEdge` wakes though nothing was made ready, as the kernel's did.
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
    /// One wake where the pipe was full (empty) when the call began; whom it wakes hands on. (Should that one be
    /// suspended, as under `Chain`.)
    OnEdge,
    /// One wake where the call freed a slot and the pipe was full (empty) just before that. On a ring the same as
    /// `OnEdge`.
    OnRelease,
    /// As `OnRelease`, and a call that was no edge looks too, and wakes one who sleeps beside a ready slot: on a ring one
    /// wake for each item, as `Each`, but the woken hand on one at a time. (A suspended one holds up the hand-on, not the
    /// next item's wake.)
    Proactive,
}

impl WakePolicy {
    /// Whether [`Call::Made`]'s facts are asked for.
    pub(crate) const fn asks_edge(self) -> bool {
        matches!(self, Self::OnEdge | Self::OnRelease)
    }
}

/// What kind of call sees the sleepers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// It made a slot ready.
    Made {
        /// The ring was full (empty) for the sleepers when the call began.
        began_at_edge: bool,
        /// The slot it made ready is the one that they waited for.
        edge: bool,
    },
    /// It moved their cursor.
    HandsOn,
    /// It can go on no more.
    Stuck,
}

impl Call {
    /// On a ring both facts are one.
    pub(crate) const fn made(edge: bool) -> Self {
        Self::Made { began_at_edge: edge, edge }
    }
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    None,
    One,
    All,
}

/// [`WakePolicy`]'s table; `ready` is asked last, it may cost a cache line.
pub(crate) fn decide(
    policy: WakePolicy,
    call: Call,
    sleepers: u32,
    in_flight: u32,
    ready: impl FnOnce() -> bool,
) -> Wake {
    use WakePolicy::{All, Chain, Each, OnEdge, OnRelease, Proactive};
    let wanted = match (call, policy) {
        (Call::Stuck, _) | (_, Each | All) | (Call::Made { .. }, Proactive) => true,
        (Call::Made { began_at_edge, .. }, OnEdge) => began_at_edge,
        (Call::Made { edge, .. }, OnRelease) => edge,
        (_, Chain) | (Call::HandsOn, OnEdge | OnRelease | Proactive) => in_flight == 0,
    };
    if sleepers == 0 || !wanted || !ready() {
        Wake::None
    } else if policy == All && call != Call::Stuck {
        Wake::All
    } else {
        Wake::One
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WakePolicy::{All, Chain, Each, OnEdge, OnRelease, Proactive};

    const CALLS: [Call; 6] = [
        Call::Made { began_at_edge: false, edge: false },
        Call::Made { began_at_edge: false, edge: true },
        Call::Made { began_at_edge: true, edge: false },
        Call::Made { began_at_edge: true, edge: true },
        Call::HandsOn,
        Call::Stuck,
    ];

    /// The whole table, row by row.
    #[test]
    fn decisions() {
        for policy in [Chain, Each, All, OnEdge, OnRelease, Proactive] {
            for call in CALLS {
                for sleepers in [0, 1, 2, 100] {
                    for in_flight in [0, 1, 7] {
                        for ready in [false, true] {
                            let wanted = match (policy, call, sleepers, in_flight, ready) {
                                (_, _, 0, _, _) | (.., false) => Wake::None,
                                (_, Call::Stuck, ..) => Wake::One,
                                (Chain, _, _, 0, _) => Wake::One,
                                (Chain, ..) => Wake::None,
                                (Each, ..) => Wake::One,
                                (All, ..) => Wake::All,
                                (OnEdge, Call::Made { began_at_edge: true, .. }, ..) => Wake::One,
                                (OnRelease, Call::Made { edge: true, .. }, ..) => Wake::One,
                                (OnEdge | OnRelease, Call::Made { .. }, ..) => Wake::None,
                                (Proactive, Call::Made { .. }, ..) => Wake::One,
                                (OnEdge | OnRelease | Proactive, Call::HandsOn, _, 0, _) => Wake::One,
                                (OnEdge | OnRelease | Proactive, Call::HandsOn, ..) => Wake::None,
                            };
                            let answer = decide(policy, call, sleepers, in_flight, || ready);
                            assert_eq!(answer, wanted, "{policy:?} {call:?} {sleepers} {in_flight} {ready}");
                        }
                    }
                }
            }
        }
    }

    /// Where the answer is known already the slot is not looked at.
    #[test]
    fn ready_is_asked_last() {
        for call in CALLS {
            decide(Each, call, 0, 0, || unreachable!("nobody sleeps"));
        }
        decide(Chain, Call::made(true), 1, 1, || unreachable!("one is in flight"));
        decide(OnEdge, Call::made(false), 1, 0, || unreachable!("no edge"));
    }

    /// On a ring the kernel's first two policies are one.
    #[test]
    fn on_a_ring_two_coincide() {
        for call in [Call::made(false), Call::made(true), Call::HandsOn, Call::Stuck] {
            for in_flight in [0, 1] {
                let answer = |policy| decide(policy, call, 1, in_flight, || true);
                assert_eq!(answer(OnEdge), answer(OnRelease));
            }
        }
    }
}
