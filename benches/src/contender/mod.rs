//! Who runs: the ring with its switches, the mutex baseline, std's channel, and (feature `peers`) other crates'.

#[cfg(feature = "peers")]
mod condvar;
#[cfg(feature = "peers")]
mod peers;

use std::{
    fmt,
    sync::mpsc,
    task::Poll::{self, Pending, Ready},
    time::Duration,
};

use hornpipe::{Builder, Mpmc, Relax, Spin, baseline};
use serde::{Deserialize, Serialize};

use crate::workload::Shape;

/// A kind of channel as a bench drives it. The methods are generic code's way in: nothing is called through `dyn`.
pub trait Channel: Send + 'static {
    /// The sending end.
    type Tx: Send;
    /// The receiving end.
    type Rx: Send;

    /// Opens one channel with an end for each thread of `shape`.
    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>);

    /// Blocks until `item` is in; false when nobody can receive it.
    fn send(tx: &Self::Tx, item: u64) -> bool;

    /// Blocks until an item is there; `None` once all senders are gone and the channel is drained.
    fn recv(rx: &Self::Rx) -> Option<u64>;

    /// [`send`](Self::send) that does not block: pending when there is no space now.
    fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool>;

    /// [`recv`](Self::recv) that does not block: pending when there is no item now.
    fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>>;
}

/// Work that wants a [`Channel`] type; see [`Contender::run`].
pub trait Task {
    /// What it gives back.
    type Output;

    /// Runs with the channel that the contender stands for.
    fn run<C: Channel>(self, channel: C) -> Self::Output;
}

/// What a sender does after a lost compare-exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retry {
    /// Tries again at once.
    None,
    /// One pause.
    Hint,
    /// Doubling pauses up to [`BACKOFF`].
    Backoff,
}

/// How long a waiter spins before it parks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// Not at all.
    None,
    /// [`FIXED`].
    Fixed,
    /// As long as it has paid lately.
    Adaptive,
}

/// The longest back-off of the `backoff` column: some ten line transfers.
pub const BACKOFF: Duration = Duration::from_micros(1);

/// The spin budget of the `5us` column: about one futex hand-off on one CPU.
pub const FIXED: Duration = Duration::from_micros(5);

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// hornpipe's ring as a user gets it.
    Hornpipe,
    /// hornpipe's ring with both switches set.
    Ring {
        /// The relax in the retry loop.
        retry: Retry,
        /// The spin budget.
        spin: Budget,
    },
    /// hornpipe's mutex pipe.
    Mutex,
    /// std's `sync_channel`; one receiver only.
    Std,
    /// crossbeam-channel's bounded channel.
    #[cfg(feature = "peers")]
    Crossbeam,
    /// crossfire's blocking mpmc array.
    #[cfg(feature = "peers")]
    Crossfire,
    /// A `VecDeque` under std's `Mutex` and two `Condvar`s.
    #[cfg(feature = "peers")]
    StdCondvar,
    /// The same under parking_lot's.
    #[cfg(feature = "peers")]
    ParkingLot,
}

impl Contender {
    /// The ring as `compare` names its default.
    pub const DEFAULT: Self = Self::Ring { retry: Retry::None, spin: Budget::Adaptive };

    /// The columns of `compare`: one switch at a time from the default, then the two others.
    pub const COMPARED: [Self; 7] = [
        Self::DEFAULT,
        Self::Ring { retry: Retry::Hint, spin: Budget::Adaptive },
        Self::Ring { retry: Retry::Backoff, spin: Budget::Adaptive },
        Self::Ring { retry: Retry::None, spin: Budget::None },
        Self::Ring { retry: Retry::None, spin: Budget::Fixed },
        Self::Mutex,
        Self::Std,
    ];

    /// One of each kind of channel, as its users get it.
    pub const KINDS: &[Self] = &[
        Self::Hornpipe,
        Self::Mutex,
        Self::Std,
        #[cfg(feature = "peers")]
        Self::Crossbeam,
        #[cfg(feature = "peers")]
        Self::Crossfire,
        #[cfg(feature = "peers")]
        Self::StdCondvar,
        #[cfg(feature = "peers")]
        Self::ParkingLot,
    ];

    /// Whether it can serve a workload with that many receivers.
    pub fn serves(self, receivers: usize) -> bool {
        self != Self::Std || receivers == 1
    }

    /// As much of `shape` as it can serve.
    pub fn cut(self, shape: Shape) -> Shape {
        let receivers = (1..=shape.receivers).rev().find(|&receivers| self.serves(receivers)).unwrap_or(1);
        Shape { receivers, ..shape }
    }

