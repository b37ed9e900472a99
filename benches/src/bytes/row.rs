//! The rows, and who runs them.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Asked, contender::Contender};
use crate::{
    kernel::throughput,
    placement::{Cpus, Placement},
    plan::{self, Effort},
    rounds::{Heat, Settings},
};

/// What a row's threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// UnixBench's pipe throughput: one thread writes 512 bytes and reads them back.
    Loop,
    /// Writers to one reader, as fast as it goes.
    Stream {
        /// So many of them.
        writers: usize,
        /// Bytes a write.
        size: usize,
    },
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Row {
    /// Where.
    pub placement: Placement,
    /// What.
    pub work: Work,
}

/// Bytes a write.
const SIZES: [usize; 7] = [1, 8, 64, 512, 4 << 10, 64 << 10, 1 << 20];
/// How many write.
const WRITERS: [usize; 2] = [1, 4];
/// Beside them: sched-messaging's message, from several writers.
pub const MESSAGES: Work = Work::Stream { writers: 4, size: 100 };

impl Work {
    /// How many write.
    pub fn writers(self) -> usize {
        match self {
            Self::Loop => 1,
            Self::Stream { writers, .. } => writers,
        }
    }

    /// Bytes a write.
    pub fn size(self) -> usize {
        match self {
            Self::Loop => throughput::LENGTH,
            Self::Stream { size, .. } => size,
        }
    }
}

impl Row {
    /// Its threads over the CPUs they share.
    pub fn tasks_per_cpu(&self, cpus: &Cpus) -> f64 {
        let threads = if self.work == Work::Loop { 1 } else { self.work.writers() + 1 };
        threads as f64 / self.placement.cpus(cpus) as f64
    }

    /// How long it is measured in a round: with several threads a CPU long enough that each had turns.
    pub fn slice(&self, effort: Effort, cpus: &Cpus) -> Duration {
        let base = Duration::from_millis(if effort == Effort::Full { 60 } else { 30 });
        base.mul_f64(self.tasks_per_cpu(cpus).max(2.0) / 2.0)
    }

    /// All who can serve it.
    fn contenders(&self) -> Vec<Contender> {
        Contender::ALL.iter().copied().filter(|contender| contender.serves(self.work.writers())).collect()
    }
}

/// What is done in a placement.
fn works(asked: &Asked, placement: Placement) -> Vec<Work> {
    let or = |asked: &[usize], ours: &[usize]| if asked.is_empty() { ours.to_vec() } else { asked.to_vec() };
    let (sizes, writers) = (or(&asked.sizes(), &SIZES), or(&asked.writers(), &WRITERS));
    let streams =
        writers.iter().flat_map(|&writers| sizes.iter().map(move |&size| Work::Stream { writers, size }));
    let mut works: Vec<Work> = streams.collect();
    if asked.sizes().is_empty() && asked.writers().is_empty() {
        works.push(MESSAGES);
        // One thread is on one CPU.
        works.extend((placement == Placement::OneCpu).then_some(Work::Loop));
    }
    works.sort();
    works.dedup();
    works
}

/// All rows that were asked for.
pub fn all(asked: &Asked, cpus: &Cpus) -> Vec<Row> {
    let works = |placement| works(asked, placement).into_iter().map(move |work| Row { placement, work });
    plan::distinct(&asked.placements(), cpus).flat_map(works).collect()
}

/// Those that `settings` want, with all who can run them.
pub fn heats(asked: &Asked, settings: &Settings) -> Vec<Heat<Row, Contender>> {
    let rows = all(asked, &settings.cpus).into_iter().filter(|row| settings.wants(row));
    rows.map(|row| Heat { row, contenders: row.contenders() }).collect()
}

/// `64 KiB`, where it is a whole number of them.
fn bytes(size: usize) -> String {
    match size {
        size if size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        size if size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        size => format!("{size} B"),
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop => write!(f, "loop {}", bytes(self.size())),
            Self::Stream { writers, size } => write!(f, "{writers}:1 {}", bytes(*size)),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.placement, self.work)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{QUICK, QUICK_ROUNDS};
    use super::*;
    use clap::Parser;
    use regex_lite::Regex;
    use std::collections::BTreeSet;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        asked: Asked,
    }

    fn heats_of(args: &[&str], settings: &Settings) -> Vec<Heat<Row, Contender>> {
        let line = Line::try_parse_from([&["bytes"], args].concat()).expect("arguments");
        heats(&line.asked, settings)
    }

    fn labels(args: &[&str], settings: &Settings) -> Vec<String> {
        heats_of(args, settings).iter().map(|heat| heat.row.to_string()).collect()
    }

    fn settings(cpus: usize) -> Settings {
        Settings::new(Effort::Quick, Cpus::first(cpus))
    }

    #[test]
    fn every_size_from_one_writer_and_from_four_everywhere() {
        let all = labels(&[], &settings(2));
        assert_eq!(all.len(), 3 * (2 * 7 + 1) + 1);
        assert_eq!(
            all[..9],
            [
                "loop 512 B",
                "1:1 1 B",
                "1:1 8 B",
                "1:1 64 B",
                "1:1 512 B",
                "1:1 4 KiB",
                "1:1 64 KiB",
                "1:1 1 MiB",
                "4:1 1 B"
            ]
            .map(|work| format!("one-cpu {work}"))
        );
        assert!(all.contains(&"apart 4:1 100 B".into()) && !all.contains(&"apart loop 512 B".into()));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert_eq!(labels(&[], &settings(1)).len(), 16);
    }

    #[test]
    fn what_was_asked_for_stands_in() {
        let settings = settings(2);
        let args = ["--size", "1000,64,64", "--writers", "3", "--placement", "free,apart,free"];
        assert_eq!(
            labels(&args, &settings),
            ["apart 3:1 64 B", "apart 3:1 1000 B", "free 3:1 64 B", "free 3:1 1000 B"]
        );
        assert_eq!(
            labels(&["--size", "2048", "--placement", "apart"], &settings),
            ["apart 1:1 2 KiB", "apart 4:1 2 KiB"]
        );
        let only = Settings { only: Regex::new("apart 1:1 64 KiB$|loop").ok(), ..settings };
        assert_eq!(labels(&[], &only), ["one-cpu loop 512 B", "apart 1:1 64 KiB"]);
    }

    #[test]
    fn several_writers_have_only_who_serves_them() {
        for heat in heats_of(&["--writers", "1,2"], &settings(2)) {
            let several = heat.row.work.writers() > 1;
            assert_eq!(heat.contenders == [Contender::Shared, Contender::Os], several, "{heat:?}");
            assert!(several || heat.contenders == Contender::ALL);
        }
    }

    #[test]
    fn quick_fits_its_time_on_two_cpus_with_threads_to_start() {
        let settings = settings(2);
        let slice = |heat: &Heat<Row, Contender>| {
            (heat.row.slice(settings.effort, &settings.cpus) + Duration::from_millis(5))
                * heat.contenders.len() as u32
                * QUICK_ROUNDS as u32
        };
        let slices: Duration = heats_of(&[], &settings).iter().map(slice).sum();
        assert!(slices < QUICK * 9 / 10, "{slices:?}");
    }
}
