//! A finished run: what the rounds found, condensed.

use fastrand::Rng;
use hornpipe::Relax;
use serde::Serialize;

use super::{
    advice::{Advice, Choice, Evidence, Mutex},
    cost::{Cost, INSTRUCTION},
    kernel::{self, Beside},
    row::{Row, Subject},
    word::{Kind, Retry},
};
use crate::{
    head::Head,
    machine::Machine,
    measure::Sample,
    report::each,
    rounds::{Heat, Results, Settings},
    stats::{Estimate, Spread, median},
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
    /// What a spin hint is here.
    pub hint: &'static str,
    /// What operations cost.
    pub costs: Vec<Price>,
    /// What a line's way costs.
    pub transfer: Option<Transfer>,
    /// A reader that waits, with each number of hints.
    pub waits: Vec<Wait>,
    /// A word in a crowd.
    pub lines: Vec<Line>,
    /// Linux's table beside ours.
    pub kernel: Vec<Beside>,
    /// What follows.
    pub advice: Advice,
}

/// An operation's cost.
#[derive(Debug, Serialize)]
pub struct Price {
    /// Of what.
    pub operation: String,
    /// The same for programs.
    pub cost: Cost,
    /// Without the empty loop.
    pub ns: Spread,
    /// Context switches, where a thread that could have any was measured.
    pub switches: Option<f64>,
}

/// Half a round trip of a line between each two CPUs.
#[derive(Debug, Serialize)]
pub struct Transfer {
    /// Those that were measured.
    pub cpus: Vec<usize>,
    /// Medians, by both CPUs' places in `cpus`; `None` on the diagonal.
    pub ns: Vec<Vec<Option<f64>>>,
    /// Over the pairs.
    pub min: f64,
    /// Over the pairs.
    pub median: f64,
    /// Over the pairs.
    pub max: f64,
}

/// A number of hints between two looks.
#[derive(Debug, Serialize)]
pub struct Wait {
    /// What a waiter does between two looks.
    pub relax: Retry,
    /// Half a round trip.
    pub ns: Spread,
    /// Time over that without hints, paired by round; `None` for that itself.
    pub to_none: Option<Estimate>,
}

/// One word in one crowd; figures are a pair of get and put.
#[derive(Debug, Serialize)]
pub struct Line {
    /// How many.
    pub threads: usize,
    /// Over the CPUs they share.
    pub tasks_per_cpu: f64,
    /// The word's label.
    pub contender: String,
    /// The same for programs.
    pub kind: Kind,
    /// Time, over the rounds.
    pub ns: Spread,
    /// CPU time of all threads.
    pub cpu_ns: Option<f64>,
    /// Context switches.
    pub switches: Option<f64>,
    /// The slowest thread's part of an even share.
    pub slowest_share: f64,
    /// Time over that of a lockref without a pause, paired by round; `None` for that itself.
    pub to_none: Option<Estimate>,
    /// Time over that of a mutex.
    pub to_mutex: Option<Estimate>,
    /// What each round found.
    pub samples: Vec<Sample>,
}

/// By contender, in a row's order.
type Found<'a> = Vec<(Subject, &'a [Sample])>;

