//! The rows, and what is measured in them.

use std::{fmt, time::Duration};

use super::{cost::Cost, kernel, word::Kind};
use crate::{
    placement::Cpus,
    plan::Effort,
    rounds::{Heat, Settings},
};

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// What single operations cost.
    Costs,
    /// A line to and fro between these CPUs.
    Transfer(usize, usize),
    /// The same between the first and the last CPU, with hints between two looks.
    Wait(usize, usize),
    /// So many threads get and put one word, as fast as it goes.
    Crowd(usize),
}

/// What runs in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An operation.
    Cost(Cost),
    /// A reader with so many hints between two looks.
    Looks(u8),
    /// A word that can be got and put.
    Word(Kind),
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Costs => f.pad("costs"),
            Self::Transfer(a, b) => write!(f, "transfer {a} {b}"),
            Self::Wait(..) => f.pad("wait"),
            Self::Crowd(threads) => write!(f, "crowd {threads}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost(cost) => cost.fmt(f),
            Self::Looks(0) => f.pad("none"),
            Self::Looks(1) => f.pad("1 hint"),
            Self::Looks(hints) => write!(f, "{hints} hints"),
            Self::Word(kind) => kind.fmt(f),
        }
    }
}

/// Hints between two looks of a waiting reader.
const LOOKS: [u8; 5] = [0, 1, 2, 4, 8];

impl Row {
    /// How long each of its subjects is measured in a round: in a crowd long enough that each thread had several turns.
    pub fn slice(self, settings: &Settings) -> Duration {
        let full = settings.effort == Effort::Full;
        match self {
            Self::Costs => Duration::from_millis(if full { 4 } else { 2 }),
            Self::Transfer(..) => Duration::from_millis(2),
            Self::Wait(..) => Duration::from_millis(if full { 20 } else { 10 }),
            Self::Crowd(threads) => {
                let base = Duration::from_millis(if full { 50 } else { 20 });
                base.mul_f64((threads as f64 / settings.cpus.count() as f64).max(1.0))
            }
        }
    }
}

/// All rows that `settings` want, with their subjects.
pub fn heats(settings: &Settings) -> Vec<Heat<Row, Subject>> {
    let cpus = &settings.cpus;
    let costs = Cost::all(cpus).into_iter().map(Subject::Cost).collect();
    let mut heats = vec![Heat { row: Row::Costs, contenders: costs }];
    let pair = |row| Heat { row, contenders: vec![Subject::Looks(0)] };
    heats.extend(pairs(&sample(settings.effort, cpus)).map(|(a, b)| pair(Row::Transfer(a, b))));
    if let [first, .., last] = cpus.ids() {
        heats.push(Heat { row: Row::Wait(*first, *last), contenders: LOOKS.map(Subject::Looks).into() });
    }
    heats.extend(crowds(settings.effort, cpus.count()).into_iter().map(|threads| {
        let kinds = Kind::ALL.iter().filter(|kind| kind.serves(threads));
        Heat { row: Row::Crowd(threads), contenders: kinds.map(|&kind| Subject::Word(kind)).collect() }
    }));
    heats.into_iter().filter(|heat| settings.wants(&heat.row)).collect()
}

/// Every CPU, or as many of them, evenly spaced, as there is time for.
pub fn sample(effort: Effort, cpus: &Cpus) -> Vec<usize> {
    let most = if effort == Effort::Full { 64 } else { 16 };
    let (ids, count) = (cpus.ids(), cpus.count().min(most));
    (0..count).map(|index| ids[index * ids.len() / count]).collect()
}

fn pairs(ids: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    ids.iter().enumerate().flat_map(|(index, &a)| ids[index + 1..].iter().map(move |&b| (a, b)))
}

/// Up to two threads a CPU: each number where they are few, else the powers of two, half, all and twice the CPUs, and
/// where Linux's table has a row.
pub fn crowds(effort: Effort, cpus: usize) -> Vec<usize> {
    let (all, few) = (2 * cpus, if effort == Effort::Full { 32 } else { 8 });
    if all <= few {
        return (1..=all).collect();
    }
    let powers = (0..).map(|power| 1 << power).take_while(|&threads| threads < all);
    let beside = kernel::ROWS.iter().filter_map(|row| row.threads_on(cpus));
    let mut crowds: Vec<usize> = powers.chain(beside).chain([cpus.div_ceil(2), cpus, all]).collect();
    crowds.sort();
    crowds.dedup();
    crowds
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_lite::Regex;
    use std::collections::BTreeSet;

    fn settings(effort: Effort, cpus: usize) -> Settings {
        Settings::new(effort, Cpus::first(cpus))
    }

    fn labels(settings: &Settings) -> Vec<String> {
        heats(settings).iter().map(|heat| heat.row.to_string()).collect()
    }

    #[test]
    fn few_cpus_have_every_crowd_and_many_those_of_linux() {
        assert_eq!(
            labels(&settings(Effort::Quick, 2)),
            ["costs", "transfer 0 1", "wait", "crowd 1", "crowd 2", "crowd 3", "crowd 4"]
        );
        assert_eq!(crowds(Effort::Quick, 96), [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192]);
        assert_eq!(crowds(Effort::Full, 16).len(), 32);
    }

    #[test]
    fn one_cpu_has_no_row_that_takes_two() {
        let settings = settings(Effort::Full, 1);
        assert_eq!(labels(&settings), ["costs", "crowd 1", "crowd 2"]);
        let Subject::Cost(last) = heats(&settings)[0].contenders[0] else { panic!("costs") };
        assert!(!last.takes_two());
    }

    #[test]
    fn many_cpus_are_sampled_evenly() {
        assert_eq!(sample(Effort::Quick, &Cpus::first(2)), [0, 1]);
        let some = sample(Effort::Full, &Cpus::first(256));
        assert_eq!((some.len(), some[1], some[63]), (64, 4, 252));
        assert_eq!(pairs(&some).count(), 64 * 63 / 2);
    }

    #[test]
    fn each_label_stands_for_one_row_or_subject() {
        let settings = settings(Effort::Full, 8);
        let labels = labels(&settings);
        assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), labels.len());
        for heat in heats(&settings) {
            let names: BTreeSet<String> = heat.contenders.iter().map(Subject::to_string).collect();
            assert_eq!(names.len(), heat.contenders.len(), "{names:?}");
        }
    }

    #[test]
    fn rows_are_chosen_by_pattern() {
        let only = Regex::new("^crowd (1|2)$").ok();
        assert_eq!(labels(&Settings { only, ..settings(Effort::Quick, 2) }), ["crowd 1", "crowd 2"]);
    }
}
