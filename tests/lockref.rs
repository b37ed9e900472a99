//! The lockref: what each call answers, that a held lock stands still, that nothing is lost under load.
//!
//! The oracle is a mutex around a count: `calls_answer_as_the_oracle` draws sequences of calls at random,
//! `crowds_balance` has threads on one lockref under each relax and bound of tries.

#![cfg(feature = "std")]

mod support;

use hornpipe::{CellGuard, CountError, Lockref, LockrefCell, LockrefGuard, Relax};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use support::{RELAXES, Random, all_asleep, at_most, cpu_time, each, join_all, ms, peer, sized, watchdog};

use CountError::{Busy, Dead, Overflow, Underflow, Zero};

const MAX: u32 = Lockref::MAX;

/// A count, or dead: behind a mutex where threads meet.
type Oracle = Option<u32>;

#[derive(Clone, Copy, Debug)]
enum Call {
    Get,
    GetNotZero,
    GetNotDead,
    PutNotZero,
    PutReturn,
    /// With the put under the lock, if it comes to that.
    PutOrLock,
    LockAndGet,
    LockAndPut,
    LockAndMarkDead,
}

use Call::*;

const CALLS: [Call; 9] =
    [Get, GetNotZero, GetNotDead, PutNotZero, PutReturn, PutOrLock, LockAndGet, LockAndPut, LockAndMarkDead];

impl Call {
    /// What it answers; for [`PutOrLock`] whether that was the last one.
    fn on(self, lockref: &Lockref) -> Result<u32, CountError> {
        match self {
            Get => lockref.get(),
            GetNotZero => lockref.get_not_zero(),
            GetNotDead => lockref.get_not_dead(),
            PutNotZero => lockref.put_not_zero(),
            PutReturn => lockref.put_return(),
            PutOrLock => match lockref.put_or_lock()? {
                Some(mut last) => last.put().map(|_| 1),
                None => Ok(0),
            },
            LockAndGet => lockref.lock().get(),
            LockAndPut => lockref.lock().put(),
            LockAndMarkDead => {
                lockref.lock().mark_dead();
                Ok(0)
            }
        }
    }

    fn on_oracle(self, oracle: &mut Oracle) -> Result<u32, CountError> {
        if let LockAndMarkDead = self {
            *oracle = None;
            return Ok(0);
        }
        let count = oracle.as_mut().ok_or(Dead)?;
        match (self, *count) {
            (GetNotZero, 0) | (PutNotZero, 0 | 1) => return Err(Zero),
            (PutReturn | PutOrLock | LockAndPut, 0) => return Err(Underflow),
            (Get | GetNotZero | GetNotDead | LockAndGet, MAX) => return Err(Overflow),
            (Get | GetNotZero | GetNotDead | LockAndGet, _) => *count += 1,
            _ => *count -= 1,
        }
        Ok(if let PutOrLock = self { u32::from(*count == 0) } else { *count })
    }
}

fn assert_alike(lockref: &Lockref, oracle: Oracle) {
    assert_eq!((lockref.count(), lockref.is_dead()), (oracle.unwrap_or(0), oracle.is_none()));
    assert!(!lockref.is_locked());
}

/// Each call at the ends of the range and on the dead: a typed error where it may not be, and nothing is changed then.
#[test]
fn every_call_at_every_edge() {
    for from in [Some(0), Some(1), Some(2), Some(MAX - 1), Some(MAX), None] {
        for call in CALLS {
            let (lockref, mut oracle) = (Lockref::new(from.unwrap_or(0)), from);
            if from.is_none() {
                lockref.lock().mark_dead();
            }
            let answer = call.on(&lockref);
            assert_eq!(answer, call.on_oracle(&mut oracle), "{call:?} on {from:?}");
            assert_alike(&lockref, oracle);
            if answer.is_err() {
                assert_eq!(oracle, from, "{call:?}");
            }
        }
    }
}

