//! The four receives.

use super::bounded;
use crate::support::{ms, peer, watchdog};
use hornpipe::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::Instant;

/// `try_recv` takes the items in their order, and says Empty while a sender lives.
#[test]
fn try_recv_until_empty() {
    let (tx, rx) = bounded(2);
    assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    tx.send(1).unwrap();
    tx.send(2).unwrap();
    assert_eq!((rx.try_recv(), rx.try_recv(), rx.try_recv()), (Ok(1), Ok(2), Err(TryRecvError::Empty)));
}

/// `recv` sleeps while the pipe is empty, and ends with the first item.
#[test]
fn recv_waits_for_an_item() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        let receiver = peer(move || rx.recv());
        receiver.asleep();
        tx.send(7).unwrap();
        assert_eq!(receiver.join(), Ok(7));
    });
}

/// After the last sender has gone, the queued items come first, then every receive fails at once.
#[test]
fn receives_without_senders_drain_then_fail() {
    watchdog(10, || {
        let (tx, rx) = bounded(4);
        (1..=4).for_each(|n| tx.send(n).unwrap());
        drop(tx);
        let start = Instant::now();
        assert_eq!(rx.recv(), Ok(1));
        assert_eq!(rx.try_recv(), Ok(2));
        assert_eq!(rx.recv_timeout(ms(20_000)), Ok(3));
        assert_eq!(rx.recv_deadline(start + ms(20_000)), Ok(4));
        for _ in 0..2 {
            assert_eq!(rx.recv(), Err(RecvError));
            assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
            assert_eq!(rx.recv_timeout(ms(20_000)), Err(RecvTimeoutError::Disconnected));
            assert_eq!(rx.recv_deadline(start + ms(20_000)), Err(RecvTimeoutError::Disconnected));
        }
        assert!(start.elapsed() < ms(5_000));
    });
}

/// `recv_timeout` and `recv_deadline` on an empty pipe fail when the time is over, and not before.
#[test]
fn timed_receives_time_out() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        let start = Instant::now();
        assert_eq!(rx.recv_timeout(ms(40)), Err(RecvTimeoutError::Timeout));
        assert!(start.elapsed() >= ms(40));
        let deadline = Instant::now() + ms(40);
        assert_eq!(rx.recv_deadline(deadline), Err(RecvTimeoutError::Timeout));
        assert!(Instant::now() >= deadline);
        tx.send(1).unwrap();
        assert_eq!(rx.recv_timeout(ms(0)), Ok(1), "the receives that gave up left the pipe usable");
    });
}

/// A timed receive succeeds as soon as an item comes.
#[test]
fn timed_receives_end_with_the_first_item() {
    watchdog(10, || {
        let (tx, rx) = bounded(1);
        let receiver = peer(move || {
            let start = Instant::now();
            let first = rx.recv_timeout(ms(60_000));
            let second = rx.recv_deadline(Instant::now() + ms(60_000));
            (first, second, start.elapsed())
        });
        receiver.asleep();
        tx.send(1).unwrap();
        tx.send(2).unwrap();
        let (first, second, took) = receiver.join();
        assert_eq!((first, second), (Ok(1), Ok(2)));
        assert!(took < ms(30_000));
    });
}

/// A receiver asleep on an empty pipe is told when the sender goes, whichever call it sleeps in.
#[test]
fn a_sleeping_receiver_learns_of_the_disconnect() {
    type Receive = fn(&super::Receiver<u8>) -> RecvTimeoutError;
    let calls: [Receive; 3] = [
        |rx| rx.recv().unwrap_err().into(),
        |rx| rx.recv_timeout(ms(60_000)).unwrap_err(),
        |rx| rx.recv_deadline(Instant::now() + ms(60_000)).unwrap_err(),
    ];
    for call in calls {
        watchdog(20, move || {
            let (tx, rx) = bounded(1);
            let receiver = peer(move || call(&rx));
            receiver.asleep();
            drop(tx);
            assert_eq!(receiver.join(), RecvTimeoutError::Disconnected);
        });
    }
}
