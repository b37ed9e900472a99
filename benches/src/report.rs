//! A finished run: as a table for people, as JSON for programs.

use std::fmt;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::{
    contender::Contender,
    machine::Machine,
    measure::{Cell, Sample},
    placement::{Cpus, Placement},
    plan::{Effort, Work},
    rounds::Settings,
    stats::{Estimate, Spread, median},
};

/// All of it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Grows when a field changes its meaning.
    pub schema: u32,
    /// This program's version.
    pub version: &'static str,
    /// Where.
    pub machine: Machine,
    /// Which rows.
    pub effort: Effort,
    /// How many were run: quick ones end with their time.
    pub rounds: usize,
    /// Fixes the order of measurements and the intervals.
    pub seed: u64,
    /// A contender's line in a row.
    pub lines: Vec<Line>,
}

impl Report {
    /// Of the lines of a run.
    pub fn new(machine: Machine, settings: &Settings, lines: Vec<Line>) -> Self {
        Self {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            machine,
            effort: settings.effort,
            rounds: lines.iter().map(|line| line.samples.len()).max().unwrap_or(0),
            seed: settings.seed,
            lines,
        }
    }
}

/// One contender in one row; figures are an operation each.
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
    /// Its name and switches.
    pub settings: Contender,
    /// Time, over the rounds.
    pub ns: Spread,
    /// CPU time of all threads.
    pub cpu_ns: Option<f64>,
    /// Context switches.
    pub switches: Option<f64>,
    /// Moves between CPUs.
    pub migrations: Option<f64>,
    /// The slowest thread's part of an even share.
    pub slowest_share: f64,
    /// Its time over the baseline's, paired by round; `None` for the baseline itself.
    pub ratio: Option<Estimate>,
    /// What each round found.
    pub samples: Vec<Sample>,
}

impl Line {
    /// From a cell's samples.
    pub fn new(cell: Cell, cpus: &Cpus, samples: Vec<Sample>, ratio: Option<Estimate>) -> Self {
        let over = |figure: &dyn Fn(&Sample) -> f64| samples.iter().map(figure).collect::<Vec<f64>>();
        let known = |figure: &dyn Fn(&Sample) -> Option<u64>| {
            let each: Option<Vec<f64>> =
                samples.iter().map(|s| figure(s).map(|total| s.each(total))).collect();
            each.map(|each| median(&each))
        };
        Self {
            row: cell.row.to_string(),
            placement: cell.row.placement,
            work: cell.row.work,
            tasks_per_cpu: cell.row.tasks_per_cpu(cpus),
            contender: cell.contender.to_string(),
            settings: cell.contender,
            ns: Spread::of(&over(&Sample::ns)),
            cpu_ns: known(&|s| s.usage.cpu_ns),
            switches: known(&|s| s.usage.switches()),
            migrations: known(&|s| s.usage.migrations),
            slowest_share: median(&over(&|s| s.slowest_share)),
            ratio,
            samples,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.machine)?;
        writeln!(f, "run      {:?}, rounds {}, seed {}", self.effort, self.rounds, self.seed)?;
        let header = [
            "row",
            "tasks/CPU",
            "contender",
            "ns/op",
            "p25..p75",
            "CPU ns/op",
            "switches/op",
            "migrations/op",
            "slowest",
            "time / mutex [95 %]",
        ];
        let mut table = new_table(&header, &[1, 3, 4, 5, 6, 7, 8]);
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
                figure(line.ns.median),
                format!("{}..{}", figure(line.ns.p25), figure(line.ns.p75)),
                unknown(line.cpu_ns),
                unknown(line.switches),
                unknown(line.migrations),
                format!("{:.0} %", line.slowest_share * 100.0),
                line.ratio.map_or("-".into(), interval),
            ]);
        }
        writeln!(f, "{table}")?;
        write!(
            f,
            "An operation is an item through the pipe; in ping-pong rows a round trip. tasks/CPU: threads of both \
             sides over the CPUs they share.\nslowest: the slowest thread's part of an even share. time / mutex: \
             under 1 is faster than the mutex baseline, paired by round."
        )
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

/// An estimate with its interval.
pub fn interval(estimate: Estimate) -> String {
    format!("{} [{}, {}]", figure(estimate.median), figure(estimate.low), figure(estimate.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.0, 0.0001, 0.0123, 1.234, 12.34, 123.4, 12345.6].map(figure);
        assert_eq!(shown, ["0", "<0.001", "0.012", "1.23", "12.3", "123", "12346"]);
    }
}
