//! Who runs: the ring in its topologies and with its switches, the mutex baseline, std's channel, and (feature `peers`)
//! other crates'.

#[cfg(feature = "peers")]
mod blocking;
#[cfg(feature = "peers")]
mod condvar;
#[cfg(feature = "peers")]
mod peers;
mod ring;
#[cfg(feature = "peers")]
mod spinning;
#[cfg(feature = "peers")]
mod standin;

use std::{
    fmt,
    sync::mpsc,
    task::Poll::{self, Pending, Ready},
};

use hornpipe::{Mpmc, Mpsc, Spmc, Spsc, baseline};
use serde::{Deserialize, Serialize};

pub(crate) use self::ring::Ring;
pub use self::ring::{BACKOFF, Budget, FIXED, Kind, Retry, Wake};
#[cfg(feature = "peers")]
pub use self::{peers::Peer, standin::Publish};
use crate::workload::Shape;

/// A kind of channel as a bench drives it. The methods are generic code's way in: nothing is called through `dyn`.
pub trait Channel: Send + 'static {
    /// The sending end.
    type Tx: Send;
    /// The receiving end.
    type Rx: Send;

    /// Opens one channel with an end for each thread of `shape`.
    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>);

    /// Blocks until `item` is in; false when nobody can receive it (with space, a ring that spins does not ask).
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

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// hornpipe's mpmc ring as a user gets it.
    Hornpipe,
    /// The same with two switches set.
    Ring {
        /// The relax in the retry loop.
        retry: Retry,
        /// The spin budget.
        spin: Budget,
    },
    /// The same with another wake policy.
    Wake(Wake),
    /// hornpipe's pipe of one sender and one receiver, with the ring that its capacity brings or with that one.
    Spsc(Option<Kind>),
    /// hornpipe's pipe of many senders and one receiver.
    Mpsc,
    /// hornpipe's pipe of one sender and many receivers.
    Spmc,
    /// hornpipe's mutex pipe.
    Mutex,
    /// std's `sync_channel`; one receiver only.
    Std,
    /// Another crate's channel.
    #[cfg(feature = "peers")]
    Peer(Peer),
    /// hornpipe's indexed ring in a process that is refused the process-wide barrier: see `child`.
    #[cfg(feature = "peers")]
    Symmetric,
    /// A ring as the indexed one is, to see what a publish costs.
    #[cfg(feature = "peers")]
    Standin(Publish),
}

impl Contender {
    /// The ring as `compare` names its default.
    pub const DEFAULT: Self = Self::Ring { retry: Retry::None, spin: Budget::Adaptive };

    /// hornpipe's pipe of one sender and one receiver as a user gets it.
    pub const SPSC: Self = Self::Spsc(None);

    /// One of each kind of channel, as its users get it.
    pub const KINDS: &[Self] = &[
        Self::Hornpipe,
        Self::Mutex,
        Self::Std,
        #[cfg(feature = "peers")]
        Self::Peer(Peer::Crossbeam),
        #[cfg(feature = "peers")]
        Self::Peer(Peer::Crossfire),
        #[cfg(feature = "peers")]
        Self::Peer(Peer::StdCondvar),
        #[cfg(feature = "peers")]
        Self::Peer(Peer::ParkingLot),
    ];

