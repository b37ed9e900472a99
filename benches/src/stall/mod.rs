//! `compare --stall`: what a peer that is suspended in the middle of a call costs the others.
//!
//! A `trial` runs in a process of its own ([`child`]): one that livelocks is a time-out, and the signal
//! handler (`gate`) is that process's alone. It holds the victim of its `stage` some times and finds what that did
//! to the others; `report` condenses it.

mod end;
mod gate;
mod report;
mod stage;
mod trial;

use std::fmt;

use serde::{Deserialize, Serialize};

use gate::By;
use report::Line;
pub use report::Report;
pub use trial::{Hold, Trial, Watch};

use crate::{
    child,
    cli::{self, Exit},
    contender::Contender,
    measure::Cell,
    placement::Side,
    rounds::{self, Heat, Settings},
};

/// Whom a row's holds suspend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The side of the victim.
    pub victim: Side,
    /// What holds it.
    pub by: By,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.victim {
            Side::Sender => "sender held",
            Side::Receiver => "receiver held",
        })?;
        match self.by {
            By::Signal => Ok(()),
            #[cfg(hornpipe_hooks)]
            By::Claimed => f.write_str(" at Claimed"),
        }
    }
}

/// All rows with those who run them, as far as `settings` want them.
fn heats(settings: &Settings) -> Vec<Heat<Row>> {
    let sides = [Side::Sender, Side::Receiver];
    let rows = sides.map(|victim| (Row { victim, by: By::Signal }, Contender::KINDS)).into_iter();
    #[cfg(hornpipe_hooks)]
    let rows =
        rows.chain(sides.map(|victim| (Row { victim, by: By::Claimed }, &[Contender::Hornpipe] as &[_])));
    let heats = rows.map(|(row, contenders)| {
        let wanted = |&&contender: &&Contender| settings.wants(&Cell { row, contender });
        Heat { row, contenders: contenders.iter().filter(wanted).copied().collect() }
    });
    heats.filter(|heat| !heat.contenders.is_empty()).collect()
}

/// Holds everybody in rounds; a contender that hangs in a row sits out the rest of it.
pub fn run(settings: &Settings) -> Result<Report, Exit> {
    let heats = heats(settings);
    if heats.is_empty() {
        let why = "--only: no row matches; a label is for example 'sender held, hornpipe'";
        return Err(Exit::Usage(why.into()));
    }
    let machine = cli::introduce(&settings.cpus)?;
    let mut rng = settings.rng();
    let mut seeds = rng.fork();
    let mut hung: Vec<Cell<Row>> = Vec::new();
    let results = rounds::play(&heats, settings, &mut rng, |cell| {
        let mut holds = Vec::new();
        for watch in [Watch::Probe, Watch::Wait] {
            if hung.contains(&cell) {
                break;
            }
            match child::trial(Trial { cell, watch, seed: seeds.u64(..) })? {
                Some(found) => holds.extend(found),
                None => hung.push(cell),
            }
        }
        Ok::<_, Exit>(holds)
    })?;
    let cells = heats.iter().flat_map(Heat::cells);
    let lines = cells.zip(results.into_iter().flatten());
    let line = |(cell, holds): (_, Vec<Vec<Hold>>)| Line::new(cell, holds.concat(), hung.contains(&cell));
    Ok(Report::new(machine, settings, lines.map(line).collect()))
}
