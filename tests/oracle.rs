//! The ring beside the baseline, a `VecDeque` behind a mutex: whatever is done to both, they answer the same.

#![cfg(feature = "baseline")]

mod support;

use hornpipe::baseline::typed;
use hornpipe::{Builder, Mpmc, Receiver, RecvTimeoutError, SendTimeoutError, Sender};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{Config, all_configs, sized, watchdog};

/// One call on one of the handles alive; the number picks the handle.
#[derive(Clone, Copy, Debug)]
enum Op {
    TrySend(usize),
    SendNow(usize),
    SendTimeout(usize),
    SendDeadline(usize),
    TryRecv(usize),
    RecvNow(usize),
    RecvTimeout(usize),
    RecvDeadline(usize),
    TryIter(usize, usize),
    CloneSender(usize),
    CloneReceiver(usize),
    DropSender(usize),
    DropReceiver(usize),
    Look(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let n = 0..8usize;
    prop_oneof![
        6 => n.clone().prop_map(Op::TrySend),
        4 => n.clone().prop_map(Op::SendNow),
        2 => n.clone().prop_map(Op::SendTimeout),
        1 => n.clone().prop_map(Op::SendDeadline),
        5 => n.clone().prop_map(Op::TryRecv),
        3 => n.clone().prop_map(Op::RecvNow),
        2 => n.clone().prop_map(Op::RecvTimeout),
        1 => n.clone().prop_map(Op::RecvDeadline),
        1 => (n.clone(), 0..4usize).prop_map(|(n, most)| Op::TryIter(n, most)),
        1 => n.clone().prop_map(Op::CloneSender),
        1 => n.clone().prop_map(Op::CloneReceiver),
        1 => n.clone().prop_map(Op::DropSender),
        1 => n.clone().prop_map(Op::DropReceiver),
        2 => n.prop_map(Op::Look),
    ]
}

/// An item that writes its number down when it is dropped.
struct Logged(usize, Arc<Mutex<Vec<usize>>>);

impl Drop for Logged {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(self.0);
    }
}