    /// Every one that there is.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let spins = Budget::ALL.iter().map(|&spin| Self::Ring { retry: Retry::None, spin });
        let retries = Retry::ALL.iter().map(|&retry| Self::Ring { retry, spin: Budget::None });
        let kinds = [None].into_iter().chain(Kind::ALL.iter().copied().map(Some));
        let mut all = vec![Self::Hornpipe, Self::Mutex, Self::Std];
        all.extend(spins.chain(retries).chain(Wake::ALL.iter().copied().map(Self::Wake)));
        all.extend(kinds.map(Self::Spsc).chain([Self::Mpsc, Self::Spmc]));
        #[cfg(feature = "peers")]
        all.extend(Peer::ALL.map(Self::Peer).into_iter().chain([
            Self::Symmetric,
            Self::Standin(Publish::Light),
            Self::Standin(Publish::Fence),
            Self::Standin(Publish::Swap),
        ]));
        all
    }

    /// hornpipe's narrowest topology for `shape`, with each ring that it has; none where that is mpmc.
    pub const fn narrowest(shape: Shape) -> &'static [Self] {
        match shape {
            Shape::PAIR => &[Self::Spsc(Some(Kind::Indexed)), Self::Spsc(Some(Kind::Stamped))],
            Shape { receivers: 1, .. } => &[Self::Mpsc],
            Shape { senders: 1, .. } => &[Self::Spmc],
            _ => &[],
        }
    }

    /// How many threads may hold its ends, at most.
    fn limits(self) -> Shape {
        const MANY: usize = usize::MAX;
        let (senders, receivers) = match self {
            Self::Spsc(_) => (1, 1),
            Self::Mpsc | Self::Std => (MANY, 1),
            Self::Spmc => (1, MANY),
            #[cfg(feature = "peers")]
            Self::Symmetric | Self::Standin(_) => (1, 1),
            #[cfg(feature = "peers")]
            Self::Peer(peer) => peer.limits(),
            _ => (MANY, MANY),
        };
        Shape { senders, receivers }
    }

    /// Whether it can serve so many threads.
    pub fn serves(self, shape: Shape) -> bool {
        self.cut(shape) == shape
    }

    /// As much of `shape` as it can serve.
    pub fn cut(self, shape: Shape) -> Shape {
        let Shape { senders, receivers } = self.limits();
        Shape { senders: shape.senders.min(senders), receivers: shape.receivers.min(receivers) }
    }

    /// Runs `task` on the channel this stands for: the one place where a name becomes a type.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Hornpipe => task.run(Ring::<Mpmc>::default()),
            Self::Ring { retry, spin } => task.run(Ring::<Mpmc>::retrying(retry, spin)),
            Self::Wake(wake) => task.run(Ring::<Mpmc>::waking(wake)),
            Self::Spsc(None) => task.run(Ring::<Spsc>::default()),
            Self::Spsc(Some(kind)) => task.run(Ring::<Spsc>::of(kind)),
            Self::Mpsc => task.run(Ring::<Mpsc>::default()),
            Self::Spmc => task.run(Ring::<Spmc>::default()),
            Self::Mutex => task.run(Mutex),
            Self::Std => task.run(Std),
            #[cfg(feature = "peers")]
            Self::Peer(peer) => peer.run(task),
            #[cfg(feature = "peers")]
            Self::Symmetric => task.run(Ring::<Spsc>::of(Kind::Indexed)),
            #[cfg(feature = "peers")]
            Self::Standin(Publish::Light) => task.run(standin::Light::default()),
            #[cfg(feature = "peers")]
            Self::Standin(Publish::Fence) => task.run(standin::Fence::default()),
            #[cfg(feature = "peers")]
            Self::Standin(Publish::Swap) => task.run(standin::Swap::default()),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hornpipe => "hornpipe",
            Self::Ring { retry, spin } => return f.pad(&format!("ring {}/{}", retry.name(), spin.name())),
            Self::Wake(wake) => return f.pad(&format!("wake {}", wake.name())),
            Self::Spsc(None) => "spsc",
            Self::Spsc(Some(kind)) => return f.pad(&format!("spsc {}", kind.name())),
            Self::Mpsc => "mpsc",
            Self::Spmc => "spmc",
            Self::Mutex => "mutex",
            Self::Std => "std",
            #[cfg(feature = "peers")]
            Self::Peer(peer) => peer.name(),
            #[cfg(feature = "peers")]
            Self::Symmetric => "spsc symmetric",
            #[cfg(feature = "peers")]
            Self::Standin(publish) => return f.pad(&format!("stand-in {}", publish.name())),
        })
    }
}

/// An end for each of so many threads.
fn many<E: Clone>(end: E, threads: usize) -> Vec<E> {
    vec![end; threads]
}

/// The one end that there is.
fn single<E>(end: E, threads: usize) -> Vec<E> {
    assert_eq!(threads, 1, "this end cannot be shared");
    vec![end]
}

/// Ends for a shape where all of them can be cloned.
fn deal<Tx: Clone, Rx: Clone>((tx, rx): (Tx, Rx), shape: Shape) -> (Vec<Tx>, Vec<Rx>) {
    (many(tx, shape.senders), many(rx, shape.receivers))
}

/// The calls of every channel that speaks crossbeam-channel's dialect, with its errors' module.
macro_rules! ends {
    ($tx:ty, $rx:ty, $($errors:ident)::+) => {
        type Tx = $tx;
        type Rx = $rx;

        #[inline(always)]
        fn send(tx: &Self::Tx, item: u64) -> bool {
            tx.send(item).is_ok()
        }

        #[inline(always)]
        fn recv(rx: &Self::Rx) -> Option<u64> {
            rx.recv().ok()
        }

        #[inline(always)]
        fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool> {
            match tx.try_send(item) {
                Err($($errors)::+::TrySendError::Full(_)) => Pending,
                answer => Ready(answer.is_ok()),
            }
        }

        #[inline(always)]
        fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>> {
            match rx.try_recv() {
                Err($($errors)::+::TryRecvError::Empty) => Pending,
                answer => Ready(answer.ok()),
            }
        }
    };
}
use ends;

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
        let (tx, rx) = mpsc::sync_channel(capacity);
        (many(tx, shape.senders), single(rx, shape.receivers))
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
            // Rings that spin tell once they are full.
            assert!([1, 2].into_iter().any(|item| C::try_send(&txs[0], item) == Ready(false)));
        }
    }

    #[test]
    fn tries_tell_full_empty_and_gone_apart() {
        Contender::all().into_iter().for_each(|contender| contender.run(Tries));
    }

    #[test]
    fn who_has_one_end_serves_one_thread() {
        let serves =
            |contender: Contender, senders, receivers| contender.serves(Shape { senders, receivers });
        for shape in [(1, 1), (3, 1), (1, 3), (2, 2)] {
            let (senders, receivers) = shape;
            assert!(serves(Contender::Hornpipe, senders, receivers));
            assert_eq!(serves(Contender::SPSC, senders, receivers), shape == (1, 1));
            assert_eq!(serves(Contender::Mpsc, senders, receivers), receivers == 1);
            assert_eq!(serves(Contender::Std, senders, receivers), receivers == 1);
            assert_eq!(serves(Contender::Spmc, senders, receivers), senders == 1);
            let shape = Shape { senders, receivers };
            for contender in Contender::all() {
                assert!(contender.serves(contender.cut(shape)), "{contender}");
            }
            assert!(Contender::narrowest(shape).iter().all(|contender| contender.serves(shape)));
        }
    }
}
