//! How a blocking call waits: awake for the budget, then asleep at its side's gate.

use crate::gate::Gate;
use crate::ring::Found;
use crate::spin::{Credit, Patience};
use crate::stats::Meter;
use crate::sync::time::Deadline;
use crate::tempo::Tempo;

/// What a side has learned about its waits: whether it pays to wait awake, and how often that ends asleep.
pub(crate) struct Habit {
    credit: Credit,
    tempo: Tempo,
}

impl Habit {
    pub(crate) fn new() -> Self {
        Self { credit: Credit::new(), tempo: Tempo::new() }
    }

    /// After a call that had to fence for `gate`, `sent` items into the pipe's life: where nobody has slept for long it was
    /// the last.
    pub(crate) fn relieve(&self, gate: &Gate, sent: impl Fn() -> u64) {
        if gate.fences_for_a_while() {
            self.tempo.looks(gate, sent() as u32);
        }
    }
}

/// What a waiting thread's side is.
pub(crate) struct Side<'a> {
    /// Where it sleeps.
    pub(crate) gate: &'a Gate,
    pub(crate) habit: &'a Habit,
    /// Where those sleep whom it waits for.
    pub(crate) peers: &'a Gate,
    /// Whether their claims do not see it.
    pub(crate) unseen: bool,
    pub(crate) patience: &'a Patience,
}

impl Side<'_> {
    /// Awake for the budget, then asleep; the peers are then all that can go on. False: the deadline passed.
    pub(crate) fn wait(
        self,
        deadline: Deadline,
        has: impl Fn() -> bool,
        find: impl Fn() -> Found,
        sent: impl Fn() -> u64,
        meter: &Meter,
    ) -> bool {
        let Self { gate, habit, peers, unseen, patience } = self;
        if deadline.passed() {
            return false;
        }
        if patience.poll(&habit.credit, deadline, || has() || gate.is_closed(), meter) {
            return true;
        }
        peers.insist();
        if unseen {
            habit.tempo.sleeps(gate, sent() as u32);
        }
        gate.wait(deadline, find, meter)
    }
}
