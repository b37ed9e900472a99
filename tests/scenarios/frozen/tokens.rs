//! The token pool, with a waiter frozen on its way: who is held up, and for how long.

use crate::support::{Ice, all_asleep, join_all, peer, thread_cost, watchdog};
use hornpipe::TokenPool;
use hornpipe::hooks::{Counters, Point};
use std::time::Duration;

/// As often as who waits may be passed.
const PASSES: usize = 64;

/// A waiter that was woken and is frozen before it takes its token is passed exactly 64 times; then the token is its own,
/// whatever others ask. It costs them that one token: the pool's second goes round past it, also through the line behind it.
#[test]
fn a_frozen_waiter_is_passed_64_times() {
    watchdog(60, || {
        for point in [Point::Announced, Point::Woken] {
            let pool = TokenPool::new(2);
            let (first, second) = (pool.acquire(), pool.acquire());
            let (ice, frozen) = {
                let pool = pool.clone();
                Ice::over(point, move || pool.acquire())
            };
            if point == Point::Announced {
                ice.wait_frozen();
            } else {
                frozen.asleep();
            }
            drop(first);
            ice.wait_frozen();
            for pass in 0..PASSES {
                assert!(pool.try_acquire().is_some(), "pass {pass}");
            }
            assert!(pool.try_acquire().is_none() && pool.is_empty(), "it was handed the token");
            assert!(pool.acquire_timeout(Duration::from_millis(1)).is_none());
            // Nobody waits but who has got it already: the other token is free for all, also for those who wait for it.
            let others = [(); 3].map(|()| {
                let pool = pool.clone();
                peer(move || (0..1_000).for_each(|_| drop(pool.acquire())))
            });
            all_asleep(&others);
            drop(second);
            join_all(others);
            assert_eq!(pool.len(), 1);
            assert!(!frozen.is_done());
            ice.thaw();
            drop(frozen.join());
            assert_eq!(pool.len(), 2);
        }
    });
}

/// Several wait and the first of them is woken and frozen: those behind it sleep on for one token, which waits for the frozen
/// one, and get the next; and who gives up does not take a call along.
#[test]
fn a_frozen_waiter_keeps_one_token() {
    watchdog(60, || {
        let pool = TokenPool::new(2);
        let (first, second) = (pool.acquire(), pool.acquire());
        let (ice, frozen) = {
            let pool = pool.clone();
            Ice::over(Point::Woken, move || pool.acquire())
        };
        frozen.asleep();
        let hasty = {
            let pool = pool.clone();
            peer(move || pool.acquire_timeout(Duration::from_millis(300)).is_some())
        };
        hasty.asleep();
        let patient = {
            let pool = pool.clone();
            peer(move || drop(pool.acquire()))
        };
        patient.asleep();
        drop(first);
        ice.wait_frozen();
        assert!(!patient.is_done());
        // The one that gives up takes what is there, or leaves it to who was woken for it; the other gets the second.
        hasty.join();
        drop(second);
        patient.join();
        ice.thaw();
        drop(frozen.join());
        assert_eq!(pool.len(), 2);
    });
}

/// A giver frozen before its system call: whom it chose sleeps on, and newcomers pass.
#[test]
fn a_frozen_giver_holds_up_its_own_only() {
    watchdog(60, || {
        let pool = TokenPool::new(1);
        let token = pool.acquire();
        let sleeper = {
            let pool = pool.clone();
            peer(move || drop(pool.acquire()))
        };
        sleeper.asleep();
        let (ice, giver) = Ice::over(Point::BeforeWake, move || drop(token));
        ice.wait_frozen();
        assert!(pool.try_acquire().is_some());
        drop(pool.acquire());
        ice.thaw();
        giver.join();
        sleeper.join();
        assert_eq!(pool.len(), 1);
    });
}

/// Without waiters no call reaches the system, and one waiter costs one sleep and one wake.
#[test]
fn scenario_62_no_waiter_no_call() {
    watchdog(60, || {
        let pool = TokenPool::new(8);
        let (cost, ()) = thread_cost(|| (0..10_000).for_each(|_| drop(pool.acquire())));
        assert_eq!(cost, Counters::default());
        let pool = TokenPool::new(1);
        let token = pool.acquire();
        let sleeper = {
            let pool = pool.clone();
            peer(move || thread_cost(|| drop(pool.acquire())).0)
        };
        sleeper.asleep();
        let (cost, ()) = thread_cost(|| drop(token));
        assert_eq!((cost.futex_waits, cost.futex_wakes), (0, 1));
        let cost = sleeper.join();
        assert_eq!((cost.futex_waits, cost.futex_wakes), (1, 0));
    });
}