/// A pipe of the one kind or the other with all its handles, driven by [`Op`]s. Both kinds have the same methods but
/// no trait in common, hence the macro.
macro_rules! subject {
    ($name:ident, $sender:ident :: $tx:ident, $receiver:ident :: $rx:ident) => {
        struct $name {
            txs: Vec<subject!(@ $sender $tx)>,
            rxs: Vec<subject!(@ $receiver $rx)>,
            drops: Arc<Mutex<Vec<usize>>>,
        }

        impl $name {
            fn new((tx, rx): (subject!(@ $sender $tx), subject!(@ $receiver $rx))) -> Self {
                Self { txs: vec![tx], rxs: vec![rx], drops: Arc::default() }
            }

            /// Does `op` with `id` as the item's number and says everything there is to see of it.
            fn run(&mut self, op: Op, id: usize) -> String {
                let did = self.answer(op, id);
                let mut drops = std::mem::take(&mut *self.drops.lock().unwrap());
                drops.sort_unstable();
                format!("{did}; dropped {drops:?}")
            }

            fn answer(&mut self, op: Op, id: usize) -> String {
                let item = || Logged(id, Arc::clone(&self.drops));
                let number = |item: Logged| item.0;
                // A call that would sleep for ever is left out: nobody else is there to end it.
                match op {
                    Op::TrySend(n) | Op::SendNow(n) | Op::SendTimeout(n) | Op::SendDeadline(n) => {
                        if self.txs.is_empty() {
                            return "no sender".into();
                        }
                        let tx = &self.txs[n % self.txs.len()];
                        match op {
                            Op::TrySend(_) => {
                                let result = tx.try_send(item());
                                let shown = format!("{result:?}");
                                format!("{shown} {:?}", result.map_err(|e| number(e.into_inner())))
                            }
                            Op::SendNow(_) if tx.is_full() && !tx.is_disconnected() => "would sleep".into(),
                            Op::SendNow(_) => format!("{:?}", tx.send(item()).map_err(|e| number(e.into_inner()))),
                            _ => {
                                let result = match op {
                                    Op::SendTimeout(_) => tx.send_timeout(item(), Duration::ZERO),
                                    _ => tx.send_deadline(item(), Instant::now()),
                                };
                                let shown = format!("{result:?}");
                                format!("{shown} {:?}", result.map_err(|e| number(e.into_inner())))
                            }
                        }
                    }
                    Op::TryRecv(n) | Op::RecvNow(n) | Op::RecvTimeout(n) | Op::RecvDeadline(n) | Op::TryIter(n, _) => {
                        if self.rxs.is_empty() {
                            return "no receiver".into();
                        }
                        let rx = &self.rxs[n % self.rxs.len()];
                        match op {
                            Op::TryRecv(_) => format!("{:?}", rx.try_recv().map(number)),
                            Op::RecvNow(_) if rx.is_empty() && !rx.is_disconnected() => "would sleep".into(),
                            Op::RecvNow(_) => format!("{:?}", rx.recv().map(number)),
                            Op::RecvTimeout(_) => format!("{:?}", rx.recv_timeout(Duration::ZERO).map(number)),
                            Op::TryIter(_, most) => {
                                format!("{:?}", rx.try_iter().take(most).map(number).collect::<Vec<_>>())
                            }
                            _ => format!("{:?}", rx.recv_deadline(Instant::now()).map(number)),
                        }
                    }
                    Op::CloneSender(n) => {
                        if !self.txs.is_empty() {
                            self.txs.push(self.txs[n % self.txs.len()].clone());
                        }
                        format!("{} senders", self.txs.len())
                    }
                    Op::CloneReceiver(n) => {
                        if !self.rxs.is_empty() {
                            self.rxs.push(self.rxs[n % self.rxs.len()].clone());
                        }
                        format!("{} receivers", self.rxs.len())
                    }
                    Op::DropSender(n) => {
                        if !self.txs.is_empty() {
                            drop(self.txs.swap_remove(n % self.txs.len()));
                        }
                        format!("{} senders", self.txs.len())
                    }
                    Op::DropReceiver(n) => {
                        if !self.rxs.is_empty() {
                            drop(self.rxs.swap_remove(n % self.rxs.len()));
                        }
                        format!("{} receivers", self.rxs.len())
                    }
                    Op::Look(n) => {
                        let sender = (!self.txs.is_empty()).then(|| {
                            let tx = &self.txs[n % self.txs.len()];
                            let counts = (tx.sender_count(), tx.receiver_count(), tx.capacity());
                            (tx.len(), tx.is_empty(), tx.is_full(), tx.is_disconnected(), counts)
                        });
                        let receiver = (!self.rxs.is_empty()).then(|| {
                            let rx = &self.rxs[n % self.rxs.len()];
                            let counts = (rx.sender_count(), rx.receiver_count(), rx.capacity());
                            (rx.len(), rx.is_empty(), rx.is_full(), rx.is_disconnected(), counts)
                        });
                        format!("{sender:?} {receiver:?}")
                    }
                }
            }
        }
    };
    (@ ring $end:ident) => { $end<Logged> };
    (@ baseline $end:ident) => { typed::$end<Logged> };
}

subject!(Ring, ring::Sender, ring::Receiver);
subject!(Baseline, baseline::Sender, baseline::Receiver);

fn settings(cases: usize) -> ProptestConfig {
    let mut settings = ProptestConfig::with_cases(cases as u32);
    if cfg!(miri) {
        // Miri has no file system to keep failures in.
        settings.failure_persistence = None;
    }
    settings
}

proptest! {
    #![proptest_config(settings(sized(600, 6)))]

    /// Any sequence of calls on any number of handles: the same results, errors, counts and drops, call by call.
    #[test]
    fn the_same_calls_get_the_same_answers(cap in 1..6usize, ops in vec(op(), 1..sized(200, 40))) {
        let mut ring = Ring::new(Builder::<Mpmc>::new(cap).build().unwrap());
        let mut baseline = Baseline::new(typed::bounded(cap));
        for (id, op) in ops.into_iter().enumerate() {
            prop_assert_eq!(ring.run(op, id), baseline.run(op, id), "call {} was {:?}", id, op);
        }
        let (a, b) = (Arc::clone(&ring.drops), Arc::clone(&baseline.drops));
        drop((ring, baseline));
        prop_assert_eq!(a.lock().unwrap().len(), b.lock().unwrap().len(), "at the end");
    }
}

