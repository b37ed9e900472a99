//! `bars`: what the project promises about speed, memory and idle cost, each with its limit and a verdict by interval.
//!
//! Every measurement runs in a process of its own ([`child`]): a contender that livelocks is a time-out, not the end
//! of the run, and no contender inherits another's heap.

pub(crate) mod barrier;
mod claims;
pub mod costs;
pub mod heap;
mod lockref;

use std::{collections::BTreeMap, fmt, fmt::Display};

use fastrand::Rng;
use serde::Serialize;

use crate::{
    child,
    cli::{self, Exit},
    html::{
        Run, Show,
        page::Page,
        table::{Cell, Table},
    },
    machine::Machine,
    measure::Sample,
    report::{LEGEND, Line, figure, interval, new_table},
    rounds::{self, Settings},
    stats::{Estimate, Verdict, median},
};

/// Measures everything the bars need; `None` among the samples is a time-out.
pub fn run(settings: &Settings) -> Result<Bars, Exit> {
    let (heats, crowds, costs) =
        (claims::heats(settings), lockref::heats(settings), settings.wants(&"costs"));
    if heats.is_empty() && crowds.is_empty() && !costs {
        return Err(Exit::no_row());
    }
    let machine = cli::introduce(&settings.cpus)?;
    let mut rng = settings.rng();
    let mut bars = if costs { costs::bars(&mut rng)? } else { Vec::new() };
    bars.extend(lockref::bars(&crowds, settings, &mut rng)?);
    let results = rounds::play(&heats, settings, &mut rng, |cell| {
        child::measure(cell, settings.effort.slice(&cell.row, &settings.cpus))
    })?;
    let mut figures = Vec::new();
    for (heat, results) in heats.iter().zip(results) {
        bars.extend(claims::CLAIMS.iter().filter_map(|claim| claim.judge(heat, &results, &mut rng)));
        for (cell, samples) in heat.cells().zip(results) {
            let samples: Vec<Sample> = samples.into_iter().flatten().collect();
            if !samples.is_empty() {
                figures.push(Line::new(cell, &settings.cpus, samples, None));
            }
        }
    }
    Ok(Bars { machine, rounds: settings.rounds, seed: settings.seed, bars, figures })
}

/// One bar with its verdict.
#[derive(Debug, Serialize)]
pub struct Bar {
    /// What is measured.
    pub bar: String,
    /// What `value` and `limit` count.
    pub unit: &'static str,
    /// `None` when every round timed out.
    pub value: Option<Estimate>,
    /// The most it may be.
    pub limit: f64,
    /// Whether it is.
    pub verdict: Verdict,
    /// What else is to know.
    pub note: String,
}

impl Bar {
    /// Of the times of two contenders in the same rounds. One time-out of ours misses the limit.
    fn of_ratio(
        bar: String,
        [(our_name, ours), (their_name, theirs)]: [(&dyn Display, &[Option<Sample>]); 2],
        limit: f64,
        rng: &mut Rng,
    ) -> Self {
        let timeouts = |samples: &[Option<Sample>]| samples.iter().filter(|sample| sample.is_none()).count();
        let (lost, won, rounds) = (timeouts(ours), timeouts(theirs), ours.len());
        let pairs = ours
            .iter()
            .zip(theirs)
            .filter_map(|(ours, theirs)| Some((ours.as_ref()?.ns(), theirs.as_ref()?.ns())));
        let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let value = (!ours.is_empty()).then(|| Estimate::of_ratio(&ours, &theirs, rng));
        let note = match (lost, won) {
            (0, 0) => format!("{} against {} ns", figure(median(&ours)), figure(median(&theirs))),
            (0, won) => format!("{their_name}: {won} time-outs in {rounds} rounds"),
            (lost, _) => format!("{our_name}: {lost} time-outs in {rounds} rounds"),
        };
        let verdict = match value {
            _ if lost > 0 => Verdict::Missed,
            Some(ratio) => ratio.verdict(limit),
            None => Verdict::Met,
        };
        Self { bar, unit: "times", value, limit, verdict, note }
    }
}

/// All bars.
#[derive(Debug, Serialize)]
pub struct Bars {
    machine: Machine,
    rounds: usize,
    seed: u64,
    bars: Vec<Bar>,
    figures: Vec<Line>,
}

impl Show for Bars {
    fn page(&self) -> String {
        let row = |bar: &Bar| {
            let [value, low, high] = Cell::interval(bar.value);
            vec![
                Cell::text(&bar.bar),
                value,
                low,
                high,
                Cell::Figure(Some(bar.limit)),
                Cell::text(bar.unit),
                Cell::text(bar.verdict),
                Cell::text(&bar.note),
            ]
        };
        let columns = vec!["bar", "value", "2.5 %", "97.5 %", "limit", "unit", "verdict", "note"];
        let verdicts =
            Table { id: "bars", caption: "Verdicts", columns, rows: self.bars.iter().map(row).collect() };
        let how = format!("rounds {}, seed {}", self.rounds, self.seed);
        let run = Run { machine: &self.machine, how, lines: &self.figures };
        Page {
            title: "hornpipe: the project's bars",
            runs: vec![run],
            first: vec![verdicts],
            sections: Vec::new(),
            words: LEGEND,
        }
        .render()
    }
}

impl fmt::Display for Bars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "run      rounds {}, seed {}", self.rounds, self.seed)?;
        let mut table = new_table(&["bar", "value [95 %]", "limit", "unit", "verdict", "note"], &[2]);
        let mut counts = BTreeMap::new();
        for bar in &self.bars {
            *counts.entry(bar.verdict.to_string()).or_insert(0) += 1;
            table.add_row(vec![
                bar.bar.clone(),
                bar.value.map_or("-".into(), interval),
                figure(bar.limit),
                bar.unit.into(),
                bar.verdict.to_string(),
                bar.note.clone(),
            ]);
        }
        writeln!(f, "{table}")?;
        let counts: Vec<String> =
            counts.into_iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
        write!(f, "{}", counts.join(", "))
    }
}
