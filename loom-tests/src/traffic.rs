//! Traffic with its checks: some send, some receive, and each item arrives once and in order.

use crate::track::{PRODUCERS, Track};
use hornpipe::{Builder, Receiver, Sender, Topology};
use loom::thread;
use std::sync::Arc;

/// Something that items go through.
pub trait Carrier: Send + Sync + 'static {
    /// Puts an item in, however long it takes.
    fn put(&self, item: Track);
    /// Takes one out, however long it takes.
    fn get(&self) -> Track;
}

/// Tries that found nothing. Each gives way to another thread, and after a few this run goes on without branching
/// any further: two threads that look in turn would give a third no end of places to come in.
#[derive(Default)]
pub struct Tries(usize);

impl Tries {
    /// One more.
    pub fn failed(&mut self) {
        self.0 += 1;
        if self.0 > 2 {
            loom::skip_branch();
        }
        thread::yield_now();
    }
}

/// A pipe that stays open. (std's Arc: a model of the pipe, not of its sharing.)
pub struct Open<K: Topology> {
    tx: Sender<Track, K>,
    rx: Receiver<Track, K>,
}

// SAFETY: where there is one sender or one receiver, one thread at a time puts or gets: a model has no more of them
// than its topology. (One that had would fail: loom reports two threads in one cell.)
unsafe impl<K: Topology> Sync for Open<K> {}

impl<K: Topology> Open<K> {
    /// Empty.
    pub fn new(pipe: Builder<K>) -> Arc<Self> {
        let (tx, rx) = pipe.build().unwrap();
        Arc::new(Self { tx, rx })
    }

    /// Full, with items of the last producer.
    pub fn full(pipe: Builder<K>) -> Arc<Self> {
        let pipe = Self::new(pipe);
        (0..pipe.tx.capacity().unwrap()).for_each(|number| pipe.put(Track::new(PRODUCERS - 1, number)));
        pipe
    }

    /// Takes its gates' fences from the sleepers to their peers, or back. By any thread: it touches the gates only.
    pub fn symmetric(&self, sym: bool) {
        self.tx.symmetric(sym);
    }
}

impl<K: Topology> Carrier for Open<K> {
    fn put(&self, item: Track) {
        assert!(self.tx.send(item).is_ok(), "a receiver is left");
    }

    fn get(&self) -> Track {
        self.rx.recv().expect("a sender is left")
    }
}

/// Each of `senders` puts so many items, each of `receivers` gets so many; the last receiver is the model's own
/// thread, which gets the rest in the end. Every item arrives exactly once, and each receiver gets each producer's
/// items in their order.
pub fn traffic(carrier: Arc<impl Carrier>, senders: &[usize], receivers: &[usize]) {
    let sending: Vec<_> = (0..senders.len())
        .map(|from| {
            let (carrier, count) = (carrier.clone(), senders[from]);
            thread::spawn(move || (0..count).for_each(|number| carrier.put(Track::new(from, number))))
        })
        .collect();
    let get = |count: usize| {
        let carrier = carrier.clone();
        move || (0..count).map(|_| carrier.get()).collect::<Vec<_>>()
    };
    let (&own, others) = receivers.split_last().unwrap();
    let receiving: Vec<_> = others.iter().map(|&count| thread::spawn(get(count))).collect();
    let mut received = vec![get(own)()];
    received.extend(receiving.into_iter().map(|thread| thread.join().unwrap()));
    sending.into_iter().for_each(|thread| thread.join().unwrap());
    let rest = Track::alive() - received.iter().map(Vec::len).sum::<usize>();
    received[0].extend(get(rest)());
    for (from, &count) in senders.iter().enumerate() {
        let numbers =
            |items: &[Track]| items.iter().filter(|item| item.from == from).map(|item| item.number).collect();
        let numbers: Vec<Vec<usize>> = received.iter().map(|items| numbers(items)).collect();
        assert!(numbers.iter().all(|of_one| of_one.is_sorted_by(|a, b| a < b)), "out of order: {numbers:?}");
        for number in 0..count {
            assert_eq!(
                numbers.iter().flatten().filter(|&&n| n == number).count(),
                1,
                "not once: {numbers:?}"
            );
        }
    }
}
