//! Timed waits, with a clock that ticks when the model's own thread says so.

use crate::pipes::{Make, mpmc};
use crate::track::Track;
use hornpipe::model::advance;
use hornpipe::{ManyReceivers, RecvTimeoutError, SendTimeoutError, WakePolicy};
use loom::thread;
use std::time::Duration;

/// What the timed call of each model waits: until the only tick.
const TICK: Duration = Duration::from_millis(1);

/// A receiver whose time comes while a sender sends: the item is received in time, or is still there.
pub fn recv() {
    let (tx, rx) = mpmc(1).build().unwrap();
    let clock = tx.clone();
    let sender = thread::spawn(move || {
        assert!(tx.send(Track::new(0, 0)).is_ok());
        tx
    });
    let receiver = thread::spawn(move || {
        let received = rx.recv_timeout(TICK);
        (rx, received)
    });
    advance();
    clock.disturb();
    let _tx = sender.join().unwrap();
    let (rx, received) = receiver.join().unwrap();
    match received {
        Ok(item) => assert!(item.is(0, 0) && rx.is_empty()),
        Err(RecvTimeoutError::Timeout) => assert!(rx.try_recv().is_ok(), "sent, not received, not there"),
        Err(RecvTimeoutError::Disconnected) => panic!("a sender is left"),
    }
}

/// A sender on a full pipe whose time comes while a receiver makes room: the item is sent, or comes back.
pub fn send() {
    let (tx, rx) = mpmc(1).build().unwrap();
    let clock = rx.clone();
    assert!(tx.send(Track::new(0, 0)).is_ok());
    let sender = thread::spawn(move || {
        let sent = tx.send_timeout(Track::new(0, 1), TICK);
        (tx, sent)
    });
    let receiver = thread::spawn(move || assert_eq!(rx.recv().unwrap().number, 0));
    advance();
    clock.disturb();
    let (_tx, sent) = sender.join().unwrap();
    receiver.join().unwrap();
    match sent {
        Ok(()) => assert_eq!(clock.try_recv().unwrap().number, 1),
        Err(SendTimeoutError::Timeout(item)) => assert!(item.number == 1 && clock.is_empty()),
        Err(SendTimeoutError::Disconnected(_)) => panic!("a receiver is left"),
    }
}

/// Two receivers, of which one gives up: a wake that it was granted must not leave the other asleep beside an item.
///
/// The first item wakes a receiver, and its sender takes that item away again, so that the second item is the patient
/// receiver's. The hasty one sends another for what it got, and the patient one wakes it.
///
/// With the barrier's steps one preemption is too many runs; without a barrier it is not.
pub fn taken_1p2c() {
    let (tx, rx) = mpmc(2).build().unwrap();
    let (tx1, rx1) = (tx.clone(), rx.clone());
    let patient = thread::spawn(move || {
        drop(rx1.recv().unwrap());
        assert!(tx1.send(Track::new(1, 0)).is_ok());
        (tx1, rx1)
    });
    let (tx2, rx2) = (tx.clone(), rx.clone());
    let sender = thread::spawn(move || {
        assert!(tx2.send(Track::new(0, 0)).is_ok());
        drop(rx2.try_recv());
        advance();
        assert!(tx2.send(Track::new(0, 1)).is_ok());
        (tx2, rx2)
    });
    if rx.recv_timeout(TICK).is_ok() {
        assert!(tx.send(Track::new(2, 0)).is_ok());
    }
    let _handles = (sender.join().unwrap(), patient.join().unwrap());
    rx.try_iter().for_each(drop);
    assert_eq!(Track::alive(), 0, "sent and not received");
}

/// The same with fewer steps, for one preemption also with the barrier: the patient receiver only receives, and the
/// clock wakes the hasty one after that.
pub fn taken_1p2c_late() {
    let (tx, rx) = mpmc(2).build().unwrap();
    let (tx1, rx1) = (tx.clone(), rx.clone());
    let patient = thread::spawn(move || {
        drop(rx1.recv().unwrap());
        rx1
    });
    let rx2 = rx.clone();
    let hasty = thread::spawn(move || {
        if rx2.recv_timeout(TICK).is_ok() {
            assert!(tx1.send(Track::new(1, 0)).is_ok());
        }
        (tx1, rx2)
    });
    assert!(tx.send(Track::new(0, 0)).is_ok());
    drop(rx.try_recv());
    advance();
    assert!(tx.send(Track::new(0, 1)).is_ok());
    let patient = patient.join().unwrap();
    tx.disturb();
    let _handles = (patient, hasty.join().unwrap());
    rx.try_iter().for_each(drop);
    assert_eq!(Track::alive(), 0, "sent and not received");
}

/// Two receivers asleep, two items, and the first alone wakes somebody: who gives up with that wake takes an item and
/// hands on, or leaves the wake to the other.
pub fn two_items<K: ManyReceivers>(pipe: Make<K>, policy: WakePolicy) {
    let (tx, rx) = pipe(2).wake(policy).build().unwrap();
    let other = rx.clone();
    let patient = thread::spawn(move || {
        drop(other.recv().unwrap());
        other
    });
    let hasty = thread::spawn(move || {
        drop(rx.recv_timeout(TICK));
        rx
    });
    assert!(tx.send(Track::new(0, 0)).is_ok());
    advance();
    assert!(tx.send(Track::new(0, 1)).is_ok());
    let patient = patient.join().unwrap();
    tx.disturb();
    let _hasty = hasty.join().unwrap();
    patient.try_iter().for_each(drop);
    assert_eq!(Track::alive(), 0, "sent and not received");
}