/// A count that does not fit is refused with a sentence.
#[test]
fn too_large_a_count_is_refused() {
    let panic = catch_unwind(|| Lockref::new(MAX + 1)).unwrap_err();
    assert!(panic.downcast_ref::<&str>().unwrap().contains("2147483647"), "{panic:?}");
    for error in [Overflow, Underflow, Zero, Dead, Busy] {
        let sentence = error.to_string();
        assert!(sentence.starts_with("the count is"), "{sentence}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sized(256, 4) as u32) })]

    /// Any sequence of calls, from any count: what the oracle answers, and leaves.
    #[test]
    fn calls_answer_as_the_oracle(
        from in prop_oneof![0..4u32, MAX - 3..=MAX],
        calls in prop::collection::vec(prop::sample::select(&CALLS[..]), 0..40),
        tries in prop::sample::select(&[0, 1, 100][..]),
    ) {
        let (lockref, mut oracle) = (Lockref::new(from).tries(tries), Some(from));
        for call in calls {
            prop_assert_eq!(call.on(&lockref), call.on_oracle(&mut oracle), "{:?}", call);
            assert_alike(&lockref, oracle);
        }
    }
}

/// Threads that get, put and lock, beside an oracle that each tells of what it did: the sums agree, and so do the numbers
/// under the lock, under each relax and with 1, 2 and 100 tries before the lock.
#[test]
fn crowds_balance() {
    let configs = RELAXES.iter().flat_map(|relax| [1, 2, 100].map(|tries| (*relax, tries)));
    each(configs, 60, |(relax, tries)| {
        let (threads, turns) = (4, sized(20_000, 50));
        let cell = Arc::new(LockrefCell::new(Lockref::new(1).retry(relax).tries(tries), 0));
        let oracle = Arc::new(Mutex::new((1i64, 0)));
        let crowd: Vec<_> = (0..threads)
            .map(|seed| {
                let (cell, oracle) = (cell.clone(), oracle.clone());
                thread::spawn(move || {
                    let mut random = Random::new(seed);
                    let (mut balance, mut locked) = (0i64, 0);
                    for _ in 0..turns {
                        match random.below(if balance > 0 { 8 } else { 4 }) {
                            0 => {
                                let mut guard = cell.lock();
                                *guard += 1;
                                locked += 1;
                                balance += i64::from(CellGuard::get(&mut guard).is_ok());
                            }
                            1 => balance += i64::from(cell.refs().get_not_zero().is_ok()),
                            2 | 3 => balance += i64::from(cell.refs().get().is_ok()),
                            4 => balance -= i64::from(cell.refs().put_return().is_ok()),
                            5 | 6 => balance -= i64::from(cell.refs().put_not_zero().is_ok()),
                            _ => {
                                assert!(cell.put_or_lock().unwrap().is_none(), "the main thread has one");
                                balance -= 1;
                            }
                        }
                    }
                    let mut oracle = oracle.lock().unwrap();
                    *oracle = (oracle.0 + balance, oracle.1 + locked);
                })
            })
            .collect();
        crowd.into_iter().for_each(|thread| thread.join().unwrap());
        let (count, locked) = *oracle.lock().unwrap();
        assert_eq!((i64::from(cell.refs().count()), *cell.lock()), (count, locked));
        assert!(!cell.refs().is_locked());
    });
}

/// While the lock is held the count stands still, whoever comes; those who wait for it sleep, and all get what they
/// came for.
#[test]
fn a_held_lock_stands_still() {
    watchdog(60, || {
        let lockref = Arc::new(Lockref::new(5));
        let guard = lockref.lock();
        assert!(lockref.is_locked() && lockref.try_lock().is_none());
        assert_eq!(lockref.put_return(), Err(Busy));
        let calls = [Get, GetNotZero, GetNotDead, PutNotZero, PutOrLock, LockAndGet, LockAndPut];
        let peers = calls.map(|call| {
            let lockref = lockref.clone();
            peer(move || {
                let before = cpu_time();
                call.on(&lockref).unwrap();
                cpu_time() - before
            })
        });
        all_asleep(&peers);
        assert_eq!(lockref.count(), 5);
        thread::sleep(ms(200));
        assert_eq!((lockref.count(), guard.count()), (5, 5));
        drop(guard);
        let used = join_all(peers);
        assert!(used.iter().all(|used| *used < at_most(ms(20))), "asleep for 200 ms, {used:?} of CPU");
        assert_alike(&lockref, Some(5 + 4 - 3));
    });
}

/// What is done under the lock is seen by others when it is let go, all of it at once.
#[test]
fn the_holder_counts_in_private() {
    let lockref = Lockref::new(1);
    let mut guard = lockref.lock();
    assert_eq!((guard.get(), guard.get(), guard.put()), (Ok(2), Ok(3), Ok(2)));
    assert_eq!((guard.count(), lockref.count()), (2, 1));
    drop(guard);
    assert_alike(&lockref, Some(2));
}

/// A panic under the lock lets it go, with what had been done to the count, and the value is there for the next.
#[test]
fn a_panic_lets_go() {
    let cell = LockrefCell::new(Lockref::new(1), vec![1]);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let mut guard = cell.lock();
        CellGuard::get(&mut guard).unwrap();
        guard.push(2);
        panic!("under the lock");
    }));
    assert!(panic.is_err());
    assert_alike(cell.refs(), Some(2));
    assert_eq!(*cell.lock(), [1, 2]);
    assert_eq!(cell.into_inner(), [1, 2]);
}

