//! One thread: any sequence of calls on any number of handles gets the same results, errors, counts and drops, call by
//! call.

use crate::support::{
    Baseline, Config, Kind, MpmcStamped, MpscStamped, Receives, Sends, SpmcStamped, SpscIndexed, SpscStamped,
    all_configs, on_each_ring, sized,
};
use crate::{CAPS, settings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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

/// Calls, the first of them without drops of handles: a single end would be gone at once.
fn ops(quiet: usize, all: usize) -> impl Strategy<Value = Vec<Op>> {
    let quiet = vec(op(), 0..quiet).prop_map(|ops| {
        let keep = |op| match op {
            Op::DropSender(n) | Op::DropReceiver(n) => Op::Look(n),
            op => op,
        };
        ops.into_iter().map(keep).collect::<Vec<_>>()
    });
    (quiet, vec(op(), 1..all)).prop_map(|(quiet, all)| [quiet, all].concat())
}

/// An item that writes its number down when it is dropped.
struct Logged(usize, Arc<Mutex<Vec<usize>>>);

impl Drop for Logged {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(self.0);
    }
}

/// A pipe of any kind with all its handles, driven by [`Op`]s.
struct Subject<S, R> {
    txs: Vec<S>,
    rxs: Vec<R>,
    /// Whether handles may be cloned: where the other subject's cannot, this one's are not.
    many: (bool, bool),
    drops: Arc<Mutex<Vec<usize>>>,
}

/// The handle that the number picks.
fn pick<E>(ends: &[E], n: usize) -> Option<&E> {
    (!ends.is_empty()).then(|| &ends[n % ends.len()])
}

impl<S: Sends<Logged>, R: Receives<Logged>> Subject<S, R> {
    fn new((tx, rx): (S, R), many: (bool, bool)) -> Self {
        Self { txs: vec![tx], rxs: vec![rx], many, drops: Arc::default() }
    }

    /// Does `op` with `id` as the item's number and says everything there is to see of it.
    fn run(&mut self, op: Op, id: usize) -> String {
        let did = self.answer(op, id);
        format!("{did}; dropped {:?}", self.dropped())
    }

    /// Which items were dropped since the last time.
    fn dropped(&self) -> Vec<usize> {
        let mut drops = std::mem::take(&mut *self.drops.lock().unwrap());
        drops.sort_unstable();
        drops
    }

    fn answer(&mut self, op: Op, id: usize) -> String {
        match op {
            Op::TrySend(n) | Op::SendNow(n) | Op::SendTimeout(n) | Op::SendDeadline(n) => {
                pick(&self.txs, n).map_or("no sender".into(), |tx| self.send(tx, op, id))
            }
            Op::TryRecv(n)
            | Op::RecvNow(n)
            | Op::RecvTimeout(n)
            | Op::RecvDeadline(n)
            | Op::TryIter(n, _) => pick(&self.rxs, n).map_or("no receiver".into(), |rx| self.receive(rx, op)),
            Op::CloneSender(n) => {
                let more = pick(&self.txs, n).filter(|_| self.many.0).map(|tx| tx.another().unwrap());
                self.txs.extend(more);
                format!("{} senders", self.txs.len())
            }
            Op::CloneReceiver(n) => {
                let more = pick(&self.rxs, n).filter(|_| self.many.1).map(|rx| rx.another().unwrap());
                self.rxs.extend(more);
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
                let (sender, receiver) = (pick(&self.txs, n), pick(&self.rxs, n));
                format!("{:?} {:?}", sender.map(S::look), receiver.map(R::look))
            }
        }
    }

    // A call that would sleep for ever is left out: nobody else is there to end it.

    fn send(&self, tx: &S, op: Op, id: usize) -> String {
        let item = Logged(id, Arc::clone(&self.drops));
        match op {
            Op::TrySend(_) => {
                let result = tx.try_send(item);
                let shown = format!("{result:?}");
                format!("{shown} {:?}", result.map_err(|e| e.into_inner().0))
            }
            Op::SendNow(_) if tx.look().is_full && !tx.look().is_disconnected => "would sleep".into(),
            Op::SendNow(_) => format!("{:?}", tx.send(item).map_err(|e| e.into_inner().0)),
            _ => {
                let result = match op {
                    Op::SendTimeout(_) => tx.send_timeout(item, Duration::ZERO),
                    _ => tx.send_deadline(item, Instant::now()),
                };
                let shown = format!("{result:?}");
                format!("{shown} {:?}", result.map_err(|e| e.into_inner().0))
            }
        }
    }

