//! A. Lost wake-ups.

use crate::support::{
    Config, Kind, Receives, Seen, Sends, all_asleep, all_configs, at_most, cpu_time, each, join_all, ms,
    on_each_ring, peer, sized, sleepy_policies, threads_left_by, watchdog, within,
};
use hornpipe::{RecvError, Spin};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Publish-then-look against announce-then-look without a full fence: both sides see the old state, the sleeper sleeps
/// beside its item. Two threads pass one item to and fro, sleeping at every turn.
fn scenario_05_ping_pong<K: Kind>() {
    each(all_configs(), 30, |config| {
        let rounds = sized(500, 20);
        let (ping_tx, ping_rx) = K::pipe(config, 1);
        let (pong_tx, pong_rx) = K::pipe(config, 1);
        let other = peer(move || {
            for n in ping_rx.iter() {
                pong_tx.send(n).unwrap();
            }
        });
        for n in within(ms(50), 0..rounds) {
            ping_tx.send(n).unwrap();
            assert_eq!(pong_rx.recv(), Ok(n));
        }
        drop(ping_tx);
        other.join();
    });
}

/// Waking at the full-to-not-full edge only: with two sleepers, the second change is no edge and its wake is lost.
#[test]
fn scenario_06_both_sleepers_are_woken() {
    each(sleepy_policies(), 30, |config| {
        for _ in within(ms(1_000), 0..sized(200, 4)) {
            let (tx, rx) = config.pipe(2);
            tx.send(0).unwrap();
            tx.send(1).unwrap();
            let senders = [2, 3].map(|n| {
                let tx = tx.clone();
                peer(move || tx.send(n).unwrap())
            });
            all_asleep(&senders);
            assert_eq!((rx.recv(), rx.recv()), (Ok(0), Ok(1)));
            join_all(senders);
            assert_eq!(rx.recv().unwrap() + rx.recv().unwrap(), 5);

            let receivers = [(); 2].map(|()| {
                let rx = rx.clone();
                peer(move || rx.recv().unwrap())
            });
            all_asleep(&receivers);
            tx.send(4).unwrap();
            tx.send(5).unwrap();
            assert_eq!(join_all(receivers).iter().sum::<i32>(), 9);
        }
    });
}

/// One wait word for two kinds of sleepers: a wake reaches the wrong kind and vanishes.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_07_both_kinds_sleep() {
    each(sleepy_policies(), 60, |config| {
        let items = sized(9_999, 30);
        let (tx, rx) = config.pipe(1);
        let seen = Seen::new(items);
        let senders = [0, 1, 2].map(|sender| {
            let tx = tx.clone();
            peer(move || (0..items).skip(sender).step_by(3).for_each(|n| tx.send(n).unwrap()))
        });
        let receivers = [(); 3].map(|()| {
            let (rx, seen) = (rx.clone(), Arc::clone(&seen));
            peer(move || rx.iter().for_each(|n| seen.note(n)))
        });
        drop((tx, rx));
        join_all(senders);
        join_all(receivers);
        seen.assert_all();
    });
}

/// Sleepers of one kind waking each other for ever: three receivers on an empty pipe use no CPU.
#[test]
fn scenario_07_sleepers_let_each_other_sleep() {
    each(all_configs().into_iter().step_by(4), 30, |config| {
        let (tx, rx) = config.pipe::<u8>(1);
        let receivers = [(); 3].map(|()| {
            let rx = rx.clone();
            peer(move || rx.recv())
        });
        all_asleep(&receivers);
        let before = receivers.each_ref().map(|receiver| receiver.cpu());
        thread::sleep(ms(100));
        for (receiver, before) in receivers.iter().zip(before) {
            let used = receiver.cpu() - before;
            assert!(used < at_most(ms(3)), "a sleeping receiver used {used:?} in 100 ms");
        }
        drop(tx);
        assert_eq!(join_all(receivers), [Err(RecvError); 3]);
    });
}

/// "Nobody listens yet, return early" against the first listener setting itself up: the first send of a fresh pipe
/// meets its first receive.
fn scenario_12_first_send_meets_first_receive<K: Kind>() {
    each(all_configs().into_iter().step_by(3), 30, |config| {
        let rounds = sized(1_500, 10);
        let (give, take) = std::sync::mpsc::channel();
        let receiver = peer(move || {
            let mut sum = 0;
            for rx in take {
                let rx: K::Rx<usize> = rx;
                sum += rx.recv().unwrap();
            }
            sum
        });
        let mut done = 0;
        for _ in within(ms(100), 0..rounds) {
            done += 1;
            let (tx, rx) = K::pipe(config, 1);
            give.send(rx).unwrap();
            tx.send(1).unwrap();
        }
        drop(give);
        assert_eq!(receiver.join(), done);
    });
}

/// A receiver that went to sleep before the sender started never woke, whatever the time between.
fn scenario_14_receiver_first<K: Kind>() {
    for spin in [Spin::None, Spin::Fixed(ms(5)), Spin::Adaptive] {
        for pause in [0, 1, 10, 300] {
            watchdog(20, move || {
                let (tx, rx) = K::pipe(Config { spin, ..Config::default() }, 1);
                let receiver = peer(move || (rx.recv(), rx.recv()));
                thread::sleep(ms(pause));
                tx.send(7).unwrap();
                drop(tx);
                assert_eq!(receiver.join(), (Ok(7), Err(RecvError)));
            });
        }
    }
}

/// A library that sleeps on the thread's own park token eats the token of the user's code, or is woken by it.
#[test]
fn scenario_15_park_token_is_the_users() {
    watchdog(20, || {
        let (tx, rx) = hornpipe::mpmc::bounded(1);
        let receiver = peer(move || {
            thread::current().unpark();
            let start = Instant::now();
            let item = rx.recv_timeout(Duration::from_secs(60));
            let waited = start.elapsed();
            // The watchdog ends it if the token is gone.
            thread::park();
            (item, waited)
        });
        thread::sleep(ms(20));
        tx.send(1).unwrap();
        let (item, waited) = receiver.join();
        assert_eq!(item, Ok(1));
        assert!(waited >= ms(10) && waited < ms(30_000), "{waited:?}");
    });
}

/// Timeouts built from helper threads, or from polling: a thousand that expire start no thread and use little CPU.
#[test]
fn scenario_16_timeouts_are_cheap() {
    watchdog(30, || {
        let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
        let timeouts = sized(1_000, 3);
        let waiter = peer(move || {
            let before = cpu_time();
            let left =
                threads_left_by(|| (0..timeouts).for_each(|_| assert!(rx.recv_timeout(ms(1)).is_err())));
            (cpu_time() - before, left)
        });
        let (used, left) = waiter.join();
        // Polling would have used more than a millisecond each.
        assert!(used < ms(2 * timeouts as u64) / 5, "{timeouts} timeouts of 1 ms used {used:?} of CPU");
        assert_eq!(left, 0, "threads started by the library");
        drop(tx);
    });
}

on_each_ring!(scenario_05_ping_pong, scenario_12_first_send_meets_first_receive, scenario_14_receiver_first);
