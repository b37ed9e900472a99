//! E. Timeouts that meet a wake.

use crate::support::{Ice, assert_nobody_waits, each, ms, peer, sleepy_policies};
use hornpipe::hooks::Point;
use hornpipe::{RecvTimeoutError, SendTimeoutError};
use std::thread;

/// A receiver is woken and frozen until its time is over. It may take the item or give up; if it gives up, the wake
/// goes on to the other receiver. Nobody sleeps beside the item.
#[test]
fn scenario_33_a_late_receiver_passes_the_wake_on() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(2);
        let (ice, hasty) = {
            let rx = rx.clone();
            Ice::over(Point::Woken, move || rx.recv_timeout(ms(150)))
        };
        hasty.asleep();
        let patient = {
            let rx = rx.clone();
            peer(move || rx.recv())
        };
        patient.asleep();
        tx.send(1).unwrap();
        // Under some policies the patient one may have been woken first or as well, and the hasty one later.
        if ice.freezes_within(ms(1_000)) {
            thread::sleep(ms(200));
            ice.thaw();
        }
        if hasty.join() != Err(RecvTimeoutError::Timeout) {
            tx.send(2).unwrap();
        }
        assert!(patient.join().is_ok());
        assert_nobody_waits(&tx);
    });
}

/// The same for senders.
#[test]
fn scenario_33_a_late_sender_passes_the_wake_on() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        tx.send(0).unwrap();
        let (ice, hasty) = {
            let tx = tx.clone();
            Ice::over(Point::Woken, move || tx.send_timeout(1, ms(150)))
        };
        hasty.asleep();
        let patient = {
            let tx = tx.clone();
            peer(move || tx.send(2))
        };
        patient.asleep();
        assert_eq!(rx.recv(), Ok(0));
        if ice.freezes_within(ms(1_000)) {
            thread::sleep(ms(200));
            ice.thaw();
        }
        match hasty.join() {
            Ok(()) => assert_eq!(rx.recv(), Ok(1)),
            Err(error) => assert_eq!(error, SendTimeoutError::Timeout(1)),
        }
        assert_eq!((rx.recv(), patient.join()), (Ok(2), Ok(())));
        assert_nobody_waits(&tx);
    });
}

/// A receiver whose time runs out while it stands between its look and its sleep gives up, and is not counted as a
/// waiter afterwards: the next send wakes the one that waits.
#[test]
fn scenario_56_a_late_announcement_is_taken_back() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        let (ice, late) = {
            let rx = rx.clone();
            Ice::over(Point::Announced, move || rx.recv_timeout(ms(10)))
        };
        ice.wait_frozen();
        let patient = {
            let rx = rx.clone();
            peer(move || rx.recv())
        };
        patient.asleep();
        thread::sleep(ms(20));
        ice.thaw();
        assert_eq!(late.join(), Err(RecvTimeoutError::Timeout));
        tx.send(1).unwrap();
        assert_eq!(patient.join(), Ok(1));
        assert_nobody_waits(&tx);
    });
}
