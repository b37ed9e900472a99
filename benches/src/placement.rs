//! Which CPUs a measurement's threads may use.

use std::{fmt, thread};

use clap::ValueEnum;
use core_affinity::CoreId;
use serde::{Deserialize, Serialize};

/// The CPUs this process may use, in order: its affinity mask, cut to what a quota leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpus(Vec<usize>);

impl Cpus {
    /// Those of the calling thread.
    pub fn usable() -> Self {
        let quota = thread::available_parallelism().map_or(1, |n| n.get());
        let mut ids = core_affinity::get_core_ids().unwrap_or_default();
        ids.truncate(quota);
        match ids.is_empty() {
            // No masks here (or a quota we cannot place under): pinning to CPU 0 will fail and say so.
            true => Self::first(quota),
            false => Self(ids.into_iter().map(|core| core.id).collect()),
        }
    }

    /// CPUs 0 to `count` - 1, for plans of other machines.
    pub fn first(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Their numbers.
    pub fn ids(&self) -> &[usize] {
        &self.0
    }
}

/// Which side a thread is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// It sends (or pings).
    Sender,
    /// It receives (or pongs).
    Receiver,
}

/// Where a measurement's threads run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// All on one CPU, and the pipe is built there, so that it knows.
    OneCpu,
    /// Each pinned: senders from the first CPU on, receivers from the last back.
    Apart,
    /// As the system likes.
    Free,
}

impl Placement {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OneCpu, Self::Apart, Self::Free];
    /// Those in which a row measures the channel rather than the scheduler.
    pub const PINNED: [Self; 2] = [Self::OneCpu, Self::Apart];

    /// How many CPUs its threads share.
    pub fn cpus(self, cpus: &Cpus) -> usize {
        if self == Self::OneCpu { 1 } else { cpus.count() }
    }

    /// Pins the thread that builds the pipe and starts the others.
    pub fn settle_builder(self, cpus: &Cpus) -> Result<(), String> {
        if self == Self::OneCpu { pin(self.seat(cpus, Side::Sender, 0)) } else { Ok(()) }
    }

    /// Pins the `index`th thread of `side`.
    pub fn settle(self, cpus: &Cpus, side: Side, index: usize) -> Result<(), String> {
        pin(self.seat(cpus, side, index))
    }

    fn seat(self, Cpus(ids): &Cpus, side: Side, index: usize) -> Option<usize> {
        let index = index % ids.len();
        match (self, side) {
            (Self::Free, _) => None,
            // The last: the first one serves most interrupts.
            (Self::OneCpu, _) => ids.last().copied(),
            (Self::Apart, Side::Sender) => Some(ids[index]),
            (Self::Apart, Side::Receiver) => Some(ids[ids.len() - 1 - index]),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OneCpu => "one-cpu",
            Self::Apart => "apart",
            Self::Free => "free",
        })
    }
}

/// Pins the calling thread; what it starts later inherits that.
pub(crate) fn pin(cpu: Option<usize>) -> Result<(), String> {
    match cpu {
        Some(id) if !core_affinity::set_for_current(CoreId { id }) => {
            Err(format!("cannot pin a thread to CPU {id}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_come_from_both_ends() {
        let cpus = Cpus(vec![2, 3, 5]);
        let seats = |placement: Placement, side| [0, 1, 2, 3].map(|index| placement.seat(&cpus, side, index));
        assert_eq!(seats(Placement::Apart, Side::Sender), [2, 3, 5, 2].map(Some));
        assert_eq!(seats(Placement::Apart, Side::Receiver), [5, 3, 2, 5].map(Some));
        assert_eq!(seats(Placement::OneCpu, Side::Receiver), [Some(5); 4]);
        assert_eq!(seats(Placement::Free, Side::Sender), [None; 4]);
    }
}
