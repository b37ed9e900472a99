//! `bars`: what the project promises about speed, memory and idle cost, each with its limit and a verdict by interval.
//!
//! Every measurement runs in a process of its own ([`child`]): a contender that livelocks is a time-out, not the end
//! of the run, and no contender inherits another's heap.

pub mod costs;
pub mod heap;

use std::{collections::BTreeMap, fmt};

use fastrand::Rng;
use serde::Serialize;

use crate::{
    child,
    cli::{self, Exit},
    contender::Contender,
    html::{
        Run, Show,
        page::Page,
        table::{Cell, Table},
    },
    machine::Machine,
    measure::Sample,
    placement::Placement,
    plan::{self, Row, Work},
    report::{LEGEND, Line, figure, interval, new_table},
    rounds::{self, Heat, Settings},
    stats::{Estimate, Verdict, median},
    workload::Shape,
};

/// A bar between contenders: `ours` takes at most `limit` times as long as the best of `theirs`.
struct Claim {
    ours: Contender,
    theirs: &'static [Contender],
    limit: f64,
}

const CLAIMS: [Claim; 4] = [
    Claim { ours: Contender::Hornpipe, theirs: &[Contender::Crossbeam], limit: 1.0 },
    Claim { ours: Contender::Hornpipe, theirs: &[Contender::Crossfire], limit: 1.0 },
    Claim { ours: Contender::Hornpipe, theirs: &[Contender::Mutex], limit: 1.0 },
    Claim { ours: Contender::Mutex, theirs: &[Contender::StdCondvar, Contender::ParkingLot], limit: 1.1 },
];

/// Where the bars name a shape: crossbeam-channel in all of these, crossfire in the last.
const SHAPES: [Shape; 3] =
    [Shape::PAIR, Shape { senders: 2, receivers: 2 }, Shape { senders: 8, receivers: 8 }];
const CAPACITIES: [usize; 3] = [1, 16, 1024];

/// The pinned rows of `compare` and those that a bar names.
fn heats(settings: &Settings) -> Vec<Heat> {
    let mut rows = plan::rows(settings.effort, &Placement::PINNED, &settings.cpus);
    for placement in Placement::PINNED {
        let named =
            SHAPES.into_iter().flat_map(|shape| CAPACITIES.map(|capacity| Work::Stream { shape, capacity }));
        let placed = rows.iter().any(|row| row.placement == placement);
        let named = named.filter(|_| placed).map(|work| Row { placement, work });
        let missing: Vec<Row> = named.filter(|row| !rows.contains(row)).collect();
        rows.extend(missing);
    }
    rows.sort();
    settings.select(rows).into_iter().map(|row| Heat { row, contenders: contenders(row) }).collect()
}

fn contenders(row: Row) -> Vec<Contender> {
    let mut contenders =
        vec![Contender::Hornpipe, Contender::Mutex, Contender::StdCondvar, Contender::ParkingLot];
    if let Work::Stream { shape, .. } = row.work {
        contenders.extend(SHAPES.contains(&shape).then_some(Contender::Crossbeam));
        contenders.extend((shape == SHAPES[2]).then_some(Contender::Crossfire));
    }
    contenders
}

/// Measures everything the bars need; `None` among the samples is a time-out.
pub fn run(settings: &Settings) -> Result<Bars, Exit> {
    let (heats, costs) = (heats(settings), settings.wants(&"costs"));
    if heats.is_empty() && !costs {
        return Err(Exit::no_row());
    }
    let machine = cli::introduce(settings)?;
    let mut rng = settings.rng();
    let mut bars = if costs { costs::bars(&mut rng)? } else { Vec::new() };
    let results = rounds::play(&heats, settings, &mut rng, |cell| {
        child::measure(cell, settings.effort.slice(&cell.row, &settings.cpus))
    })?;
    let mut figures = Vec::new();
    for (heat, results) in heats.iter().zip(results) {
        bars.extend(CLAIMS.iter().filter_map(|claim| claim.judge(heat, &results, &mut rng)));
        for (cell, samples) in heat.cells().zip(results) {
            let samples: Vec<Sample> = samples.into_iter().flatten().collect();
            if !samples.is_empty() {
                figures.push(Line::new(cell, &settings.cpus, samples, None));
            }
        }
    }
    Ok(Bars { machine, rounds: settings.rounds, seed: settings.seed, bars, figures })
}

impl Claim {
    /// The claim's bar in this row, if its contenders run there.
    fn judge(&self, heat: &Heat, results: &[Vec<Option<Sample>>], rng: &mut Rng) -> Option<Bar> {
        let find =
            |contender| heat.contenders.iter().position(|&c| c == contender).map(|index| &results[index]);
        let ours = find(self.ours)?;
        let times =
            |samples: &[Option<Sample>]| samples.iter().flatten().map(Sample::ns).collect::<Vec<f64>>();
        // A contender that never finished has no median: it is the slowest.
        let rank =
            |contender: &Contender| find(*contender).map_or(f64::NAN, |samples| median(&times(samples)));
        let best = *self.theirs.iter().min_by(|a, b| rank(a).total_cmp(&rank(b)))?;
        let theirs = find(best)?;

        let timeouts = |samples: &[Option<Sample>]| samples.iter().filter(|sample| sample.is_none()).count();
        let (lost, won, rounds) = (timeouts(ours), timeouts(theirs), ours.len());
        let pairs = ours
            .iter()
            .zip(theirs)
            .filter_map(|(ours, theirs)| Some((ours.as_ref()?.ns(), theirs.as_ref()?.ns())));
        let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let ratio = (!ours.is_empty()).then(|| Estimate::of_ratio(&ours, &theirs, rng));
        let note = match (lost, won) {
            (0, 0) => format!("{} against {} ns", figure(median(&ours)), figure(median(&theirs))),
            (0, won) => format!("{best}: {won} time-outs in {rounds} rounds"),
            (lost, _) => format!("{}: {lost} time-outs in {rounds} rounds", self.ours),
        };
        let verdict = match ratio {
            _ if lost > 0 => Verdict::Missed,
            Some(ratio) => ratio.verdict(self.limit),
            None => Verdict::Met,
        };
        let bar = format!("{}: {} / {best}", heat.row, self.ours);
        Some(Bar { bar, unit: "times", value: ratio, limit: self.limit, verdict, note })
    }
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
        Page { title: "hornpipe: the project's bars", runs: vec![run], first: vec![verdicts], words: LEGEND }
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
