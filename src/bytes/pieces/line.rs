//! The line of writers that found no room: first come, first served, and only the first one waits at the gate.

use super::super::labels::NEXT;
use crate::call::Call;
use crate::sync::atomic::{AtomicU32, Ordering::Relaxed};
use crate::sync::time::Deadline;
use std::collections::VecDeque;
use std::sync::Arc;

/// A writer's place in the line: what it sleeps on until it is the first.
pub(super) struct Place {
    turn: AtomicU32,
    call: Call,
    /// What the call says before it is made.
    seen: u32,
}

/// Of a place: others are before it ...
const LATER: u32 = 0;
/// ... or it is the first, and was called ...
const CALLED: u32 = 1;
/// ... or it knows that it is ...
const NOW: u32 = 2;
/// ... or it gave up before that.
const NEVER: u32 = 3;

impl Place {
    fn new(turn: u32) -> Arc<Self> {
        let call = Call::new();
        Arc::new(Self { turn: AtomicU32::new(turn), seen: call.seen(), call })
    }

    /// From "later" to `turn`, unless it is something else by now. (Relaxed: one word that says what it says. Whoever's turn
    /// it is takes the lock under which that was decided.)
    fn becomes(&self, turn: u32) -> bool {
        self.turn.compare_exchange(LATER, turn, Relaxed, Relaxed).is_ok()
    }

    /// Sleeps until it is called, once it was somebody else's turn. False: the deadline passed.
    pub(super) fn wait(&self, deadline: Deadline) -> bool {
        let called = self.call.wait(self.seen, deadline);
        if called {
            self.turn.store(NOW, Relaxed); // Relaxed: as in `becomes`; nobody else changes it now
        }
        called
    }

    /// Gives up, needing no lock, unless its turn has come: then it has to [leave](Line::leave).
    pub(super) fn give_up(&self) -> bool {
        self.becomes(NEVER)
    }

    /// The system call for a turn that was given under the lock; after that is let go.
    pub(super) fn rouse(&self) {
        self.call.rouse();
    }
}

/// The line, under the writers' lock. Its first is never one that gave up.
#[derive(Default)]
pub(super) struct Line(VecDeque<Arc<Place>>);

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_first(&self, place: &Arc<Place>) -> bool {
        self.0.front().is_some_and(|first| Arc::ptr_eq(first, place))
    }

    /// Joins at the end.
    pub(super) fn join(&mut self) -> Arc<Place> {
        // Those who gave up would pile up behind a first that is stuck. (Relaxed: as in `becomes`.)
        self.0.retain(|place| place.turn.load(Relaxed) != NEVER);
        let place = Place::new(if self.is_empty() { NOW } else { LATER });
        self.0.push_back(Arc::clone(&place));
        place
    }

    /// The first leaves. Whose turn it is then: to be roused.
    pub(super) fn leave(&mut self) -> Option<Arc<Place>> {
        self.0.pop_front();
        while let Some(next) = self.0.front().filter(|_| NEXT.kept()) {
            if next.becomes(CALLED) {
                next.call.make();
                return Some(Arc::clone(next));
            }
            self.0.pop_front();
        }
        None
    }

    /// The first one, if it was called and does not know yet.
    pub(super) fn called(&self) -> Option<Arc<Place>> {
        let first = self.0.front()?;
        (first.turn.load(Relaxed) == CALLED).then(|| Arc::clone(first)) // Relaxed: as in `becomes`
    }

    /// Makes each sleeper look again for no reason.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    pub(super) fn disturb(&self) {
        self.0.iter().for_each(|place| place.call.disturb());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In order, past who gave up; whose turn it is cannot give up, and is told once.
    #[test]
    fn first_come_first_served() {
        let mut line = Line::default();
        let [one, two, three, four] = core::array::from_fn(|_| line.join());
        assert!(line.is_first(&one) && !line.is_first(&two));
        assert!(!one.give_up() && three.give_up());
        assert!(!two.wait(Deadline::after(core::time::Duration::ZERO)));
        assert!(line.called().is_none());
        assert!(Arc::ptr_eq(&line.leave().unwrap(), &two) && Arc::ptr_eq(&line.called().unwrap(), &two));
        assert!(two.wait(Deadline::NEVER) && line.called().is_none());
        assert!(Arc::ptr_eq(&line.leave().unwrap(), &four) && line.is_first(&four) && !four.give_up());
        assert!(line.leave().is_none() && line.is_empty());
    }

    /// Who gives up behind a first that stays is forgotten.
    #[test]
    fn nobody_piles_up() {
        let mut line = Line::default();
        let _first = line.join();
        (0..1000).for_each(|_| assert!(line.join().give_up()));
        assert!(line.0.len() <= 2);
    }
}
