//! The line of writers that found no room: first come, first served, and only the first one waits at the gate.

use super::super::labels::NEXT;
use crate::futex;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::point::{Point, at};
use crate::sync::time::Deadline;
use std::collections::VecDeque;
use std::sync::Arc;

/// A writer's place in the line: what it sleeps on until it is the first.
pub(super) struct Place {
    calls: futex::Word,
    /// Before that its turn has not come.
    waits_at: u32,
}

impl Place {
    fn new() -> Arc<Self> {
        let calls = futex::Word::new();
        let waits_at = calls.load(Relaxed); // Relaxed: its own
        Arc::new(Self { calls, waits_at })
    }

    /// Sleeps until it is called, once it was somebody else's turn. False: the deadline passed.
    pub(super) fn wait(&self, deadline: Deadline) -> bool {
        // Relaxed: who was called takes the lock under which that was decided.
        while self.calls.load(Relaxed) == self.waits_at {
            if deadline.passed() {
                return false;
            }
            self.calls.wait(self.waits_at, deadline);
        }
        true
    }

    /// The system call for a turn that was given under the lock; after that is let go.
    pub(super) fn rouse(&self) {
        at(Point::BeforeWake);
        self.calls.wake_one();
    }
}

/// The line, under the writers' lock.
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
        let place = Place::new();
        self.0.push_back(Arc::clone(&place));
        place
    }

    /// Leaves from wherever it stands. If it was the first, whose turn it is now: to be roused.
    pub(super) fn leave(&mut self, place: &Arc<Place>) -> Option<Arc<Place>> {
        let was_first = self.is_first(place);
        self.0.retain(|other| !Arc::ptr_eq(other, place));
        let next = self.0.front().filter(|_| was_first && NEXT.kept())?;
        next.calls.bump(Relaxed); // Relaxed: see `wait`
        Some(Arc::clone(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In order; from the middle too; whose turn it becomes is told once.
    #[test]
    fn first_come_first_served() {
        let mut line = Line::default();
        let [one, two, three, four] = core::array::from_fn(|_| line.join());
        assert!(line.is_first(&one) && !line.is_first(&two));
        assert!(line.leave(&three).is_none(), "it was not its turn");
        assert!(!two.wait(Deadline::after(core::time::Duration::ZERO)));
        assert!(Arc::ptr_eq(&line.leave(&one).unwrap(), &two) && two.wait(Deadline::NEVER));
        assert!(Arc::ptr_eq(&line.leave(&two).unwrap(), &four) && line.is_first(&four));
        assert!(line.leave(&four).is_none() && line.is_empty());
    }
}
