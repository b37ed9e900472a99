//! The ends of pipes: what the last sender and the last receiver leave behind.

use crate::pipes::{Make, mpmc};
use crate::track::Track;
use crate::traffic::Tries;
use hornpipe::model::{Point, at_next};
use hornpipe::{ManySenders, Receiver, RecvTimeoutError, Sender, Topology, TryRecvError};
use loom::thread::{self, JoinHandle};
use std::time::Duration;

/// A thread that sends one item and is gone, with its handle.
fn send_and_go<K: Topology>(tx: Sender<Track, K>, from: usize) -> JoinHandle<()> {
    thread::spawn(move || assert!(tx.send(Track::new(from, 0)).is_ok(), "a receiver is left"))
}

/// A receiver beside the last sender, which sends and goes: the item first, whatever `recv` meets on its way.
fn last_sender<K: Topology>(pipe: Make<K>, recv: impl Fn(&Receiver<Track, K>) -> Option<Track>) {
    let (tx, rx) = pipe(1).build().unwrap();
    let sender = send_and_go(tx, 0);
    assert!(recv(&rx).is_some(), "Disconnected before the item");
    assert!(recv(&rx).is_none());
    sender.join().unwrap();
}

/// An item sent between a receiver's empty look and the closing is received before Disconnected.
pub fn senders<K: Topology>(pipe: Make<K>) {
    last_sender(pipe, |rx| rx.recv().ok());
}

/// `recv`, awake.
fn poll<K: Topology>(rx: &Receiver<Track, K>) -> Option<Track> {
    let mut tries = Tries::default();
    loop {
        match rx.try_recv() {
            Ok(item) => return Some(item),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => tries.failed(),
        }
    }
}

/// The same for `try_recv`.
pub fn senders_try<K: Topology>(pipe: Make<K>) {
    last_sender(pipe, poll);
}

/// The same for `recv_timeout`, whose time never comes.
pub fn senders_timeout<K: Topology>(pipe: Make<K>) {
    last_sender(pipe, |rx| match rx.recv_timeout(Duration::from_millis(1)) {
        Ok(item) => Some(item),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => panic!("no clock runs"),
    });
}

/// Two senders that go: whichever is last, both items come first (the other's through PUT).
pub fn senders_2p<K: ManySenders>(pipe: Make<K>) {
    let (tx, rx) = pipe(2).build().unwrap();
    let senders = [send_and_go(tx.clone(), 0), send_and_go(tx, 1)];
    assert!(poll(&rx).is_some() && poll(&rx).is_some(), "Disconnected before an item");
    assert!(poll(&rx).is_none());
    senders.into_iter().for_each(|sender| sender.join().unwrap());
}

/// The last sender goes while a receiver goes to sleep.
pub fn empty<K: Topology>(pipe: Make<K>) {
    let (tx, rx) = pipe(1).build::<Track>().unwrap();
    let closer = thread::spawn(move || drop(tx));
    assert!(rx.recv().is_err());
    closer.join().unwrap();
}

/// The last sender goes while two receivers go to sleep.
pub fn empty_2c() {
    let (tx, rx) = mpmc(1).build::<Track>().unwrap();
    let other = rx.clone();
    let receiver = thread::spawn(move || assert!(other.recv().is_err()));
    let closer = thread::spawn(move || drop(tx));
    assert!(rx.recv().is_err());
    receiver.join().unwrap();
    closer.join().unwrap();
}

/// The last receiver goes while `tx` and `others` send one item each, and may have taken one. When all are back nothing
/// is left in the pipe: an item was received, given back, or dropped by then.
fn last_receiver<K: Topology>(tx: Sender<Track, K>, others: Vec<Sender<Track, K>>, rx: Receiver<Track, K>) {
    let send = |tx: Sender<Track, K>, from: usize| {
        if let Err(back) = tx.send(Track::new(from, 0)) {
            assert!(back.0.is(from, 0));
        }
        tx
    };
    let sending: Vec<_> = (1..).zip(others).map(|(from, tx)| thread::spawn(move || send(tx, from))).collect();
    let receiver = thread::spawn(move || drop(rx.try_recv()));
    let tx = send(tx, 0);
    receiver.join().unwrap();
    let _others: Vec<_> = sending.into_iter().map(|sender| sender.join().unwrap()).collect();
    assert_eq!(Track::alive(), 0, "an item outlives the receivers and every send");
    assert!(tx.is_disconnected());
}

/// A send in flight while the last receiver goes: its item is dropped by the receiver or by itself (DISCARD), which
/// then goes on where the receiver was (TURN).
pub fn receivers<K: Topology>(pipe: Make<K>) {
    let (tx, rx) = pipe(1).build().unwrap();
    last_receiver(tx, vec![], rx);
}

/// Two sends in flight: the one that is published behind a slot still unpublished is dropped too.
pub fn receivers_2p<K: ManySenders>(pipe: Make<K>) {
    let (tx, rx) = pipe(2).build().unwrap();
    last_receiver(tx.clone(), vec![tx], rx);
}

/// A sender is slow to wake the last receiver, which meanwhile takes the item and goes: should the sender be the first
/// to discard, it goes on behind that one (ABANDON, IS_GONE).
pub fn receivers_slow<K: Topology>(pipe: Make<K>) {
    let (tx, rx) = pipe(1).build().unwrap();
    let receiver = thread::spawn(move || drop(rx.recv()));
    at_next(Point::BeforeWake, thread::yield_now);
    drop(tx.send(Track::new(0, 0)));
    receiver.join().unwrap();
}

/// A sender that waits, or is about to, on a full pipe whose last receiver goes: its item comes back, the queued one
/// is dropped. The room that the discard makes is not for the sender.
pub fn receivers_full<K: Topology>(pipe: Make<K>) {
    let (tx, rx) = pipe(1).build().unwrap();
    assert!(tx.send(Track::new(0, 0)).is_ok());
    let receiver = thread::spawn(move || drop(rx));
    let back = tx.send(Track::new(0, 1)).expect_err("no receiver takes it").into_inner();
    assert!(back.is(0, 1));
    drop(back);
    receiver.join().unwrap();
    assert_eq!(Track::alive(), 0, "the queued item outlives the receivers");
}
