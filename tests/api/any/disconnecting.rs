//! Who owns the items when a side goes.

use super::bounded;
use crate::support::{Tally, watchdog};
use hornpipe::SendError;

/// The last receiver takes the queued items with it at once, though senders live on (crossbeam keeps them).
#[test]
fn last_receiver_drops_the_queue() {
    for (cap, queued) in [(1, 1), (3, 2), (4, 4)] {
        let tally = Tally::new(queued);
        let (tx, rx) = bounded(cap);
        for id in 0..queued {
            tx.send(tally.item(id)).ok().unwrap();
        }
        assert_eq!(tally.dropped(), 0);
        drop(rx);
        tally.assert_each_once();
        assert_eq!((tx.len(), tx.is_empty(), tx.is_full()), (0, true, false));
        drop(tx);
        tally.assert_each_once();
    }
}

/// Items outlive their senders; what nobody received goes with the last receiver.
#[test]
fn items_outlive_their_senders() {
    let tally = Tally::new(4);
    let (tx, rx) = bounded(4);
    for id in 0..4 {
        tx.send(tally.item(id)).ok().unwrap();
    }
    drop(tx);
    assert_eq!(tally.dropped(), 0);
    assert_eq!(rx.recv().unwrap().id, 0);
    assert_eq!((tally.dropped(), tally.drops_of(0)), (1, 1));
    drop(rx);
    tally.assert_each_once();
}

/// An item given back by a failed send is the caller's, untouched.
#[test]
fn a_failed_send_gives_the_item_back() {
    let tally = Tally::new(5);
    let (tx, rx) = bounded(1);
    tx.send(tally.item(0)).ok().unwrap();
    let full = tx.try_send(tally.item(1)).unwrap_err();
    assert!(full.is_full());
    let late = tx.send_timeout(tally.item(2), std::time::Duration::ZERO).unwrap_err();
    assert!(late.is_timeout());
    drop(rx);
    let SendError(gone) = tx.send(tally.item(3)).unwrap_err();
    let also_gone = tx.try_send(tally.item(4)).unwrap_err();
    assert!(also_gone.is_disconnected());
    assert_eq!(tally.dropped(), 1, "only the queued one");
    assert_eq!(
        (full.into_inner().id, late.into_inner().id, gone.id, also_gone.into_inner().id),
        (1, 2, 3, 4)
    );
    drop(gone);
    tally.assert_each_once();
}

/// Both ends may go in any order, with any number of items, and in two threads at once: nothing leaks.
#[test]
fn ends_go_in_any_order() {
    watchdog(20, || {
        for round in 0..crate::support::sized(400, 12) {
            let tally = Tally::new(3);
            let (tx, rx) = bounded(4);
            for id in 0..3 {
                tx.send(tally.item(id)).ok().unwrap();
            }
            match round % 3 {
                0 => drop((tx, rx)),
                1 => drop((rx, tx)),
                _ => std::thread::scope(|scope| {
                    scope.spawn(move || drop(tx));
                    scope.spawn(move || drop(rx));
                }),
            }
            tally.assert_each_once();
        }
    });
}
