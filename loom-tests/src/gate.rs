//! Sleeping and waking: nobody may sleep beside work. loom reports a thread that nobody will wake as a deadlock.
//!
//! In `Barrier` rows the fences are as shipped: what a publisher sees of a waiter is ordered by the claim's own
//! read-modify-write against the waiter's SETTLE, and on a claimed slot by the publisher's light fence against the
//! waiter's heavy one; light fences of two publishers do not order each other. In `Sym` rows there is no barrier:
//! every look takes the cold path, which fences.

use crate::support::{Open, Track, pipe, traffic};
use hornpipe::WakePolicy::{All, Chain, Each};
use loom::thread;

/// One item: the first send there is meets the first receive there is.
pub fn gate_first() {
    traffic(Open::new(1, Chain), &[1], &[1]);
}

/// Two items through one slot: the receiver sleeps on empty, the sender on full, either also on a claimed slot.
pub fn gate_1p1c() {
    traffic(Open::new(1, Chain), &[2], &[2]);
}

/// A sender takes its first item back, if it can: the receiver that the item woke finds nothing, and must be found
/// asleep, or not yet asleep, by the second.
pub fn gate_taken_back() {
    let (tx, rx) = pipe(2);
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
pub fn gate_2p1c() {
    traffic(Open::new(2, Chain), &[1, 1], &[2]);
}

/// Two receivers asleep, two items, and one wake in flight at a time: the woken one hands on.
pub fn gate_1p2c() {
    traffic(Open::new(2, Chain), &[2], &[1, 1]);
}

/// Two senders asleep on a full pipe, woken by one receiver.
pub fn gate_full_2p1c() {
    traffic(Open::full(2, Chain), &[1, 1], &[2]);
}

/// As `gate_1p2c`, with a wake for each item.
pub fn gate_each_1p2c() {
    traffic(Open::new(2, Each), &[2], &[1, 1]);
}

/// As `gate_1p2c`, where each item wakes all: one of the woken finds nothing and sleeps again.
pub fn gate_all_1p2c() {
    traffic(Open::new(2, All), &[2], &[1, 1]);
}
