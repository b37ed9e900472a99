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

/// Pairs between two looks whether the time is over.
const BATCH: u64 = 32;
/// What each thread gets, and then puts, in a check.
const CHECKED: u64 = 1000;

/// So many threads get and put for `slice`; the count must come back.
pub fn timed(kind: Kind, threads: usize, cpus: &Cpus, slice: Duration) -> Result<Sample, Reason> {
    let crowd = Crowd { threads, cpus: cpus.clone() };
    measure::watched(WATCHDOG, move || kind.run(Timed(crowd, slice)))
}

/// So many threads get, and when all have, put: the counts in between must be exact.
pub fn check(kind: Kind, threads: usize, cpus: &Cpus) -> Result<(), Reason> {
    let crowd = Crowd { threads, cpus: cpus.clone() };
    measure::watched(WATCHDOG, move || kind.run(Checked(crowd)))
}

struct Crowd {
    threads: usize,
    cpus: Cpus,
}

impl Crowd {
    /// Each thread does `work` from a common start on; the operations it counts become a sample.
    fn run(
        &self,
        limit: Limit,
        work: impl Fn(&Crew) -> Result<u64, String> + Sync,
    ) -> Result<Sample, String> {
        let (crew, work) = (&Crew::new(Placement::Apart, &self.cpus, limit, self.threads), &work);
        let shifts = thread::scope(|scope| {
            let threads =
                (0..self.threads).map(|id| scope.spawn(move || crew.shift(Side::Sender, id, || work(crew))));
            let threads: Vec<_> = threads.collect();
            crew.conduct();
            gather(threads)
        })?;
        Ok(Sample::of(&[], &shifts, Vec::new()))
    }
}

struct Timed(Crowd, Duration);

impl Task for Timed {
    type Output = Result<Sample, String>;

    fn run<W: Word>(self, word: W) -> Self::Output {
        let Self(crowd, slice) = self;
        let word = CachePadded::new(word);
        let sample = crowd.run(Limit::Time(slice), |crew| pairs(&*word, crew))?;
        count(&*word, START)?;
        Ok(sample)
    }
}

fn pairs(word: &impl Word, crew: &Crew) -> Result<u64, String> {
    let mut done = 0;
    loop {
        for _ in 0..BATCH {
            if !(word.get() && word.put()) {
                return Err(format!("pair {done} of a thread was refused, the count is {}", word.count()));
            }
            done += 1;
        }
        if crew.stop().load(Relaxed) {
            return Ok(done);
        }
    }
}

struct Checked(Crowd);

impl Task for Checked {
    type Output = Result<(), String>;

    fn run<W: Word>(self, word: W) -> Self::Output {
        let Self(crowd) = self;
        let (word, met) = (CachePadded::new(word), Barrier::new(crowd.threads));
        let full = START + crowd.threads as u64 * CHECKED;
        let sample = crowd.run(Limit::Items(CHECKED), |crew| {
            let got = (0..crew.quota()).filter(|_| word.get()).count() as u64;
            met.wait();
            let seen = count(&*word, full);
            met.wait();
            let put = (0..crew.quota()).filter(|_| word.put()).count() as u64;
            seen.map(|()| got.min(put))
        })?;
        count(&*word, START)?;
        match sample.items {
            pairs if pairs == crowd.threads as u64 * CHECKED => Ok(()),
            pairs => Err(format!("only {pairs} pairs of {}", crowd.threads as u64 * CHECKED)),
        }
    }
}

fn count(word: &impl Word, expected: u64) -> Result<(), String> {
    match word.count() {
        count if count == expected => Ok(()),
        count => Err(format!("the count is {count}, not {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

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

    /// Forgets its gets or its puts.
    struct Forgetful(AtomicU64, &'static str);

    impl Forgetful {
        fn add(&self, call: &str, what: u64) -> bool {
            if call != self.1 {
                self.0.fetch_add(what, Relaxed);
            }
            true
        }
    }

    impl Word for Forgetful {
        fn get(&self) -> bool {
            self.add("get", 1)
        }

        fn put(&self) -> bool {
            self.add("put", u64::MAX)
        }

        fn count(&self) -> u64 {
            self.0.load(Relaxed)
        }
    }

    #[test]
    fn a_wrong_count_is_no_figure() {
        let crowd = || Crowd { threads: 2, cpus: Cpus::usable() };
        let forgets = |what| Forgetful(AtomicU64::new(START), what);
        for (what, count) in [("get", "the count is 1, not 2001"), ("put", "the count is 2001, not 1")] {
            assert_eq!(Checked(crowd()).run(forgets(what)), Err(count.to_owned()));
            let timed = Timed(crowd(), Duration::from_millis(1)).run(forgets(what));
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
        let crowd = Crowd { threads: 2, cpus: Cpus::usable() };
        let why = Timed(crowd, Duration::from_millis(1)).run(Stuck).expect_err("a put is refused");
        assert_eq!(why, "pair 0 of a thread was refused, the count is 7");
    }
}
