//! B. Disconnects, with threads frozen where it hurts.

use crate::support::{Config, Ice, Tally, each, eventually, ms, peer, sleepy_policies};
use hornpipe::hooks::Point;
use hornpipe::{RecvError, RecvTimeoutError, SendError, SendTimeoutError};
use std::sync::Arc;

/// The stall points on the way to sleep, under each wake policy, in a plain wait and a timed one.
fn waits() -> impl Iterator<Item = (Point, bool, Config)> {
    let points = [(Point::Announced, false), (Point::BetweenLoads, false), (Point::Announced, true)];
    points.into_iter().flat_map(|(point, timed)| sleepy_policies().map(|config| (point, timed, config)))
}

/// The last sender goes while a receiver stands between its look and its sleep: it is told.
#[test]
fn scenario_19_senders_go_before_the_sleep() {
    each(waits(), 20, |(point, timed, config)| {
        let (tx, rx) = config.pipe::<u8>(1);
        let (ice, receiver) = Ice::over(point, move || {
            if timed { rx.recv_timeout(ms(60_000)) } else { rx.recv().map_err(RecvTimeoutError::from) }
        });
        ice.wait_frozen();
        drop(tx);
        ice.thaw();
        assert_eq!(receiver.join(), Err(RecvTimeoutError::Disconnected));
    });
}

/// The last receiver goes while a sender stands between its look at a full pipe and its sleep: the item comes back.
#[test]
fn scenario_19_receivers_go_before_the_sleep() {
    each(waits(), 20, |(point, timed, config)| {
        let (tx, rx) = config.pipe(1);
        tx.send(1).unwrap();
        let (ice, sender) = Ice::over(point, move || {
            if timed { tx.send_timeout(2, ms(60_000)) } else { tx.send(2).map_err(SendTimeoutError::from) }
        });
        ice.wait_frozen();
        drop(rx);
        ice.thaw();
        assert_eq!(sender.join(), Err(SendTimeoutError::Disconnected(2)));
    });
}

/// The last item and the end come together while a receiver stands before its sleep: the item is seen first.
#[test]
fn scenario_17_item_and_end_before_the_sleep() {
    each(waits(), 20, |(point, timed, config)| {
        let (tx, rx) = config.pipe(1);
        let (ice, receiver) = Ice::over(point, move || {
            let first =
                if timed { rx.recv_timeout(ms(60_000)) } else { rx.recv().map_err(RecvTimeoutError::from) };
            (first, rx.recv())
        });
        ice.wait_frozen();
        tx.send(17).unwrap();
        drop(tx);
        ice.thaw();
        assert_eq!(receiver.join(), (Ok(17), Err(RecvError)));
    });
}

/// The last receiver goes while a sender has claimed its slot and is frozen: the drop waits for nobody, what was
/// queued before is dropped at once, and the sender's own item before its call returns.
#[test]
fn scenario_21_receiver_goes_while_a_sender_is_frozen() {
    each(sleepy_policies(), 20, |config| {
        for queued in 0..3 {
            let tally = Tally::new(4);
            let (tx, rx) = config.pipe(4);
            for id in 0..queued {
                tx.send(tally.item(id)).ok().unwrap();
            }
            let ice = Ice::new();
            let frozen = {
                let (tx, ice, tally) = (tx.clone(), ice.clone(), Arc::clone(&tally));
                peer(move || {
                    let _ice = ice.at(Point::Claimed);
                    tx.send(tally.item(queued)).is_ok()
                })
            };
            ice.wait_frozen();
            // A later item, published behind the claimed slot.
            let behind = queued + 1;
            assert!(tx.send(tally.item(behind)).is_ok());
            let drops = peer(move || drop(rx));
            eventually("the last receiver's drop returns while a sender is frozen", || drops.is_done());
            assert!((0..queued).all(|id| tally.drops_of(id) == 1), "what was queued is dropped at once");
            assert_eq!(tally.drops_of(queued), 0);
            // Sends fail from now on, and do not wait for the frozen one either.
            let late = {
                let (tx, tally) = (tx.clone(), Arc::clone(&tally));
                peer(move || {
                    if queued == 2 {
                        Ok(())
                    } else {
                        tx.send(tally.item(3)).map_err(|SendError(item)| item.id)
                    }
                })
            };
            assert_eq!(late.join(), if queued == 2 { Ok(()) } else { Err(3) });
            ice.thaw();
            frozen.join();
            assert_eq!(
                (tally.drops_of(queued), tally.drops_of(behind)),
                (1, 1),
                "senders live, yet all is dropped"
            );
            assert_eq!(tx.len(), 0);
        }
    });
}

/// One of several receivers is frozen while it takes an item; the others and then all senders go: it gets its item,
/// then the end, and nothing is dropped twice.
#[test]
fn scenario_21_a_frozen_receiver_keeps_its_item() {
    each(sleepy_policies(), 20, |config| {
        let tally = Tally::new(3);
        let (tx, rx) = config.pipe(3);
        for id in 0..3 {
            tx.send(tally.item(id)).ok().unwrap();
        }
        let (ice, frozen) = {
            let rx = rx.clone();
            Ice::over(Point::Claimed, move || {
                let first = rx.recv().map(|item| item.id);
                (first, rx.recv().map(|item| item.id))
            })
        };
        ice.wait_frozen();
        assert_eq!(rx.recv().map(|item| item.id), Ok(1));
        drop(rx);
        drop(tx);
        ice.thaw();
        assert_eq!(frozen.join(), (Ok(0), Ok(2)));
        tally.assert_each_once();
    });
}
