//! The order of a run: every round measures every row, rows shuffled, and a row's contenders shuffled but back to back,
//! so that what is compared saw the same state of the machine.

use std::{fmt::Display, time::Instant};

use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use regex_lite::Regex;

use crate::{
    contender::Contender,
    measure::Cell,
    placement::Cpus,
    plan::{Effort, Row},
};

/// A row with those who run it.
#[derive(Clone, Debug)]
pub struct Heat<R = Row, C = Contender> {
    /// The row.
    pub row: R,
    /// Its contenders.
    pub contenders: Vec<C>,
}

impl<R: Copy, C: Copy> Heat<R, C> {
    /// Its cells, in the table's order.
    pub fn cells(&self) -> impl Iterator<Item = Cell<R, C>> {
        self.contenders.iter().map(|&contender| Cell { row: self.row, contender })
    }
}

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which rows, how long.
    pub effort: Effort,
    /// How often.
    pub rounds: usize,
    /// For shuffling and resampling.
    pub seed: u64,
    /// Keeps the rows whose label matches.
    pub only: Option<Regex>,
    /// Where.
    pub cpus: Cpus,
    /// No round starts that would probably end after it.
    pub deadline: Option<Instant>,
    /// The terminal's columns, if there is one to read the report.
    pub width: Option<u16>,
}

impl Settings {
    /// All rows of `effort` on `cpus`, with its rounds.
    pub fn new(effort: Effort, cpus: Cpus) -> Self {
        Self { effort, rounds: effort.rounds(), seed: 0, only: None, cpus, deadline: None, width: None }
    }

    /// Whether to run what has this label.
    pub fn wants(&self, label: &dyn Display) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(&label.to_string()))
    }

    /// The rows to run.
    pub fn select(&self, rows: Vec<Row>) -> Vec<Row> {
        rows.into_iter().filter(|row| self.wants(row)).collect()
    }

    /// The run's source of randomness.
    pub fn rng(&self) -> Rng {
        Rng::with_seed(self.seed)
    }
}

/// By heat, contender and round.
pub type Results<T> = Vec<Vec<Vec<T>>>;

/// Measures every cell once a round; the first error ends the run.
pub fn play<R: Copy + Display, C: Copy, T, E>(
    heats: &[Heat<R, C>],
    settings: &Settings,
    rng: &mut Rng,
    mut measure: impl FnMut(Cell<R, C>) -> Result<T, E>,
) -> Result<Results<T>, E> {
    let cells: usize = heats.iter().map(|heat| heat.contenders.len()).sum();
    let bar = progress(cells * settings.rounds);
    let empty = |heat: &Heat<R, C>| heat.contenders.iter().map(|_| Vec::new()).collect();
    let mut results: Results<T> = heats.iter().map(empty).collect();
    for _ in 0..settings.rounds {
        let begun = Instant::now();
        for heat in shuffled(heats.len(), rng) {
            let cells: Vec<Cell<R, C>> = heats[heat].cells().collect();
            bar.set_message(cells[0].row.to_string());
            for contender in shuffled(cells.len(), rng) {
                results[heat][contender].push(measure(cells[contender])?);
                bar.inc(1);
            }
        }
        if settings.deadline.is_some_and(|deadline| Instant::now() + begun.elapsed() > deadline) {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(results)
}

fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut order);
    order
}

/// On stderr, and only if that is a terminal. It draws between measurements, never during one.
pub fn progress(cells: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:32} {pos}/{len} {elapsed}<{eta} {msg}").expect("a valid template");
    ProgressBar::new(cells as u64).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        placement::Placement,
        plan::{self, Effort},
    };
    use std::{collections::BTreeMap, convert::Infallible};

    fn settings(seed: u64) -> Settings {
        Settings { rounds: 3, seed, ..Settings::new(Effort::Quick, Cpus::first(2)) }
    }

    fn order(settings: &Settings) -> Vec<String> {
        let rows = settings.select(plan::rows(settings.effort, &Placement::ALL, &settings.cpus));
        let contenders = vec![Contender::Mutex, Contender::Std];
        let heats: Vec<Heat> =
            rows.into_iter().map(|row| Heat { row, contenders: contenders.clone() }).collect();
        let mut order = Vec::new();
        let results = play(&heats, settings, &mut settings.rng(), |cell| {
            order.push(cell.to_string());
            Ok::<_, Infallible>(())
        });
        let Ok(results) = results;
        assert!(results.iter().flatten().all(|rounds| rounds.len() == settings.rounds));
        order
    }

    #[test]
    fn every_cell_once_a_round_in_an_order_that_the_seed_fixes() {
        let orders = [order(&settings(1)), order(&settings(1)), order(&settings(2))];
        assert_eq!(orders[0], orders[1]);
        assert_ne!(orders[0], orders[2]);
        for round in orders[0].chunks(orders[0].len() / 3) {
            let mut times = BTreeMap::new();
            round.iter().for_each(|cell| *times.entry(cell).or_insert(0) += 1);
            assert!(times.values().all(|&times| times == 1));
        }
    }

    #[test]
    fn rows_are_chosen_by_pattern() {
        let only = |pattern| Settings { only: Regex::new(pattern).ok(), ..settings(1) };
        let labels = |pattern| {
            let settings = only(pattern);
            let rows = settings.select(plan::rows(Effort::Quick, &Placement::ALL, &settings.cpus));
            rows.iter().map(Row::to_string).collect::<Vec<_>>()
        };
        assert_eq!(labels("apart 1:1 cap 1$"), ["apart 1:1 cap 1"]);
        assert_eq!(labels("ping"), ["one-cpu ping-pong", "apart ping-pong", "free ping-pong"]);
        assert!(labels("no such row").is_empty());
    }
}
