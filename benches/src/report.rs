//! A finished run: as a table for people, as JSON for programs (as a page: [`crate::html`]).

use std::{fmt, iter};

use comfy_table::{CellAlignment, ColumnConstraint, Table, presets};
use console::style;
use serde::{Deserialize, Serialize};

use crate::{
    contender::Contender,
    head::Head,
    machine::Machine,
    measure::{Cell, Sample},
    placement::{Cpus, Placement},
    plan::Work,
    rounds::Settings,
    stats::{Estimate, Spread, median},
    usage::Usage,
};

/// Grows when a field changes its meaning or one is added. Without `p99_ns` it was 1, which can still be read.
pub const SCHEMA: u32 = 2;

/// All of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Who, where, how; its schema is the [`SCHEMA`] of the program that wrote it.
    #[serde(flatten)]
    pub head: Head,
    /// A contender's line in a row.
    pub lines: Vec<Line>,
}

impl Report {
    /// Of the lines of a run.
    pub fn new(machine: Machine, settings: &Settings, lines: Vec<Line>) -> Self {
        let rounds = lines.iter().map(|line| line.figures.samples.len()).max().unwrap_or(0);
        Self { head: Head::new(SCHEMA, machine, settings, rounds), lines }
    }

    fn table(&self) -> Table {
        let header = [
            "row",
            "tasks/CPU",
            "contender",
            "ns/op",
            "p25..p75",
            "CPU ns/op",
            "p99 ns",
            "switches/op",
            "migrations/op",
            "slowest",
            &self.head.ratio("time / mutex"),
        ];
        let mut table = new_table(&header, &[1, 3, 4, 5, 6, 7, MIGRATIONS, 9]);
        let mut last = "";
        for line in &self.lines {
            // A row's label once, so that its contenders read as one block.
            let (row, tasks) = match last == line.row {
                true => (String::new(), String::new()),
                false => (line.row.clone(), format!("{}x", figure(line.tasks_per_cpu))),
            };
            last = &line.row;
            let unknown = |value: Option<f64>| value.map_or("-".into(), figure);
            table.add_row(vec![
                row,
                tasks,
                line.contender.clone(),
                figure(line.figures.ns.median),
                format!("{}..{}", figure(line.figures.ns.p25), figure(line.figures.ns.p75)),
                unknown(line.figures.cpu_ns),
                unknown(line.figures.p99_ns),
                unknown(line.figures.switches),
                unknown(line.figures.migrations),
                format!("{:.0} %", line.figures.slowest_share * 100.0),
                line.ratio.map_or("-".into(), interval),
            ]);
        }
        fit(&mut table, self.head.width, MIGRATIONS);
        table
    }

    /// How the default ring did in a placement's rows, best first.
    pub fn ranking(&self, placement: Placement) -> Vec<(f64, Work)> {
        let ours = |line: &&Line| line.placement == placement && line.settings == Contender::DEFAULT;
        let rank = |line: &Line| Some((line.ratio?.median, line.work));
        let mut ranking: Vec<_> = self.lines.iter().filter(ours).filter_map(rank).collect();
        ranking.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        ranking
    }
}

/// One contender in one row; figures are an operation each.
#[derive(Debug, Serialize, Deserialize)]
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
    /// Its name and switches.
    pub settings: Contender,
    /// What the rounds found.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its time over the baseline's, paired by round; `None` for the baseline itself.
    pub ratio: Option<Estimate>,
}

/// What a cell's rounds found, condensed: medians, an operation each.
#[derive(Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Time, over the rounds.
    pub ns: Spread,
    /// CPU time of all threads.
    pub cpu_ns: Option<f64>,
    /// What 99 % of the calls of `send` (of the round trips) took at most, the median of the rounds.
    pub p99_ns: Option<f64>,
    /// Context switches.
    pub switches: Option<f64>,
    /// Moves between CPUs.
    pub migrations: Option<f64>,
    /// The slowest thread's part of an even share.
    pub slowest_share: f64,
    /// What each round found.
    pub samples: Vec<Sample>,
}

impl Figures {
    /// Of one sample a round.
    pub fn of(samples: Vec<Sample>) -> Self {
        let over = |figure: fn(&Sample) -> f64| samples.iter().map(figure).collect::<Vec<f64>>();
        Self {
            ns: Spread::of(&over(Sample::ns)),
            cpu_ns: each(&samples, |usage| usage.cpu_ns),
            p99_ns: known(&samples, |s| s.p99_ns.map(|ns| ns as f64)),
            switches: each(&samples, Usage::switches),
            migrations: each(&samples, |usage| usage.migrations),
            slowest_share: median(&over(|s| s.slowest_share)),
            samples,
        }
    }
}

impl Line {
    /// From a cell's samples.
    pub fn new(cell: Cell, cpus: &Cpus, samples: Vec<Sample>, ratio: Option<Estimate>) -> Self {
        Self {
            row: cell.row.to_string(),
            placement: cell.row.placement,
            work: cell.row.work,
            tasks_per_cpu: cell.row.tasks_per_cpu(cpus),
            contender: cell.contender.to_string(),
            settings: cell.contender,
            figures: Figures::of(samples),
            ratio,
        }
    }
}

/// The median of what every sample knows.
fn known(samples: &[Sample], figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let known: Option<Vec<f64>> = samples.iter().map(figure).collect();
    known.map(|known| median(&known))
}

/// The same of what it cost, an operation.
pub(crate) fn each(samples: &[Sample], total: impl Fn(&Usage) -> Option<u64>) -> Option<f64> {
    known(samples, |sample| total(&sample.usage).map(|total| sample.each(total)))
}

