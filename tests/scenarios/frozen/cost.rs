//! F. What it costs: futex calls, counted.

use crate::support::{
    Ice, RELAXES, WAKES, all_asleep, all_configs, each, join_all, ms, once_of, peer, sleepy, sleepy_policies,
    thread_cost, watchdog,
};
use hornpipe::hooks::{self, Point};
use hornpipe::{Builder, Mpmc, RecvError, Relax, Spin, WakePolicy};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Sleepers of one kind waking each other for ever: three receivers on an empty pipe wait once each, and wake nobody.
#[test]
fn scenario_07_sleepers_make_no_calls() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe::<u8>(1);
        let receivers = [(); 3].map(|()| {
            let rx = rx.clone();
            peer(move || thread_cost(|| rx.recv()))
        });
        all_asleep(&receivers);
        thread::sleep(ms(300));
        drop(tx);
        for receiver in receivers {
            let (cost, result) = receiver.join();
            assert_eq!(result, Err(RecvError));
            assert!(cost.futex_waits <= 2 && cost.futex_wakes <= 1, "{cost:?}");
        }
    });
}

/// A budget counted in pause instructions changed tenfold with the CPU: 20 us of spinning are about 20 us, whatever
/// the relax is. Measured from the call to the announcement, the median of many.
#[test]
fn scenario_59_the_budget_is_time() {
    each(RELAXES, 60, |relax: Relax| {
        once_of(5, || {
            let budget = Spin::Fixed(Duration::from_micros(20));
            let (tx, rx) = Builder::<Mpmc>::new(1)
                .retry(relax)
                .wait(relax)
                .spin(budget)
                .yields(0)
                .build::<u8>()
                .unwrap();
            let arrivals = Arc::new(Mutex::new(Vec::new()));
            let waits = {
                let arrivals = Arc::clone(&arrivals);
                peer(move || {
                    let _note =
                        hooks::on(Point::Announced, move || arrivals.lock().unwrap().push(Instant::now()));
                    let waits = (0..101).map(|_| {
                        let start = Instant::now();
                        assert!(rx.recv_timeout(ms(2)).is_err());
                        start
                    });
                    waits.collect::<Vec<_>>()
                })
            };
            let starts = waits.join();
            drop(tx);
            let arrivals = arrivals.lock().unwrap();
            // The first announcement after each start.
            let mut times: Vec<_> = starts
                .iter()
                .filter_map(|start| arrivals.iter().find(|at| *at >= start).map(|at| *at - *start))
                .collect();
            assert_eq!(times.len(), starts.len());
            times.sort_unstable();
            let median = times[times.len() / 2];
            let single = thread::available_parallelism().is_ok_and(|cpus| cpus.get() == 1);
            let range = if single { 0 } else { 10 }..=150;
            if range.contains(&median.as_micros()) { Ok(()) } else { Err(format!("{relax:?}: {median:?}")) }
        });
    });
}

/// Waking all sleepers, or more than there is work for: one send to sixteen sleeping receivers makes one wake call at
/// most, and gets at most one receiver more out of its wait than there are items.
#[test]
fn scenario_62_one_item_wakes_one() {
    each(WAKES.into_iter().filter(|wake| *wake != WakePolicy::All), 20, |wake| {
        let (tx, rx) = sleepy(wake).pipe(4);
        let receivers = [(); 16].map(|()| {
            let rx = rx.clone();
            peer(move || thread_cost(|| rx.recv()))
        });
        all_asleep(&receivers);
        let (cost, sent) = thread_cost(|| tx.send(1));
        assert_eq!(sent, Ok(()));
        assert!(cost.futex_wakes <= 1 && cost.futex_waits == 0, "{cost:?}");
        thread::sleep(ms(50));
        assert!(rx.is_empty(), "nobody took it");
        drop(tx);
        let (costs, results): (Vec<_>, Vec<_>) = join_all(receivers).into_iter().unzip();
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        // Sixteen to fall asleep, and what a futile wake made one do again.
        assert!(costs.iter().map(|cost| cost.futex_waits).sum::<u64>() <= 17, "{costs:?}");
    });
}

