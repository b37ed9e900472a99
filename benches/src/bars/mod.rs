//! `bars`: what the project promises about speed, memory and idle cost, each with its limit and a verdict by interval.
//!
//! Every measurement runs in a process of its own ([`child`]): a contender that livelocks is a time-out, not the end
//! of the run, and no contender inherits another's heap.

pub(crate) mod barrier;
mod bytes;
mod claims;
pub mod costs;
pub mod heap;
mod lockref;
pub(crate) mod tokens;

use std::fmt;

use serde::Serialize;

use crate::{
    bar::{self, Bar},
    child,
    cli::{self, Exit},
    html::{Run, Show, page::Page},
    machine::Machine,
    measure::Sample,
    report::{LEGEND, Line},
    rounds::{self, Settings},
};

/// Measures everything the bars need; `None` among the samples is a time-out.
pub fn run(settings: &Settings) -> Result<Bars, Exit> {
    let (heats, crowds, costs) =
        (claims::heats(settings), lockref::heats(settings), settings.wants(&"costs"));
    let (pipes, pools) = (bytes::heats(settings), tokens::heats(settings));
    if heats.is_empty() && crowds.is_empty() && pipes.is_empty() && pools.is_empty() && !costs {
        return Err(Exit::no_row());
    }
    let machine = cli::introduce(&settings.cpus)?;
    let mut rng = settings.rng();
    let mut bars = if costs { costs::bars(&mut rng)? } else { Vec::new() };
    bars.extend(lockref::bars(&crowds, settings, &mut rng)?);
    bars.extend(bytes::bars(&pipes, settings, &mut rng)?);
    bars.extend(tokens::bars(&pools, settings, &mut rng)?);
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
        let how = format!("rounds {}, seed {}", self.rounds, self.seed);
        let run = Run { machine: &self.machine, how, lines: &self.figures };
        Page {
            title: "hornpipe: the project's bars",
            runs: vec![run],
            first: vec![bar::sortable(&self.bars)],
            sections: Vec::new(),
            words: LEGEND,
        }
        .render()
    }
}

impl fmt::Display for Bars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "run      rounds {}, seed {}", self.rounds, self.seed)?;
        write!(f, "{}", bar::verdicts(&self.bars))
    }
}
