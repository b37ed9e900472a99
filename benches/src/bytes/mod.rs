//! `bytes`: hornpipe's byte pipes against the system's pipe, a memcpy relay and other crates' pipes, over the size of a write.
//!
//! A [`row`] is a number of writers, a size and a placement, its [`contender`]s are pipes of bytes whose ends are std's `Write`
//! and `Read`. [`content`] is what writers write, [`audit`] how the reader checks it, [`relay`] the least that a stream through
//! a buffer can do. [`trial`] is one measurement; [`report`] condenses the rounds, `text` and `page` show them, [`claims`] are
//! the project's promises about them.

pub mod audit;
pub mod claims;
pub mod contender;
pub mod content;
mod page;
#[cfg(feature = "peers")]
mod peers;
pub mod relay;
pub mod report;
pub mod row;
mod text;
pub mod trial;

use std::time::Duration;

use clap::Args;

use self::{content::Content, report::Report};
use crate::{
    cli::{self, Exit},
    placement::Placement,
    rounds::{self, Heat, Settings},
};

/// The longest a quick run may take, with a margin for what comes after its last round.
pub const QUICK: Duration = Duration::from_secs(110);

/// So many rounds fit into it.
const QUICK_ROUNDS: usize = 11;

/// Which rows are run.
#[derive(Clone, Debug, Default, Args)]
pub struct Asked {
    /// Bytes a write, with commas between them, in place of 1, 8, 64, 512, 4096, 65536, 1048576 (and of the loop of 512).
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=LARGEST))]
    size: Vec<u32>,
    /// Numbers of writers, with commas between them, in place of 1 and 4.
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=Content::WRITERS as i64))]
    writers: Vec<u8>,
    /// Where the threads are, with commas between them; all three if none is named.
    #[arg(long, value_enum, value_name = "WHERE,...", value_delimiter = ',')]
    placement: Vec<Placement>,
}

/// A writer has its bytes at hand, in memory.
const LARGEST: i64 = 64 << 20;

impl Asked {
    fn sizes(&self) -> Vec<usize> {
        self.size.iter().map(|&size| size as usize).collect()
    }

    fn writers(&self) -> Vec<usize> {
        self.writers.iter().map(|&writers| writers.into()).collect()
    }

    fn placements(&self) -> Vec<Placement> {
        let asked = |placement: &Placement| self.placement.is_empty() || self.placement.contains(placement);
        Placement::ALL.into_iter().filter(asked).collect()
    }
}

/// Checks every cell, then measures them in rounds.
pub fn run(settings: &Settings, asked: &Asked) -> Result<Report, Exit> {
    // Who asks for a number of rounds has no deadline, and gets it.
    let rounds = if settings.deadline.is_some() { QUICK_ROUNDS } else { settings.rounds };
    let settings = &Settings { rounds, ..settings.clone() };
    let heats = row::heats(asked, settings);
    if heats.is_empty() {
        let why = "no row matches; rows are for example 'apart 1:1 64 KiB', 'one-cpu loop 512 B'; on one CPU there is no other \
                   placement than one-cpu";
        return Err(Exit::Usage(why.into()));
    }
    let machine = cli::introduce(&settings.cpus)?;
    let mut rng = settings.rng();
    let cells: Vec<_> = heats.iter().flat_map(Heat::cells).collect();
    let bar = rounds::progress(cells.len()).with_message("checking every byte");
    for &cell in &cells {
        trial::checked(cell, &settings.cpus)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let results = rounds::play(&heats, settings, &mut rng, |cell| {
        Ok::<_, Exit>(trial::timed(cell, &settings.cpus, cell.row.slice(settings.effort, &settings.cpus))?)
    })?;
    Ok(Report::new(machine, settings, &heats, results, &mut rng))
}
