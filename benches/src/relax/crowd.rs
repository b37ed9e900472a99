//! Threads that get and put one word, pinned round-robin: the shape of will-it-scale's open3 and fstat2.

use std::{
    sync::{Barrier, atomic::Ordering::Relaxed},
    thread,
    time::Duration,
};

use crossbeam_utils::CachePadded;

use super::word::{Kind, START, Task, Word};
use crate::{
    crew::{Crew, Limit, gather},
    measure::{self, Reason, Sample, WATCHDOG},
    placement::{Cpus, Placement, Side},
};

/// Turns between two looks whether the time is over.
pub(crate) const BATCH: u64 = 32;
/// What each thread gets, and then puts, in a check.
pub(crate) const CHECKED: u64 = 1000;

/// So many threads get and put for `slice`; the count must come back.
pub fn timed(kind: Kind, threads: usize, cpus: &Cpus, slice: Duration) -> Result<Sample, Reason> {
    run(kind, threads, cpus, Limit::Time(slice))
}

/// So many threads get, and when all have, put, and then in turns: the counts in between must be exact.
pub fn check(kind: Kind, threads: usize, cpus: &Cpus) -> Result<(), Reason> {
    run(kind, threads, cpus, Limit::Items(CHECKED)).map(drop)
}

fn run(kind: Kind, threads: usize, cpus: &Cpus, limit: Limit) -> Result<Sample, Reason> {
    let crowd = Crowd { threads, cpus: cpus.clone(), limit };
    measure::watched(WATCHDOG, move || kind.run(crowd))
}

/// A thread's hold on what its crowd contends for.
pub(crate) trait Member: Send {
    /// Has one more; false: refused, which nobody here may be.
    fn take(&mut self) -> bool;

    /// Has one less; false: refused, likewise.
    fn give(&mut self) -> bool;
}

impl<W: Word> Member for &W {
    #[inline]
    fn take(&mut self) -> bool {
        self.get()
    }

    #[inline]
    fn give(&mut self) -> bool {
        self.put()
    }
}

/// So many threads, where, and for how long.
pub(crate) struct Crowd {
    pub threads: usize,
    pub cpus: Cpus,
    pub limit: Limit,
}

impl Crowd {
    /// The members take and give, from a common start on: in turns for a time; or each so many times, giving when all
    /// have taken, and then about as often in turns. `exact` tells whether so many are taken, as far as that shows; it
    /// is asked when all have, and at the end. Its own thread makes each member, so that no line of it is another's.
    pub fn play<M: Member>(
        &self,
        members: impl Iterator<Item = impl FnOnce() -> M + Send>,
        exact: impl Fn(u64) -> Result<(), String> + Sync,
    ) -> Result<(Sample, Vec<M>), String> {
        let met = &Barrier::new(self.threads);
        let played = self.shifts(members, |member, crew| {
            if let Limit::Items(quota) = self.limit {
                let took = (0..quota).filter(|_| member.take()).count() as u64;
                met.wait();
                let seen = exact(self.threads as u64 * quota);
                met.wait();
                let gave = (0..quota).filter(|_| member.give()).count() as u64;
                match seen.map(|()| took.min(gave))? {
                    pairs if pairs == quota => (),
                    pairs => return Err(format!("only {pairs} pairs of {quota}")),
                }
            }
            turns(member, crew)
        });
        match (played, exact(0)) {
            (Ok(played), Ok(())) => Ok(played),
            (Err(why), Err(end)) => Err(format!("{why}; at the end {end}")),
            (Err(why), _) | (_, Err(why)) => Err(why),
        }
    }

