//! One measurement: threads take tokens of one pool, work, and give them back.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::pool::{Kind, Pool, TOKENS, Task};
use crate::{
    crew::{Crew, Limit, gather},
    kernel::crowd::work::Work,
    measure::{Cell, Failure, Sample, WATCHDOG, watched},
    placement::{Cpus, Placement, Side},
    plan::Effort,
};

/// The threads of a crowd, most of whom wait.
pub(super) const CROWD: usize = 32;
/// Nobody in a crowd waits so long.
pub(super) const WAIT: Duration = Duration::from_secs(1);

/// Tokens a thread takes in a check.
const CHECKED: u64 = 200;

/// One row; where its threads run is the system's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub threads: usize,
    /// How long a thread works with a token, about.
    pub micros: u64,
}

impl Row {
    pub const ALL: [Self; 6] = [
        Self { threads: 2, micros: 0 },
        Self { threads: 8, micros: 0 },
        Self { threads: CROWD, micros: 0 },
        Self { threads: 2, micros: 1 },
        Self { threads: 8, micros: 1 },
        Self { threads: CROWD, micros: 1 },
    ];

    /// How long each contender is measured in a round: long enough that each thread had several turns, and in a crowd
    /// that a wait could be too long.
    pub fn slice(self, effort: Effort, cpus: &Cpus) -> Duration {
        let base = Duration::from_millis(if effort == Effort::Full { 50 } else { 20 });
        let slice = base.mul_f64((self.threads as f64 / cpus.count() as f64).max(1.0));
        if self.threads == CROWD { slice.max(WAIT.mul_f64(1.25)) } else { slice }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tokens {} threads", self.threads)?;
        if self.micros > 0 { write!(f, " {} us", self.micros) } else { Ok(()) }
    }
}

/// What one measurement found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// An operation is a token taken and given back.
    pub sample: Sample,
    /// The longest that a thread waited for a token.
    pub longest_ns: u64,
}

/// Runs `cell` for `slice`; some tokens are looked at, and all must be there at the end.
pub(crate) fn timed(
    cell: Cell<Row, Kind>,
    cpus: &Cpus,
    slice: Duration,
) -> Result<Found, Failure<Row, Kind>> {
    // A look at each would be a good part of the time.
    run(cell, cpus, Limit::Time(slice), 64)
}

/// Runs `cell` with some tokens a thread and looks at each.
pub(crate) fn checked(cell: Cell<Row, Kind>, cpus: &Cpus) -> Result<Found, Failure<Row, Kind>> {
    run(cell, cpus, Limit::Items(CHECKED), 1)
}

fn run(cell: Cell<Row, Kind>, cpus: &Cpus, limit: Limit, every: u64) -> Result<Found, Failure<Row, Kind>> {
    let trial = Trial { row: cell.row, cpus: cpus.clone(), limit, every };
    let work = move || cell.contender.run(trial)?;
    watched(WATCHDOG, work).map_err(|reason| Failure { cell, reason })
}

/// A row to be run with whatever pool it gets.
struct Trial {
    row: Row,
    cpus: Cpus,
    limit: Limit,
    /// One token in so many is looked at.
    every: u64,
}

impl Task for Trial {
    type Output = Result<Found, String>;

    fn run<P: Pool>(self, pool: P) -> Self::Output {
        let crew = &Crew::new(Placement::Free, &self.cpus, self.limit, self.row.threads);
        let work = Work::lasting(Duration::from_micros(self.row.micros));
        let (tokens, out) = (&pool, &Out::default());
        let found = thread::scope(|scope| {
            let threads = (0..self.row.threads).map(|id| {
                let mut work = work.clone();
                crew.spawn(scope, move || {
                    let mut longest = Duration::ZERO;
                    let turns = || turns(tokens, crew, out, self.every, &mut work, &mut longest);
                    crew.shift(Side::Receiver, id, turns).map(|shift| (shift, longest))
                })
            });
            let threads: Vec<_> = threads.collect();
            crew.conduct();
            gather(threads)
        })?;
        settle(pool.bytes()?)?;
        let (shifts, waits): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let longest = waits.into_iter().max().expect("a row has threads");
        Ok(Found { sample: Sample::of(&[], &shifts, Vec::new()), longest_ns: longest.as_nanos() as u64 })
    }
}

