//! Lines for charts out of runs' figures: which figure, over what, of which rows.

use std::collections::{BTreeMap, BTreeSet};

use super::Run;
use crate::{
    placement::Placement,
    plan::Work,
    report::{Line, distinct},
    workload::Shape,
};

/// How a figure is drawn and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Thousands, millions, from zero on.
    Count,
    /// The same by powers of ten.
    LogCount,
    /// Nanoseconds to seconds, by powers of ten.
    LogTime,
    /// 0 to 100 %.
    Share,
    /// A factor, by powers of ten.
    Ratio,
    /// Bytes, by powers of two.
    Bytes,
}

/// What a chart's points stand over.
#[derive(Clone, Copy, Debug)]
pub struct Over {
    /// What the axis counts.
    pub axis: &'static str,
    /// How it is written; it is always drawn by doublings.
    pub scale: Scale,
}

impl Over {
    /// The tasks per CPU.
    pub const LOAD: Self = Self { axis: "tasks per CPU", scale: Scale::Count };
    /// The usable CPUs.
    pub const CPUS: Self = Self { axis: "usable CPUs", scale: Scale::Count };
}

/// A figure of a line.
#[derive(Clone, Copy, Debug)]
pub struct Measure<L = Line> {
    /// What a chart of it is called.
    pub name: &'static str,
    /// What its axis counts.
    pub axis: &'static str,
    /// How it is drawn.
    pub scale: Scale,
    /// The figure, where it is known.
    pub of: fn(&L) -> Option<f64>,
}

/// What charts show over the tasks per CPU.
pub const MEASURES: [Measure; 4] = [
    Measure {
        name: "Throughput",
        axis: "items per second",
        scale: Scale::Count,
        of: |line| Some(1e9 / line.figures.ns.median),
    },
    Measure {
        name: "CPU time of all threads",
        axis: "time per item",
        scale: Scale::LogTime,
        of: |line| line.figures.cpu_ns,
    },
    Measure {
        name: "p99 of a send call, sampled",
        axis: "time per call",
        scale: Scale::LogTime,
        of: |line| line.figures.p99_ns,
    },
    Measure {
        name: "Slowest thread",
        axis: "part of an even share",
        scale: Scale::Share,
        of: |line| Some(line.figures.slowest_share),
    },
];

/// What compares machines whose CPUs differ.
pub const RATIO: Measure = Measure {
    name: "Time over the mutex baseline's",
    axis: "time / mutex",
    scale: Scale::Ratio,
    of: |line| Some(line.ratio?.median),
};

impl Scale {
    /// A tick's label.
    pub fn tick(self, value: f64) -> String {
        match self {
            Self::Count | Self::LogCount => prefixed(value, 1000.0, &["", " k", " M", " G"]),
            Self::LogTime => prefixed(value, 1000.0, &[" ns", " µs", " ms", " s"]),
            Self::Bytes => prefixed(value, 1024.0, &[" B", " KiB", " MiB", " GiB"]),
            Self::Share => format!("{:.0} %", value * 100.0),
            Self::Ratio => format!("{}", (value * 1e6).round() / 1e6),
        }
    }

    /// Whether it has no zero.
    pub fn by_powers(self) -> bool {
        matches!(self, Self::LogCount | Self::LogTime | Self::Ratio | Self::Bytes)
    }

    /// Whether a chart can show it. Reports come from files, which may hold anything.
    pub fn takes(self, value: f64) -> bool {
        (if self.by_powers() { 1e-3 } else { 0.0 }..=1e15).contains(&value)
    }
}

/// With the largest unit, each `step` times the one before, that leaves a number of at least one.
fn prefixed(value: f64, step: f64, units: &[&str]) -> String {
    let power = (0..units.len()).rev().find(|&power| value >= step.powi(power as i32) * 0.9999);
    let power = power.unwrap_or(0);
    // Ticks are round: more digits would be noise.
    let digits = (value / step.powi(power as i32) * 100.0).round() / 100.0;
    format!("{digits}{}", units[power])
}

