//! What the threads do, and how their answers are checked.
//!
//! An item names its sender and its place in that sender's sequence, so a receiver can tell at once when one
//! sender's items reach it out of order; totals and checksum then show that each arrived exactly once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

use crate::{contender::Channel, latency::Stopwatch};

/// How many threads send and how many receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    /// Sending threads.
    pub senders: usize,
    /// Receiving threads.
    pub receivers: usize,
}

impl Shape {
    /// One sender, one receiver.
    pub const PAIR: Self = Self { senders: 1, receivers: 1 };

    /// Both sides together.
    pub const fn threads(self) -> usize {
        self.senders + self.receivers
    }
}

const SEQUENCE_BITS: u32 = 48;

pub(crate) fn pack(sender: usize, sequence: u64) -> u64 {
    (sender as u64) << SEQUENCE_BITS | sequence
}

fn unpack(item: u64) -> (usize, u64) {
    ((item >> SEQUENCE_BITS) as usize, item & ((1 << SEQUENCE_BITS) - 1))
}

/// What one receiver keeps of what it got.
pub trait Audit: Send + Sized + 'static {
    /// Before the first item.
    fn new(senders: usize) -> Self;

    /// Takes note of one item.
    fn note(&mut self, item: u64);

    /// Whether all receivers together got each sender's first `sent[sender]` items exactly once and in order.
    fn settle(receivers: Vec<Self>, sent: &[u64]) -> Result<(), String>;
}

/// The audit cheap enough to be timed: order by comparing, the rest by count and sum.
pub struct Tally {
    next: Vec<u64>,
    count: u64,
    sum: u64,
    fault: Option<String>,
}

impl Tally {
    #[cold]
    #[inline(never)]
    fn disorder(&mut self, sender: usize, sequence: u64) {
        let fault = match self.next.get(sender) {
            Some(next) => {
                format!("item {sequence} of sender {sender} came when {next} was the next possible")
            }
            None => format!("an item of sender {sender}, which does not exist"),
        };
        self.fault.get_or_insert(fault);
    }
}

impl Audit for Tally {
    fn new(senders: usize) -> Self {
        Self { next: vec![0; senders], count: 0, sum: 0, fault: None }
    }

    #[inline]
    fn note(&mut self, item: u64) {
        let (sender, sequence) = unpack(item);
        match self.next.get_mut(sender) {
            Some(next) if *next <= sequence => *next = sequence + 1,
            _ => self.disorder(sender, sequence),
        }
        self.count += 1;
        self.sum = self.sum.wrapping_add(item);
    }

    fn settle(receivers: Vec<Self>, sent: &[u64]) -> Result<(), String> {
        if let Some(fault) = receivers.iter().find_map(|tally| tally.fault.clone()) {
            return Err(fault);
        }
        let (got, expected) =
            (receivers.iter().map(|tally| tally.count).sum::<u64>(), sent.iter().sum::<u64>());
        if got != expected {
            return Err(format!("{expected} items were sent and {got} received"));
        }
        let got = receivers.iter().fold(0u64, |sum, tally| sum.wrapping_add(tally.sum));
        let expected = sent.iter().enumerate().fold(0u64, |sum, (sender, &count)| {
            let sequences = u128::from(count) * u128::from(count.saturating_sub(1)) / 2;
            sum.wrapping_add(pack(sender, 0).wrapping_mul(count)).wrapping_add(sequences as u64)
        });
        if got != expected {
            return Err(format!("the items' checksum is {got:#x} instead of {expected:#x}"));
        }
        Ok(())
    }
}

/// The audit of the pass before the clock starts: keeps every item and ticks each off.
pub struct Record(Vec<u64>);

impl Audit for Record {
    fn new(_senders: usize) -> Self {
        Self(Vec::new())
    }

    fn note(&mut self, item: u64) {
        self.0.push(item);
    }

    fn settle(receivers: Vec<Self>, sent: &[u64]) -> Result<(), String> {
        let mut seen: Vec<Vec<bool>> = sent.iter().map(|&count| vec![false; count as usize]).collect();
        for Record(items) in receivers {
            let mut next = vec![0; sent.len()];
            for (sender, sequence) in items.into_iter().map(unpack) {
                let item = format!("item {sequence} of sender {sender}");
                match seen.get_mut(sender).and_then(|seen| seen.get_mut(sequence as usize)) {
                    None => return Err(format!("{item} was never sent")),
                    Some(true) => return Err(format!("{item} was received twice")),
                    Some(seen) => *seen = true,
                }
                if sequence < next[sender] {
                    return Err(format!("{item} came after a later one"));
                }
                next[sender] = sequence + 1;
            }
        }
        match seen.iter().map(|seen| seen.iter().filter(|&&seen| !seen).count()).sum() {
            0 => Ok(()),
            lost => Err(format!("{lost} items were lost")),
        }
    }
}

/// Sends until `stop` or until `quota` items are in, but at least one; returns their number.
#[inline]
pub fn send_all<C: Channel>(
    tx: C::Tx,
    sender: usize,
    quota: u64,
    stop: &AtomicBool,
    watch: &mut Stopwatch,
) -> u64 {
    watch.drive(quota, stop, |sequence| C::send(&tx, pack(sender, sequence)))
}

