//! Receivers that can be cloned and shared.

use super::bounded;
use crate::support::{Tally, ms, peer, watchdog};
use hornpipe::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::Instant;

/// A receiver asleep on an empty pipe is told when the last sender goes, whichever call it sleeps in.
#[test]
fn sleeping_receivers_learn_of_the_disconnect() {
    watchdog(20, || {
        let (tx, rx) = bounded::<u8>(1);
        let (a, b, c) = (rx.clone(), rx.clone(), rx.clone());
        let plain = peer(move || a.recv());
        let timed = peer(move || b.recv_timeout(ms(60_000)));
        let until = peer(move || c.recv_deadline(Instant::now() + ms(60_000)));
        plain.asleep();
        timed.asleep();
        until.asleep();
        drop(tx);
        assert_eq!(plain.join(), Err(RecvError));
        assert_eq!(timed.join(), Err(RecvTimeoutError::Disconnected));
        assert_eq!(until.join(), Err(RecvTimeoutError::Disconnected));
    });
}

/// Clones take from the same pipe: an item goes to one of them only.
#[test]
fn clones_share_the_items() {
    let (tx, rx) = bounded(4);
    let clone = rx.clone();
    (0..4).for_each(|n| tx.send(n).unwrap());
    assert_eq!((rx.recv(), clone.recv()), (Ok(0), Ok(1)));
    drop(rx);
    assert_eq!((clone.recv(), clone.recv(), clone.try_recv()), (Ok(2), Ok(3), Err(TryRecvError::Empty)));
}

/// Each clone counts; the queue goes with the last of them, and the sender is alone only then.
#[test]
fn receivers_are_counted() {
    let tally = Tally::new(2);
    let (tx, rx) = bounded(2);
    let clone = rx.clone();
    assert!(clone.same_channel(&rx));
    assert_eq!((tx.receiver_count(), rx.receiver_count(), rx.sender_count()), (2, 2, 1));
    (0..2).for_each(|id| tx.send(tally.item(id)).ok().unwrap());
    drop(rx);
    assert_eq!((tally.dropped(), tx.is_disconnected()), (0, false), "another receiver is left");
    drop(clone);
    assert_eq!((tx.receiver_count(), tx.is_disconnected()), (0, true));
    tally.assert_each_once();
}

/// A pipe without senders stays disconnected: a clone does not bring it back.
#[test]
fn a_disconnect_is_final() {
    let (tx, rx) = bounded::<u8>(1);
    drop(tx);
    assert_eq!(rx.clone().try_recv(), Err(TryRecvError::Disconnected));
}

/// One shared handle serves several threads.
#[test]
fn a_handle_is_shared_by_reference() {
    watchdog(20, || {
        let (tx, rx) = bounded(2);
        let sender = peer(move || (0..100).for_each(|n| tx.send(n).unwrap()));
        let sum: i32 = std::thread::scope(|scope| {
            let takers = [(); 2].map(|()| scope.spawn(|| rx.iter().sum::<i32>()));
            takers.into_iter().map(|taker| taker.join().unwrap()).sum()
        });
        sender.join();
        assert_eq!(sum, 4_950);
    });
}
