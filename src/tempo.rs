//! How often a side's threads go to sleep behind peers that cannot see them without a barrier, and so whose the fence is.
//!
//! Such a sleeper pays for a process-wide barrier, hundreds of nanoseconds to microseconds, and its peers pay nothing.
//! Where it sleeps again every few items it is cheaper for all that the peers fence after each item: the gate goes SYM,
//! until so many items have passed without a sleeper. Measured in items, so nobody reads a clock.

use crate::gate::Gate;
// Core's own also in models: they need not try every value of a heuristic.
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A sleeper that comes before so many items have passed since the last one comes often.
const OFTEN: u32 = 16;
/// So many such sleepers in a row are a habit.
const HABIT: u32 = 8;
/// So many items without a sleeper end it.
const SELDOM: u32 = 256;

/// What is known of a side's sleepers. (Relaxed throughout: a heuristic, racing updates may be lost.)
pub(crate) struct Tempo {
    /// Items sent when the last one came, as far as they fit.
    last: AtomicU32,
    /// Sleepers in a row that came often.
    row: AtomicU32,
}

impl Tempo {
    pub(crate) fn new() -> Self {
        Self { last: AtomicU32::new(0), row: AtomicU32::new(0) }
    }

    /// A thread is about to sleep at `gate`, `sent` items into the pipe's life.
    pub(crate) fn sleeps(&self, gate: &Gate, sent: u32) {
        let passed = sent.wrapping_sub(self.last.load(Relaxed));
        self.last.store(sent, Relaxed);
        let row = match self.row.load(Relaxed) {
            // Fellows that come to an idle pipe are no habit.
            row if passed == 0 => row,
            row if passed < OFTEN => row.saturating_add(1),
            _ => 0,
        };
        self.row.store(row, Relaxed);
        if passed > 0 && row >= HABIT {
            gate.go_sym();
        }
    }

    /// A peer looks at `gate`, fences for it and sees nobody asleep.
    pub(crate) fn looks(&self, gate: &Gate, sent: u32) {
        if sent.wrapping_sub(self.last.load(Relaxed)) >= SELDOM {
            self.row.store(0, Relaxed);
            gate.go_light();
        }
    }
}
