//! A bar: what a figure may be at most, with a verdict by its interval.

use std::{collections::BTreeMap, fmt::Display};

use fastrand::Rng;
use serde::Serialize;

use crate::{
    html::table::{Cell, Table},
    measure::Sample,
    report::{figure, interval, new_table},
    stats::{Estimate, Verdict, median},
};

/// One bar with its verdict.
#[derive(Debug, Serialize)]
pub struct Bar {
    /// What is measured.
    pub bar: String,
    /// What `value` and `limit` count.
    pub unit: &'static str,
    /// `None` when every round timed out.
    pub value: Option<Estimate>,
    /// The most it may be; `None` where nothing is promised.
    pub limit: Option<f64>,
    /// Whether it is at most that.
    pub verdict: Option<Verdict>,
    /// What else is to know.
    pub note: String,
}

impl Bar {
    /// Of the times of two contenders in the same rounds. One time-out of ours misses the limit, if there is one.
    pub(crate) fn of_ratio(
        bar: String,
        [(our_name, ours), (their_name, theirs)]: [(&dyn Display, &[Option<Sample>]); 2],
        limit: impl Into<Option<f64>>,
        rng: &mut Rng,
    ) -> Self {
        let limit = limit.into();
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
        let verdict = limit.map(|limit| match value {
            _ if lost > 0 => Verdict::Missed,
            Some(ratio) => ratio.verdict(limit),
            None => Verdict::Met,
        });
        Self { bar, unit: "times", value, limit, verdict, note }
    }
}

fn verdict(bar: &Bar) -> String {
    bar.verdict.map_or("-".into(), |verdict| verdict.to_string())
}

/// As a table for people, with the number of each verdict below.
pub fn verdicts(bars: &[Bar]) -> String {
    let mut table = new_table(&["bar", "value [95 %]", "limit", "unit", "verdict", "note"], &[2]);
    let mut counts = BTreeMap::new();
    for bar in bars {
        if let Some(verdict) = bar.verdict {
            *counts.entry(verdict.to_string()).or_insert(0) += 1;
        }
        table.add_row(vec![
            bar.bar.clone(),
            bar.value.map_or("-".into(), interval),
            bar.limit.map_or("-".into(), figure),
            bar.unit.into(),
            verdict(bar),
            bar.note.clone(),
        ]);
    }
    let counts: Vec<String> =
        counts.into_iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
    format!("{table}\n{}", counts.join(", "))
}

/// As a page's table.
pub fn sortable(bars: &[Bar]) -> Table {
    let row = |bar: &Bar| {
        let [value, low, high] = Cell::interval(bar.value);
        vec![
            Cell::text(&bar.bar),
            value,
            low,
            high,
            Cell::Figure(bar.limit),
            Cell::text(bar.unit),
            Cell::text(verdict(bar)),
            Cell::text(&bar.note),
        ]
    };
    let columns = vec!["bar", "value", "2.5 %", "97.5 %", "limit", "unit", "verdict", "note"];
    Table { id: "bars", caption: "Verdicts", columns, rows: bars.iter().map(row).collect() }
}
