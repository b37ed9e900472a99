//! What `stats` counts: nothing on the way of a call that waits for nobody, and each slow step where one was forced.

#![cfg(feature = "stats")]

mod support;

use hornpipe::{
    Builder, Mpmc, Mpsc, Receiver, RingKind, Sender, Spin, Spmc, Spsc, Stats, Topology, WakePolicy,
};
use std::thread;
use std::time::Duration;
use support::{Config, WAKES, all_asleep, each, join_all, ms, peer, sized, sleepy, watchdog, within};

/// Whether a wake call says whether it found anybody: a condition variable does not.
const WAKES_TELL: bool =
    cfg!(all(any(target_os = "linux", target_os = "android"), not(feature = "condvar"), not(miri)));

/// A pipe of one topology and ring.
type Ends<K> = (Sender<u64, K>, Receiver<u64, K>);

/// Runs a generic body on each topology and ring.
macro_rules! on_each {
    ($body:ident($config:expr, $cap:expr)) => {{
        $body::<Spsc>($config.builder($cap).ring(RingKind::Indexed).build().unwrap());
        $body::<Spsc>($config.builder($cap).ring(RingKind::Stamped).build().unwrap());
        $body::<Mpsc>($config.builder($cap).build().unwrap());
        $body::<Spmc>($config.builder($cap).build().unwrap());
        $body::<Mpmc>($config.builder($cap).build().unwrap());
    }};
}

/// 10,000 items that nobody waits for: exactly zero everything, whichever calls moved them.
#[test]
fn a_path_without_waits_counts_nothing() {
    fn solo<K: Topology>((tx, rx): Ends<K>) {
        for n in 0..sized(10_000, 100) as u64 {
            match n % 3 {
                0 => tx.send(n).unwrap(),
                1 => tx.try_send(n).unwrap(),
                _ => tx.send_timeout(n, ms(1_000)).unwrap(),
            }
            let got = if n % 2 == 0 { rx.recv().unwrap() } else { rx.try_recv().unwrap() };
            assert_eq!(got, n);
        }
        assert_eq!((tx.stats(), rx.stats()), (Stats::default(), Stats::default()));
    }
    for cap in [1, 2, 3, 64] {
        on_each!(solo(Config::default(), cap));
    }
}

/// A refused try is counted once, on its own side; a timed call that gives up at once as well.
#[test]
fn full_and_empty_are_counted() {
    fn refusals<K: Topology>((tx, rx): Ends<K>) {
        for _ in 0..3 {
            assert!(rx.try_recv().is_err());
        }
        assert_eq!(tx.stats(), stats(|all| all.empty = 3));
        tx.send(0).unwrap();
        for _ in 0..2 {
            assert!(tx.try_send(1).is_err());
        }
        assert!(tx.send_timeout(1, Duration::ZERO).is_err());
        assert_eq!(rx.stats(), stats(|all| (all.empty, all.full) = (3, 3)));
        // What is disconnected is neither.
        drop(rx);
        assert!(tx.try_send(1).is_err());
        assert_eq!(tx.stats(), stats(|all| (all.empty, all.full) = (3, 3)));
    }
    on_each!(refusals(Config::default(), 1));
}

/// All zero, but for what `set` sets. (The struct is not exhaustive.)
fn stats(set: impl FnOnce(&mut Stats)) -> Stats {
    let mut stats = Stats::default();
    set(&mut stats);
    stats
}

/// A receiver asleep has parked once; the send that ends its sleep made one wake call, and it was not for nothing.
#[test]
fn a_sleep_and_its_wake_are_counted() {
    fn sleep<K: Topology>((tx, rx): Ends<K>) {
        let receiver = peer(move || (rx.recv().unwrap(), rx));
        receiver.asleep();
        assert_eq!(tx.stats(), stats(|all| (all.empty, all.parks) = (1, 1)));
        tx.send(7).unwrap();
        let (got, rx) = receiver.join();
        assert_eq!(got, 7);
        assert_eq!(rx.stats(), stats(|all| (all.empty, all.parks, all.wakes) = (1, 1, 1)));

        // And the other side.
        tx.send(8).unwrap();
        let sender = peer(move || (tx.send(9).unwrap(), tx).1);
        sender.asleep();
        assert_eq!(rx.recv(), Ok(8));
        let tx = sender.join();
        let now = tx.stats();
        assert_eq!((now.full, now.empty, now.parks, now.wakes), (1, 1, 2, 2));
        assert_eq!((now.missed_wakes, now.futile_wakes), (0, 0));
    }
    for wake in WAKES {
        watchdog(20, move || on_each!(sleep(sleepy(wake), 1)));
    }
}

