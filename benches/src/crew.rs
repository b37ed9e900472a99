//! A measurement's threads: each in its seat, all from one start on, until a count or a time is reached.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, ScopedJoinHandle},
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
    start: Barrier,
    /// Read before each item, written once: on a line of its own.
    stop: CachePadded<AtomicBool>,
}

impl<'a> Crew<'a> {
    pub fn new(placement: Placement, cpus: &'a Cpus, limit: Limit, threads: usize) -> Self {
        let stop = CachePadded::new(AtomicBool::new(false));
        Self { placement, cpus, limit, start: Barrier::new(threads + 1), stop }
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

    /// Starts all threads and, where time is the limit, stops them.
    pub fn conduct(&self) {
        self.start.wait();
        if let Limit::Time(slice) = self.limit {
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
        self.start.wait();
        settled?;
        let begin = Instant::now();
        meter.start();
        let count = work()?;
        let end = Instant::now();
        Ok(Shift { count, begin, end, usage: meter.stop() })
    }
}

pub(crate) fn gather<'s, T>(
    threads: impl IntoIterator<Item = ScopedJoinHandle<'s, Result<T, String>>>,
) -> Result<Vec<T>, String> {
    threads
        .into_iter()
        .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())))
        .collect()
}
