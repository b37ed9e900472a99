//! The public lockref: its operations pairwise, its lock, its death.

use crate::model::case;
use crate::track::Track;
use hornpipe::model::{advance, lock_within};
use hornpipe::{CellGuard, CountError, Lockref, LockrefCell};
use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;
use std::time::Duration;

/// What one thread does, once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // each is the call of its name
pub enum Op {
    Get,
    GetNotZero,
    PutNotZero,
    PutReturn,
    /// And, for the last one, the put under the lock.
    PutOrLock,
    LockAndGet,
    LockAndMarkDead,
}

use Op::*;

const OPS: [Op; 7] = [Get, GetNotZero, PutNotZero, PutReturn, PutOrLock, LockAndGet, LockAndMarkDead];

impl Op {
    fn on(self, lockref: &Lockref) -> Result<u32, CountError> {
        // Behind the holder's back nothing changes.
        let still = |count| assert_eq!(lockref.count(), count, "{self:?}");
        match self {
            Get => lockref.get_not_dead(),
            GetNotZero => lockref.get_not_zero(),
            PutNotZero => lockref.put_not_zero(),
            PutReturn => lockref.put_return(),
            PutOrLock => match lockref.put_or_lock()? {
                None => Ok(1),
                Some(mut last) => {
                    still(1);
                    last.put()
                }
            },
            LockAndGet => {
                let mut guard = lockref.lock();
                still(guard.count());
                let got = guard.get();
                still(guard.count() - u32::from(got.is_ok()));
                got
            }
            LockAndMarkDead => {
                let mut guard = lockref.lock();
                still(guard.count());
                guard.mark_dead();
                Ok(guard.count())
            }
        }
    }

    /// The same on a count that nobody else changes; `None` is dead.
    fn by_itself(self, state: &mut Option<u32>) -> Result<u32, CountError> {
        let count = state.as_mut().ok_or(CountError::Dead);
        if self == LockAndMarkDead {
            *state = None;
            return Ok(0);
        }
        let count = count?;
        *count = match (self, *count) {
            (GetNotZero, 0) | (PutNotZero, 0 | 1) => return Err(CountError::Zero),
            (PutReturn | PutOrLock, 0) => return Err(CountError::Underflow),
            (Get | GetNotZero | LockAndGet, count) => count + 1,
            (_, count) => count - 1,
        };
        // Which count is left by a put that was not the last is nobody's business: it says that it was not.
        Ok(if self == PutOrLock { (*count).min(1) } else { *count })
    }
}

/// What both calls answered and what is left, or a count of `from` after the one, then the other.
type Outcome = ([Result<u32, CountError>; 2], u32, bool);

fn one_by_one(from: u32, ops: [Op; 2], first: usize) -> Outcome {
    let mut state = Some(from);
    let mut answers = [Ok(0); 2];
    for turn in [first, 1 - first] {
        answers[turn] = ops[turn].by_itself(&mut state);
    }
    (answers, state.unwrap_or(0), state.is_none())
}

/// What is left where `busy` answered that it changed nothing, and the other was alone.
fn one_alone(from: u32, ops: [Op; 2], busy: usize) -> Outcome {
    let mut state = Some(from);
    let mut answers = [Err(CountError::Busy); 2];
    answers[1 - busy] = ops[1 - busy].by_itself(&mut state);
    (answers, state.unwrap_or(0), state.is_none())
}

/// `op` of one thread and each operation of another, on a count of 0, 1 and 2, with one try before the lock: both answer
/// as if one had come after the other, but that a put that never waits may find the word busy.
pub fn pairs(op: Op) {
    let case = case(3 * OPS.len());
    let (from, ops) = ((case / OPS.len()) as u32, [op, OPS[case % OPS.len()]]);
    let lockref = Arc::new(Lockref::new(from).tries(1));
    let spawned = lockref.clone();
    let spawned = thread::spawn(move || op.on(&spawned));
    let own = ops[1].on(&lockref);
    let outcome = ([spawned.join().unwrap(), own], lockref.count(), lockref.is_dead());
    let as_if = match outcome.0.iter().position(|answer| *answer == Err(CountError::Busy)) {
        None => [0, 1].map(|first| one_by_one(from, ops, first)).contains(&outcome),
        Some(busy) => ops[busy] == PutReturn && outcome == one_alone(from, ops, busy),
    };
    assert!(as_if, "{ops:?} from {from}: {outcome:?}");
    assert!(!lockref.is_locked());
}