/// All receivers woken for one item: those that come too late are counted as woken for nothing.
#[test]
fn futile_wakes_are_counted() {
    fn futile() -> u64 {
        let (tx, rx) = sleepy(WakePolicy::All).pipe(4);
        let receivers = [(); 4].map(|()| {
            let rx = rx.clone();
            peer(move || rx.recv().unwrap())
        });
        all_asleep(&receivers);
        tx.send(1).unwrap();
        assert_eq!(tx.stats().wakes, 1, "one call for all of them");
        support::eventually("one receives it", || receivers.iter().any(|receiver| receiver.is_done()));
        thread::sleep(ms(1));
        let futile = tx.stats().futile_wakes;
        assert!(futile <= 3, "{futile} of 4 found nothing");
        (0..3).for_each(|_| tx.send(1).unwrap());
        join_all(receivers);
        futile
    }
    watchdog(60, || {
        // Who looks before the item is gone has not been woken for nothing: that takes some tries.
        let found = within(ms(20_000), 0..sized(2_000, 20)).any(|_| futile() > 0);
        assert!(found || cfg!(miri), "no futile wake in 2,000 tries");
    });
}

/// Waiting awake: so many yields as asked for, looks where there are CPUs to look from, and then a park.
#[test]
fn spins_and_yields_are_counted() {
    let alone = thread::available_parallelism().is_ok_and(|cpus| cpus.get() == 1);
    let wait = |spin, yields| {
        let (tx, rx) = Builder::<Mpmc>::new(1).spin(spin).yields(yields).build::<u64>().unwrap();
        assert!(rx.recv_timeout(ms(100)).is_err());
        tx.stats()
    };
    watchdog(20, move || {
        let fixed = wait(Spin::Fixed(Duration::from_micros(100)), 3);
        assert_eq!((fixed.spins > 0, fixed.yields), (!alone, 3), "{fixed:?}");
        let none = wait(Spin::None, 3);
        assert_eq!((none.spins, none.yields), (0, 3), "{none:?}");
        let asleep = wait(Spin::None, 0);
        assert_eq!((asleep.spins, asleep.yields, asleep.empty), (0, 0, 1), "{asleep:?}");
        for stats in [fixed, none, asleep] {
            assert!(stats.parks >= 1 && stats.wakes == 0, "{stats:?}");
        }
    });
}

/// The sum is over all handles of both sides, and those that are gone still count.
#[test]
fn handles_add_up_and_those_gone_count() {
    let (tx, rx) = hornpipe::bounded(1);
    tx.send(0).unwrap();
    let clones = [tx.clone(), tx.clone(), tx.clone()];
    for clone in &clones {
        assert!(clone.try_send(1).is_err());
    }
    let full = |times| stats(|all| all.full = times);
    assert_eq!((tx.stats(), clones[2].stats(), rx.stats()), (full(3), full(3), full(3)));
    drop(clones);
    assert_eq!((tx.stats(), rx.stats()), (full(3), full(3)));
    assert!(tx.try_send(1).is_err());
    drop(tx);
    assert_eq!(rx.stats(), full(4), "no sender is left, and all of them count");

    // A pipe's own, not its neighbour's.
    let (other, _rx) = hornpipe::bounded::<u8>(1);
    assert_eq!(other.stats(), Stats::default());
}

