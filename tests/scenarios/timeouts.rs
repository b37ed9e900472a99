//! E. Timeouts.

use crate::support::{
    Kind, Receives, Sends, all_configs, assert_nobody_waits, each, ms, on_each_ring, peer, sleepy_policies,
};
use hornpipe::{RecvTimeoutError, SendTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Very long timeouts panicked, or were over at once: they wait, and end with the item.
fn scenario_55_very_long_timeouts<K: Kind>() {
    let century = 100 * 365 * 86_400;
    let secs =
        [u64::MAX, u64::MAX / 2, i64::MAX as u64, i64::MAX as u64 + 1, 1 << 62, u32::MAX as u64, century];
    let limits = secs.map(Duration::from_secs).into_iter().chain([Duration::MAX]);
    each(limits, 20, |limit| {
        for config in sleepy_policies().into_iter().chain(all_configs().pop()) {
            let (tx, rx) = K::pipe(config, 1);
            let receiver = peer(move || {
                let first = rx.recv_timeout(limit);
                thread::sleep(ms(15));
                (first, rx.recv(), rx.recv())
            });
            receiver.asleep();
            tx.send(1).unwrap();
            tx.send_timeout(2, limit).unwrap();
            tx.send_timeout(3, limit).unwrap();
            assert_eq!(receiver.join(), (Ok(1), Ok(2), Ok(3)));
        }
    });
}

/// A limit of zero and a deadline that is over: one attempt and no sleep, and what is there is taken.
fn scenario_55_no_time_at_all<K: Kind>() {
    each(all_configs(), 10, |config| {
        let (tx, rx) = K::pipe(config, 1);
        let past = Instant::now().checked_sub(ms(1_000)).unwrap_or_else(Instant::now);
        assert_eq!(tx.send_timeout(1, Duration::ZERO), Ok(()));
        let start = Instant::now();
        assert_eq!(tx.send_timeout(2, Duration::ZERO), Err(SendTimeoutError::Timeout(2)));
        assert_eq!(tx.send_deadline(3, past), Err(SendTimeoutError::Timeout(3)));
        assert_eq!(rx.recv_timeout(Duration::ZERO), Ok(1));
        assert_eq!(tx.send_deadline(4, past), Ok(()));
        assert_eq!(rx.recv_deadline(past), Ok(4));
        assert_eq!(rx.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout));
        assert_eq!(rx.recv_deadline(past), Err(RecvTimeoutError::Timeout));
        assert!(start.elapsed() < ms(2_000) || cfg!(miri));
        drop(tx);
        assert_eq!(rx.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Disconnected));
        assert_eq!(rx.recv_deadline(past), Err(RecvTimeoutError::Disconnected));
    });
}

/// A wait that timed out left an entry behind that broke the next call.
#[test]
fn scenario_56_a_timeout_leaves_nothing_behind() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        assert_eq!(rx.recv_timeout(ms(2)), Err(RecvTimeoutError::Timeout));
        let clone = tx.clone();
        assert_eq!(rx.recv_timeout(ms(2)), Err(RecvTimeoutError::Timeout));
        tx.send(1).unwrap();
        assert_eq!(clone.send_timeout(2, ms(2)), Err(SendTimeoutError::Timeout(2)));
        assert_eq!(rx.recv(), Ok(1));
        // A wake meant for somebody who is there is not spent on one who has left.
        let other = rx.clone();
        let receiver = peer(move || other.recv());
        assert_eq!(rx.recv_timeout(ms(2)), Err(RecvTimeoutError::Timeout));
        receiver.asleep();
        clone.send(3).unwrap();
        assert_eq!(receiver.join(), Ok(3));
        tx.send(4).unwrap();
        let sender = peer(move || clone.send(5));
        assert_eq!(tx.send_timeout(6, ms(2)), Err(SendTimeoutError::Timeout(6)));
        sender.asleep();
        assert_eq!(rx.recv(), Ok(4));
        assert_eq!((sender.join(), rx.recv()), (Ok(()), Ok(5)));
        assert_nobody_waits(&rx);
    });
}

/// Waiters that time out in the very moment of the wake must pass it on: of two receivers, one patient and one not,
/// the patient one always gets the item that the other did not take.
#[test]
fn scenario_56_the_patient_one_is_served() {
    each(sleepy_policies(), 60, |config| {
        for round in 0..crate::support::sized(300, 5) {
            let (tx, rx) = config.pipe(1);
            let hasty = rx.clone();
            let limit = Duration::from_micros(300 + 10 * (round as u64 % 40));
            let hasty = peer(move || hasty.recv_timeout(limit));
            let patient = peer(move || rx.recv());
            thread::sleep(Duration::from_micros(300));
            tx.send(1).unwrap();
            if hasty.join().is_ok() {
                tx.send(1).unwrap();
            }
            assert_eq!(patient.join(), Ok(1));
        }
    });
}

on_each_ring!(scenario_55_very_long_timeouts, scenario_55_no_time_at_all);
