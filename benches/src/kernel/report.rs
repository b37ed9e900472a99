//! A finished run: what the rounds found, condensed, and laid beside what the threads told.

use fastrand::Rng;
use serde::Serialize;

use super::{
    contender::{Contender, On, Variant},
    pipe::Wakes,
    row::{Experiment, Row, Work},
    shape::equal,
    stage::{Amount, Each, Entrant},
    told::{self, Load, Told},
    trace,
    trial::Trial,
    verdict::Verdict,
};
use crate::{
    head::Head,
    machine::Machine,
    measure::Sample,
    placement::Placement,
    report::each,
    rounds::{Heat, Results, Settings},
    stats::{Estimate, Spread, median, variation},
    usage::Usage,
};

/// All of it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Who, where, how.
    #[serde(flatten)]
    pub head: Head,
    /// Whether rows were left out.
    pub partial: bool,
    /// Whether threads on pipes were pinned.
    pub placement: Placement,
    /// Why calls were not counted, if they were not.
    pub uncounted: Option<String>,
    /// The experiments, in their order.
    pub parts: Vec<Part>,
}

/// One experiment.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Which.
    pub experiment: Experiment,
    /// What was measured, row by row.
    pub lines: Vec<Line>,
    /// What its thread told beside that, in the order of tasks per CPU.
    pub beside: Vec<Beside>,
}

/// One contender in one row; figures are an operation: a message, a turn, an int that was read, a get with its put.
#[derive(Debug, Serialize)]
pub struct Line {
    /// The row's label, without the experiment.
    pub row: String,
    /// The same for programs.
    pub work: Work,
    /// Over the CPUs.
    pub tasks_per_cpu: f64,
    /// Who.
    #[serde(flatten)]
    pub contender: Contender,
    /// How much each measurement was.
    pub amount: Amount,
    /// Time, over the rounds.
    pub ns: Spread,
    /// Coefficient of variation of the rounds' times, percent.
    pub cv: f64,
    /// Time over the base's, paired by round; `None` for that itself.
    pub to_base: Option<Estimate>,
    /// The whole measurement, seconds.
    pub seconds: f64,
    /// CPU time of all threads.
    pub cpu_ns: Option<f64>,
    /// The part of the usable CPUs' time that no thread used.
    pub idle: Option<f64>,
    /// Context switches.
    pub switches: Option<f64>,
    /// Moves to another CPU.
    pub migrations: Option<f64>,
    /// The slowest thread's part of an even share (of work, or where all do the same: of speed).
    pub slowest_share: f64,
    /// What the kernel counted.
    pub calls: Option<Each>,
    /// What page pipes counted.
    pub wakes: Option<Waked>,
    /// What each round found.
    pub samples: Vec<Trial>,
}

/// A page pipe's own counts, an operation: medians of the rounds, one by one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Waked {
    /// Wakes asked for.
    pub calls: f64,
    /// Those that took a queue's lock.
    pub locked: f64,
    /// Threads taken off a queue.
    pub woken: f64,
    /// Queue's locks that were held by somebody else.
    pub contended: f64,
}

/// One figure of the thread's and what we have at the same load.
#[derive(Debug, Serialize)]
pub struct Beside {
    /// Theirs.
    #[serde(flatten)]
    pub told: Told,
    /// Ours, by what it was measured on.
    pub ours: Vec<Ours>,
}

/// A counterpart.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ours {
    /// On what.
    pub on: On,
    /// Time over the base's.
    pub ratio: Estimate,
    /// Against theirs.
    pub verdict: Verdict,
}

impl Report {
    /// Of all rounds of `heats`, with what the kernel counted before them.
    pub fn new(
        machine: Machine,
        settings: &Settings,
        placement: Placement,
        heats: &[Heat<Row, Entrant>],
        counts: &[Vec<Option<Each>>],
        results: &Results<Trial>,
        rng: &mut Rng,
    ) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for ((heat, counts), results) in heats.iter().zip(counts).zip(results) {
            let lines = lines(heat, counts, results, settings.cpus.count(), rng);
            match parts.iter_mut().find(|part| part.experiment == heat.row.experiment) {
                Some(part) => part.lines.extend(lines),
                None => parts.push(Part { experiment: heat.row.experiment, lines, beside: Vec::new() }),
            }
        }
        parts.iter_mut().for_each(|part| part.beside = beside(part));
        let rounds = results.iter().flatten().map(Vec::len).max().unwrap_or(0);
        Self {
            head: Head::new(1, machine, settings, rounds),
            partial: settings.only.is_some(),
            placement,
            uncounted: trace::available().err(),
            parts,
        }
    }
}

