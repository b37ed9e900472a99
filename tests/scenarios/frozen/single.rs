//! One thread a side, on every ring, the single ends above all: a peer frozen in the middle of a send or a receive.

use crate::support::{
    End, Ice, Kind, Peer, Receives, Sends, cpu_time, each, ms, on_each_ring, peer, sleepy_policies,
    thread_cost,
};
use hornpipe::hooks::Point;
use hornpipe::{RecvError, RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use std::thread;

/// A sender that is frozen between its claim and its publish, and comes back with its end.
fn frozen_sender<S: Sends<u32>>(tx: S, item: u32) -> (Ice, Peer<S>) {
    let (ice, sender) = Ice::over(Point::Claimed, move || (tx.send(item).unwrap(), tx).1);
    ice.wait_frozen();
    (ice, sender)
}

/// A receiver that is frozen between its claim and its release, and comes back with its end.
fn frozen_receiver<R: Receives<u32>>(rx: R) -> (Ice, Peer<(u32, R)>) {
    let (ice, receiver) = Ice::over(Point::Claimed, move || (rx.recv().unwrap(), rx));
    ice.wait_frozen();
    (ice, receiver)
}

/// Beside a sender frozen before it publishes, `try_recv` says Empty without a sleep or a second turn; `recv` parks once,
/// burns no CPU, and gets the item after the thaw; a timed one gives up in time.
fn scenario_64_receives_beside_a_frozen_sender<K: Kind>() {
    each(sleepy_policies(), 20, |config| {
        for before in 0..3 {
            let (tx, rx) = K::pipe(config, 2);
            // At the first slot, in the middle, and where the ring wraps.
            for n in 0..before {
                tx.send(n).unwrap();
                assert_eq!(rx.recv(), Ok(n));
            }
            let (ice, sender) = frozen_sender(tx, 7);
            for _ in 0..10 {
                let (cost, answer) = thread_cost(|| rx.try_recv());
                assert_eq!(answer, Err(TryRecvError::Empty));
                assert_eq!((cost.futex_waits, cost.futex_wakes, cost.retries), (0, 0, 0));
            }
            assert!(rx.len() <= 1);
            assert_eq!(rx.recv_timeout(ms(20)), Err(RecvTimeoutError::Timeout));
            let blocked = peer(move || {
                let before = cpu_time();
                let (cost, got) = thread_cost(|| rx.recv());
                (got, cost, cpu_time() - before, rx)
            });
            blocked.asleep();
            thread::sleep(ms(30));
            ice.thaw();
            let tx = sender.join();
            let (got, cost, used, rx) = blocked.join();
            assert_eq!(got, Ok(7));
            assert!(cost.futex_waits <= 2 && cost.retries == 0 && used < ms(5), "{cost:?}, {used:?} of CPU");
            tx.send(8).unwrap();
            drop(tx);
            assert_eq!((rx.recv(), rx.recv()), (Ok(8), Err(RecvError)));
        }
    });
}

/// The mirror: beside a receiver frozen before it releases its slot, `try_send` says Full, `send` parks and goes through
/// after the thaw.
fn scenario_64_sends_beside_a_frozen_receiver<K: Kind>() {
    each(sleepy_policies(), 20, |config| {
        for before in 0..3 {
            let (tx, rx) = K::pipe(config, 2);
            for n in 0..before {
                tx.send(n).unwrap();
                assert_eq!(rx.recv(), Ok(n));
            }
            tx.send(7).unwrap();
            tx.send(8).unwrap();
            let (ice, receiver) = frozen_receiver(rx);
            for _ in 0..10 {
                let (cost, answer) = thread_cost(|| tx.try_send(9));
                assert_eq!(answer, Err(TrySendError::Full(9)));
                assert_eq!((cost.futex_waits, cost.futex_wakes, cost.retries), (0, 0, 0));
            }
            assert_eq!(tx.send_timeout(9, ms(20)), Err(SendTimeoutError::Timeout(9)));
            let blocked = peer(move || {
                let before = cpu_time();
                let (cost, sent) = thread_cost(|| tx.send(9));
                (sent, cost, cpu_time() - before)
            });
            blocked.asleep();
            thread::sleep(ms(30));
            ice.thaw();
            let (got, rx) = receiver.join();
            let (sent, cost, used) = blocked.join();
            assert_eq!((got, sent), (7, Ok(())));
            assert!(cost.futex_waits <= 2 && cost.retries == 0 && used < ms(5), "{cost:?}, {used:?} of CPU");
            assert!(rx.iter().eq([8, 9]));
        }
    });
}

/// A thread frozen on its way to sleep: what comes meanwhile is seen, item, room or end.
fn scenario_05_nobody_sleeps_beside_what_came<K: Kind>() {
    let points = [Point::Announced, Point::BetweenLoads];
    each(points.into_iter().flat_map(|point| sleepy_policies().map(|config| (point, config))), 20, |case| {
        let (point, config) = case;
        // The indexed ring looks once, and has no place between.
        let point = if K::NAME == "SpscIndexed" { Point::Announced } else { point };
        let (tx, rx) = K::pipe(config, 1);
        let (ice, receiver) = Ice::over(point, move || (rx.recv(), rx));
        ice.wait_frozen();
        tx.send(1).unwrap();
        ice.thaw();
        let (got, rx) = receiver.join();
        assert_eq!(got, Ok(1));

        tx.send(2).unwrap();
        let (ice, sender) = Ice::over(point, move || (tx.send(3), tx));
        ice.wait_frozen();
        assert_eq!(rx.recv(), Ok(2));
        ice.thaw();
        let (sent, tx) = sender.join();
        assert_eq!((sent, rx.recv()), (Ok(()), Ok(3)));

        let (ice, receiver) = Ice::over(point, move || rx.recv());
        ice.wait_frozen();
        drop(tx);
        ice.thaw();
        assert_eq!(receiver.join(), Err(RecvError));
    });
}

on_each_ring!(
    scenario_64_receives_beside_a_frozen_sender,
    scenario_64_sends_beside_a_frozen_receiver,
    scenario_05_nobody_sleeps_beside_what_came,
);
