//! A finished run: what the rounds found, condensed.

use fastrand::Rng;
use serde::Serialize;

use super::{
    claims,
    contender::{Contender, LIMIT},
    row::{Row, Work},
    trial::ROOM,
};
use crate::{
    bar::Bar,
    head::Head,
    machine::Machine,
    measure::{Cell, Sample},
    placement::{Cpus, Placement},
    report::Figures,
    rounds::{Heat, Results, Settings},
    stats::{Estimate, Spread},
};

/// All of it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Who, where, how.
    #[serde(flatten)]
    pub head: Head,
    /// Bytes that each contender holds at most.
    pub limit: usize,
    /// Bytes that a reader has room for.
    pub room: usize,
    /// A contender's line in a row.
    pub lines: Vec<Line>,
    /// What is promised about these rows.
    pub bars: Vec<Bar>,
}

/// One contender in one row; an operation is a write (in the loop: a write and its read).
#[derive(Debug, Serialize)]
pub struct Line {
    /// The row's label.
    pub row: String,
    /// Where.
    pub placement: Placement,
    /// What.
    pub work: Work,
    /// Threads over the CPUs they share.
    pub tasks_per_cpu: f64,
    /// The contender's label.
    pub contender: String,
    /// The same for programs.
    pub settings: Contender,
    /// Megabytes (of 10^6) a second, over the rounds.
    pub mb_per_s: Spread,
    /// What the rounds found.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its speed over the system's pipe's, paired by round; `None` for that itself, and where it was not measured.
    pub to_os: Option<Estimate>,
    /// Its speed over the relay's.
    pub to_relay: Option<Estimate>,
}

impl Report {
    /// Of all rounds of `heats`.
    pub fn new(
        machine: Machine,
        settings: &Settings,
        heats: &[Heat<Row, Contender>],
        results: Results<Sample>,
        rng: &mut Rng,
    ) -> Self {
        let rounds = results.iter().flatten().map(Vec::len).max().unwrap_or(0);
        // Here nothing times out: it would have ended the run.
        let judged: Vec<Vec<Vec<_>>> = results
            .iter()
            .map(|heat| heat.iter().map(|samples| samples.iter().copied().map(Some).collect()).collect())
            .collect();
        let bars = claims::judge(heats, &judged, rng);
        let mut lines = Vec::new();
        for (heat, results) in heats.iter().zip(results) {
            let times: Vec<Vec<f64>> =
                results.iter().map(|samples| samples.iter().map(Sample::ns).collect()).collect();
            for (index, (cell, samples)) in heat.cells().zip(results).enumerate() {
                let mut speed = |base: Contender| {
                    let base =
                        heat.contenders.iter().position(|c| *c == base).filter(|base| *base != index)?;
                    Some(Estimate::of_ratio(&times[base], &times[index], rng))
                };
                let (to_os, to_relay) = (speed(Contender::Os), speed(Contender::Relay));
                lines.push(Line::new(cell, &settings.cpus, samples, to_os, to_relay));
            }
        }
        Self { head: Head::new(1, machine, settings, rounds), limit: LIMIT, room: ROOM, lines, bars }
    }
}

impl Line {
    fn new(
        Cell { row, contender }: Cell<Row, Contender>,
        cpus: &Cpus,
        samples: Vec<Sample>,
        to_os: Option<Estimate>,
        to_relay: Option<Estimate>,
    ) -> Self {
        let speed = |sample: &Sample| row.work.size() as f64 * 1e3 / sample.ns();
        Self {
            row: row.to_string(),
            placement: row.placement,
            work: row.work,
            tasks_per_cpu: row.tasks_per_cpu(cpus),
            contender: contender.to_string(),
            settings: contender,
            mb_per_s: Spread::of(&samples.iter().map(speed).collect::<Vec<f64>>()),
            figures: Figures::of(samples),
            to_os,
            to_relay,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Asked, row};
    use super::*;
    use crate::{plan::Effort, stats::Verdict, usage::Usage};

    /// A run on two made-up CPUs in which every write takes as long as `ns` says.
    pub fn report(rounds: usize, width: Option<u16>, ns: impl Fn(Row, Contender) -> u64) -> Report {
        let settings = Settings { rounds, width, ..Settings::new(Effort::Quick, Cpus::first(2)) };
        let heats = row::heats(&Asked::default(), &settings);
        let sample = |cell: Cell<Row, Contender>| Sample {
            items: 10,
            span_ns: ns(cell.row, cell.contender) * 10,
            usage: Usage { cpu_ns: Some(500), voluntary: Some(1), involuntary: Some(4), migrations: Some(0) },
            slowest_share: 0.75,
            p99_ns: Some(70),
        };
        let results = heats.iter().map(|heat| heat.cells().map(|cell| vec![sample(cell); rounds]).collect());
        let results = results.collect();
        Report::new(Machine::new(&settings.cpus), &settings, &heats, results, &mut settings.rng())
    }

    /// The system's pipe takes a microsecond, the relay 20 ns, hornpipe's half of what is promised at most; and all of them
    /// a nanosecond for 8 bytes more.
    pub fn plausible(row: Row, contender: Contender) -> u64 {
        let base = match contender {
            Contender::Os => 1000,
            Contender::Relay => 20,
            _ => 10,
        };
        base + row.work.size() as u64 / 8
    }

    #[test]
    fn speeds_and_ratios_follow_from_the_samples() {
        let report = report(5, None, plausible);
        let line = |row: &str, contender: Contender| {
            let mut lines = report.lines.iter();
            lines.find(|line| line.row == row && line.settings == contender).expect("a line")
        };
        let ours = line("apart 1:1 64 B", Contender::Spsc);
        assert_eq!((ours.figures.ns.median, ours.figures.cpu_ns), (18.0, Some(50.0)));
        assert!((ours.mb_per_s.median - 64e3 / 18.0).abs() < 1e-9, "{:?}", ours.mb_per_s);
        let median = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.median);
        assert_eq!((median(ours.to_os), median(ours.to_relay)), (Some(1008.0 / 18.0), Some(28.0 / 18.0)));
        let os = line("apart 1:1 64 B", Contender::Os);
        assert_eq!((os.to_os, median(os.to_relay)), (None, Some(28.0 / 1008.0)));
        assert_eq!(line("apart 4:1 64 B", Contender::Shared).to_relay, None, "it has one writer");
    }

    #[test]
    fn what_is_promised_is_judged() {
        let report = report(5, None, plausible);
        let bars: Vec<&str> = report.bars.iter().map(|bar| bar.bar.as_str()).collect();
        assert_eq!(
            bars,
            [
                "bytes one-cpu loop 512 B: spsc / os pipe",
                "bytes one-cpu 1:1 1 B: spsc / os pipe",
                "bytes one-cpu 1:1 64 KiB: spsc / memcpy relay",
                "bytes one-cpu 4:1 100 B: shared / os pipe",
                "bytes apart 1:1 1 B: spsc / os pipe",
                "bytes apart 1:1 64 KiB: spsc / memcpy relay",
                "bytes apart 4:1 100 B: shared / os pipe",
            ]
        );
        assert!(report.bars.iter().all(|bar| bar.verdict == Some(Verdict::Met)), "{:?}", report.bars);
    }
}