/// Shapes that differ in one number only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// As many senders as receivers.
    Even,
    /// One sender.
    FanOut,
    /// One receiver.
    FanIn,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Even, Self::FanOut, Self::FanIn];

    /// What its shapes look like.
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "n senders, n receivers",
            Self::FanOut => "1 sender, n receivers",
            Self::FanIn => "n senders, 1 receiver",
        }
    }

    /// One to one is in each.
    fn has(self, Shape { senders, receivers }: Shape) -> bool {
        match self {
            Self::Even => senders == receivers,
            Self::FanOut => senders == 1,
            Self::FanIn => receivers == 1,
        }
    }
}

/// The rows that one set of charts shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// Where.
    pub placement: Placement,
    /// Their shapes.
    pub family: Family,
    /// The pipe's capacity.
    pub capacity: usize,
}

impl Group {
    /// Those of these runs that have something to draw: at least two different loads in a run.
    pub fn all(runs: &[Run]) -> Vec<Self> {
        let mut loads = BTreeMap::<(Self, usize), BTreeSet<u64>>::new();
        for (index, run) in runs.iter().enumerate() {
            for line in run.lines {
                let Work::Stream { shape, capacity } = line.work else { continue };
                for family in Family::ALL.into_iter().filter(|family| family.has(shape)) {
                    let group = Self { placement: line.placement, family, capacity };
                    loads.entry((group, index)).or_default().insert(line.tasks_per_cpu.to_bits());
                }
            }
        }
        let mut groups: Vec<Self> =
            loads.into_iter().filter(|(_, loads)| loads.len() > 1).map(|((group, _), _)| group).collect();
        groups.dedup();
        groups
    }

    /// Whether it shows this line.
    pub fn has(&self, line: &Line) -> bool {
        match line.work {
            Work::Stream { shape, capacity } => {
                (line.placement, capacity) == (self.placement, self.capacity) && self.family.has(shape)
            }
            Work::Solo | Work::PingPong => false,
        }
    }
}

/// Rows of different machines that differ in the number of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Slice {
    /// Where.
    pub placement: Placement,
    /// The pipe's capacity.
    pub capacity: usize,
    /// The tasks a CPU, the same on each machine.
    pub load: f64,
}

impl Slice {
    /// Those that at least two numbers of CPUs have.
    pub fn all(runs: &[Run]) -> Vec<Self> {
        let mut found: Vec<(Self, BTreeSet<usize>)> = Vec::new();
        for run in runs {
            for line in run.lines.iter().filter(|line| line.placement != Placement::OneCpu) {
                let Work::Stream { shape, capacity } = line.work else { continue };
                let slice = Self { placement: line.placement, capacity, load: line.tasks_per_cpu };
                if !Family::Even.has(shape) {
                    continue;
                }
                match found.iter_mut().find(|(there, _)| *there == slice) {
                    Some((_, cpus)) => _ = cpus.insert(run.cpus()),
                    None => found.push((slice, BTreeSet::from([run.cpus()]))),
                }
            }
        }
        let mut slices: Vec<Self> =
            found.into_iter().filter(|(_, cpus)| cpus.len() > 1).map(|(slice, _)| slice).collect();
        slices.sort_by(|a, b| a.partial_cmp(b).expect("loads of a report are numbers"));
        slices
    }

    /// Whether it shows this line.
    pub fn has(&self, line: &Line) -> bool {
        let group = Group { placement: self.placement, family: Family::Even, capacity: self.capacity };
        group.has(line) && line.tasks_per_cpu == self.load
    }
}

/// A contender's points, from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its place among all contenders of the page.
    pub contender: usize,
    /// Where and what.
    pub points: Vec<(f64, f64)>,
}

/// The page's contenders, in the order in which runs name them.
pub fn contenders(runs: &[Run]) -> Vec<String> {
    distinct(runs.iter().flat_map(|run| run.lines).map(contender))
}

/// A line's.
pub fn contender(line: &Line) -> String {
    line.settings.to_string()
}

