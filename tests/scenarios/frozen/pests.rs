//! Wakes for nothing: from the system, from a pest, and from an item that another takes first.

use crate::support::{Config, Peer, assert_nobody_waits, each, ms, once_of, peer, sleepy_policies};
use hornpipe::hooks::{self, Point};
use hornpipe::{Receiver, RecvTimeoutError, Sender};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

/// The system may wake a thread for no reason, as for a signal: a pest wakes all sleepers every millisecond, and `recv`
/// and `send` do not return before there is an item or room.
#[test]
fn scenario_16_a_pest() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        let (full_tx, full_rx) = config.pipe(1);
        full_tx.send(1).unwrap();
        let receiver = {
            let rx = rx.clone();
            peer(move || rx.recv())
        };
        let sender = {
            let full_tx = full_tx.clone();
            peer(move || full_tx.send(2))
        };
        receiver.asleep();
        sender.asleep();
        for _ in 0..200 {
            rx.disturb();
            full_tx.disturb();
            thread::sleep(ms(1));
        }
        assert!(!receiver.is_done() && !sender.is_done(), "woken for no reason, and believed it");
        tx.send(3).unwrap();
        assert_eq!((receiver.join(), full_rx.recv()), (Ok(3), Ok(1)));
        assert_eq!((sender.join(), full_rx.recv()), (Ok(()), Ok(2)));
        assert_nobody_waits(&tx);
        assert_nobody_waits(&full_rx);
    });
}

/// Each spurious wake restarted the full wait: with a pest every 10 ms, 100 ms stay 100 ms.
#[test]
fn scenario_56_a_pest_does_not_stretch_a_timeout() {
    each(sleepy_policies(), 20, |config| {
        once_of(3, || {
            let (tx, rx) = config.pipe::<u8>(1);
            let waiter = peer(move || {
                let start = Instant::now();
                (rx.recv_timeout(ms(100)), start.elapsed())
            });
            while !waiter.is_done() {
                tx.disturb();
                thread::sleep(ms(10));
            }
            let (result, took) = waiter.join();
            assert_eq!(result, Err(RecvTimeoutError::Timeout));
            assert!(took >= ms(100), "{took:?}");
            if took < ms(160) { Ok(()) } else { Err(format!("{took:?}")) }
        });
    });
}

/// A receiver that is woken again and again and finds nothing: its thread stops after each wake, and a thief takes the
/// item before it looks. Ends when the thief is told to.
struct Harassed<R> {
    receiver: Peer<R>,
    thief: Peer<usize>,
    end: Arc<AtomicBool>,
}

fn harass<R: Send + 'static>(
    config: Config,
    call: impl FnOnce(&Receiver<u32>) -> R + Send + 'static,
) -> (Sender<u32>, Harassed<R>) {
    let (tx, rx) = config.pipe(1);
    let (woken, is_woken) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let receiver = {
        let rx = rx.clone();
        peer(move || {
            let _slow = hooks::on(Point::Woken, move || {
                // The thief is gone at the end: no more harassment then.
                if woken.send(()).is_ok() {
                    let _ = may_go_on.recv();
                }
            });
            call(&rx)
        })
    };
    receiver.asleep();
    let end = Arc::new(AtomicBool::new(false));
    let thief = {
        let (end, tx) = (Arc::clone(&end), tx.clone());
        peer(move || {
            let mut thefts = 0;
            while !end.load(SeqCst) {
                tx.send(1).unwrap();
                if is_woken.recv_timeout(ms(500)).is_err() {
                    // Not asleep any more.
                    break;
                }
                assert_eq!(rx.try_recv(), Ok(1), "nobody but the thief is awake");
                thefts += 1;
                go_on.send(()).unwrap();
                thread::sleep(ms(10));
            }
            thefts
        })
    };
    (tx, Harassed { receiver, thief, end })
}

/// A wait may come back with nothing changed: `recv` goes on waiting, and still gets what comes at last.
#[test]
fn scenario_16_recv_survives_empty_wakes() {
    each(sleepy_policies(), 20, |config| {
        let (tx, harassed) = harass(config, |rx| rx.recv());
        thread::sleep(ms(200));
        assert!(!harassed.receiver.is_done(), "recv returned with nothing sent to it");
        harassed.end.store(true, SeqCst);
        let thefts = harassed.thief.join();
        assert!(thefts >= 3, "only {thefts} empty wakes");
        tx.send(2).unwrap();
        assert_eq!(harassed.receiver.join(), Ok(2));
    });
}

/// An empty wake restarted the whole wait: woken every 10 ms, a wait of 100 ms still ends after 100 ms.
#[test]
fn scenario_56_empty_wakes_do_not_stretch_a_timeout() {
    each(sleepy_policies(), 20, |config| {
        let (_tx, harassed) = harass(config, |rx| {
            let start = Instant::now();
            let result = rx.recv_timeout(ms(100));
            (result, start.elapsed())
        });
        let (result, took) = harassed.receiver.join();
        // It times out, unless its last look came right between two thefts.
        assert!(matches!(result, Err(RecvTimeoutError::Timeout) | Ok(1)), "{result:?}");
        assert!(took < ms(400) && (result.is_ok() || took >= ms(100)), "{took:?}");
        assert!(harassed.thief.join() >= 3);
    });
}
