//! The four sends.

use super::bounded;
use crate::support::{ms, peer, watchdog};
use hornpipe::{SendError, SendTimeoutError, TrySendError};
use std::time::Instant;

/// `try_send` fills the pipe to its capacity, then says Full and gives the item back; one `recv` makes room for one.
#[test]
fn try_send_until_full() {
    let (tx, rx) = bounded(3);
    for n in 0..3 {
        assert_eq!(tx.try_send(n), Ok(()));
    }
    assert_eq!(tx.try_send(3), Err(TrySendError::Full(3)));
    assert_eq!(rx.recv(), Ok(0));
    assert_eq!(tx.try_send(4), Ok(()));
    assert_eq!(tx.try_send(5), Err(TrySendError::Full(5)));
    assert_eq!(rx.try_iter().collect::<Vec<_>>(), [1, 2, 4]);
}

/// `send` sleeps while the pipe is full, and ends with the first room.
#[test]
fn send_waits_for_room() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        tx.send(1).unwrap();
        let sender = peer(move || tx.send(2));
        sender.asleep();
        assert_eq!(rx.recv(), Ok(1));
        assert_eq!(sender.join(), Ok(()));
        assert_eq!(rx.recv(), Ok(2));
    });
}

/// With room, `send` returns although nobody receives.
#[test]
fn send_with_room_returns_at_once() {
    watchdog(10, || {
        let (tx, rx) = bounded(2);
        tx.send('a').unwrap();
        tx.send('b').unwrap();
        assert_eq!((rx.recv(), rx.recv()), (Ok('a'), Ok('b')));
    });
}

/// Every send to a pipe without receivers fails at once with its item, even where there is time to wait.
#[test]
fn sends_without_receivers_give_the_item_back() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        drop(rx);
        let start = Instant::now();
        assert_eq!(tx.send(1), Err(SendError(1)));
        assert_eq!(tx.try_send(2), Err(TrySendError::Disconnected(2)));
        assert_eq!(tx.send_timeout(3, ms(20_000)), Err(SendTimeoutError::Disconnected(3)));
        assert_eq!(tx.send_deadline(4, start + ms(20_000)), Err(SendTimeoutError::Disconnected(4)));
        assert!(start.elapsed() < ms(5_000));
        assert_eq!(tx.len(), 0);
    });
}

/// `send_timeout` and `send_deadline` on a full pipe give the item back when the time is over, and not before.
#[test]
fn timed_sends_time_out() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        tx.send(1).unwrap();
        let start = Instant::now();
        assert_eq!(tx.send_timeout(2, ms(40)), Err(SendTimeoutError::Timeout(2)));
        assert!(start.elapsed() >= ms(40));
        let deadline = Instant::now() + ms(40);
        assert_eq!(tx.send_deadline(3, deadline), Err(SendTimeoutError::Timeout(3)));
        assert!(Instant::now() >= deadline);
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), [1], "an item that timed out is not in the pipe");
    });
}

/// A timed send succeeds as soon as there is room.
#[test]
fn timed_sends_end_with_the_first_room() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        tx.send_timeout(1, ms(0)).unwrap();
        let sender = peer(move || {
            let start = Instant::now();
            tx.send_timeout(2, ms(60_000)).unwrap();
            tx.send_deadline(3, Instant::now() + ms(60_000)).unwrap();
            start.elapsed()
        });
        sender.asleep();
        assert_eq!(rx.recv(), Ok(1));
        assert_eq!(rx.recv(), Ok(2));
        assert_eq!(rx.recv(), Ok(3));
        assert!(sender.join() < ms(30_000));
    });
}

/// A sender asleep on a full pipe gets its own item back when the receiver goes, whichever call it sleeps in.
#[test]
fn a_sleeping_sender_learns_of_the_disconnect() {
    type Send = fn(&super::Sender<u8>) -> SendTimeoutError<u8>;
    let calls: [Send; 3] = [
        |tx| tx.send(1).unwrap_err().into(),
        |tx| tx.send_timeout(1, ms(60_000)).unwrap_err(),
        |tx| tx.send_deadline(1, Instant::now() + ms(60_000)).unwrap_err(),
    ];
    for call in calls {
        watchdog(20, move || {
            let (tx, rx) = bounded(1);
            tx.send(0).unwrap();
            let sender = peer(move || call(&tx));
            sender.asleep();
            drop(rx);
            assert_eq!(sender.join(), SendTimeoutError::Disconnected(1));
        });
    }
}