    /// Runs `task` on the channel this stands for: the one place where a name becomes a type.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Hornpipe => task.run(Ring(None)),
            Self::Ring { retry, spin } => task.run(Ring(Some((retry, spin)))),
            Self::Mutex => task.run(Mutex),
            Self::Std => task.run(Std),
            #[cfg(feature = "peers")]
            Self::Crossbeam => task.run(peers::Crossbeam),
            #[cfg(feature = "peers")]
            Self::Crossfire => task.run(peers::Crossfire),
            #[cfg(feature = "peers")]
            Self::StdCondvar => task.run(condvar::Std::default()),
            #[cfg(feature = "peers")]
            Self::ParkingLot => task.run(condvar::ParkingLot::default()),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hornpipe => "hornpipe",
            Self::Ring { retry, spin } => {
                let retry = match retry {
                    Retry::None => "none",
                    Retry::Hint => "hint",
                    Retry::Backoff => "backoff",
                };
                let spin = match spin {
                    Budget::None => "none",
                    Budget::Fixed => "5us",
                    Budget::Adaptive => "adaptive",
                };
                return f.pad(&format!("ring {retry}/{spin}"));
            }
            Self::Mutex => "mutex",
            Self::Std => "std",
            #[cfg(feature = "peers")]
            Self::Crossbeam => "crossbeam-channel",
            #[cfg(feature = "peers")]
            Self::Crossfire => "crossfire",
            #[cfg(feature = "peers")]
            Self::StdCondvar => "std condvar",
            #[cfg(feature = "peers")]
            Self::ParkingLot => "parking_lot",
        })
    }
}

/// An end for each thread.
fn deal<Tx: Clone, Rx: Clone>((tx, rx): (Tx, Rx), shape: Shape) -> (Vec<Tx>, Vec<Rx>) {
    (vec![tx; shape.senders], vec![rx; shape.receivers])
}

/// The calls of every channel that speaks crossbeam-channel's dialect, with its errors' module.
macro_rules! ends {
    ($tx:ty, $rx:ty, $($errors:ident)::+) => {
        type Tx = $tx;
        type Rx = $rx;

        fn send(tx: &Self::Tx, item: u64) -> bool {
            tx.send(item).is_ok()
        }

        fn recv(rx: &Self::Rx) -> Option<u64> {
            rx.recv().ok()
        }

        fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool> {
            match tx.try_send(item) {
                Err($($errors)::+::TrySendError::Full(_)) => Pending,
                answer => Ready(answer.is_ok()),
            }
        }

        fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>> {
            match rx.try_recv() {
                Err($($errors)::+::TryRecvError::Empty) => Pending,
                answer => Ready(answer.ok()),
            }
        }
    };
}
#[cfg(feature = "peers")]
use ends;

/// hornpipe's ring, with the library's defaults where no switches are given.
struct Ring(Option<(Retry, Budget)>);

impl Channel for Ring {
    ends!(hornpipe::Sender<u64>, hornpipe::Receiver<u64>, hornpipe);

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        let mut builder = Builder::<Mpmc>::new(capacity);
        if let Some((retry, spin)) = self.0 {
            builder = builder
                .retry(match retry {
                    Retry::None => Relax::None,
                    Retry::Hint => Relax::Hint,
                    Retry::Backoff => Relax::Backoff { max: BACKOFF },
                })
                .spin(match spin {
                    Budget::None => Spin::None,
                    Budget::Fixed => Spin::Fixed(FIXED),
                    Budget::Adaptive => Spin::Adaptive,
                });
        }
        deal(builder.build().expect("a plan's capacities are valid"), shape)
    }
}

/// hornpipe's mutex pipe with its defaults.
struct Mutex;

impl Channel for Mutex {
    ends!(baseline::typed::Sender<u64>, baseline::typed::Receiver<u64>, hornpipe);

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        deal(baseline::typed::Builder::new(capacity).build().expect("a plan's capacities are valid"), shape)
    }
}

/// std's bounded channel.
struct Std;

impl Channel for Std {
    ends!(mpsc::SyncSender<u64>, mpsc::Receiver<u64>, mpsc);

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        assert_eq!(shape.receivers, 1, "std's receiver cannot be shared");
        let (tx, rx) = mpsc::sync_channel(capacity);
        (vec![tx; shape.senders], vec![rx])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of the calls that do not block, in a channel of one item.
    struct Tries;

    impl Task for Tries {
        type Output = ();

        fn run<C: Channel>(self, channel: C) {
            let (txs, rxs) = channel.open(1, Shape::PAIR);
            let (tx, rx) = (&txs[0], &rxs[0]);
            assert_eq!(C::try_recv(rx), Pending);
            assert_eq!((C::try_send(tx, 1), C::try_send(tx, 2)), (Ready(true), Pending));
            assert_eq!((C::try_recv(rx), C::try_recv(rx)), (Ready(Some(1)), Pending));
            assert!(C::send(tx, 3));
            drop(txs);
            assert_eq!((C::try_recv(rx), C::try_recv(rx)), (Ready(Some(3)), Ready(None)));

            let (txs, rxs) = channel.open(1, Shape::PAIR);
            drop(rxs);
            assert_eq!(C::try_send(&txs[0], 1), Ready(false));
        }
    }

    #[test]
    fn tries_tell_full_empty_and_gone_apart() {
        Contender::KINDS.iter().for_each(|kind| kind.run(Tries));
    }
}
