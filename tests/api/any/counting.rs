//! Lengths, capacities, and what an end knows of the others.

use super::bounded;
use crate::support::sized;

/// `len`, `is_empty` and `is_full` follow every send and receive, and both ends agree.
#[test]
fn lengths_follow_the_traffic() {
    let (tx, rx) = bounded(3);
    let check = |len: usize| {
        assert_eq!((tx.len(), rx.len()), (len, len));
        assert_eq!((tx.is_empty(), rx.is_empty()), (len == 0, len == 0));
        assert_eq!((tx.is_full(), rx.is_full()), (len == 3, len == 3));
    };
    check(0);
    for round in 0..10 {
        for n in 0..3 {
            tx.send(round * 3 + n).unwrap();
            check(n + 1);
        }
        for n in (0..3).rev() {
            rx.recv().unwrap();
            check(n);
        }
        tx.send(0).unwrap();
        check(1);
        rx.recv().unwrap();
        check(0);
    }
}

/// A pipe holds exactly as many items as was asked for, at any number, wherever in the ring it starts to be filled.
#[test]
fn capacity_is_exact() {
    for cap in 1..=sized(70, 9) {
        let (tx, rx) = bounded(cap);
        assert_eq!((tx.capacity(), rx.capacity()), (Some(cap), Some(cap)));
        for start in [0, 1, cap / 2] {
            for _ in 0..start {
                tx.send(usize::MAX).unwrap();
                assert_eq!(rx.recv(), Ok(usize::MAX));
            }
            let taken = (0..cap + 5).take_while(|n| tx.try_send(*n).is_ok()).count();
            assert_eq!(taken, cap);
            assert_eq!(rx.try_iter().collect::<Vec<_>>(), (0..cap).collect::<Vec<_>>());
        }
    }
}

/// A pipe of no items cannot be had.
#[test]
#[should_panic(expected = "the capacity must not be zero")]
fn no_capacity_panics() {
    bounded::<u8>(0);
}

/// `sender_count` and `receiver_count` are 1 while the only end lives, seen from the other one.
#[test]
fn ends_are_counted() {
    let (tx, rx) = bounded::<u8>(1);
    assert_eq!(
        (tx.sender_count(), tx.receiver_count(), rx.sender_count(), rx.receiver_count()),
        (1, 1, 1, 1)
    );
    drop(tx);
    assert_eq!((rx.sender_count(), rx.receiver_count()), (0, 1));
    let (tx, rx) = bounded::<u8>(1);
    drop(rx);
    assert_eq!((tx.sender_count(), tx.receiver_count()), (1, 0));
}

/// `same_channel` tells the ends of one pipe from those of another.
#[test]
fn same_channel_knows_its_own() {
    let (tx, rx) = bounded::<u8>(1);
    let (other_tx, other_rx) = bounded::<u8>(1);
    assert!(tx.same_channel(&tx) && rx.same_channel(&rx));
    assert!(!tx.same_channel(&other_tx) && !rx.same_channel(&other_rx));
    drop(rx);
    assert!(tx.same_channel(&tx), "also without receivers");
}

/// `is_disconnected` says that the other side is gone; queued items do not change that.
#[test]
fn is_disconnected_looks_at_the_other_side() {
    let (tx, rx) = bounded(2);
    tx.send(1).unwrap();
    assert!(!tx.is_disconnected() && !rx.is_disconnected());
    drop(tx);
    assert!(rx.is_disconnected());
    assert_eq!(rx.len(), 1);
    assert_eq!(rx.recv(), Ok(1));
    assert!(rx.is_disconnected());

    let (tx, rx) = bounded::<u8>(2);
    drop(rx);
    assert!(tx.is_disconnected());
}

/// The ends can be printed, whatever the items are.
#[test]
fn ends_are_debug() {
    struct Opaque;
    let (tx, rx) = bounded::<Opaque>(1);
    assert!(format!("{tx:?}").contains("Sender"));
    assert!(format!("{rx:?}").contains("Receiver"));
}
