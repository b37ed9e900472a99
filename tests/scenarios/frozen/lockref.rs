//! The lockref's lock, with its holder frozen at the end.

use crate::support::{Ice, peer, thread_cost, watchdog};
use hornpipe::Lockref;
use hornpipe::hooks::{Counters, Point};
use std::sync::Arc;
use std::thread;

/// A holder frozen between letting the lock go and its call holds up the one that sleeps, and nobody else; the call comes.
#[test]
fn a_frozen_holders_end_leaves_the_lock_free() {
    watchdog(20, || {
        let lockref = Arc::new(Lockref::new(1));
        let (cost, ()) = thread_cost(|| drop(lockref.lock()));
        assert_eq!(cost, Counters::default(), "nobody was there to be called");
        let held = lockref.lock();
        let sleeper = {
            let lockref = lockref.clone();
            peer(move || thread_cost(|| lockref.get().unwrap()))
        };
        sleeper.asleep();
        let (call, ()) = thread_cost(|| drop(held));
        let (sleep, count) = sleeper.join();
        assert_eq!((call.futex_wakes, sleep.futex_waits, count), (1, 1, 2), "one sleep, ended by one call");

        let held = lockref.lock();
        let sleeper = {
            let lockref = lockref.clone();
            peer(move || lockref.lock().get().unwrap())
        };
        sleeper.asleep();
        thread::scope(|scope| {
            let ice = Ice::new();
            let below = ice.clone();
            scope.spawn(move || {
                let _ice = below.at(Point::BeforeWake);
                drop(held);
            });
            ice.wait_frozen();
            // Newcomers count and lock as if nothing were.
            assert_eq!(lockref.get(), Ok(3));
            assert_eq!(lockref.lock().put(), Ok(2));
            assert!(!sleeper.is_done());
            ice.thaw();
        });
        assert_eq!(sleeper.join(), 3);
        assert_eq!((lockref.count(), lockref.is_locked()), (3, false));
    });
}