/// A number that loom watches.
struct Number(UnsafeCell<u32>);

impl Number {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn add(&mut self) -> u32 {
        // SAFETY: the one reference; loom reports any access that is not ordered so.
        self.0.with_mut(|number| unsafe {
            *number += 1;
            *number
        })
    }
}

/// Two threads change the value under the lock, each also the count: all of it is there in the end.
pub fn cell() {
    let cell = Arc::new(LockrefCell::new(Lockref::new(1), Number::new()));
    let add = |cell: &LockrefCell<Number>| {
        let mut guard = cell.lock();
        CellGuard::get(&mut guard).unwrap();
        guard.add()
    };
    let other = cell.clone();
    let other = thread::spawn(move || add(&other));
    let mut numbers = [add(&cell), other.join().unwrap()];
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2]);
    assert_eq!((cell.refs().count(), cell.lock().add()), (3, 3));
}

/// The lock is held while `lockers` others come for it: each gets it, asleep or not. loom reports a sleeper that nobody
/// wakes as a deadlock.
pub fn lockers(lockers: usize) {
    let cell = Arc::new(LockrefCell::new(Lockref::new(1), Number::new()));
    let held = cell.lock();
    let threads: Vec<_> = (0..lockers)
        .map(|_| {
            let cell = cell.clone();
            thread::spawn(move || cell.lock().add())
        })
        .collect();
    drop(held);
    for thread in threads {
        assert!((1..=lockers as u32).contains(&thread.join().unwrap()));
    }
    assert_eq!(cell.lock().add() as usize, lockers + 1);
    assert_eq!(cell.refs().count(), 1);
}

/// The lock is held while two others come for it, of which one's time comes: whoever of them is called, and whether that one
/// has time left or not, the other gets the lock too.
pub fn late() {
    let lockref = Arc::new(Lockref::new(1));
    let held = lockref.lock();
    let late = lockref.clone();
    let late = thread::spawn(move || drop(lock_within(&late, Duration::from_millis(1))));
    let patient = lockref.clone();
    let patient = thread::spawn(move || drop(patient.lock()));
    // For both to fall asleep without a preemption.
    thread::yield_now();
    advance();
    drop(held);
    drop(lockref.lock());
    late.join().unwrap();
    patient.join().unwrap();
    assert!(!lockref.is_locked());
}

/// Two threads write and put what they have: the last one finds under the lock what both wrote.
pub fn last_put() {
    struct Shared {
        refs: Lockref,
        written: [UnsafeCell<u32>; 2],
    }
    // SAFETY: a cell is written by its thread and read by the last put's: loom reports any access not ordered so.
    unsafe impl Sync for Shared {}
    let shared = Arc::new(Shared { refs: Lockref::new(2), written: Default::default() });
    let put = |shared: &Shared, own: usize| {
        // SAFETY: this thread's cell.
        shared.written[own].with_mut(|to| unsafe { *to = 1 });
        let last = shared.refs.put_or_lock().unwrap();
        last.is_some_and(|mut last| {
            last.mark_dead();
            // SAFETY: both are put.
            let sum: u32 = shared.written.iter().map(|cell| cell.with(|from| unsafe { *from })).sum();
            assert_eq!(sum, 2);
            true
        })
    };
    let other = shared.clone();
    let other = thread::spawn(move || put(&other, 1));
    let own = put(&shared, 0);
    assert!(own != other.join().unwrap(), "exactly one is the last");
    assert!(shared.refs.is_dead());
}

/// A directory's entry: one thread puts the last reference and takes the entry down if it still is, another looks it up
/// meanwhile. It is taken down once, and not under anybody who got it.
pub fn death() {
    fn put(entry: &LockrefCell<Option<Track>>) {
        if let Some(mut last) = entry.put_or_lock().unwrap() {
            CellGuard::mark_dead(&mut last);
            assert!(last.take().is_some(), "taken down twice");
        }
    }
    let entry = Arc::new(LockrefCell::new(Lockref::new(1), Some(Track::new(0, 0))));
    let looked_up = entry.clone();
    let lookup = thread::spawn(move || match looked_up.refs().get_not_dead() {
        Ok(_) => {
            assert!(looked_up.lock().is_some(), "got a dead entry");
            put(&looked_up);
        }
        Err(error) => assert_eq!(error, CountError::Dead),
    });
    put(&entry);
    lookup.join().unwrap();
    assert_eq!(entry.refs().get_not_dead(), Err(CountError::Dead));
    assert!(entry.lock().is_none());
}
