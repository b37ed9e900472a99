//! Where both ends can be cloned and shared.

use super::{Sender, bounded};
use crate::support::{Tally, sized, watchdog};

/// A pipe sent through itself, both ends in one item, can still be received and used.
#[test]
fn ends_may_travel_through_their_own_pipe() {
    watchdog(10, || {
        enum Parcel {
            Ends(Box<(Sender<Parcel>, super::Receiver<Parcel>)>),
            Item(crate::support::Item),
        }
        let tally = Tally::new(1);
        let (tx, rx) = bounded(2);
        tx.send(Parcel::Ends(Box::new((tx.clone(), rx.clone())))).ok().unwrap();
        drop(tx);
        let Ok(Parcel::Ends(ends)) = rx.recv() else { panic!("the ends were sent") };
        drop(rx);
        ends.0.send(Parcel::Item(tally.item(0))).ok().unwrap();
        assert!(matches!(ends.1.recv(), Ok(Parcel::Item(item)) if item.id == 0));
        tally.assert_each_once();
        assert_eq!((ends.0.sender_count(), ends.0.receiver_count()), (1, 1));
    });
}

/// `sender_count` and `receiver_count` count the handles alive, seen from both ends.
#[test]
fn handles_are_counted() {
    let (tx, rx) = bounded::<u8>(1);
    let counts = || (tx.sender_count(), tx.receiver_count(), rx.sender_count(), rx.receiver_count());
    assert_eq!(counts(), (1, 1, 1, 1));
    let (tx2, rx2, rx3) = (tx.clone(), rx.clone(), rx.clone());
    assert_eq!(counts(), (2, 3, 2, 3));
    drop((tx2, rx2));
    assert_eq!(counts(), (1, 2, 1, 2));
    drop(rx3);
    assert_eq!(counts(), (1, 1, 1, 1));
    let clones: Vec<_> = (0..1_000).map(|_| tx.clone()).collect();
    assert_eq!(counts(), (1_001, 1, 1_001, 1));
    drop(clones);
    drop(tx);
    assert_eq!((rx.sender_count(), rx.receiver_count()), (0, 1));
    let (tx, rx) = bounded::<u8>(1);
    drop(rx);
    assert_eq!((tx.sender_count(), tx.receiver_count()), (1, 0));
}

/// Clones of both ends, in two threads, may go in any order: nothing leaks.
#[test]
fn clones_go_in_any_order() {
    watchdog(20, || {
        for _ in 0..sized(100, 4) {
            let tally = Tally::new(3);
            let (tx, rx) = bounded(4);
            (0..3).for_each(|id| tx.send(tally.item(id)).ok().unwrap());
            std::thread::scope(|scope| {
                let (tx2, rx2) = (tx.clone(), rx.clone());
                scope.spawn(move || drop((tx, rx2)));
                scope.spawn(move || drop((rx, tx2)));
            });
            tally.assert_each_once();
        }
    });
}