/// What a crowd does: how many threads on each side, how many items a sender, and how they call.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    cap: usize,
    senders: usize,
    receivers: usize,
    items: usize,
    timed: bool,
}

/// Every receiver's items in the order in which it got them, as (sender, number).
type Received = Vec<Vec<(usize, usize)>>;

/// Runs the crowd on the pipe in the pair, of either kind.
macro_rules! run_crowd {
    ($crowd:expr, $pipe:expr) => {{
        let (crowd, (tx, rx)) = ($crowd, $pipe);
        let sending = (0..crowd.senders).map(|sender| {
            let tx = tx.clone();
            std::thread::spawn(move || {
                for n in 0..crowd.items {
                    let mut item = (sender, n);
                    if !crowd.timed {
                        tx.send(item).unwrap();
                        continue;
                    }
                    while let Err(error) = tx.send_timeout(item, Duration::from_micros(50)) {
                        assert!(matches!(error, SendTimeoutError::Timeout(_)));
                        item = error.into_inner();
                    }
                }
            })
        });
        let receiving = (0..crowd.receivers).map(|_| {
            let rx = rx.clone();
            std::thread::spawn(move || {
                let mut got = Vec::new();
                loop {
                    match if crowd.timed {
                        rx.recv_timeout(Duration::from_micros(50))
                    } else {
                        rx.recv().map_err(RecvTimeoutError::from)
                    } {
                        Ok(item) => got.push(item),
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => return got,
                    }
                }
            })
        });
        let (sending, receiving) = (sending.collect::<Vec<_>>(), receiving.collect::<Vec<_>>());
        drop((tx, rx));
        sending.into_iter().for_each(|thread| thread.join().unwrap());
        receiving.into_iter().map(|thread| thread.join().unwrap()).collect::<Received>()
    }};
}

/// The whole of what was received, sorted; every receiver's part must have each sender's items in order.
fn multiset(received: Received) -> Vec<(usize, usize)> {
    for part in &received {
        let mut next = std::collections::HashMap::new();
        for (sender, n) in part {
            let at_least = next.insert(sender, n + 1).unwrap_or(0);
            assert!(*n >= at_least, "items of sender {sender} out of order: {part:?}");
        }
    }
    let mut all: Vec<_> = received.into_iter().flatten().collect();
    all.sort_unstable();
    all
}

fn config() -> impl Strategy<Value = Config> {
    proptest::sample::select(all_configs())
}

proptest! {
    #![proptest_config(settings(sized(60, 3)))]

    /// Crowds of threads on both: the same multiset arrives, in order for each sender and receiver.
    #[test]
    #[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
    fn the_same_crowd_moves_the_same_items(
        cap in 1..5usize, senders in 1..4usize, receivers in 1..4usize, items in 0..sized(100, 6), timed in any::<bool>(),
        config in config(),
    ) {
        let crowd = Crowd { cap, senders, receivers, items, timed };
        let ring = watchdog(20, move || multiset(run_crowd!(crowd, config.pipe(crowd.cap))));
        let baseline = watchdog(20, move || multiset(run_crowd!(crowd, typed::bounded(crowd.cap))));
        prop_assert_eq!(ring, baseline);
    }
}

/// One thread against the plainest model there is, so that a fault common to ring and baseline shows as well.
#[test]
fn one_thread_is_a_queue() {
    let mut random = support::Random::new(42);
    for cap in 1..8 {
        let (tx, rx) = hornpipe::mpmc::bounded(cap);
        let mut model = VecDeque::new();
        for n in 0..sized(5_000, 100) {
            if random.below(2) == 0 {
                assert_eq!(tx.try_send(n).is_ok(), model.len() < cap);
                if model.len() < cap {
                    model.push_back(n);
                }
            } else {
                assert_eq!(rx.try_recv().ok(), model.pop_front());
            }
            assert_eq!((tx.len(), tx.is_full()), (model.len(), model.len() == cap));
        }
    }
}
