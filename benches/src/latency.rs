//! How long single calls take, by timing one now and then.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

use fastrand::Rng;
use hdrhistogram::Histogram;

use crate::measure::WATCHDOG;

/// A thread times about one call in that time: two readings of the clock and the note are well under 1 % of it.
const EVERY: Duration = Duration::from_micros(20);

/// Times some of a thread's calls. Each stands for those since the last timed one, so that stretches in which calls are
/// slow, and therefore more of them timed, count no more than they should.
pub struct Stopwatch {
    calls: Histogram<u64>,
    rng: Rng,
    /// How many calls the next timed one will stand for.
    stride: u64,
    last: Instant,
}

impl Stopwatch {
    /// Takes some memory: made before the clock starts.
    pub fn new() -> Self {
        // Two digits: within 1 %. No call is longer than a measurement.
        let calls = Histogram::new_with_bounds(1, WATCHDOG.as_nanos() as u64, 2).expect("valid bounds");
        Self { calls, rng: Rng::new(), stride: 1, last: Instant::now() }
    }

    /// Makes calls until one fails, until `stop` or until `quota` (at least 1) have succeeded; returns how many have.
    #[inline]
    pub fn drive(&mut self, quota: u64, stop: &AtomicBool, mut call: impl FnMut(u64) -> bool) -> u64 {
        let mut done = 0;
        loop {
            let (first, timed) = (done, quota.min(done + self.stride) - 1);
            done = plain(first, timed, stop, &mut call);
            if done < timed {
                return done;
            }
            let begin = Instant::now();
            if !call(done) {
                return done;
            }
            done += 1;
            self.note(begin, Instant::now(), done - first);
            if done == quota || stop.load(Relaxed) {
                return done;
            }
        }
    }

    /// Notes a call that stands for `calls`, and sees to it that the next comes in time.
    #[cold]
    fn note(&mut self, begin: Instant, end: Instant, calls: u64) {
        self.calls.saturating_record_n((end - begin).as_nanos() as u64, calls);
        let each = (end - self.last).as_nanos() as u64 / calls;
        let mean = (EVERY.as_nanos() as u64 / each.max(1)).max(1);
        // At random: a fixed stride could fall into step with the pipe's capacity.
        (self.stride, self.last) = (self.rng.u64(1..2 * mean), end);
    }

    /// What 99 % of all calls took at most, in ns; `None` without a call.
    pub fn p99(watches: impl IntoIterator<Item = Self>) -> Option<u64> {
        let calls = watches.into_iter().map(|watch| watch.calls).reduce(|sum, calls| sum + &calls)?;
        (!calls.is_empty()).then(|| calls.value_at_quantile(0.99))
    }
}

/// The calls from `done` to `until`, or to the first that fails or sees `stop`. A function of its own, so that calls which
/// are not timed run as they would without a clock.
#[inline(never)]
fn plain(mut done: u64, until: u64, stop: &AtomicBool, call: &mut impl FnMut(u64) -> bool) -> u64 {
    while done < until && call(done) {
        done += 1;
        if stop.load(Relaxed) {
            break;
        }
    }
    done
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint;

    fn busy(time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time {
            hint::spin_loop();
        }
    }

    const CALLS: u64 = 40_000;

    /// Calls of 1 us with one of 200 us among each `every`.
    fn mixed(every: u64) -> Stopwatch {
        let mut watch = Stopwatch::new();
        let done = watch.drive(CALLS, &AtomicBool::new(false), |n| {
            busy(Duration::from_micros(if n % every == every / 2 { 200 } else { 1 }));
            true
        });
        assert_eq!(done, CALLS);
        watch
    }

    #[test]
    fn timed_calls_stand_for_all() {
        let watch = mixed(CALLS / 2);
        assert_eq!(watch.calls.len(), CALLS);
    }

    #[test]
    fn long_calls_show_where_they_are_more_than_one_in_a_hundred() {
        assert!(Stopwatch::p99([mixed(20)]).is_some_and(|ns| ns >= 199_000));
        let rare = Stopwatch::p99([mixed(CALLS / 2)]).expect("calls were timed");
        assert!((1000..199_000).contains(&rare), "{rare}");
    }

    #[test]
    fn a_failure_a_stop_and_the_quota_end_it() {
        let (mut watch, stop) = (Stopwatch::new(), AtomicBool::new(false));
        assert_eq!(watch.drive(1, &stop, |_| true), 1);
        assert_eq!(watch.drive(1000, &stop, |_| true), 1000);
        assert_eq!(watch.drive(u64::MAX, &stop, |n| n < 1000), 1000);
        stop.store(true, Relaxed);
        assert_eq!(watch.drive(u64::MAX, &stop, |_| true), 1, "at least one");
    }

    #[test]
    fn watches_add_up_and_without_a_call_there_is_no_figure() {
        assert_eq!(Stopwatch::p99([]), None);
        assert_eq!(Stopwatch::p99([Stopwatch::new()]), None);
        let once = |micros| {
            let mut watch = Stopwatch::new();
            watch.drive(1, &AtomicBool::new(false), |_| {
                busy(Duration::from_micros(micros));
                true
            });
            watch
        };
        assert!(Stopwatch::p99([once(1), once(2000)]).is_some_and(|ns| ns >= 2_000_000));
    }
}
