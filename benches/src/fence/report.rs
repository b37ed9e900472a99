//! What the rows have shown: as a table for people, as JSON for programs.

use std::{fmt, time::Duration};

use serde::Serialize;

use super::{
    duel::Counts,
    shapes::{Expected, Shape},
};
use crate::{
    machine::Machine,
    report::{figure, new_table},
};

/// All of it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Grows when a field changes its meaning.
    schema: u32,
    /// This program's version.
    version: &'static str,
    /// Where.
    machine: Machine,
    /// How long a membarrier takes beside a running thread; `None` where there is none.
    membarrier_ns: Option<u64>,
    /// A row each.
    lines: Vec<Line>,
}

/// One row.
#[derive(Debug, Serialize)]
pub struct Line {
    publisher: &'static str,
    waiter: &'static str,
    expected: Expected,
    verdict: Verdict,
    rounds: u64,
    counts: Counts,
    lost_per_million: f64,
    seconds: f64,
}

/// What a row has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A partner is missing, and wake-ups were lost.
    Lost,
    /// A partner is missing, and no wake-up was lost all the same.
    NotObserved,
    /// Both partners are there, and no wake-up was lost.
    Kept,
    /// Both partners are there, and a wake-up was lost: the protocol, the machine or this program is broken.
    Broken,
    /// It takes a membarrier, and there is none.
    NotRun,
}

impl Verdict {
    fn of(expected: Expected, counts: &Counts) -> Self {
        match (expected, counts.lost) {
            _ if counts.rounds() == 0 => Self::NotRun,
            (Expected::Never, 0) => Self::Kept,
            (Expected::Never, _) => Self::Broken,
            (_, 0) => Self::NotObserved,
            (_, _) => Self::Lost,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "lost",
            Self::NotObserved => "not observed",
            Self::Kept => "none lost",
            Self::Broken => "LOST WITH ITS PARTNER",
            Self::NotRun => "not run: no membarrier",
        })
    }
}

impl Line {
    /// Of a row that took `time`.
    pub fn new(shape: &Shape, counts: Counts, time: Duration) -> Self {
        let rounds = counts.rounds();
        Self {
            publisher: shape.publisher,
            waiter: shape.waiter,
            expected: shape.expected,
            verdict: Verdict::of(shape.expected, &counts),
            rounds,
            counts,
            lost_per_million: counts.lost as f64 * 1e6 / rounds.max(1) as f64,
            seconds: time.as_secs_f64(),
        }
    }
}

impl Report {
    /// Of all rows.
    pub fn new(machine: Machine, barrier: Option<Duration>, lines: Vec<Line>) -> Self {
        Self {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            machine,
            membarrier_ns: barrier.map(|time| time.as_nanos() as u64),
            lines,
        }
    }

    /// Why the run is a failure, if it is one.
    pub fn failure(&self) -> Option<String> {
        let broken = self.lines.iter().find(|line| line.verdict == Verdict::Broken)?;
        let Line { publisher, waiter, counts, rounds, .. } = broken;
        Some(format!("{} of {rounds} wake-ups lost with [{publisher}] and [{waiter}]", counts.lost))
    }

    /// The rows of a kind that ran.
    fn ran(&self, expected: Expected) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.expected == expected && line.verdict != Verdict::NotRun)
    }
}

const LEGEND: &str = "\
publisher: stores the item and its stamp, does this, looks at the gate. waiter: announces itself in the gate by an RMW, \
does this, looks at the stamp.
lost: the publisher saw no sleeper and the waiter found nothing, so it would sleep beside the item. found: the waiter \
found it; woken: the publisher saw the sleeper; both.
partner: whether both sides do what the library does. missing: wake-ups may be lost, and should be seen to. open: wrong \
by the language's rules or a look at the method itself; the machine decides.";

impl fmt::Display for Report {
    /// Without the machine, which is shown before the measurements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.membarrier_ns {
            Some(ns) => writeln!(f, "barrier  a membarrier takes {} us", figure(ns as f64 / 1e3))?,
            None => writeln!(f, "barrier  no membarrier here: pipes are born SYM")?,
        }
        let header =
            ["publisher", "waiter", "partner", "rounds", "found/woken/both", "lost", "in a million", ""];
        let mut table = new_table(&header, &[3, 4, 5, 6]);
        for line in &self.lines {
            let share = |count: u64| format!("{:.0}", count as f64 * 100.0 / line.rounds.max(1) as f64);
            let Counts { lost, found, woken, both } = line.counts;
            let partner = match line.expected {
                Expected::Never => "there",
                Expected::Lost => "missing",
                Expected::Open => "open",
            };
            table.add_row(vec![
                line.publisher.to_owned(),
                line.waiter.to_owned(),
                partner.to_owned(),
                line.rounds.to_string(),
                format!("{}/{}/{} %", share(found), share(woken), share(both)),
                lost.to_string(),
                figure(line.lost_per_million),
                line.verdict.to_string(),
            ]);
        }
        writeln!(f, "{table}\n{LEGEND}\n")?;
        let lost: u64 = self.ran(Expected::Never).map(|line| line.counts.lost).sum();
        let rounds: u64 = self.ran(Expected::Never).map(|line| line.rounds).sum();
        writeln!(f, "partner there: {lost} lost in {rounds} rounds")?;
        let missing = self.ran(Expected::Lost).count();
        let seen = self.ran(Expected::Lost).filter(|line| line.verdict == Verdict::Lost).count();
        write!(f, "partner missing: lost wake-ups observed in {seen} of {missing} rows")?;
        match seen < missing {
            true => f.write_str("; not seen is not impossible: more --seconds may show it"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fence::shapes::SHAPES, placement::Cpus};

    /// All rows, each with so many lost of 1,000 as `lost` says.
    fn report(lost: impl Fn(Expected) -> u64) -> Report {
        let line = |shape: &Shape| {
            let lost = lost(shape.expected);
            Line::new(shape, Counts { lost, woken: 1000 - lost, ..Counts::default() }, Duration::ZERO)
        };
        Report::new(Machine::new(&Cpus::first(2)), None, SHAPES.iter().map(line).collect())
    }

    #[test]
    fn lost_without_a_partner_is_as_it_should_be() {
        let report = report(|expected| u64::from(expected != Expected::Never));
        assert_eq!(report.failure(), None);
        let text = report.to_string();
        assert!(text.contains("partner there: 0 lost in 3000 rounds"), "{text}");
        assert!(text.ends_with("observed in 3 of 3 rows"), "{text}");
    }

    #[test]
    fn lost_with_its_partner_is_a_failure() {
        let report = report(|_| 2);
        let why = report.failure().expect("a failure");
        assert!(why.starts_with("2 of 1000 wake-ups lost with [light: compiler barrier]"), "{why}");
        assert!(report.to_string().contains("LOST WITH ITS PARTNER"));
    }

    #[test]
    fn nothing_seen_is_said_and_no_failure() {
        let report = report(|_| 0);
        assert_eq!(report.failure(), None);
        let text = report.to_string();
        assert!(text.contains("observed in 0 of 3 rows; not seen is not impossible"), "{text}");
    }

    #[test]
    fn what_did_not_run_has_kept_nothing() {
        assert_eq!(Verdict::of(Expected::Never, &Counts::default()), Verdict::NotRun);
    }
}
