//! Sleeping and waking: nobody may sleep beside work. loom reports a thread that nobody will wake as a deadlock.
//!
//! In `Barrier` rows the fences are as shipped: what a publisher sees of a waiter is ordered by a shared cursor's
//! read-modify-write against the waiter's SETTLE, and on a claimed slot or behind an exclusive cursor by the
//! publisher's light fence against the waiter's heavy one; light fences of two publishers do not order each other. In
//! `Sym` rows there is no barrier: every look takes the cold path, which fences.

use crate::pipes::{Make, mpmc};
use crate::track::Track;
use crate::traffic::{Open, traffic};
use hornpipe::{Topology, WakePolicy};
use loom::thread;
use std::sync::Arc;

/// One item: the first send there is meets the first receive there is.
pub fn first<K: Topology>(pipe: Make<K>) {
    traffic(Open::new(pipe(1)), &[1], &[1]);
}

/// Two items through one slot: the receiver sleeps on empty, the sender on full, either also on a claimed slot.
pub fn both_sleep<K: Topology>(pipe: Make<K>) {
    traffic(Open::new(pipe(1)), &[2], &[2]);
}

/// A sender takes its first item back, if it can: the receiver that the item woke finds nothing, and must be found
/// asleep, or not yet asleep, by the second.
pub fn taken_back() {
    let (tx, rx) = mpmc(2).build().unwrap();
    let other = rx.clone();
    let sender = thread::spawn(move || {
        assert!(tx.send(Track::new(0, 0)).is_ok());
        drop(other.try_recv());
        assert!(tx.send(Track::new(0, 1)).is_ok());
        (tx, other)
    });
    assert!(rx.recv().is_ok());
    sender.join().unwrap();
}

/// Two senders, of which the second to claim may publish first: the receiver sleeps on a claimed slot beside a
/// published one, until the first is published too.
pub fn stalled_sender<K: Topology>(pipe: Make<K>) {
    traffic(Open::new(pipe(2)), &[1, 1], &[2]);
}

/// Two receivers asleep, two items. Where the first alone wakes somebody (by `Chain` while a wake is in flight, by
/// `OnEdge` always), the woken one hands on; where each wakes all, one of the woken finds nothing and sleeps again.
pub fn two_receivers<K: Topology>(pipe: Make<K>, policy: WakePolicy) {
    traffic(Open::new(pipe(2).wake(policy)), &[2], &[1, 1]);
}

/// The same for two senders asleep on a full pipe, and one receiver.
pub fn two_senders<K: Topology>(pipe: Make<K>, policy: WakePolicy) {
    traffic(Open::full(pipe(2).wake(policy)), &[1, 1], &[2]);
}

/// One item, and at any moment a third thread takes the fences from the sleepers to their peers.
pub fn to_sym<K: Topology>(pipe: Make<K>) {
    switched(Open::new(pipe(1)), true, &[1], &[1]);
}

/// And back, at any moment: so far everybody fenced.
pub fn to_light<K: Topology>(pipe: Make<K>) {
    let pipe = Open::new(pipe(1));
    pipe.symmetric(true);
    switched(pipe, false, &[1], &[1]);
}

/// As `to_sym`, and two receivers: either may announce itself before, during or after the switch.
pub fn to_sym_2c<K: Topology>(pipe: Make<K>) {
    switched(Open::new(pipe(2)), true, &[2], &[1, 1]);
}

fn switched<K: Topology>(pipe: Arc<Open<K>>, sym: bool, senders: &[usize], receivers: &[usize]) {
    let other = pipe.clone();
    let switcher = thread::spawn(move || other.symmetric(sym));
    traffic(pipe.clone(), senders, receivers);
    switcher.join().unwrap();
}