/// What `measure` says of these lines, by contender, each line at its x; `contender` names a line's.
pub fn series<'a, L: 'a>(
    contenders: &[String],
    contender: impl Fn(&L) -> String,
    measure: &Measure<L>,
    lines: impl Iterator<Item = (f64, &'a L)>,
) -> Vec<Series> {
    let mut points = vec![Vec::new(); contenders.len()];
    for (x, line) in lines {
        let (name, y) = (contender(line), (measure.of)(line).filter(|&y| measure.scale.takes(y)));
        let place = contenders.iter().position(|contender| *contender == name);
        if let (Some(place), Some(y), true) = (place, y, (1e-6..1e9).contains(&x)) {
            points[place].push((x, y));
        }
    }
    let sorted = points.into_iter().enumerate().map(|(contender, mut points)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series { contender, points }
    });
    sorted.filter(|series| !series.points.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{input, report::Report};

    /// Made up: 2 CPUs and 8, apart, 1:1 and 2:2 on both, capacity 16.
    fn reports() -> Vec<Report> {
        let texts = [
            include_str!("../../tests/reports/two-cpus.json"),
            include_str!("../../tests/reports/eight-cpus.json"),
        ];
        texts.map(|text| input::parse(text).unwrap()).into()
    }

    fn runs(reports: &[Report]) -> Vec<Run<'_>> {
        reports.iter().map(|report| report.head.run(&report.lines)).collect()
    }

    #[test]
    fn a_group_needs_two_loads_in_a_run() {
        let mut reports = reports();
        let even = Group { placement: Placement::Apart, family: Family::Even, capacity: 16 };
        assert_eq!(Group::all(&runs(&reports)), [even], "1:1 alone is no line of a fan");
        let first = &reports[0].lines;
        assert_eq!(first.iter().filter(|line| even.has(line)).count(), 6, "all but ping-pong");
        // One load a run, though they differ.
        reports.iter_mut().for_each(|report| report.lines.truncate(2));
        assert_eq!(Group::all(&runs(&reports)), []);
    }

    #[test]
    fn a_slice_needs_two_numbers_of_cpus() {
        let reports = reports();
        let load = |slice: &Slice| slice.load;
        let common: Vec<f64> = Slice::all(&runs(&reports)).iter().map(load).collect();
        assert_eq!(common, [4.0], "1, 2 and 4 tasks a CPU here, 0.25, 0.5 and 4 there");
        assert_eq!(Slice::all(&runs(&reports[..1])), []);
    }

    #[test]
    fn series_go_from_left_to_right_without_what_is_unknown_or_absurd() {
        let mut reports = reports();
        let lines = &mut reports[0].lines;
        lines.reverse();
        lines
            .iter_mut()
            .for_each(|line| line.figures.p99_ns = line.figures.p99_ns.filter(|_| line.tasks_per_cpu != 2.0));
        let runs = runs(&reports);
        let contenders = contenders(&runs);
        assert_eq!(contenders, ["mutex", "ring none/adaptive"]);
        let stream = || runs[0].lines.iter().filter(|line| matches!(line.work, Work::Stream { .. }));
        let all =
            series(&contenders, contender, &MEASURES[2], stream().map(|line| (line.tasks_per_cpu, line)));
        let xs = |series: &Series| series.points.iter().map(|(x, _)| *x).collect::<Vec<f64>>();
        assert_eq!(all.iter().map(xs).collect::<Vec<_>>(), [[1.0, 4.0], [1.0, 4.0]]);
        assert_eq!(series(&contenders, contender, &MEASURES[2], stream().map(|line| (f64::NAN, line))), []);
    }

    #[test]
    fn ticks_have_prefixes() {
        let shown = [0.0, 0.5, 999.0, 1000.0, 1500.0, 2e6, 3e9, 4e12].map(|value| Scale::Count.tick(value));
        assert_eq!(shown, ["0", "0.5", "999", "1 k", "1.5 k", "2 M", "3 G", "4000 G"]);
        assert_eq!(Scale::LogTime.tick(1e9), "1 s");
        let sizes = [1.0, 512.0, 1024.0, 65536.0, 1048576.0].map(|value| Scale::Bytes.tick(value));
        assert_eq!(sizes, ["1 B", "512 B", "1 KiB", "64 KiB", "1 MiB"]);
        assert_eq!(Scale::Share.tick(0.25), "25 %");
        assert_eq!(Scale::Ratio.tick(0.1), "0.1");
    }
}