    fn receive(&self, rx: &R, op: Op) -> String {
        let number = |item: Logged| item.0;
        match op {
            Op::TryRecv(_) => format!("{:?}", rx.try_recv().map(number)),
            Op::RecvNow(_) if rx.look().is_empty && !rx.look().is_disconnected => "would sleep".into(),
            Op::RecvNow(_) => format!("{:?}", rx.recv().map(number)),
            Op::RecvTimeout(_) => format!("{:?}", rx.recv_timeout(Duration::ZERO).map(number)),
            Op::TryIter(_, most) => {
                format!("{:?}", rx.try_iter().take(most).map(number).collect::<Vec<_>>())
            }
            _ => format!("{:?}", rx.recv_deadline(Instant::now()).map(number)),
        }
    }
}

/// All that `K`'s pipe answers to the calls, and what is dropped at the end.
fn transcript<K: Kind>(config: Config, cap: usize, ops: &[Op], many: (bool, bool)) -> Vec<String> {
    let mut subject = Subject::new(K::pipe(config, cap), many);
    let mut answers: Vec<_> = ops.iter().enumerate().map(|(id, op)| subject.run(*op, id)).collect();
    subject.txs.clear();
    answers.push(format!("without senders: {:?}", subject.dropped()));
    subject.rxs.clear();
    answers.push(format!("without receivers: {:?}", subject.dropped()));
    answers
}

/// Where the two differ first, as a sentence.
fn difference(ring: &[String], baseline: &[String], ops: &[Op]) -> Option<String> {
    let at = (0..ring.len().max(baseline.len())).find(|at| ring.get(*at) != baseline.get(*at))?;
    Some(format!(
        "call {at}, {:?}: the ring says {:?}, the baseline {:?}",
        ops.get(at),
        ring.get(at),
        baseline.get(at)
    ))
}

/// Random sequences of calls under a random setting; what fails is shrunk.
fn any_calls_get_the_same_answers<K: Kind>() {
    let cases = (1..6usize, ops(40, sized(160, 40)), proptest::sample::select(all_configs()));
    let test = |(cap, ops, config): (usize, Vec<Op>, Config)| {
        let ring = transcript::<K>(config, cap, &ops, K::MANY);
        let baseline = transcript::<Baseline>(config, cap, &ops, K::MANY);
        match difference(&ring, &baseline, &ops) {
            None => Ok(()),
            Some(difference) => Err(TestCaseError::fail(difference)),
        }
    };
    if let Err(failure) = TestRunner::new(settings(sized(120, 2))).run(&cases, test) {
        panic!("{}: {failure}", K::NAME);
    }
}

on_each_ring!(any_calls_get_the_same_answers);

/// One ring under every relax x spin x wake policy and capacity: as the baseline answers.
fn under_every_switch<K: Kind>(ops: &[Op]) -> Result<(), String> {
    for cap in CAPS {
        let baseline = transcript::<Baseline>(Config::default(), cap, ops, K::MANY);
        for config in all_configs() {
            let ring = transcript::<K>(config, cap, ops, K::MANY);
            if let Some(difference) = difference(&ring, &baseline, ops) {
                return Err(format!("{}, {cap} items, {config:?}: {difference}", K::NAME));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(settings(sized(10, 1)))]

    /// No switch of any ring changes an answer: the same calls under the full product of them. At the end the pipe of 64
    /// is filled and one more is refused.
    #[test]
    fn no_switch_changes_an_answer(some in ops(40, 60)) {
        let ops: Vec<_> = some.into_iter().chain([Op::TrySend(0); 70]).chain([Op::TryRecv(0); 70]).collect();
        let all = [
            under_every_switch::<SpscIndexed>(&ops),
            under_every_switch::<SpscStamped>(&ops),
            under_every_switch::<MpscStamped>(&ops),
            under_every_switch::<SpmcStamped>(&ops),
            under_every_switch::<MpmcStamped>(&ops),
        ];
        for outcome in all {
            if let Err(difference) = outcome {
                return Err(TestCaseError::fail(difference));
            }
        }
    }
}
