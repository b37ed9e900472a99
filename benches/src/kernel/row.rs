//! The experiments' rows, and who runs them.

use std::fmt;

use serde::Serialize;

use super::{
    contender::{Contender, On, Variant},
    crowd::{self, Shape},
    shape::{Groups, equal},
    tokens,
    told::{self, Load},
};
use crate::{
    placement::Cpus,
    plan::Effort,
    rounds::{Heat, Settings},
};

/// A thread of the kernel's list, as an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Experiment {
    /// January 2023: no pause after a lost compare-exchange in lockref.
    K1,
    /// January 2025: when a read wakes a writer.
    K2,
    /// February 2025: what of a small write joins the last page.
    K3,
    /// January 2023: one lock instead of two around the pipe's head and tail.
    K4,
    /// August 2018: spin before sleeping.
    K5,
    /// None of them: sched-messaging as it is, on the system's pipe, on pages, on the ring.
    Messaging,
}

/// What a row's threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// So many threads get and put one lockref, or send and receive on one ring.
    Crowd {
        /// What is between.
        shape: Shape,
        /// How many.
        threads: usize,
    },
    /// sched-messaging.
    Messaging(Groups),
    /// UnixBench's pipe throughput.
    Throughput,
    /// The token test.
    Tokens {
        /// Of them.
        threads: usize,
    },
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Whose.
    pub experiment: Experiment,
    /// What its threads do.
    pub work: Work,
}

impl Experiment {
    /// All that `kernel all` runs.
    pub const ALL: [Self; 5] = [Self::K1, Self::K2, Self::K3, Self::K4, Self::K5];

    /// What it asks.
    pub fn question(self) -> &'static str {
        match self {
            Self::K1 => "K1 (January 2023): lockref's compare-exchange loop without a pause",
            Self::K2 => "K2 (January 2025): when a read wakes a writer",
            Self::K3 => "K3 (February 2025): small writes merge whole, or as far as they fit",
            Self::K4 => "K4 (January 2023): one lock around the pipe's head and tail instead of two",
            Self::K5 => "K5 (August 2018): spin before sleeping",
            Self::Messaging => "sched-messaging on each kind of pipe",
        }
    }

    /// Whether all contenders are measured against the row's first one, and not each against the first on the same.
    pub fn one_base(self) -> bool {
        matches!(self, Self::K4 | Self::Messaging)
    }

    /// On what its thread's figures have counterparts.
    pub fn compared(self) -> &'static [On] {
        match self {
            Self::K1 => &[On::Lockref],
            Self::K3 => &[On::Pages, On::Shared],
            Self::K4 => &[On::Pages],
            _ => &[On::Pages, On::Ring],
        }
    }

    fn contenders(self, work: Work) -> Vec<Contender> {
        use Variant::{
            Adaptive, Chain, Default, Mainline, MergeFits, MergeWhole, NoPause, OneLock, Packets, Patched,
            PatchedNoPause, Pause, Proactive, Spin, TwoLocks, WasFull, WasFullLooks,
        };
        let of = |on: On, variants: &[Variant]| {
            variants.iter().map(|&variant| Contender { on, variant }).collect::<Vec<_>>()
        };
        match (self, work) {
            (Self::K1, Work::Crowd { shape: Shape::Access2, .. }) => {
                of(On::Lockref, &[Pause, NoPause, Patched, PatchedNoPause])
            }
            (Self::K1, Work::Crowd { shape: Shape::Tight, .. }) => {
                [of(On::Lockref, &[Pause, NoPause]), of(On::Ring, &[Pause, NoPause])].concat()
            }
            (Self::K1, _) => of(On::Lockref, &[Pause, NoPause]),
            (Self::K2, _) => [
                of(On::Pages, &[Mainline, WasFull, WasFullLooks, Proactive]),
                of(On::Ring, &[Mainline, WasFull, Proactive, Chain, Default]),
            ]
            .concat(),
            (Self::K3, _) => {
                let variants = [MergeWhole, MergeFits, Packets];
                [of(On::Pages, &variants), of(On::Shared, &variants)].concat()
            }
            (Self::K4, _) => {
                [of(On::Pages, &[TwoLocks, OneLock]), of(On::Ring, &[Default]), of(On::Os, &[Default])]
                    .concat()
            }
            (Self::K5, _) => [
                of(On::Pages, &[Spin(0), Spin(5), Spin(10), Spin(50), Adaptive]),
                of(On::Ring, &[Spin(0), Spin(5), Spin(10), Spin(50), Adaptive, Default]),
            ]
            .concat(),
            (Self::Messaging, _) => {
                [of(On::Os, &[Default]), of(On::Pages, &[Default]), of(On::Ring, &[Default])].concat()
            }
        }
    }
}

