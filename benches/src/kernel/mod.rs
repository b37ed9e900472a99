//! `kernel`: the kernel's pipe threads as experiments, on the kernel's pipe in user space and on hornpipe's pipes.
//!
//! A [`row`] is a thread's workload ([`crowd`], [`messaging`], [`throughput`], [`tokens`]) at some load ([`shape`]), its
//! [`contender`]s the thread's variants on each kind of [`pipe`]. [`stage`] finds out how much work fills a slice, checks every
//! answer and has the kernel count ([`trace`]); then all is measured in rounds. [`told`] is what the threads told,
//! [`report`] lays it beside ours with a [`verdict`] where the loads are equal, `text` and `page` show it.

pub mod contender;
pub mod crowd;
pub mod messaging;
mod page;
pub mod pipe;
pub mod report;
pub mod row;
pub mod shape;
pub mod stage;
mod text;
pub mod throughput;
pub mod tokens;
pub mod told;
pub mod trace;
pub mod trial;
pub mod verdict;

use std::{collections::BTreeSet, time::Duration};

use clap::{Args, ValueEnum};

use self::{
    report::Report,
    row::Experiment,
    shape::{FAN, Fan, Groups, TASKS},
    stage::Stage,
};
use crate::{
    cli::{self, Exit},
    placement::Placement,
    rounds::{self, Settings},
};

/// The longest a quick run may take, with a margin for what comes after its last round.
pub const QUICK: Duration = Duration::from_secs(210);
/// Its rounds are short: so many fit into a quick run of one experiment.
const QUICK_ROUNDS: usize = 11;

/// Which experiments are run, and on which groups.
#[derive(Clone, Debug, Args)]
pub struct Asked {
    /// Which thread's experiment.
    #[arg(value_enum)]
    which: Which,
    /// Numbers of groups for sched-messaging (k2, k3, k5, messaging), with commas between them, in place of our choice of loads.
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1000))]
    groups: Vec<u16>,
    /// Senders and receivers of a group: 20 of each, or for example 3:2.
    #[arg(long, value_name = "F|S:R")]
    fan: Option<Fan>,
    /// How often each sender writes to each receiver; else as often as fills a slice of time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    loops: Option<u32>,
    /// Pins the threads of sched-messaging and of the token test: senders from the first CPU on, receivers from the last
    /// back. Else the system places them, as in the kernel's threads.
    #[arg(long)]
    pinned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Lockref's loop with and without a pause, over threads.
    K1,
    /// When a read wakes a writer, over groups of sched-messaging.
    K2,
    /// Small writes that merge whole, as far as they fit, or not, over groups of sched-messaging.
    K3,
    /// With and without the inner lock: UnixBench's loop, and the token test.
    K4,
    /// Spin before sleeping, over groups of sched-messaging.
    K5,
    /// All five.
    All,
    /// None of them: sched-messaging as it is, on the system's pipe, on pages, on the ring.
    Messaging,
}

impl Asked {
    fn experiments(&self) -> Vec<Experiment> {
        match self.which {
            Which::K1 => vec![Experiment::K1],
            Which::K2 => vec![Experiment::K2],
            Which::K3 => vec![Experiment::K3],
            Which::K4 => vec![Experiment::K4],
            Which::K5 => vec![Experiment::K5],
            Which::All => Experiment::ALL.to_vec(),
            Which::Messaging => vec![Experiment::Messaging],
        }
    }

    fn placement(&self) -> Placement {
        if self.pinned { Placement::Apart } else { Placement::Free }
    }

    /// In place of our choice, if any are named.
    fn groups(&self) -> Result<Vec<Groups>, Exit> {
        let named = !self.groups.is_empty() || self.fan.is_some();
        let messaging =
            matches!(self.which, Which::K2 | Which::K3 | Which::K5 | Which::All | Which::Messaging);
        if self.pinned && self.which == Which::K1 {
            return Err(Exit::Usage("--pinned: k1's threads are pinned anyway".into()));
        }
        if !messaging && (named || self.loops.is_some()) {
            let why = "--groups, --fan, --loops: k1 and k4 have no groups; k2, k3, k5 and messaging have";
            return Err(Exit::Usage(why.into()));
        }
        let fan = self.fan.unwrap_or(FAN);
        let groups = if self.groups.is_empty() && named { &[1][..] } else { &self.groups };
        // One that is named twice is one row.
        let groups: BTreeSet<u16> = groups.iter().copied().collect();
        let groups =
            groups.into_iter().map(|groups| Groups { groups: groups.into(), fan }).collect::<Vec<_>>();
        match groups.iter().find(|groups| groups.tasks() > TASKS) {
            Some(groups) => {
                let why =
                    format!("--groups, --fan: {groups} are {} threads, not up to {TASKS}", groups.tasks());
                Err(Exit::Usage(why))
            }
            None => Ok(groups),
        }
    }
}

/// Checks every contender's answers, then measures all of them in rounds.
pub fn run(settings: &Settings, asked: &Asked) -> Result<Report, Exit> {
    // Who asks for a number of rounds has no deadline, and gets it.
    let rounds = if settings.deadline.is_some() { QUICK_ROUNDS } else { settings.rounds };
    let settings = &Settings { rounds, ..settings.clone() };
    let heats = row::heats(&asked.experiments(), &asked.groups()?, settings);
    if heats.is_empty() {
        let why = "--only: no row matches; rows are for example 'k1 open3 2' (threads), 'k2 1 x 3:2' (groups of senders and \
                   receivers), 'k4 throughput' and 'k4 tokens 64'";
        return Err(Exit::Usage(why.into()));
    }
    let machine = cli::introduce(&settings.cpus)?;
    let stage = Stage::new(settings, asked.loops, asked.placement());
    let (heats, counts) = stage.prepare(&heats)?;
    let mut rng = settings.rng();
    let results = rounds::play(&heats, settings, &mut rng, |cell| stage.measure(cell))?;
    Ok(Report::new(machine, settings, asked.placement(), &heats, &counts, &results, &mut rng))
}
