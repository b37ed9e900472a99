//! The ends of pipes: what the last sender and the last receiver leave behind.

use crate::support::{Track, Tries, pipe};
use hornpipe::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use loom::thread::{self, JoinHandle};
use std::time::Duration;

/// A thread that sends one item and is gone, with its handle.
fn send_and_go(tx: Sender<Track>, from: usize) -> JoinHandle<()> {
    thread::spawn(move || assert!(tx.send(Track::new(from, 0)).is_ok(), "a receiver is left"))
}

/// A receiver beside the last sender, which sends and goes: the item first, whatever `recv` meets on its way.
fn last_sender(recv: impl Fn(&Receiver<Track>) -> Option<Track>) {
    let (tx, rx) = pipe(1);
    let sender = send_and_go(tx, 0);
    assert!(recv(&rx).is_some(), "Disconnected before the item");
    assert!(recv(&rx).is_none());
    sender.join().unwrap();
}

/// An item sent between a receiver's empty look and the closing is received before Disconnected.
pub fn close_senders() {
    last_sender(|rx| rx.recv().ok());
}

/// `recv`, awake.
fn poll(rx: &Receiver<Track>) -> Option<Track> {
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
pub fn close_senders_try() {
    last_sender(poll);
}

/// The same for `recv_timeout`, whose time never comes.
pub fn close_senders_timeout() {
    last_sender(|rx| match rx.recv_timeout(Duration::from_millis(1)) {
        Ok(item) => Some(item),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => panic!("no clock runs"),
    });
}

/// Two senders that go: whichever is last, both items come first (the other's through PUT).
pub fn close_senders_2p() {
    let (tx, rx) = pipe(2);
    let senders = [send_and_go(tx.clone(), 0), send_and_go(tx, 1)];
    assert!(poll(&rx).is_some() && poll(&rx).is_some(), "Disconnected before an item");
    assert!(poll(&rx).is_none());
    senders.into_iter().for_each(|sender| sender.join().unwrap());
}

/// The last sender goes while a receiver goes to sleep.
pub fn close_empty() {
    let (tx, rx) = pipe(1);
    let closer = thread::spawn(move || drop(tx));
    assert!(rx.recv().is_err());
    closer.join().unwrap();
}

/// The last sender goes while two receivers go to sleep.
pub fn close_empty_2c() {
    let (tx, rx) = pipe(1);
    let other = rx.clone();
    let receiver = thread::spawn(move || assert!(other.recv().is_err()));
    let closer = thread::spawn(move || drop(tx));
    assert!(rx.recv().is_err());
    receiver.join().unwrap();
    closer.join().unwrap();
}

/// The last receiver goes while so many senders send one item each, and may have taken one. When all are back
/// nothing is left in the pipe: an item was received, given back, or dropped by then.
fn last_receiver(senders: usize) {
    let (tx, rx) = pipe(senders);
    let sending: Vec<_> = (1..senders)
        .map(|from| {
            let tx = tx.clone();
            thread::spawn(move || drop(tx.send(Track::new(from, 0))))
        })
        .collect();
    let receiver = thread::spawn(move || drop(rx.try_recv()));
    if let Err(back) = tx.send(Track::new(0, 0)) {
        assert!(back.0.is(0, 0));
    }
    receiver.join().unwrap();
    sending.into_iter().for_each(|sender| sender.join().unwrap());
    assert_eq!(Track::alive(), 0, "an item outlives the receivers and every send");
    assert!(tx.is_disconnected());
}

/// A send in flight while the last receiver goes: its item is dropped by the receiver or by itself (DISCARD).
pub fn close_receivers() {
    last_receiver(1);
}

/// Two sends in flight: the one that is published behind a slot still unpublished is dropped too.
pub fn close_receivers_2p() {
    last_receiver(2);
}

/// A sender that waits, or is about to, on a full pipe whose last receiver goes: its item comes back, the queued one
/// is dropped.
pub fn close_receivers_full() {
    let (tx, rx) = pipe(1);
    assert!(tx.send(Track::new(0, 0)).is_ok());
    let receiver = thread::spawn(move || drop(rx));
    let back = tx.send(Track::new(0, 1)).expect_err("no receiver takes it").into_inner();
    assert_eq!(back.number, 1);
    receiver.join().unwrap();
    assert_eq!(Track::alive(), 1, "the queued item outlives the receivers");
}
