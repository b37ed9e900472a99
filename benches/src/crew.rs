//! A measurement's threads: each in its seat, all from one start on, until a count or a time is reached.

use std::{
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, Scope, ScopedJoinHandle},
    time::{Duration, Instant},
};

use crossbeam_utils::CachePadded;

use crate::{
    placement::{Cpus, Placement, Side},
    usage::{Meter, Usage},
};

/// When those who are counted stop.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// After so many operations each.
    Items(u64),
    /// After that time, so that a thread's count shows what share it got.
    Time(Duration),
}

/// One thread's part in a measurement.
pub(crate) struct Shift {
    /// Its operations.
    pub count: u64,
    pub begin: Instant,
    pub end: Instant,
    pub usage: Usage,
}

/// The slowest thread's count over the mean; of a side without threads: all of it.
pub(crate) fn slowest_share(side: &[Shift]) -> f64 {
    if side.is_empty() {
        return 1.0;
    }
    let total: u64 = side.iter().map(|shift| shift.count).sum();
    let slowest = side.iter().map(|shift| shift.count).min().unwrap_or(0);
    slowest as f64 * side.len() as f64 / total as f64
}

/// What a measurement's threads share.
pub(crate) struct Crew<'a> {
    placement: Placement,
    cpus: &'a Cpus,
    limit: Limit,
    start: Gate,
    /// Read before each item, written once: on a line of its own.
    stop: CachePadded<AtomicBool>,
}

impl<'a> Crew<'a> {
    pub fn new(placement: Placement, cpus: &'a Cpus, limit: Limit, threads: usize) -> Self {
        let stop = CachePadded::new(AtomicBool::new(false));
        Self { placement, cpus, limit, start: Gate::new(threads + 1), stop }
    }

    pub fn quota(&self) -> u64 {
        match self.limit {
            Limit::Items(items) => items,
            Limit::Time(_) => u64::MAX,
        }
    }

    /// Set when the time is over.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// One of its threads; where the system has no more of them, nobody starts.
    pub fn spawn<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        work: impl FnOnce() -> Result<T, String> + Send + 'scope,
    ) -> Spawned<'scope, T> {
        let refused = |error| format!("cannot start so many threads: {error}");
        let thread = thread::Builder::new().spawn_scoped(scope, work).map_err(refused);
        if let Err(why) = &thread {
            self.start.call_off(why);
        }
        thread
    }

    /// Starts all threads and, where time is the limit, stops them.
    pub fn conduct(&self) {
        // Why it was called off its threads tell.
        let started = self.start.pass(Ok(()));
        if let (Ok(()), Limit::Time(slice)) = (started, self.limit) {
            thread::sleep(slice);
            self.stop.store(true, Relaxed);
        }
    }

    /// Does `work` (which counts operations) in its seat, from the common start on.
    pub fn shift(
        &self,
        side: Side,
        id: usize,
        work: impl FnOnce() -> Result<u64, String>,
    ) -> Result<Shift, String> {
        let settled = self.placement.settle(self.cpus, side, id);
        let mut meter = Meter::new();
        // Even a thread without a seat has to show up, or the others would wait for it.
        self.start.pass(settled)?;
        let begin = Instant::now();
        meter.start();
        let count = work()?;
        let end = Instant::now();
        Ok(Shift { count, begin, end, usage: meter.stop() })
    }
}

/// A thread, or why there is none.
pub(crate) type Spawned<'scope, T> = Result<ScopedJoinHandle<'scope, Result<T, String>>, String>;

/// What all of them found, or the first failure.
pub(crate) fn gather<'s, T>(threads: impl IntoIterator<Item = Spawned<'s, T>>) -> Result<Vec<T>, String> {
    threads
        .into_iter()
        .map(|thread| thread?.join().unwrap_or_else(|_| Err("a thread panicked".into())))
        .collect()
}

/// A barrier that can be called off: opens when all have come, or turns all away with the reason why one cannot.
struct Gate {
    /// How many are still to come.
    due: Mutex<Result<usize, String>>,
    moved: Condvar,
}

impl Gate {
    fn new(due: usize) -> Self {
        Self { due: Mutex::new(Ok(due)), moved: Condvar::new() }
    }

    /// Comes, or calls it off.
    fn pass(&self, ready: Result<(), String>) -> Result<(), String> {
        if let Err(why) = &ready {
            self.call_off(why);
        }
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(due) = &mut *due {
            *due -= 1;
        }
        if *due == Ok(0) {
            self.moved.notify_all();
        }
        let due = self.moved.wait_while(due, |due| matches!(due, Ok(1..)));
        due.unwrap_or_else(PoisonError::into_inner).clone().map(drop)
    }

    /// The first reason stays.
    fn call_off(&self, why: &str) {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if due.is_ok() {
            *due = Err(why.to_owned());
        }
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads of three: what they and the conductor wait for never comes.
    #[test]
    fn who_cannot_come_turns_all_away() {
        let (cpus, worked) = (&Cpus::usable(), &AtomicBool::new(false));
        let crew = &Crew::new(Placement::Free, cpus, Limit::Time(Duration::from_secs(3600)), 3);
        let found = thread::scope(|scope| {
            let work = move |id| {
                crew.shift(Side::Sender, id, || {
                    worked.store(true, Relaxed);
                    Ok(1)
                })
            };
            let threads = [0, 1].map(|id| crew.spawn(scope, move || work(id)));
            crew.start.call_off("no third");
            crew.start.call_off("no fourth");
            crew.conduct();
            gather(threads)
        });
        assert_eq!(found.err().as_deref(), Some("no third"));
        assert!(!worked.load(Relaxed));
        // One without a seat, which comes first or last, does the same.
        for ready in [[Err("no seat".to_owned()), Ok(())], [Ok(()), Err("no seat".into())]] {
            let gate = &Gate::new(2);
            thread::scope(|scope| {
                let passed = ready.map(|ready| scope.spawn(move || gate.pass(ready)));
                for thread in passed {
                    assert_eq!(thread.join().expect("no panic"), Err("no seat".into()));
                }
            });
        }
    }

    #[test]
    fn nobody_starts_before_all_have_come() {
        let (gate, last) = (&Gate::new(3), &AtomicBool::new(false));
        thread::scope(|scope| {
            let early = [0, 1].map(|_| scope.spawn(|| gate.pass(Ok(())).map(|()| last.load(Relaxed))));
            thread::sleep(Duration::from_millis(20));
            last.store(true, Relaxed);
            assert_eq!(gate.pass(Ok(())), Ok(()));
            for thread in early {
                assert_eq!(thread.join().expect("no panic"), Ok(true));
            }
        });
    }
}