/// A table of directory entries: threads look one up by its lockref and let it go, the last one takes it down under the
/// lock. Each entry dies once, with everybody's marks in it.
#[test]
fn entries_die_once() {
    watchdog(60, || {
        for seed in 0..sized(300, 5) as u64 {
            let entry = Arc::new(LockrefCell::new(Lockref::new(1), Vec::new()));
            let threads: Vec<_> = (0..3)
                .map(|own| {
                    let entry = entry.clone();
                    thread::spawn(move || {
                        let mut random = Random::new(seed * 3 + own);
                        let (mut marks, mut deaths) = (0, 0);
                        let put = |entry: &LockrefCell<Vec<u64>>| {
                            entry.put_or_lock().unwrap().map_or(0, |mut last| {
                                CellGuard::mark_dead(&mut last);
                                1
                            })
                        };
                        for _ in 0..5 {
                            if entry.refs().get_not_dead().is_err() {
                                break;
                            }
                            random.dawdle();
                            entry.lock().push(own);
                            marks += 1;
                            deaths += put(&entry);
                        }
                        if own == 0 {
                            deaths += put(&entry); // the table's own
                        }
                        (marks, deaths)
                    })
                })
                .collect();
            let ends: Vec<(usize, u32)> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            assert_eq!(ends.iter().map(|end| end.1).sum::<u32>(), 1, "{ends:?}");
            assert_eq!(entry.lock().len(), ends.iter().map(|end| end.0).sum());
            assert_eq!(entry.refs().get(), Err(Dead));
        }
    });
}

/// Two locks' guards may be exchanged: each lets go what it holds; a value's guard has none to give away.
#[test]
fn guards_may_change_places() {
    let (one, two) = (Lockref::new(1), Lockref::new(2));
    let (mut first, mut second) = (one.lock(), two.lock());
    std::mem::swap(&mut first, &mut second);
    assert_eq!((first.get(), second.get()), (Ok(3), Ok(2)));
    drop(first);
    assert!(one.is_locked() && !two.is_locked());
    drop(second);
    assert_eq!((one.count(), two.count()), (2, 3));
    let mut cell = LockrefCell::new(one, 1);
    *cell.get_mut() = 2;
    let guard = cell.try_lock().unwrap();
    assert!(cell.try_lock().is_none() && cell.refs().try_lock().is_none());
    assert_eq!((CellGuard::count(&guard), CellGuard::is_dead(&guard), *guard), (2, false, 2));
}

/// The dead are dead also while somebody holds their lock: nobody waits to hear it.
#[test]
fn the_dead_answer_at_once() {
    let lockref = Lockref::new(3);
    let mut guard = lockref.lock();
    guard.mark_dead();
    assert!(!lockref.is_dead(), "not yet");
    drop(guard);
    let _held = lockref.lock();
    for call in [Get, GetNotZero, GetNotDead, PutNotZero, PutReturn, PutOrLock] {
        assert_eq!(call.on(&lockref), Err(Dead), "{call:?}");
    }
}

/// A guard that is forgotten keeps the lock, and nothing else is lost.
#[test]
fn a_forgotten_guard_keeps_the_lock() {
    let lockref = Lockref::new(1);
    std::mem::forget(lockref.lock());
    assert!(lockref.try_lock().is_none());
    assert_eq!((lockref.count(), lockref.put_return()), (1, Err(Busy)));
}

/// It stands in a static, and says what it is.
#[test]
fn a_static_that_can_be_shown() {
    static ENTRY: LockrefCell<u8> = LockrefCell::new(Lockref::new(1).retry(Relax::None).tries(10), 7);
    let shown = format!("{ENTRY:?}");
    assert!(shown.contains("count: 1") && shown.contains("value: 7"), "{shown}");
    let guard: CellGuard<'_, u8> = ENTRY.lock();
    let shown = format!("{ENTRY:?} {guard:?}");
    assert!(shown.contains("locked: true") && shown.contains("<locked>"), "{shown}");
    assert!(shown.contains("count: 1, dead: false"), "{shown}");
    let _: fn(&Lockref) -> LockrefGuard<'_> = Lockref::lock;
}