/// What the policies mean, in calls: three receivers sleep, one waker is frozen right before its wake call, and another
/// item comes. `Chain` has one wake in flight and makes no second; `Each` makes one; `All` has chosen all already;
/// `OnEdge` and `OnRelease` see no edge, since the first item is still there; `Proactive` looks nevertheless.
#[test]
fn policies_differ_in_calls() {
    use WakePolicy::{All, Chain, Each, OnEdge, OnRelease, Proactive};
    let calls = [(Chain, 0), (Each, 1), (All, 0), (OnEdge, 0), (OnRelease, 0), (Proactive, 1)];
    each(calls, 20, |(wake, calls)| {
        let (tx, rx) = sleepy(wake).pipe(8);
        let receivers = [(); 3].map(|()| {
            let rx = rx.clone();
            peer(move || rx.recv().unwrap())
        });
        all_asleep(&receivers);
        let (ice, waker) = {
            let tx = tx.clone();
            Ice::over(Point::BeforeWake, move || {
                tx.send(1).unwrap();
            })
        };
        ice.wait_frozen();
        let (cost, sent) = thread_cost(|| tx.send(2));
        assert_eq!((sent, cost.futex_wakes), (Ok(()), calls));
        ice.thaw();
        waker.join();
        tx.send(3).unwrap();
        assert_eq!(join_all(receivers).iter().sum::<i32>(), 6);
    });
}

/// Waking when nobody sleeps: traffic without waiters makes no futex call, whichever calls it is made of.
#[test]
fn scenario_62_no_waiter_no_call() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe(8);
        let (cost, ()) = thread_cost(|| {
            for n in 0..10_000 {
                match n % 3 {
                    0 => tx.send(n).unwrap(),
                    1 => tx.try_send(n).unwrap(),
                    _ => tx.send_timeout(n, ms(1_000)).unwrap(),
                }
                if n >= 7 {
                    let got = match n % 2 {
                        0 => rx.recv().unwrap(),
                        _ => rx.try_recv().unwrap(),
                    };
                    assert_eq!(got, n - 7);
                }
            }
        });
        assert_eq!((cost.futex_waits, cost.futex_wakes, cost.retries), (0, 0, 0));
    });
}

/// Also with waiters that have left again: the pipe goes back to making no calls.
#[test]
fn scenario_62_no_call_after_the_waiters_have_left() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        for _ in 0..3 {
            assert!(rx.recv_timeout(ms(1)).is_err());
            tx.send(0).unwrap();
            assert!(tx.send_timeout(0, ms(1)).is_err());
            let sender = {
                let tx = tx.clone();
                peer(move || tx.send(0).unwrap())
            };
            sender.asleep();
            rx.recv().unwrap();
            sender.join();
            rx.recv().unwrap();
        }
        let (cost, ()) = thread_cost(|| {
            for n in 0..100 {
                tx.send(n).unwrap();
                assert_eq!(rx.recv(), Ok(n));
            }
        });
        assert_eq!((cost.futex_waits, cost.futex_wakes), (0, 0));
    });
}

/// The counters themselves: a wait and a wake that do happen are counted, for their threads and for the process.
#[test]
fn counters_count() {
    watchdog(20, || {
        let before = hooks::counters();
        let (tx, rx) = sleepy(WakePolicy::Chain).pipe(1);
        let receiver = peer(move || thread_cost(|| rx.recv()));
        receiver.asleep();
        let (sending, sent) = thread_cost(|| tx.send(1));
        let (receiving, received) = receiver.join();
        assert_eq!((sent, received), (Ok(()), Ok(1)));
        assert!(sending.futex_wakes == 1 && sending.futex_waits == 0, "{sending:?}");
        assert!(receiving.futex_waits >= 1, "{receiving:?}");
        let after = hooks::counters();
        assert!(after.futex_waits > before.futex_waits && after.futex_wakes > before.futex_wakes);
    });
}

/// A hook runs in its own thread only, and not after its guard is gone.
#[test]
fn hooks_belong_to_a_thread_and_a_guard() {
    watchdog(20, || {
        let claims = Arc::new(Mutex::new(Vec::new()));
        let (tx, rx) = sleepy(WakePolicy::Chain).pipe(4);
        let guard = {
            let claims = Arc::clone(&claims);
            hooks::on(Point::Claimed, move || claims.lock().unwrap().push(thread::current().id()))
        };
        tx.send(1).unwrap();
        let other = tx.clone();
        peer(move || other.send(2).unwrap()).join();
        rx.recv().unwrap();
        drop(guard);
        rx.recv().unwrap();
        assert_eq!(*claims.lock().unwrap(), [thread::current().id(); 2]);
    });
}
