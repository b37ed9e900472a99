//! `relax`: should a compare-exchange loop pause after a lost try, and a waiter between two looks, on this machine?
//! Linux asked the first for lockref (f5fe24ef17b5); this is that experiment rebuilt whole, with what it rests on.
//!
//! A [`row`] is a machine cost ([`cost`]), a line's transfer between two CPUs ([`relay`]) or a crowd that gets and puts
//! one word ([`word`], [`crowd`]). All rows of a run are measured in the same rounds; [`report`] condenses them,
//! [`advice`] says what follows, [`kernel`] lays Linux's table beside ours, [`page`] shows it.

pub mod advice;
pub mod cost;
pub mod crowd;
pub mod kernel;
pub(crate) mod lockref;
pub mod page;
pub mod relay;
pub mod report;
pub mod row;
pub(crate) mod standin;
mod text;
pub mod word;

use self::{
    report::Report,
    row::{Row, Subject},
};
use crate::{
    cli::{self, Exit},
    measure::{Cell, Failure, Sample},
    rounds::{self, Heat, Settings},
};

/// Its rounds are short: so many fit into a quick run.
const QUICK_ROUNDS: usize = 15;

/// Checks every crowd's answers, then measures everything in rounds.
pub fn run(settings: &Settings) -> Result<Report, Exit> {
    // Who asks for a number of rounds has no deadline, and gets it.
    let rounds = if settings.deadline.is_some() { QUICK_ROUNDS } else { settings.rounds };
    let settings = &Settings { rounds, ..settings.clone() };
    let heats = row::heats(settings);
    if heats.is_empty() {
        let why = "--only: no row matches; rows are 'costs', 'transfer 0 1' (two CPUs), 'wait' and 'crowd 2' (its threads)";
        return Err(Exit::Usage(why.into()));
    }
    let machine = cli::introduce(&settings.cpus)?;
    let mut rng = settings.rng();
    check(&heats, settings)?;
    let results =
        rounds::play(&heats, settings, &mut rng, |cell| cell.contender.measure(cell.row, settings))?;
    Ok(Report::new(machine, settings, &heats, results, &mut rng))
}

/// Ticks off each crowd's gets and puts, which also warms up.
fn check(heats: &[Heat<Row, Subject>], settings: &Settings) -> Result<(), Failure<Row, Subject>> {
    let crowds = heats.iter().flat_map(Heat::cells).filter_map(|cell| match (cell.row, cell.contender) {
        (Row::Crowd(threads), Subject::Word(kind)) => Some((cell, threads, kind)),
        _ => None,
    });
    let crowds: Vec<_> = crowds.collect();
    let bar = rounds::progress(crowds.len()).with_message("checking answers");
    for (cell, threads, kind) in crowds {
        crowd::check(kind, threads, &settings.cpus).map_err(|reason| Failure { cell, reason })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// What one measurement found, or why it found nothing.
type Found = Result<Sample, Failure<Row, Subject>>;

impl Subject {
    /// Measures it in `row`, once.
    fn measure(self, row: Row, settings: &Settings) -> Found {
        let (cpus, slice) = (&settings.cpus, row.slice(settings));
        let sample = match (self, row) {
            (Self::Cost(cost), _) => cost.measure(cpus, slice),
            (Self::Looks(hints), Row::Transfer(a, b) | Row::Wait(a, b)) => {
                relay::spinning([a, b], hints, slice)
            }
            (Self::Word(kind), Row::Crowd(threads)) => crowd::timed(kind, threads, cpus, slice),
            _ => unreachable!("{self} has no row '{row}'"),
        };
        sample.map_err(|reason| Failure { cell: Cell { row, contender: self }, reason })
    }
}