    /// The operations that `work` counts become a sample.
    fn shifts<M: Member>(
        &self,
        members: impl Iterator<Item = impl FnOnce() -> M + Send>,
        work: impl Fn(&mut M, &Crew) -> Result<u64, String> + Sync,
    ) -> Result<(Sample, Vec<M>), String> {
        let (crew, work) = (&Crew::new(Placement::Apart, &self.cpus, self.limit, self.threads), &work);
        let members = thread::scope(|scope| {
            let threads = members.enumerate().map(|(id, member)| {
                crew.spawn(scope, move || {
                    let mut member = member();
                    let shift = crew.shift(Side::Sender, id, || work(&mut member, crew))?;
                    Ok((shift, member))
                })
            });
            let threads: Vec<_> = threads.collect();
            crew.conduct();
            gather(threads)
        })?;
        let (shifts, members): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        Ok((Sample::of(&[], &shifts, Vec::new()), members))
    }
}

/// In batches, until the time is over or the quota reached.
fn turns(member: &mut impl Member, crew: &Crew) -> Result<u64, String> {
    let mut done = 0;
    loop {
        for _ in 0..BATCH {
            if !(member.take() && member.give()) {
                return Err(refused(done));
            }
            done += 1;
        }
        if done >= crew.quota() || crew.stop().load(Relaxed) {
            return Ok(done);
        }
    }
}

/// Aside: to be shown the number would have to lie in memory, in each turn.
#[cold]
#[inline(never)]
fn refused(turn: u64) -> String {
    format!("turn {turn} of a thread was refused")
}

impl Task for Crowd {
    type Output = Result<Sample, String>;

    fn run<W: Word>(self, word: W) -> Self::Output {
        let word = &*CachePadded::new(word);
        let (sample, _) = self.play((0..self.threads).map(|_| move || word), |taken| count(word, taken))?;
        Ok(sample)
    }
}

/// Whether so many are got and not put.
pub(crate) fn count(word: &impl Word, taken: u64) -> Result<(), String> {
    match (word.count(), START + taken) {
        (count, expected) if count == expected => Ok(()),
        (count, expected) => Err(format!("the count is {count}, not {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relax::standin::Forgetful;

    #[test]
    fn every_kind_gives_right_answers_in_a_crowd() {
        let cpus = Cpus::usable();
        for kind in Kind::ALL {
            for threads in [1, 2, 5].into_iter().filter(|&threads| kind.serves(threads)) {
                check(kind, threads, &cpus).unwrap_or_else(|why| panic!("{kind}, {threads}: {why:?}"));
                let sample = timed(kind, threads, &cpus, Duration::from_millis(5));
                let sample = sample.unwrap_or_else(|why| panic!("{kind}, {threads}: {why:?}"));
                assert!(sample.items >= threads as u64 * BATCH, "{sample:?}");
            }
        }
    }

    fn crowd(limit: Limit) -> Crowd {
        Crowd { threads: 2, cpus: Cpus::usable(), limit }
    }

    const SLICE: Limit = Limit::Time(Duration::from_millis(1));

    #[test]
    fn a_wrong_count_is_no_figure() {
        for (what, count) in
            [("get", "the count is 1, not 2001; at the end "), ("put", "the count is 4049, not 1")]
        {
            let checked = Task::run(crowd(Limit::Items(CHECKED)), Forgetful::new(what));
            assert!(checked.as_ref().is_err_and(|why| why.starts_with(count)), "{what}: {checked:?}");
            let timed = Task::run(crowd(SLICE), Forgetful::new(what));
            assert!(timed.is_err_and(|why| why.ends_with(", not 1")), "{what}");
        }
    }

    /// Refuses every put.
    struct Stuck;

    impl Word for Stuck {
        fn get(&self) -> bool {
            true
        }

        fn put(&self) -> bool {
            false
        }

        fn count(&self) -> u64 {
            7
        }
    }

    #[test]
    fn a_refusal_is_no_figure() {
        let why = |limit| Task::run(crowd(limit), Stuck).expect_err("a put is refused");
        assert_eq!(why(SLICE), "turn 0 of a thread was refused; at the end the count is 7, not 1");
        assert!(why(Limit::Items(1)).starts_with("the count is 7, not 3"));
    }
}
