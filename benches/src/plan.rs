//! Which rows a run has.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    placement::{Cpus, Placement},
    workload::Shape,
};

/// How much of it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Ends within [`QUICK`].
    Quick,
    /// Every row, many rounds.
    Full,
}

/// The longest a quick `compare` may take, with a margin for what comes after the last round.
pub const QUICK: Duration = Duration::from_secs(27);

impl Effort {
    /// How often each row is measured.
    pub fn rounds(self) -> usize {
        match self {
            Self::Quick => 5,
            Self::Full => 15,
        }
    }

    /// How long `row` is measured in a round. With more tasks than CPUs a thread gets a turn of a few milliseconds
    /// now and then: long enough that each had several.
    pub fn slice(self, row: &Row, cpus: &Cpus) -> Duration {
        let base = match self {
            Self::Quick => Duration::from_millis(13),
            Self::Full => Duration::from_millis(50),
        };
        base.mul_f64((row.tasks_per_cpu(cpus) / 4.0).max(1.0))
    }

    fn capacities(self) -> &'static [usize] {
        match self {
            Self::Quick => &[1, 1024],
            Self::Full => &[1, 16, 1024],
        }
    }

    /// Tasks a CPU in the oversubscribed shapes.
    fn loads(self) -> &'static [usize] {
        match self {
            Self::Quick => &[4],
            Self::Full => &[4, 16],
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Quick => "--quick",
            Self::Full => "--full",
        })
    }
}

/// The capacity of the pipe in [`Work::Solo`].
pub const SOLO: usize = 64;

/// What a row's threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// One thread sends an item and receives it, through a pipe of capacity [`SOLO`]; an operation is both.
    Solo,
    /// Senders to receivers through one pipe, as fast as it goes.
    Stream {
        /// The threads.
        shape: Shape,
        /// The pipe's capacity.
        capacity: usize,
    },
    /// One item to and fro through two pipes of capacity 1; an operation is a round trip.
    PingPong,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream { shape: Shape { senders, receivers }, capacity } => {
                write!(f, "{senders}:{receivers} cap {capacity}")
            }
            Self::Solo => f.write_str("solo"),
            Self::PingPong => f.write_str("ping-pong"),
        }
    }
}

/// One row: a workload in a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Row {
    /// Where.
    pub placement: Placement,
    /// What.
    pub work: Work,
}

impl Row {
    /// Its pipe's ends; a thread each, but in [`Work::Solo`].
    pub fn shape(&self) -> Shape {
        match self.work {
            Work::Stream { shape, .. } => shape,
            Work::Solo | Work::PingPong => Shape::PAIR,
        }
    }

    /// Its threads over the CPUs they share: 2 is one sender and one receiver a CPU.
    pub fn tasks_per_cpu(&self, cpus: &Cpus) -> f64 {
        let threads = if self.work == Work::Solo { 1 } else { self.shape().threads() };
        threads as f64 / self.placement.cpus(cpus) as f64
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.placement, self.work)
    }
}

/// Those of `placements` that differ: with one CPU all are the same.
pub fn distinct(placements: &[Placement], cpus: &Cpus) -> impl Iterator<Item = Placement> {
    let several = cpus.count() > 1;
    placements.iter().copied().filter(move |&placement| placement == Placement::OneCpu || several)
}

/// The rows of `compare`: a thread alone, then every shape at every capacity in every placement that differs on these
/// CPUs.
pub fn rows(effort: Effort, placements: &[Placement], cpus: &Cpus) -> Vec<Row> {
    let mut rows = Vec::new();
    for placement in distinct(placements, cpus) {
        if placement == Placement::OneCpu {
            rows.push(Row { placement, work: Work::Solo });
        }
        for shape in shapes(effort, placement, cpus) {
            let streams = effort.capacities().iter().map(|&capacity| Work::Stream { shape, capacity });
            rows.extend(streams.map(|work| Row { placement, work }));
        }
        rows.push(Row { placement, work: Work::PingPong });
    }
    rows
}

/// 1:1, 2:2, then n:n, 1:n and n:1 up to all CPUs, then so many on both sides that each CPU has 4 (16) tasks.
fn shapes(effort: Effort, placement: Placement, cpus: &Cpus) -> Vec<Shape> {
    let all = cpus.count();
    let widths: Vec<usize> = match effort {
        Effort::Quick => vec![all],
        Effort::Full => (1..).map(|power| 1 << power).take_while(|&n| n < all).chain([all]).collect(),
    };
    let mut pairs = vec![(1, 1), (2, 2)];
    if effort == Effort::Full {
        pairs.extend(widths.iter().map(|&n| (n, n)));
    }
    pairs.extend(widths.iter().flat_map(|&n| [(1, n), (n, 1)]));
    pairs.extend(effort.loads().iter().map(|load| (load * placement.cpus(cpus)).div_ceil(2)).map(|n| (n, n)));

    let mut shapes = Vec::new();
    for shape in pairs.into_iter().map(|(senders, receivers)| Shape { senders, receivers }) {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(effort: Effort, placement: Placement, cpus: usize) -> Vec<String> {
        let shapes = shapes(effort, placement, &Cpus::first(cpus));
        shapes.into_iter().map(|s| format!("{}:{}", s.senders, s.receivers)).collect()
    }

    #[test]
    fn two_cpus() {
        assert_eq!(labels(Effort::Quick, Placement::OneCpu, 2), ["1:1", "2:2", "1:2", "2:1"]);
        assert_eq!(labels(Effort::Quick, Placement::Free, 2), ["1:1", "2:2", "1:2", "2:1", "4:4"]);
        assert_eq!(labels(Effort::Full, Placement::OneCpu, 2), ["1:1", "2:2", "1:2", "2:1", "8:8"]);
        assert_eq!(labels(Effort::Full, Placement::Apart, 2), ["1:1", "2:2", "1:2", "2:1", "4:4", "16:16"]);
    }

    #[test]
    fn more_cpus_have_more_shapes_and_one_has_one_placement() {
        assert_eq!(
            labels(Effort::Full, Placement::Free, 6),
            ["1:1", "2:2", "4:4", "6:6", "1:2", "2:1", "1:4", "4:1", "1:6", "6:1", "12:12", "48:48"]
        );
        assert!(
            rows(Effort::Full, &Placement::ALL, &Cpus::first(1))
                .iter()
                .all(|row| row.placement == Placement::OneCpu)
        );
    }

    #[test]
    fn one_thread_is_one_task_and_on_one_cpu() {
        let cpus = Cpus::first(4);
        let rows = rows(Effort::Quick, &Placement::ALL, &cpus);
        let solo: Vec<&Row> = rows.iter().filter(|row| row.work == Work::Solo).collect();
        assert_eq!(solo.len(), 1);
        assert_eq!((solo[0].to_string().as_str(), solo[0].tasks_per_cpu(&cpus)), ("one-cpu solo", 1.0));
    }

    #[test]
    fn quick_has_no_sixteenfold_rows() {
        let cpus = Cpus::first(2);
        let rows = rows(Effort::Quick, &Placement::ALL, &cpus);
        assert!(rows.iter().all(|row| row.tasks_per_cpu(&cpus) <= 4.0));
    }

    #[test]
    fn each_label_stands_for_one_row() {
        let rows = rows(Effort::Full, &Placement::ALL, &Cpus::first(4));
        let mut labels: Vec<String> = rows.iter().map(Row::to_string).collect();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), rows.len());
    }
}
