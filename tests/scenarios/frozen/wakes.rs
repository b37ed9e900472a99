//! A. Lost wake-ups, with threads frozen where it hurts.

use crate::support::{
    Config, Ice, all_asleep, assert_nobody_waits, depends_on_the_woken, each, join_all, ms, peer,
    sleepy_policies, thread_cost,
};
use hornpipe::WakePolicy;
use hornpipe::hooks::{self, Point};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// The second send skipped its wake since the first had woken somebody, who is slow: both receivers get an item.
#[test]
fn scenario_01_a_slow_woken_receiver() {
    each(sleepy_policies(), 20, |config| {
        for _ in 0..10 {
            let (tx, rx) = config.pipe(4);
            let receivers = [(); 2].map(|()| {
                let rx = rx.clone();
                peer(move || {
                    let _slow = hooks::on(Point::Woken, || thread::sleep(ms(20)));
                    rx.recv()
                })
            });
            all_asleep(&receivers);
            tx.send(1).unwrap();
            tx.send(2).unwrap();
            let mut got = receivers.map(|receiver| receiver.join().unwrap());
            got.sort_unstable();
            assert_eq!(got, [1, 2]);
        }
    });
}

/// The same for senders on a full pipe.
#[test]
fn scenario_01_a_slow_woken_sender() {
    each(sleepy_policies(), 20, |config| {
        for _ in 0..10 {
            let (tx, rx) = config.pipe(2);
            tx.send(1).unwrap();
            tx.send(2).unwrap();
            let senders = [3, 4].map(|n| {
                let tx = tx.clone();
                peer(move || {
                    let _slow = hooks::on(Point::Woken, || thread::sleep(ms(20)));
                    tx.send(n).unwrap();
                })
            });
            all_asleep(&senders);
            assert_eq!((rx.recv(), rx.recv()), (Ok(1), Ok(2)));
            join_all(senders);
            assert_eq!(rx.recv().unwrap() + rx.recv().unwrap(), 7);
        }
    });
}

/// Whatever happens while a receiver stands between its look at the pipe and its sleep, it does not sleep beside it.
#[test]
fn scenario_05_an_item_comes_before_the_sleep() {
    each(points_and_policies(), 20, |(point, config)| {
        let (tx, rx) = config.pipe(1);
        let (ice, receiver) = Ice::over(point, move || rx.recv());
        ice.wait_frozen();
        tx.send(5).unwrap();
        ice.thaw();
        assert_eq!(receiver.join(), Ok(5));
    });
}

/// The same for a sender at a full pipe.
#[test]
fn scenario_05_room_comes_before_the_sleep() {
    each(points_and_policies(), 20, |(point, config)| {
        let (tx, rx) = config.pipe(1);
        tx.send(1).unwrap();
        let ice = Ice::new();
        let sender = {
            let (ice, tx) = (ice.clone(), tx.clone());
            peer(move || {
                let _ice = ice.at(point);
                tx.send(2)
            })
        };
        ice.wait_frozen();
        assert_eq!(rx.recv(), Ok(1));
        ice.thaw();
        assert_eq!((sender.join(), rx.recv()), (Ok(()), Ok(2)));
    });
}

/// The stall points on the way to sleep, under each wake policy.
fn points_and_policies() -> impl Iterator<Item = (Point, Config)> {
    let points = [Point::Announced, Point::BetweenLoads];
    points.into_iter().flat_map(|point| sleepy_policies().map(|config| (point, config)))
}

/// A sender announces itself, its second look finds room, and its announcement stays and soaks up the wake that was
/// meant for another. Afterwards nobody is taken for a waiter any more.
#[test]
fn scenario_09_an_announcement_is_taken_back() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        tx.send(0).unwrap();
        let ice = Ice::new();
        let first = {
            let (ice, tx) = (ice.clone(), tx.clone());
            peer(move || {
                let _ice = ice.at(Point::Announced);
                tx.send(1).unwrap();
                tx
            })
        };
        ice.wait_frozen();
        assert_eq!(rx.recv(), Ok(0));
        ice.thaw();
        // It never calls again.
        let _first = first.join();
        assert_eq!(rx.recv(), Ok(1));
        tx.send(2).unwrap();
        let third = {
            let tx = tx.clone();
            peer(move || tx.send(3))
        };
        third.asleep();
        assert_eq!(rx.recv(), Ok(2));
        assert_eq!((third.join(), rx.recv()), (Ok(()), Ok(3)));
        let (cost, ()) = thread_cost(|| {
            for n in 0..100 {
                tx.send(n).unwrap();
                assert_eq!(rx.recv(), Ok(n));
            }
        });
        assert_eq!((cost.futex_waits, cost.futex_wakes), (0, 0), "somebody is still taken for a waiter");
        assert_nobody_waits(&tx);
    });
}