/// Until the time is over or the quota reached. The clock is read twice a turn.
fn turns(
    pool: &impl Pool,
    crew: &Crew,
    out: &Out,
    every: u64,
    work: &mut Work,
    longest: &mut Duration,
) -> Result<u64, String> {
    let mut count = 0;
    while count < crew.quota() && !crew.stop().load(Relaxed) {
        let asked = Instant::now();
        pool.with(|token| {
            *longest = asked.elapsed().max(*longest);
            if count % every == 0 {
                return out.with(token, || work.run());
            }
            work.run();
            Ok(())
        })??;
        count += 1;
    }
    Ok(count)
}

/// Which tokens are out, of those that are looked at.
#[derive(Default)]
struct Out([AtomicBool; TOKENS as usize]);

impl Out {
    /// Does `work` with a token that nobody else may have: so there are never more out than there are tokens.
    fn with(&self, token: u8, work: impl FnOnce()) -> Result<(), String> {
        let out = self.0.get(usize::from(token)).ok_or_else(|| format!("there is no token {token}"))?;
        // Relaxed: who takes a token sees what its last holder did, if the pool is right.
        if out.swap(true, Relaxed) {
            return Err(format!("token {token} was given to two threads"));
        }
        work();
        out.store(false, Relaxed);
        Ok(())
    }
}

/// Whether each token is there once.
fn settle(mut bytes: Vec<u8>) -> Result<(), String> {
    bytes.sort();
    match bytes.iter().copied().eq(0..TOKENS) {
        true => Ok(()),
        false => Err(format!("at the end the pool has the tokens {bytes:?}, not 0 to {}", TOKENS - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_gives_right_answers() {
        let cpus = Cpus::usable();
        for row in Row::ALL {
            for contender in Kind::ALL {
                let cell = Cell { row, contender };
                let found = checked(cell, &cpus).unwrap_or_else(|failure| panic!("{failure}"));
                assert_eq!(found.sample.items, CHECKED * row.threads as u64, "{cell}");
                let found = timed(cell, &cpus, Duration::from_millis(5));
                let Found { sample, longest_ns } = found.unwrap_or_else(|failure| panic!("{failure}"));
                assert!(sample.items > 0 && longest_ns > 0 && longest_ns <= sample.span_ns, "{cell}");
            }
        }
    }

    /// Gives everybody the same token; at the end it has these.
    struct Wrong(u8, Vec<u8>);

    impl Pool for Wrong {
        fn with<T>(&self, job: impl FnOnce(u8) -> T) -> Result<T, String> {
            Ok(job(self.0))
        }

        fn bytes(self) -> Result<Vec<u8>, String> {
            Ok(self.1)
        }
    }

    fn wrong(threads: usize, token: u8, end: &[u8]) -> String {
        let row = Row { threads, micros: 0 };
        let trial = Trial { row, cpus: Cpus::usable(), limit: Limit::Items(1), every: 1 };
        trial.run(Wrong(token, end.into())).expect_err("the pool is wrong")
    }

    #[test]
    fn a_pool_that_loses_or_makes_tokens_has_no_figure() {
        assert_eq!(wrong(1, 8, &[]), "there is no token 8");
        let lost = "at the end the pool has the tokens [0, 1, 2, 3, 4, 5, 6], not 0 to 7";
        assert_eq!(wrong(1, 0, &[6, 5, 4, 3, 2, 1, 0]), lost);
        assert!(wrong(1, 0, &[0, 1, 2, 3, 4, 5, 6, 7, 7]).contains("7, 7], not"));
        let (out, twice) = (Out::default(), |out: &Out| out.with(3, || ()));
        let mut within = Ok(());
        assert_eq!(out.with(3, || within = twice(&out)), Ok(()));
        assert_eq!(within, Err("token 3 was given to two threads".into()));
        assert_eq!(twice(&out), Ok(()), "it was given back");
    }

    #[test]
    fn a_crowd_has_the_time_to_wait_too_long() {
        for effort in [Effort::Quick, Effort::Full] {
            let slice = |row: Row| row.slice(effort, &Cpus::first(2));
            assert!(Row::ALL.iter().all(|row| (slice(*row) > WAIT) == (row.threads == CROWD)));
        }
    }
}