/// The first column to go where the table is too broad.
const MIGRATIONS: usize = 8;

/// What the columns mean, a line each.
pub const LEGEND: &str = "\
An operation is an item through the pipe; in ping-pong rows a round trip. solo: one thread sends and receives, capacity 64.
one-cpu: all threads pinned to one CPU. apart: pinned to different CPUs, senders from the first on, receivers from the \
last back. free: not pinned.
tasks/CPU: threads of both sides over the CPUs they share.
ring RETRY/SPIN: mpmc; what a thread does after a lost compare-exchange / how it spins before it parks; none/adaptive is \
the default. wake POLICY: the same with another wake policy; the default is chain. spsc RING, mpsc, spmc: pipes with one \
sender, one receiver, or both. mutex: hornpipe::baseline. std: sync_channel, which has one receiver.
p99 ns: 99 % of the calls of send (in ping-pong rows: of the round trips) took at most so long; about one in 20 us is \
timed, and its time has one reading of the clock in it.
slowest: the slowest thread's part of an even share; at 0 % a thread got (next to) nothing during a slice, which is a \
few tens of ms.
time / mutex: under 1 is faster than the mutex baseline, paired by round.";

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "{}\n{LEGEND}{}", self.table(), self.head.few())?;
        for placement in Placement::ALL {
            let ranking = self.ranking(placement);
            // Of two in the middle the worse.
            let middle = ranking.get(ranking.len() / 2);
            if let (Some(best), Some(median), Some(worst)) = (ranking.first(), middle, ranking.last()) {
                let [best, median, worst] =
                    [best, median, worst].map(|(ratio, work)| format!("{} ({work})", figure(*ratio)));
                write!(
                    f,
                    "\ndefault ring / mutex, {placement}: best {best}, median {median}, worst {worst}"
                )?;
            }
        }
        Ok(())
    }
}

/// A borderless table with the columns of `right` right-aligned.
pub fn new_table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for &column in right {
        table.column_mut(column).expect("a column of the header").set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Writes a table below an empty line; a row that `dim` says so of is grey.
pub fn write_dim(f: &mut fmt::Formatter<'_>, table: &Table, dim: impl Iterator<Item = bool>) -> fmt::Result {
    let header = iter::once(false);
    writeln!(f)?;
    for (line, dim) in table.lines().zip(header.chain(dim)) {
        match dim {
            true => writeln!(f, "{}", style(line).dim())?,
            false => writeln!(f, "{line}")?,
        }
    }
    Ok(())
}

/// Each once, in the order in which they come first.
pub fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Hides a column of a table that is broader than that.
pub fn fit(table: &mut Table, width: Option<u16>, column: usize) {
    let broad = |width: u16| table.lines().any(|line| line.chars().count() > width.into());
    if width.is_some_and(broad) {
        let column = table.column_mut(column).expect("a column of the header");
        column.set_constraint(ColumnConstraint::Hidden);
    }
}

/// Three digits, more only where they are before the point.
pub fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size < 0.0005 => "<0.001".into(),
        size if size < 1.0 => format!("{value:.3}"),
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// An estimate with its interval, if the rounds are enough for one.
pub fn interval(estimate: Estimate) -> String {
    let median = figure(estimate.median);
    match estimate.bounds() {
        None => median,
        Some((low, high)) => format!("{median} [{}, {}]", figure(low), figure(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{Effort, Row},
        workload::Shape,
    };

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.0, 0.0001, 0.0123, 1.234, 12.34, 123.4, 12345.6].map(figure);
        assert_eq!(shown, ["0", "<0.001", "0.012", "1.23", "12.3", "123", "12346"]);
    }

    /// The default ring in one-cpu rows of these capacities and ratios.
    fn report(rows: &[(usize, f64)], rounds: usize, width: Option<u16>) -> String {
        let settings = Settings { width, ..Settings::new(Effort::Quick, Cpus::first(2)) };
        let lines = rows.iter().map(|&(capacity, median)| {
            let work = Work::Stream { shape: Shape::PAIR, capacity };
            let cell =
                Cell { row: Row { placement: Placement::OneCpu, work }, contender: Contender::DEFAULT };
            let sample =
                Sample { items: 1, span_ns: 1, usage: Usage::ZERO, slowest_share: 1.0, p99_ns: None };
            let ratio = Estimate { median, low: median / 2.0, high: median * 2.0, rounds };
            Line::new(cell, &settings.cpus, vec![sample; rounds], Some(ratio))
        });
        Report::new(Machine::new(&settings.cpus), &settings, lines.collect()).to_string()
    }

    #[test]
    fn the_last_lines_are_the_summary() {
        let last = |rows: &[(usize, f64)]| report(rows, 5, None).lines().last().map(str::to_owned).unwrap();
        assert_eq!(
            last(&[(16, 2.0), (1, 0.5), (1024, 0.25), (64, 1.0)]),
            "default ring / mutex, one-cpu: best 0.250 (1:1 cap 1024), median 1.00 (1:1 cap 64), \
             worst 2.00 (1:1 cap 16)"
        );
    }

    #[test]
    fn few_rounds_have_no_interval() {
        assert!(report(&[(1, 0.5)], 5, None).contains("0.500 [0.250, 1.00]"));
        let few = report(&[(1, 0.5)], 4, None);
        assert!(!few.contains('[') && few.contains("Too few rounds"), "{few}");
    }

    #[test]
    fn a_narrow_terminal_has_no_migrations() {
        for (width, there) in [(None, true), (Some(200), true), (Some(100), false)] {
            assert_eq!(report(&[(1, 0.5)], 5, width).contains("migrations/op"), there, "{width:?}");
        }
    }
}
