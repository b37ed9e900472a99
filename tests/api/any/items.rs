//! Items of unusual shape.

use super::bounded;
use crate::support::{Tally, peer, sized, watchdog};
use hornpipe::{TryRecvError, TrySendError};
use std::sync::Arc;

/// Items of no size are counted like others.
#[test]
fn items_of_no_size() {
    let (tx, rx) = bounded(2);
    assert_eq!((tx.try_send(()), tx.try_send(())), (Ok(()), Ok(())));
    assert_eq!(tx.try_send(()), Err(TrySendError::Full(())));
    assert_eq!((rx.recv(), rx.recv(), rx.try_recv()), (Ok(()), Ok(()), Err(TryRecvError::Empty)));
}

/// Items that hold references to the test's own data go through, and are gone with the pipe.
#[test]
fn items_may_borrow() {
    let text = String::from("borrowed");
    let (tx, rx) = bounded(2);
    std::thread::scope(|scope| {
        let text = text.as_str();
        scope.spawn(move || tx.send(text).unwrap());
        assert_eq!(rx.recv(), Ok("borrowed"));
    });
}

/// Items larger than a page, and owned ones, come out as they went in.
#[test]
fn large_and_owned_items() {
    watchdog(10, || {
        let (tx, rx) = bounded(3);
        let sender = peer(move || {
            for n in 0..sized(200, 12) {
                tx.send((n, [n as u64; 1_000], vec![n; 3], Arc::new(n))).unwrap();
            }
        });
        for (expected, (n, array, list, shared)) in rx.iter().enumerate() {
            assert_eq!(n, expected);
            assert!(array.iter().all(|x| *x == n as u64));
            assert_eq!(list, [n; 3]);
            assert_eq!(Arc::into_inner(shared), Some(n), "nobody else holds a copy");
        }
        sender.join();
    });
}

/// A pipe whose items are the ends of other pipes.
#[test]
fn pipes_of_pipes() {
    watchdog(10, || {
        let tally = Tally::new(1);
        let (outer_tx, outer_rx) = bounded(1);
        let (tx, rx) = bounded(1);
        tx.send(tally.item(0)).ok().unwrap();
        outer_tx.send(rx).unwrap();
        drop(outer_rx);
        tally.assert_each_once();
        assert!(tx.is_disconnected(), "the receiver in the queue was dropped with the outer pipe");
    });
}
