//! Receivers as iterators.

use super::bounded;
use crate::support::{peer, watchdog};

/// `iter` waits for items and ends with the disconnect, then stays at its end.
#[test]
fn iter_ends_with_the_disconnect() {
    watchdog(10, || {
        let (tx, rx) = bounded(2);
        let receiver = peer(move || {
            let mut iter = rx.iter();
            let items: Vec<i32> = iter.by_ref().collect();
            (items, iter.next())
        });
        receiver.asleep();
        (0..5).for_each(|n| tx.send(n).unwrap());
        drop(tx);
        assert_eq!(receiver.join(), (vec![0, 1, 2, 3, 4], None));
    });
}

/// `try_iter` takes what is there and never waits; it may be asked again later.
#[test]
fn try_iter_takes_what_is_there() {
    watchdog(10, || {
        let (tx, rx) = bounded(4);
        let mut iter = rx.try_iter();
        assert_eq!(iter.next(), None);
        tx.send(1).unwrap();
        tx.send(2).unwrap();
        assert_eq!((iter.next(), iter.next(), iter.next()), (Some(1), Some(2), None));
        drop(tx);
        assert_eq!(iter.next(), None);
    });
}

/// A `for` loop over `&rx` leaves the receiver usable when it is left early.
#[test]
fn for_loop_over_a_reference() {
    watchdog(10, || {
        let (tx, rx) = bounded(4);
        (0..4).for_each(|n| tx.send(n).unwrap());
        for n in &rx {
            if n == 1 {
                break;
            }
        }
        assert_eq!(rx.recv(), Ok(2));
        drop(tx);
        let mut rest = Vec::new();
        for n in &rx {
            rest.push(n);
        }
        assert_eq!(rest, [3]);
    });
}

/// `into_iter` owns the receiver: dropping it is the disconnect.
#[test]
fn into_iter_owns_the_receiver() {
    watchdog(10, || {
        let (tx, rx) = bounded(4);
        (0..3).for_each(|n| tx.send(n).unwrap());
        let mut iter = rx.into_iter();
        assert_eq!(iter.next(), Some(0));
        assert!(!tx.is_disconnected());
        drop(iter);
        assert!(tx.is_disconnected());
        assert!(tx.send(9).is_err());

        let (tx, rx) = bounded(4);
        (0..3).for_each(|n| tx.send(n).unwrap());
        drop(tx);
        let mut all = Vec::new();
        for n in rx {
            all.push(n);
        }
        assert_eq!(all, [0, 1, 2]);
    });
}