/// Lost races show where ends are shared, a yield with each at most; single ends have none to lose.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn retries_and_escapes_are_counted() {
    watchdog(60, || {
        let cpus = thread::available_parallelism().map_or(1, |cpus| cpus.get());
        let crowd = |blocking: bool| {
            let (tx, rx) = hornpipe::bounded(64);
            let threads = [(); 4].map(|()| {
                let (tx, rx) = (tx.clone(), rx.clone());
                peer(move || {
                    for n in 0..sized(20_000, 20) {
                        if blocking {
                            // As many items as calls of each kind: nobody waits for ever.
                            tx.send(n).unwrap();
                            rx.recv().unwrap();
                        } else {
                            let _ = (tx.try_send(n), rx.try_recv());
                        }
                    }
                })
            });
            join_all(threads);
            tx.stats()
        };
        for blocking in [true, false] {
            let tries = within(ms(10_000), 0..200).map(|_| crowd(blocking));
            // On one CPU a race is lost once in a long while only.
            let raced = tries.inspect(|stats| {
                assert!(stats.escapes <= stats.retries, "{stats:?}");
                assert!(
                    blocking || stats.escapes + stats.yields + stats.parks == 0,
                    "a try gave way: {stats:?}"
                );
            });
            let raced = raced.take(if cpus > 1 { 200 } else { 1 }).find(|stats| stats.retries > 0);
            assert!(raced.is_some() || cpus == 1 || cfg!(miri), "four threads, no lost race");
        }
        for ring in [RingKind::Indexed, RingKind::Stamped] {
            let (tx, rx) = Builder::<Spsc>::new(3).ring(ring).build::<usize>().unwrap();
            let sender = peer(move || (0..sized(20_000, 50)).for_each(|n| tx.send(n).unwrap()));
            assert_eq!(rx.iter().count(), sized(20_000, 50));
            sender.join();
            assert_eq!((rx.stats().retries, rx.stats().escapes), (0, 0));
        }
    });
}

/// In traffic where both sides sleep all the time the numbers fit together: a wake that found somebody ended a park, and
/// nobody was woken for nothing without a wake.
#[test]
fn numbers_of_traffic_fit_together() {
    fn traffic<K: Topology>((tx, rx): Ends<K>) {
        let items = sized(2_000, 20) as u64;
        let sender = peer(move || (0..items).for_each(|n| tx.send(n).unwrap()));
        assert!(rx.iter().eq(0..items));
        sender.join();
        let all = rx.stats();
        assert!(all.full + all.empty > 0 && all.parks > 0, "nobody waited: {all:?}");
        assert!(all.missed_wakes <= all.wakes && all.futile_wakes <= all.wakes, "{all:?}");
        if WAKES_TELL {
            assert!(all.wakes - all.missed_wakes <= all.parks, "{all:?}");
        } else {
            assert_eq!(all.missed_wakes, 0);
        }
        assert_eq!((all.spins, all.yields), (0, 0), "{all:?}");
    }
    each(WAKES, 30, |wake| on_each!(traffic(sleepy(wake), 1)));
}

/// Forced to the letter, with threads frozen inside their calls.
#[cfg(hornpipe_hooks)]
mod frozen {
    use super::*;
    use hornpipe::hooks::Point;
    use support::Ice;

    /// Woken, and the item gone before it looks: one futile wake, and it parks again.
    #[test]
    fn a_stolen_item_makes_a_wake_futile() {
        each(WAKES, 20, |wake| {
            let (tx, rx) = sleepy(wake).pipe(1);
            let thief = rx.clone();
            let (ice, receiver) = Ice::over(Point::Woken, move || rx.recv());
            receiver.asleep();
            tx.send(1).unwrap();
            ice.wait_frozen();
            assert_eq!(thief.try_recv(), Ok(1));
            assert_eq!(tx.stats().futile_wakes, 0);
            ice.thaw();
            support::eventually("it finds nothing", || tx.stats().futile_wakes == 1);
            receiver.asleep();
            assert_eq!(
                tx.stats(),
                stats(|all| {
                    (all.empty, all.parks, all.wakes, all.futile_wakes) = (2, 2, 1, 1);
                })
            );
            tx.send(2).unwrap();
            assert_eq!(receiver.join(), Ok(2));
        });
    }

    /// Announced and not asleep yet: the wake call finds nobody, and the receiver sees the item by itself.
    #[test]
    fn a_wake_before_the_sleep_is_missed() {
        each(WAKES, 20, |wake| {
            let (tx, rx) = sleepy(wake).pipe(1);
            let (ice, receiver) = Ice::over(Point::Announced, move || rx.recv());
            ice.wait_frozen();
            tx.send(1).unwrap();
            ice.thaw();
            assert_eq!(receiver.join(), Ok(1));
            let missed = u64::from(WAKES_TELL);
            assert_eq!(tx.stats(), stats(|all| (all.empty, all.wakes, all.missed_wakes) = (1, 1, missed)));
        });
    }
}