impl Report {
    /// Of all rounds of `heats`.
    pub fn new(
        machine: Machine,
        settings: &Settings,
        heats: &[Heat<Row, Subject>],
        results: Results<Sample>,
        rng: &mut Rng,
    ) -> Self {
        let cpus = settings.cpus.count();
        let rounds = results.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let (mut costs, mut waits, mut lines, mut pairs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (heat, results) in heats.iter().zip(&results) {
            let found: Found =
                heat.contenders.iter().copied().zip(results.iter().map(Vec::as_slice)).collect();
            match heat.row {
                Row::Costs => costs = prices(&found),
                Row::Transfer(a, b) => pairs.push((a, b, median(&ns(found[0].1)))),
                Row::Wait(..) => waits = waits_of(&found, rng),
                Row::Crowd(threads) => lines.extend(lines_of(threads, cpus, &found, rng)),
            }
        }
        let (kernel, advice) = (kernel::beside(&gains(&lines, rng), cpus), advice(&lines, &waits));
        Self {
            head: Head::new(1, machine, settings, rounds),
            partial: settings.only.is_some(),
            hint: INSTRUCTION,
            costs,
            transfer: Transfer::of(&pairs),
            waits,
            lines,
            kernel,
            advice,
        }
    }
}

fn ns(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(Sample::ns).collect()
}

fn find(found: &Found, subject: Subject) -> Option<Vec<f64>> {
    found.iter().find(|(there, _)| *there == subject).map(|(_, samples)| ns(samples))
}

/// Each less its round's empty loop.
fn prices(found: &Found) -> Vec<Price> {
    let empty = find(found, Subject::Cost(Cost::Empty)).unwrap_or_default();
    let price = |&(subject, samples): &(Subject, &[Sample])| {
        let Subject::Cost(cost) = subject else { unreachable!("{subject} is no operation") };
        let less = |(ns, empty): (f64, &f64)| if cost.has_loop() { (ns - empty).max(0.0) } else { ns };
        let ns: Vec<f64> = ns(samples).into_iter().zip(&empty).map(less).collect();
        (cost != Cost::Empty).then(|| Price {
            operation: cost.to_string(),
            cost,
            ns: Spread::of(&ns),
            switches: each(samples, Usage::switches),
        })
    };
    found.iter().filter_map(price).collect()
}

impl Transfer {
    fn of(pairs: &[(usize, usize, f64)]) -> Option<Self> {
        let mut cpus: Vec<usize> = pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        cpus.sort();
        cpus.dedup();
        let between = |a, b| {
            let pair = pairs.iter().find(|&&(x, y, _)| (x, y) == (a, b) || (y, x) == (a, b));
            pair.map(|(.., ns)| *ns)
        };
        let times: Vec<f64> = pairs.iter().map(|(.., ns)| *ns).collect();
        (!pairs.is_empty()).then(|| Self {
            ns: cpus.iter().map(|&a| cpus.iter().map(|&b| between(a, b)).collect()).collect(),
            min: times.iter().copied().fold(f64::INFINITY, f64::min),
            median: median(&times),
            max: times.iter().copied().fold(0.0, f64::max),
            cpus,
        })
    }
}

fn waits_of(found: &Found, rng: &mut Rng) -> Vec<Wait> {
    let none = find(found, Subject::Looks(0)).unwrap_or_default();
    let wait = |&(subject, samples): &(Subject, &[Sample])| {
        let relax = match subject {
            Subject::Looks(0) => Retry::None,
            Subject::Looks(hints) => Retry::Hints(hints),
            _ => unreachable!("{subject} does not wait"),
        };
        let ns = ns(samples);
        let to_none = (relax != Retry::None).then(|| Estimate::of_ratio(&ns, &none, rng));
        Wait { relax, ns: Spread::of(&ns), to_none }
    };
    found.iter().map(wait).collect()
}

fn lines_of(threads: usize, cpus: usize, found: &Found, rng: &mut Rng) -> Vec<Line> {
    let line = |&(subject, samples): &(Subject, &[Sample])| {
        let Subject::Word(kind) = subject else { unreachable!("{subject} is no word") };
        let times = ns(samples);
        let mut to = |other: Kind| {
            let others = find(found, Subject::Word(other)).filter(|_| other != kind)?;
            Some(Estimate::of_ratio(&times, &others, rng))
        };
        let shares: Vec<f64> = samples.iter().map(|sample| sample.slowest_share).collect();
        Line {
            threads,
            tasks_per_cpu: threads as f64 / cpus as f64,
            contender: kind.to_string(),
            kind,
            ns: Spread::of(&times),
            cpu_ns: each(samples, |usage| usage.cpu_ns),
            switches: each(samples, Usage::switches),
            slowest_share: median(&shares),
            to_none: to(Kind::NONE),
            to_mutex: to(Kind::Mutex),
            samples: samples.to_vec(),
        }
    };
    found.iter().map(line).collect()
}

/// What leaving the pause out is worth: throughput without it / with it, by number of threads.
fn gains(lines: &[Line], rng: &mut Rng) -> Vec<(usize, Estimate)> {
    let of =
        |kind: Kind, threads: usize| lines.iter().find(|line| line.kind == kind && line.threads == threads);
    let gain = |with: &Line| {
        let without = of(Kind::NONE, with.threads)?;
        Some((with.threads, Estimate::of_ratio(&ns(&with.samples), &ns(&without.samples), rng)))
    };
    lines.iter().filter(|line| line.kind == Kind::HINT).filter_map(gain).collect()
}

fn advice(lines: &[Line], waits: &[Wait]) -> Advice {
    let evidence =
        |line: &Line, ratio: Option<Estimate>| Some(Evidence { ratio: ratio?, threads: line.threads });
    let to_none = |retry: Retry| {
        let lines = lines.iter().filter(|line| line.kind == Kind::Lockref(retry));
        (retry, lines.filter_map(|line| evidence(line, line.to_none)).collect())
    };
    let retries: Vec<(Retry, Vec<Evidence>)> = Retry::ALL.into_iter().map(to_none).collect();
    let waiting = waits
        .iter()
        .filter_map(|wait| Some((wait.relax, vec![Evidence { ratio: wait.to_none?, threads: 2 }])));
    let waiting: Vec<(Retry, Vec<Evidence>)> = waiting.collect();
    let default = Retry::of(Relax::RETRY);
    let ours = Kind::Lockref(default.unwrap_or(Retry::None));
    let mutex =
        lines.iter().filter(|line| line.kind == ours).filter_map(|line| evidence(line, line.to_mutex));
    Advice {
        retry: Choice::of(&retries, default),
        wait: Choice::of(&waiting, Retry::of(Relax::WAIT)),
        mutex: Mutex::of(&mutex.collect::<Vec<_>>()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{placement::Cpus, plan::Effort, relax::row};

    /// A run on so many made-up CPUs in which every operation takes as long as `ns` says.
    pub fn report(cpus: usize, rounds: usize, ns: impl Fn(Row, Subject) -> u64) -> Report {
        let settings = Settings { rounds, ..Settings::new(Effort::Quick, Cpus::first(cpus)) };
        let heats = row::heats(&settings);
        let sample = |row, subject| Sample {
            items: 10,
            span_ns: ns(row, subject) * 10,
            usage: Usage::ZERO,
            slowest_share: 1.0,
            p99_ns: None,
        };
        let results = heats.iter().map(|heat| {
            heat.contenders.iter().map(|&subject| vec![sample(heat.row, subject); rounds]).collect()
        });
        let results = results.collect();
        Report::new(Machine::new(&settings.cpus), &settings, &heats, results, &mut settings.rng())
    }

    /// A hint costs 20 ns, a lost try nothing, a line's way 10 ns by the distance; a mutex is twice as slow.
    pub fn plausible(row: Row, subject: Subject) -> u64 {
        match (row, subject) {
            (_, Subject::Cost(Cost::Empty)) => 1,
            (_, Subject::Cost(Cost::Hints(hints))) => 1 + 20 * u64::from(hints),
            (_, Subject::Cost(_)) => 6,
            (Row::Transfer(a, b) | Row::Wait(a, b), Subject::Looks(hints)) => {
                10 * b.abs_diff(a) as u64 + u64::from(hints)
            }
            (_, Subject::Word(Kind::Mutex)) => 80,
            (Row::Crowd(1), _) => 10,
            (_, Subject::Word(Kind::Lockref(Retry::None))) => 40,
            _ => 60,
        }
    }

    #[test]
    fn costs_are_without_the_loop() {
        let report = report(2, 5, plausible);
        let price = |cost| report.costs.iter().find(|price| price.cost == cost).map(|price| price.ns.median);
        assert_eq!(price(Cost::Hints(8)), Some(160.0));
        assert_eq!(price(Cost::FetchAdd), Some(5.0));
        assert_eq!(price(Cost::Empty), None);
    }

    #[test]
    fn the_matrix_is_symmetric() {
        let transfer = report(4, 1, plausible).transfer.expect("pairs");
        assert_eq!(transfer.cpus, [0, 1, 2, 3]);
        assert_eq!((transfer.min, transfer.median, transfer.max), (10.0, 15.0, 30.0));
        for (a, line) in transfer.ns.iter().enumerate() {
            for (b, &ns) in line.iter().enumerate() {
                assert_eq!(ns, (a != b).then(|| 10.0 * a.abs_diff(b) as f64));
            }
        }
        assert!(report(1, 1, plausible).transfer.is_none());
    }

    #[test]
    fn ratios_and_advice_follow_from_the_samples() {
        let report = report(2, 5, plausible);
        let line = |threads, kind| {
            report.lines.iter().find(|line| (line.threads, line.kind) == (threads, kind)).expect("a line")
        };
        let ratio = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.median);
        assert_eq!(ratio(line(2, Kind::HINT).to_none), Some(1.5));
        assert_eq!(ratio(line(2, Kind::NONE).to_mutex), Some(0.5));
        assert_eq!(line(2, Kind::NONE).to_none, None);
        assert_eq!(line(3, Kind::NONE).tasks_per_cpu, 1.5);

        let gains: Vec<_> =
            report.kernel.iter().filter_map(|row| Some((row.threads?, row.ours?.median))).collect();
        assert_eq!(gains, [(1, 1.0), (2, 1.5), (3, 1.5), (4, 1.5)]);
        let retry = report.advice.retry.expect("an answer");
        assert_eq!((retry.best, retry.decided), (Retry::None, true));
        assert!(matches!(report.advice.mutex, Some(Mutex::Slower(_))));
        assert!(report.advice.wait.is_some());
    }
}
