//! The line of those who wait: first in, first out, and how often they were passed.

use super::idle::Number;
use super::{DUE, HAND, HANDED};
use crate::call::Call;
use crate::lockref::{CellGuard, Lockref, LockrefCell};
use crate::sync::atomic::AtomicU32;
use crate::sync::time::Deadline;
use std::collections::VecDeque;
use std::sync::Arc;
use std::vec::Vec;

/// Nobody who waits is passed more often. (In models once: what is there to see is there at 1.)
pub(super) const PASSES: u64 = if cfg!(hornpipe_loom) { 1 } else { 64 };

/// No token's number.
const NONE: Number = Number::MAX;

/// What a waiting thread sleeps on.
pub(super) struct Waiter {
    /// Made under the line's lock only.
    call: Call,
    /// The token that it was handed, which took it out of the line.
    handed: AtomicU32,
}

impl Waiter {
    /// The token that it was handed.
    pub(super) fn handed(&self) -> Option<Number> {
        let token = self.handed.load(HANDED.order());
        (token != NONE).then_some(token)
    }

    /// Sleeps until it is called, or the deadline. False: the deadline passed.
    pub(super) fn sleep(&self, seen: u32, deadline: Deadline) -> bool {
        self.call.wait(seen, deadline)
    }

    /// The system call for a call that was made under the lock.
    pub(super) fn rouse(&self) {
        self.call.rouse();
    }
}

/// A waiter's place in the line.
struct Place {
    waiter: Arc<Waiter>,
    /// How often somebody had passed when it joined.
    joined_at: u64,
    /// It runs, or was called and is going to.
    awake: bool,
}

/// The line, under its lock.
pub(super) struct Line {
    places: VecDeque<Place>,
    /// How often a token was taken past somebody who waited.
    passed: u64,
    /// Places whose waiters are awake.
    awake: usize,
}

/// The lock of a line; its count is the line's length, for who asks without the lock.
pub(super) type Held<'a> = CellGuard<'a, Line>;

impl Line {
    pub(super) fn new() -> LockrefCell<Self> {
        LockrefCell::new(Lockref::new(0), Self { places: VecDeque::new(), passed: 0, awake: 0 })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether the first may be passed no more: the next token is its own. (It joined first, so nobody behind it was passed
    /// more often.)
    pub(super) fn is_due(&self) -> bool {
        DUE.kept() && self.places.front().is_some_and(|first| self.passed - first.joined_at >= PASSES)
    }

    /// Somebody takes a token past all who wait, if any do.
    pub(super) fn pass(&mut self) {
        self.passed += u64::from(!self.is_empty());
    }

    /// Joins at the end, awake.
    pub(super) fn join(line: &mut Held<'_>) -> Arc<Waiter> {
        let waiter = Arc::new(Waiter { call: Call::new(), handed: AtomicU32::new(NONE) });
        let place = Place { waiter: waiter.clone(), joined_at: line.passed, awake: true };
        line.places.push_back(place);
        line.awake += 1;
        CellGuard::get(line).expect("a place a thread");
        waiter
    }

    /// Where `waiter` stands; nowhere, if it was handed a token.
    pub(super) fn find(&self, waiter: &Arc<Waiter>) -> Option<usize> {
        self.places.iter().position(|place| Arc::ptr_eq(&place.waiter, waiter))
    }

    /// Leaves from the `nth` place.
    pub(super) fn leave(line: &mut Held<'_>, nth: usize) -> Arc<Waiter> {
        let place = line.places.remove(nth).expect("it stands there");
        line.awake -= usize::from(place.awake);
        CellGuard::put(line).expect("a place a thread");
        place.waiter
    }

    /// From here on the waiter in the `nth` place has to be called; what its word says until then.
    pub(super) fn rest(&mut self, nth: usize) -> u32 {
        let place = &mut self.places[nth];
        self.awake -= usize::from(place.awake);
        place.awake = false;
        place.waiter.call.seen()
    }

    /// The first leaves with this token. To be roused.
    pub(super) fn hand_over(line: &mut Held<'_>, token: Number) -> Arc<Waiter> {
        let first = Self::leave(line, 0);
        first.handed.store(token, HAND.order());
        first.call.make();
        first
    }

    /// Calls sleepers, from the front, until as many are awake as there are `tokens`. To be roused.
    pub(super) fn call(&mut self, tokens: usize, to_rouse: &mut Vec<Arc<Waiter>>) {
        let missing = tokens.saturating_sub(self.awake);
        for place in self.places.iter_mut().filter(|place| !place.awake).take(missing) {
            place.awake = true;
            self.awake += 1;
            place.waiter.call.make();
            to_rouse.push(place.waiter.clone());
        }
    }

    /// Makes each sleeper look again for no reason.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    pub(super) fn disturb(&self) {
        self.places.iter().for_each(|place| place.waiter.call.disturb());
    }
}
