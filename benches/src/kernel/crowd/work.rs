//! Work that takes a time and touches no line that another thread has.

use std::{
    hint::black_box,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// So many steps, from where the last ended.
#[derive(Clone, Debug)]
pub struct Work {
    steps: u64,
    state: u64,
}

impl Work {
    /// As much as takes `time` on this machine when nothing interrupts it.
    pub fn lasting(time: Duration) -> Self {
        static STEP_NS: OnceLock<f64> = OnceLock::new();
        let step = *STEP_NS.get_or_init(|| best(Self::of(STEPS)).as_nanos() as f64 / STEPS as f64);
        Self::of((time.as_nanos() as f64 / step).round() as u64)
    }

    fn of(steps: u64) -> Self {
        Self { steps, state: 1 }
    }

    /// Does it.
    #[inline]
    pub fn run(&mut self) {
        if self.steps > 0 {
            self.state = black_box(walk(self.state, self.steps));
        }
    }
}

/// So many are 0.1 ms or so, and so often they are timed: one try in some ms has a CPU to itself, at its full speed.
const STEPS: u64 = 50_000;
const TRIES: u32 = 100;

/// The shortest of several tries.
fn best(mut work: Work) -> Duration {
    let once = |_| {
        let begun = Instant::now();
        work.run();
        begun.elapsed()
    };
    (0..TRIES).map(once).min().expect("there are tries")
}

/// Each step needs the one before (Marsaglia's xorshift), so that no CPU does two at a time. Never inlined: what was
/// calibrated is what runs.
#[inline(never)]
fn walk(mut state: u64, steps: u64) -> u64 {
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_lasts_as_long_as_asked() {
        // A step of a debug build is long beside the shortest.
        let off = if cfg!(debug_assertions) { 4 } else { 2 };
        for asked in [166, 331, 1241, 100_000].map(Duration::from_nanos) {
            let mut work = Work::lasting(asked);
            // Many at once: the clock's own reading is no part of it.
            let mut each = |times: u32| {
                let begun = Instant::now();
                (0..times).for_each(|_| work.run());
                begun.elapsed() / times
            };
            let took = (0..TRIES).map(|_| each(100)).min().expect("there are tries");
            assert!(asked / off <= took && took <= asked * off, "{asked:?}: {took:?}");
        }
    }

    #[test]
    fn no_time_is_no_work() {
        assert_eq!(Work::lasting(Duration::ZERO).steps, 0);
    }
}