impl Work {
    /// Its threads.
    pub fn tasks(self) -> usize {
        match self {
            Self::Crowd { threads, .. } | Self::Tokens { threads } => threads,
            Self::Messaging(groups) => groups.tasks(),
            Self::Throughput => 1,
        }
    }

    /// Threads over the CPUs.
    pub fn load(self, cpus: usize) -> f64 {
        self.tasks() as f64 / cpus as f64
    }

    /// Whether it is the same, but for the number of threads.
    pub fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Crowd { shape, .. }, Self::Crowd { shape: other, .. }) => shape == other,
            (Self::Messaging(_), Self::Messaging(_)) | (Self::Throughput, Self::Throughput) => true,
            (Self::Tokens { .. }, Self::Tokens { .. }) => true,
            _ => false,
        }
    }
}

/// Beside what the threads' tables have: tasks per CPU of sched-messaging.
fn loads(effort: Effort) -> &'static [f64] {
    match effort {
        Effort::Quick => &[0.5, 1.0, 2.0, 2.5, 5.0, 20.0],
        Effort::Full => &[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0, 10.0, 20.0, 40.0],
    }
}

/// The rows of `experiment`; `asked` are groups in place of our own choice.
fn works(experiment: Experiment, asked: &[Groups], effort: Effort, cpus: &Cpus) -> Vec<Work> {
    match experiment {
        Experiment::K1 => {
            let shapes = [Shape::Open3, Shape::Fstat2, Shape::Access2, Shape::Tight];
            let crowds = crowd::threads(effort, cpus);
            shapes
                .iter()
                .flat_map(|&shape| crowds.iter().map(move |&threads| Work::Crowd { shape, threads }))
                .collect()
        }
        Experiment::K4 => {
            let crowds = [4, 16, tokens::THREADS].map(|threads| Work::Tokens { threads });
            [&[Work::Throughput][..], &crowds].concat()
        }
        _ if !asked.is_empty() => asked.iter().copied().map(Work::Messaging).collect(),
        _ => {
            let told = told::all().into_iter().filter(|told| told.experiment == experiment);
            // A quick run has no time for all of K5's machines.
            let told = told.filter(|_| effort == Effort::Full || experiment == Experiment::K2);
            let at = |load: Load| if let Load::At(load) = load { Some(load) } else { None };
            let mut all: Vec<f64> =
                told.filter_map(|told| at(told.load)).chain(loads(effort).iter().copied()).collect();
            all.sort_by(f64::total_cmp);
            all.dedup_by(|next, last| equal(*next, *last));
            all.into_iter()
                .filter_map(|load| Groups::of_load(load, cpus.count()))
                .map(Work::Messaging)
                .collect()
        }
    }
}

/// All rows that `settings` want of these experiments, with those who run them.
pub fn heats(experiments: &[Experiment], asked: &[Groups], settings: &Settings) -> Vec<Heat<Row, Contender>> {
    let rows = experiments.iter().flat_map(|&experiment| {
        works(experiment, asked, settings.effort, &settings.cpus)
            .into_iter()
            .map(move |work| Row { experiment, work })
    });
    let heat = |row: Row| Heat { row, contenders: row.experiment.contenders(row.work) };
    rows.filter(|row| settings.wants(row)).map(heat).collect()
}

impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::K1 => "k1",
            Self::K2 => "k2",
            Self::K3 => "k3",
            Self::K4 => "k4",
            Self::K5 => "k5",
            Self::Messaging => "messaging",
        })
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crowd { shape, threads } => write!(f, "{shape} {threads}"),
            Self::Messaging(groups) => groups.fmt(f),
            Self::Throughput => f.pad("throughput"),
            Self::Tokens { threads } => write!(f, "tokens {threads}"),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.experiment, self.work)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::FAN;
    use super::*;
    use regex_lite::Regex;
    use std::collections::BTreeSet;

    fn labels(experiments: &[Experiment], settings: &Settings) -> Vec<String> {
        heats(experiments, &[], settings).iter().map(|heat| heat.row.to_string()).collect()
    }

    #[test]
    fn two_cpus_have_the_loads_that_they_can() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let k2 = ["k2 1 x 1:1", "k2 1 x 2:2", "k2 1 x 3:2", "k2 1 x 5:5", "k2 1 x 20:20"];
        assert_eq!(labels(&[Experiment::K2], &settings), k2);
        assert_eq!(labels(&[Experiment::K5], &settings), k2.map(|label| label.replace("k2", "k5")));
        assert_eq!(
            labels(&[Experiment::K4], &settings),
            ["k4 throughput", "k4 tokens 4", "k4 tokens 16", "k4 tokens 64"]
        );
        let k1 = labels(&[Experiment::K1], &settings);
        assert_eq!((k1.len(), k1[0].as_str(), k1[15].as_str()), (16, "k1 open3 1", "k1 tight 4"));
        let full = Settings::new(Effort::Full, Cpus::first(2));
        assert!(labels(&[Experiment::K5], &full).contains(&"k5 1 x 9:9".to_owned()), "8.9 tasks a CPU");
    }

    #[test]
    fn the_machine_of_k2_has_its_rows() {
        let settings = Settings::new(Effort::Quick, Cpus::first(256));
        let labels = labels(&[Experiment::K2], &settings);
        for groups in [1, 2, 4, 8, 16] {
            assert!(labels.contains(&format!("k2 {groups} x 20:20")), "{groups}: {labels:?}");
        }
    }

    #[test]
    fn asked_groups_stand_in_for_our_choice() {
        let asked = [1, 4].map(|groups| Groups { groups, fan: FAN });
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let rows = heats(&[Experiment::K4, Experiment::K5], &asked, &settings);
        let labels: Vec<String> = rows.iter().map(|heat| heat.row.to_string()).collect();
        assert_eq!(labels[4..], ["k5 1 x 20:20", "k5 4 x 20:20"]);
    }

    #[test]
    fn each_label_stands_for_one_row_or_contender() {
        for cpus in [1, 2, 96] {
            let settings = Settings::new(Effort::Full, Cpus::first(cpus));
            let all = [&Experiment::ALL[..], &[Experiment::Messaging]].concat();
            let heats = heats(&all, &[], &settings);
            let rows: BTreeSet<String> = heats.iter().map(|heat| heat.row.to_string()).collect();
            assert_eq!(rows.len(), heats.len());
            for heat in heats {
                let names: BTreeSet<String> = heat.contenders.iter().map(Contender::to_string).collect();
                assert_eq!(names.len(), heat.contenders.len(), "{names:?}");
            }
        }
    }

    #[test]
    fn rows_are_chosen_by_pattern() {
        let settings = Settings {
            only: Regex::new("tokens 64|x 3:2").ok(),
            ..Settings::new(Effort::Quick, Cpus::first(2))
        };
        let expected = ["k2 1 x 3:2", "k3 1 x 3:2", "k4 tokens 64", "k5 1 x 3:2"];
        assert_eq!(labels(&Experiment::ALL, &settings), expected);
    }

    /// Switches that are one would be compared with themselves.
    #[test]
    fn each_variant_differs_from_the_others_of_its_row() {
        for heat in heats(&Experiment::ALL, &[], &Settings::new(Effort::Quick, Cpus::first(2))) {
            let pages = heat.contenders.iter().filter(|contender| contender.on == On::Pages);
            let options: BTreeSet<String> =
                pages.clone().map(|c| format!("{:?}", c.variant.pages())).collect();
            assert_eq!(options.len(), pages.count());
            if heat.row.experiment == Experiment::K1 {
                continue;
            }
            let shared = heat.contenders.iter().filter(|contender| contender.on == On::Shared);
            let bytes = |c: &Contender| format!("{:?}", c.variant.bytes(8));
            assert_eq!(shared.clone().map(bytes).collect::<BTreeSet<_>>().len(), shared.count());
            let rings = heat.contenders.iter().filter(|contender| contender.on == On::Ring);
            let ring = |c: &Contender| format!("{:?}", c.variant.ring::<hornpipe::Mpsc>(8));
            assert_eq!(rings.clone().map(ring).collect::<BTreeSet<_>>().len(), rings.count());
        }
    }
}
