//! What each report of rounds begins with.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{html::Run, machine::Machine, plan::Effort, report::Line, rounds::Settings, stats::ENOUGH};

/// Who measured where, how much and how often.
#[derive(Debug, Serialize, Deserialize)]
pub struct Head {
    /// Grows when a field of the report changes its meaning or one is added.
    pub schema: u32,
    /// This program's version.
    pub version: String,
    /// Where.
    pub machine: Machine,
    /// Which rows.
    pub effort: Effort,
    /// How many were run: quick ones end with their time.
    pub rounds: usize,
    /// Fixes the order of measurements and the intervals.
    pub seed: u64,
    /// The columns it is shown in, where that is known.
    #[serde(skip)]
    pub width: Option<u16>,
}

impl Head {
    /// Of so many rounds.
    pub fn new(schema: u32, machine: Machine, settings: &Settings, rounds: usize) -> Self {
        Self {
            schema,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            effort: settings.effort,
            rounds,
            seed: settings.seed,
            width: settings.width,
        }
    }

    /// As a page needs it, with figures of `compare`'s kind, if there are any.
    pub fn run<'a>(&'a self, lines: &'a [Line]) -> Run<'a> {
        let Self { version, effort, rounds, seed, .. } = self;
        let how = format!("hornpipe-bench {version}, {effort}, rounds {rounds}, seed {seed}");
        Run { machine: &self.machine, how, lines }
    }

    /// A ratio's column, which says what the brackets are if there are any.
    pub fn ratio(&self, column: &str) -> String {
        format!("{column}{}", if self.rounds < ENOUGH { "" } else { " [95 %]" })
    }

    /// Ends a legend: why there are no brackets, if there are none.
    pub fn few(&self) -> String {
        match self.rounds < ENOUGH {
            true => format!(" Too few rounds for an interval: it takes {ENOUGH}."),
            false => String::new(),
        }
    }
}

impl fmt::Display for Head {
    /// Without the machine, which is shown before the measurements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run      {}, rounds {}, seed {}", self.effort, self.rounds, self.seed)
    }
}