fn lines(
    heat: &Heat<Row, Entrant>,
    counts: &[Option<Each>],
    results: &[Vec<Trial>],
    cpus: usize,
    rng: &mut Rng,
) -> Vec<Line> {
    let Row { experiment, work } = heat.row;
    let times: Vec<Vec<f64>> =
        results.iter().map(|trials| trials.iter().map(|trial| trial.sample.ns()).collect()).collect();
    let line = |(index, entrant): (usize, &Entrant)| {
        let Entrant { contender, amount } = *entrant;
        let (trials, ns) = (&results[index], &times[index]);
        let is_base = |other: &Entrant| experiment.one_base() || other.contender.on == contender.on;
        let base = heat.contenders.iter().position(is_base).filter(|base| *base != index);
        let samples: Vec<Sample> = trials.iter().map(|trial| trial.sample).collect();
        let over = |figure: fn(&Sample) -> f64| median(&samples.iter().map(figure).collect::<Vec<_>>());
        let wakes: Option<Vec<Wakes>> = trials.iter().map(|trial| trial.wakes).collect();
        let wakes = wakes.map(|wakes| {
            let each = |total: fn(&Wakes) -> u64| {
                let each = wakes.iter().zip(&samples).map(|(wakes, sample)| sample.each(total(wakes)));
                median(&each.collect::<Vec<_>>())
            };
            Waked {
                calls: each(|wakes| wakes.calls),
                locked: each(|wakes| wakes.locked),
                woken: each(|wakes| wakes.woken),
                contended: each(|wakes| wakes.contended),
            }
        });
        let cpu_ns = each(&samples, |usage| usage.cpu_ns);
        let spread = Spread::of(ns);
        Line {
            row: work.to_string(),
            work,
            tasks_per_cpu: work.load(cpus),
            contender,
            amount,
            ns: spread,
            cv: variation(ns),
            to_base: base.map(|base| Estimate::of_ratio(ns, &times[base], rng)),
            seconds: over(|sample| sample.span_ns as f64 / 1e9),
            cpu_ns,
            // The clocks of threads that end and the span's are not read at one moment.
            idle: cpu_ns.map(|cpu_ns| (1.0 - cpu_ns / (spread.median * cpus as f64)).max(0.0)),
            switches: each(&samples, Usage::switches),
            migrations: each(&samples, |usage| usage.migrations),
            slowest_share: over(|sample| sample.slowest_share),
            calls: counts[index],
            wakes,
            samples: trials.clone(),
        }
    };
    heat.contenders.iter().enumerate().map(line).collect()
}

fn beside(part: &Part) -> Vec<Beside> {
    let told = told::all().into_iter().filter(|told| told.experiment == part.experiment);
    let mut all: Vec<Beside> =
        told.map(|told| Beside { ours: counterparts(&told, &part.lines), told }).collect();
    let place = |beside: &Beside| match beside.told.load {
        Load::At(load) => load,
        Load::Alone => 0.0,
        Load::Unknown => f64::INFINITY,
    };
    all.sort_by(|a, b| place(a).total_cmp(&place(b)));
    all
}

/// The same variant's lines at the same load.
fn counterparts(told: &Told, lines: &[Line]) -> Vec<Ours> {
    let same = |line: &&Line| {
        let loaded = match told.load {
            Load::At(load) => equal(line.tasks_per_cpu, load),
            Load::Alone => true,
            Load::Unknown => false,
        };
        loaded && line.work.is_like(told.work) && line.contender.variant == told.variant
    };
    let ours = |line: &Line| {
        let ratio = line.to_base?;
        Some(Ours { on: line.contender.on, ratio, verdict: Verdict::of(told.ratio, told.noise, &ratio) })
    };
    lines.iter().filter(same).filter_map(ours).collect()
}

impl Part {
    /// What its rows were run on, in order; all in one where there is one base.
    pub fn stages(&self) -> Vec<Vec<&Line>> {
        if self.experiment.one_base() {
            return vec![self.lines.iter().collect()];
        }
        let mut ons: Vec<On> = self.lines.iter().map(|line| line.contender.on).collect();
        ons.sort();
        ons.dedup();
        ons.into_iter().map(|on| self.lines.iter().filter(|line| line.contender.on == on).collect()).collect()
    }

    /// What a contender is called among the others of its stage.
    pub fn name(&self, contender: Contender) -> String {
        match contender {
            contender if !self.experiment.one_base() => contender.variant.to_string(),
            Contender { on, variant: Variant::Default } => on.to_string(),
            contender => contender.to_string(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
