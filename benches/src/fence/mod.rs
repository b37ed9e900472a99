//! `fence`: what the library's fences are for, seen on this machine. A publisher and a waiter that look at each other,
//! pinned to two CPUs, with one fence or the other taken away: is a wake-up lost?

pub(crate) mod barrier;
mod duel;
mod report;
mod shapes;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;

use self::{
    duel::Duel,
    report::{Line, Report},
    shapes::SHAPES,
};
use crate::{
    cli::{self, Exit},
    placement::Cpus,
    rounds,
};

/// How long.
#[derive(Debug, Args)]
pub struct Asked {
    /// How many rounds each row has, in place of a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "seconds")]
    rounds: Option<u64>,
    /// How long each row runs.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Writes all figures there as well, once all are known.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("not a number of seconds above 0, at most a day's".into()),
    }
}

/// Runs every row and reports.
pub fn run(asked: &Asked) -> Result<(), Exit> {
    let cpus = Cpus::usable();
    if cpus.count() < 2 {
        return Err(Exit::Usage("fence takes two CPUs: on one, nothing overlaps, so nothing is lost".into()));
    }
    let output = asked.json.as_deref().map(cli::checked).transpose()?;
    let machine = cli::introduce(&cpus)?;
    let barrier = barrier::time(&cpus).map_err(Exit::Failed)?;
    let bar = rounds::progress(SHAPES.len());
    let mut lines = Vec::new();
    for shape in &SHAPES {
        bar.set_message(shape.waiter);
        let mut duel = Duel::new(shape, &cpus, barrier.unwrap_or_default());
        let begun = Instant::now();
        if barrier.is_some() || !shape.takes_barrier {
            match asked.rounds {
                Some(rounds) => duel.rounds(rounds)?,
                None => duel.until(begun + Duration::from_secs_f64(asked.seconds))?,
            }
        }
        lines.push(Line::new(shape, duel.counts, begun.elapsed()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let report = Report::new(machine, barrier, lines);
    cli::hand_over(&report, output)?;
    report.failure().map_or(Ok(()), |why| Err(Exit::Failed(why)))
}