/// Four senders sleep at a full pipe of four, the first to be woken never runs again, and all four slots come free:
/// the three others finish. `Chain` has one wake in flight, which the frozen one should hand on, and `OnEdge` and
/// `OnRelease` wake at the first of the four releases only; there the next look at the pipe that finds it empty wakes
/// another, and that one hands on.
#[test]
fn scenario_11_a_woken_sender_that_never_runs() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(4);
        (0..4).for_each(|n| tx.send(n).unwrap());
        let ice = Ice::new();
        let senders = [4, 5, 6, 7].map(|n| {
            let (tx, ice) = (tx.clone(), ice.clone());
            peer(move || {
                let _ice = ice.at(Point::Woken);
                tx.send(n).unwrap();
            })
        });
        all_asleep(&senders);
        (0..4).for_each(|n| assert_eq!(rx.recv(), Ok(n)));
        ice.wait_frozen();
        let mut got: Vec<i32> = Vec::new();
        if depends_on_the_woken(config.wake) {
            got.extend(rx.try_iter());
        }
        let start = Instant::now();
        while senders.iter().filter(|sender| sender.is_done()).count() < 3 {
            assert!(
                start.elapsed() < ms(3_000),
                "senders sleep beside free slots while a woken one is frozen"
            );
            thread::sleep(ms(1));
        }
        ice.thaw();
        join_all(senders);
        got.extend(rx.try_iter());
        got.sort_unstable();
        assert_eq!(got, [4, 5, 6, 7]);
    });
}

/// The mirror: of four sleeping receivers the first to be woken never runs again, and four items come. Under the same
/// policies the next sender that finds the pipe full wakes another, and that one hands on.
#[test]
fn scenario_11_a_woken_receiver_that_never_runs() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(4);
        let ice = Ice::new();
        let receivers = [(); 4].map(|()| {
            let (rx, ice) = (rx.clone(), ice.clone());
            peer(move || {
                let _ice = ice.at(Point::Woken);
                rx.recv().unwrap()
            })
        });
        all_asleep(&receivers);
        (0..4).for_each(|n| tx.send(n).unwrap());
        ice.wait_frozen();
        let mut sent = 4;
        if depends_on_the_woken(config.wake) {
            while tx.try_send(sent).is_ok() {
                sent += 1;
            }
        }
        let start = Instant::now();
        while receivers.iter().filter(|receiver| receiver.is_done()).count() < 3 {
            assert!(start.elapsed() < ms(3_000), "receivers sleep beside items while a woken one is frozen");
            thread::sleep(ms(1));
        }
        ice.thaw();
        let mut got = join_all(receivers).to_vec();
        got.extend(rx.try_iter());
        got.sort_unstable();
        assert_eq!(got, (0..sent).collect::<Vec<_>>());
    });
}

/// The waker is frozen right before its wake call, its item is published. Others' traffic neither waits for it nor
/// leaves the sleeper asleep for good: a later sender about to sleep wakes it regardless.
#[test]
fn scenario_01_a_frozen_waker() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(2);
        let receiver = peer(move || rx.iter().collect::<Vec<_>>());
        receiver.asleep();
        let (ice, waker) = {
            let tx = tx.clone();
            Ice::over(Point::BeforeWake, move || {
                tx.send(0).unwrap();
            })
        };
        ice.wait_frozen();
        let other = {
            let tx = tx.clone();
            peer(move || (1..=10).for_each(|n| tx.send(n).unwrap()))
        };
        let start = Instant::now();
        while !other.is_done() {
            assert!(
                start.elapsed() < ms(3_000),
                "a sender and a receiver sleep on a pipe with room and items"
            );
            thread::sleep(ms(1));
        }
        other.join();
        ice.thaw();
        waker.join();
        drop(tx);
        assert_eq!(receiver.join(), (0..=10).collect::<Vec<_>>());
    });
}

/// All means all: with `WakePolicy::All` one send gets every sleeping receiver out of its wait.
#[test]
fn wake_all_wakes_all() {
    let (tx, rx) = crate::support::sleepy(WakePolicy::All).pipe(1);
    let (woken, is_woken) = mpsc::channel();
    let receivers = [(); 4].map(|()| {
        let (rx, woken) = (rx.clone(), woken.clone());
        peer(move || {
            let _count = hooks::on(Point::Woken, move || woken.send(()).unwrap_or(()));
            rx.recv()
        })
    });
    all_asleep(&receivers);
    tx.send(1).unwrap();
    for nth in 0..4 {
        assert!(is_woken.recv_timeout(ms(5_000)).is_ok(), "only {nth} of 4 were woken");
    }
    drop(tx);
    let got = join_all(receivers);
    assert_eq!(got.iter().filter(|result| **result == Ok(1)).count(), 1);
}
