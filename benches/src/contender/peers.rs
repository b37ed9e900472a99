//! Other crates' channels by name, and what anyone would write first.

use serde::{Deserialize, Serialize};

use super::{Task, blocking, condvar, spinning};

/// Not hornpipe's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// crossbeam-channel's bounded channel.
    Crossbeam,
    /// crossfire's blocking mpmc array.
    Crossfire,
    /// Its mpsc array.
    CrossfireMpsc,
    /// Its spsc array.
    CrossfireSpsc,
    /// kanal's bounded channel.
    Kanal,
    /// flume's bounded channel.
    Flume,
    /// A `VecDeque` under std's `Mutex` and two `Condvar`s.
    StdCondvar,
    /// The same under parking_lot's.
    ParkingLot,
    /// rtrb's ring, which cannot block: waiting is trying again.
    Rtrb,
    /// ringbuf's ring, in the same way.
    Ringbuf,
}

impl Peer {
    /// All of them.
    #[cfg(test)]
    pub(super) const ALL: [Self; 10] = [
        Self::Crossbeam,
        Self::Crossfire,
        Self::CrossfireMpsc,
        Self::CrossfireSpsc,
        Self::Kanal,
        Self::Flume,
        Self::StdCondvar,
        Self::ParkingLot,
        Self::Rtrb,
        Self::Ringbuf,
    ];

    /// How many threads may send, and how many receive.
    pub(super) fn limits(self) -> (usize, usize) {
        match self {
            Self::CrossfireSpsc | Self::Rtrb | Self::Ringbuf => (1, 1),
            Self::CrossfireMpsc => (usize::MAX, 1),
            _ => (usize::MAX, usize::MAX),
        }
    }

    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Crossbeam => task.run(blocking::Crossbeam),
            Self::Crossfire => task.run(blocking::Crossfire),
            Self::CrossfireMpsc => task.run(blocking::CrossfireMpsc),
            Self::CrossfireSpsc => task.run(blocking::CrossfireSpsc),
            Self::Kanal => task.run(blocking::Kanal),
            Self::Flume => task.run(blocking::Flume),
            Self::StdCondvar => task.run(condvar::Std::default()),
            Self::ParkingLot => task.run(condvar::ParkingLot::default()),
            Self::Rtrb => task.run(spinning::Rtrb::default()),
            Self::Ringbuf => task.run(spinning::Ringbuf::default()),
        }
    }

    /// As the tables show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crossbeam => "crossbeam-channel",
            Self::Crossfire => "crossfire",
            Self::CrossfireMpsc => "crossfire mpsc",
            Self::CrossfireSpsc => "crossfire spsc",
            Self::Kanal => "kanal",
            Self::Flume => "flume",
            Self::StdCondvar => "std condvar",
            Self::ParkingLot => "parking_lot",
            Self::Rtrb => "rtrb (spins)",
            Self::Ringbuf => "ringbuf (spins)",
        }
    }
}
