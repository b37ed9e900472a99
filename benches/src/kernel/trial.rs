//! What one measurement found.

use serde::Serialize;

use super::pipe::Wakes;
use crate::{
    crew::{Crew, Limit, Shift},
    measure::Sample,
    placement::{Cpus, Placement},
};

/// Where a measurement's threads sit.
#[derive(Clone, Debug)]
pub struct Seats {
    /// Pinned or not.
    pub placement: Placement,
    /// To which.
    pub cpus: Cpus,
}

impl Seats {
    /// Anywhere.
    pub fn free() -> Self {
        Self { placement: Placement::Free, cpus: Cpus::usable() }
    }

    /// So many threads there.
    pub(crate) fn crew(&self, limit: Limit, threads: usize) -> Crew<'_> {
        Crew::new(self.placement, &self.cpus, limit, threads)
    }
}

/// One measurement of a fixed amount of work.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Trial {
    /// As everywhere; the slowest thread's share is that of its speed, since all do the same work.
    #[serde(flatten)]
    pub sample: Sample,
    /// What page pipes counted.
    pub wakes: Option<Wakes>,
}

impl Trial {
    /// Of those who only took part and those whose operations count, with what each pipe counted.
    pub(crate) fn of(senders: &[Shift], receivers: &[Shift], wakes: Option<Vec<Wakes>>) -> Self {
        let sample = Sample::of(senders, receivers, Vec::new());
        let share = slowest_speed(senders).min(slowest_speed(receivers));
        let wakes = wakes.map(|wakes| {
            wakes.into_iter().fold(Wakes::default(), |mut sum, wakes| {
                sum += wakes;
                sum
            })
        });
        Self { sample: Sample { slowest_share: share, ..sample }, wakes }
    }
}

impl From<Sample> for Trial {
    fn from(sample: Sample) -> Self {
        Self { sample, wakes: None }
    }
}

/// The slowest thread's operations a second over the mean; of a side without threads: all of it.
fn slowest_speed(side: &[Shift]) -> f64 {
    let speeds = || side.iter().map(|shift| shift.count as f64 / (shift.end - shift.begin).as_secs_f64());
    let slowest = speeds().fold(f64::INFINITY, f64::min);
    match side.len() {
        0 => 1.0,
        threads => slowest * threads as f64 / speeds().sum::<f64>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Usage;
    use std::time::{Duration, Instant};

    #[test]
    fn who_takes_longer_is_slower() {
        let begin = Instant::now();
        let shift = |count, millis| Shift {
            count,
            begin,
            end: begin + Duration::from_millis(millis),
            usage: Usage::ZERO,
        };
        let share = slowest_speed(&[shift(10, 10), shift(10, 30)]);
        assert!((share - 0.5).abs() < 1e-9, "a third of the other's: {share}");
        assert_eq!(slowest_speed(&[]), 1.0);
        let wakes = |calls| Wakes { calls, ..Wakes::default() };
        let trial = Trial::of(&[shift(4, 2)], &[shift(4, 3)], Some(vec![wakes(1), wakes(2)]));
        assert_eq!((trial.sample.items, trial.sample.span_ns), (4, 3_000_000));
        assert_eq!(trial.wakes, Some(wakes(3)));
    }
}