/// Receives until the senders are gone.
#[inline]
pub fn recv_all<C: Channel, A: Audit>(rx: C::Rx, audit: &mut A) -> u64 {
    let mut count = 0;
    while let Some(item) = C::recv(&rx) {
        audit.note(item);
        count += 1;
    }
    count
}

/// Passes of [`solo`] between two looks at `stop`, so that the looks are not what is timed.
const BATCH: u64 = 64;

/// Aside: to be shown the two would have to lie in memory, in each pass.
#[cold]
#[inline(never)]
fn astray(item: u64, got: Option<u64>) -> String {
    format!("item {item} was sent and {got:?} received")
}

/// Sends an item and receives it, alone, until `stop` or `quota`; returns how often.
#[inline]
pub fn solo<C: Channel>((tx, rx): (C::Tx, C::Rx), quota: u64, stop: &AtomicBool) -> Result<u64, String> {
    let mut passes = 0;
    while passes < quota && (passes == 0 || !stop.load(Relaxed)) {
        let batch = passes..quota.min(passes + BATCH);
        passes = batch.end;
        for item in batch {
            let got = C::send(&tx, item).then(|| C::recv(&rx)).flatten();
            if got != Some(item) {
                return Err(astray(item, got));
            }
        }
    }
    drop(tx);
    match C::recv(&rx) {
        None => Ok(passes),
        Some(item) => Err(format!("item {item} was received twice")),
    }
}

/// Serves one item after another to [`pong`] and awaits each back, until `stop` or `quota`; returns the round
/// trips.
#[inline]
pub fn ping<C: Channel>(
    (tx, rx): (C::Tx, C::Rx),
    quota: u64,
    stop: &AtomicBool,
    watch: &mut Stopwatch,
) -> Result<u64, String> {
    let mut fault = None;
    let trips = watch.drive(quota, stop, |trip| {
        // Nothing comes back where the other end is gone, too.
        let back = C::send(&tx, trip).then(|| C::recv(&rx)).flatten();
        if back != Some(trip) {
            fault = Some(format!("round trip {trip} brought back {back:?}"));
        }
        fault.is_none()
    });
    fault.map_or(Ok(trips), Err)
}

/// Returns each item until the other end is gone; returns their number.
#[inline]
pub fn pong<C: Channel>((tx, rx): (C::Tx, C::Rx)) -> u64 {
    let mut count = 0;
    while let Some(item) = C::recv(&rx) {
        if !C::send(&tx, item) {
            break;
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, task::Poll};

    fn settle<A: Audit>(received: &[&[(usize, u64)]], sent: &[u64]) -> Result<(), String> {
        let audits = received.iter().map(|items| {
            let mut audit = A::new(sent.len());
            items.iter().for_each(|&(sender, sequence)| audit.note(pack(sender, sequence)));
            audit
        });
        A::settle(audits.collect(), sent)
    }

    /// Both audits must agree on these.
    fn verdict(received: &[&[(usize, u64)]], sent: &[u64]) -> bool {
        let verdicts = (settle::<Tally>(received, sent), settle::<Record>(received, sent));
        assert_eq!(verdicts.0.is_ok(), verdicts.1.is_ok(), "{verdicts:?}");
        verdicts.0.is_ok()
    }

    #[test]
    fn right_answers_pass() {
        assert!(verdict(&[&[], &[]], &[0, 0]));
        assert!(verdict(&[&[(0, 0), (1, 1), (0, 2)], &[(1, 0), (0, 1)]], &[3, 2]));
    }

    /// std's channel with a receiver that is wrong about the third item.
    struct Wrong;

    impl Channel for Wrong {
        type Tx = mpsc::SyncSender<u64>;
        type Rx = mpsc::Receiver<u64>;

        fn open(&self, capacity: usize, _: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
            let (tx, rx) = mpsc::sync_channel(capacity);
            (vec![tx], vec![rx])
        }

        fn send(tx: &Self::Tx, item: u64) -> bool {
            tx.send(item).is_ok()
        }

        fn recv(rx: &Self::Rx) -> Option<u64> {
            rx.recv().ok().map(|item| item + u64::from(item == 2))
        }

        fn try_send(_: &Self::Tx, _: u64) -> Poll<bool> {
            unreachable!("no workload tries")
        }

        fn try_recv(_: &Self::Rx) -> Poll<Option<u64>> {
            unreachable!("no workload tries")
        }
    }

    #[test]
    fn solo_checks_each_item() {
        let solo = |quota| {
            let (mut txs, mut rxs) = Wrong.open(1, Shape::PAIR);
            solo::<Wrong>((txs.remove(0), rxs.remove(0)), quota, &AtomicBool::new(true))
        };
        assert_eq!(solo(2), Ok(2));
        assert_eq!(solo(3), Err("item 2 was sent and Some(3) received".into()));
    }

    #[test]
    fn wrong_answers_do_not() {
        assert!(!verdict(&[&[(0, 0)]], &[2]), "lost");
        assert!(!verdict(&[&[(0, 0), (0, 0)]], &[2]), "twice");
        assert!(!verdict(&[&[(0, 0)], &[(0, 0)]], &[2]), "twice, by two receivers");
        assert!(!verdict(&[&[(0, 1), (0, 0)]], &[2]), "out of order");
        assert!(!verdict(&[&[(0, 0), (0, 2)]], &[2]), "never sent");
        assert!(!verdict(&[&[(0, 0), (7, 0)]], &[2]), "sender unknown");
    }
}
