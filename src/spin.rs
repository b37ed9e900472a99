//! How long a blocking call stays awake before it sleeps: a budget in time, then yields.
//!
//! Waking a sleeper on another CPU costs tens of microseconds in a virtual machine, so a budget below that is
//! worse than none (a ping-pong then sleeps for ever), and a thread that yields without looking starves the one
//! it waits for. The adaptive order, found by measuring (arch-notes/parking.md): small rings poll for 2 us first;
//! then yields, each followed by polling that is short when somebody else wanted the CPU, until 6 yields and
//! 50 us are spent. A side's *credit* remembers whether that pays: at 0 its threads sleep at once, but for a probe
//! with the whole budget now and then: after 8 waits, after 16 if that failed, and so on to 512. A yield that takes a
//! millisecond went to somebody who does not give way: for a while waits then poll their budget and sleep, since a
//! woken sleeper gets the CPU back sooner than one that yielded.

use crate::relax::Relax;
use crate::stats::{Event, Meter};
use crate::sync::atomic::{AtomicU32, Ordering::Relaxed};
use crate::sync::time::Deadline;
use crate::sync::{allowed_cpus, alone, hint_nanos, one_cpu_quota, yield_now};
use core::time::Duration;
use std::time::Instant;

/// How long a blocking call looks before it sleeps.
///
/// Where only one CPU can be used nothing is polled (nobody else can run meanwhile), whatever this says. The
/// pipe's yields are [`Builder::yields`](crate::Builder::yields).
///
/// ```
/// use hornpipe::{Builder, Mpmc, Spin};
/// use std::time::Duration;
/// let spin = Spin::Fixed(Duration::from_micros(20));
/// let (_tx, _rx) = Builder::<Mpmc>::new(64).spin(spin).build::<u32>().unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spin {
    /// Not at all; the pipe's yields, then sleep.
    None,
    /// For this long, then the pipe's yields, then sleep.
    Fixed(Duration),
    /// As long as it has been paying on this side of this pipe, 50 us and the pipe's yields at most.
    #[default]
    Adaptive,
}

/// Rings below this poll before they yield: their peer is about to touch the very slot.
const SMALL: usize = 32;
/// A small ring's first polling.
const FIRST: Duration = Duration::from_micros(2);
/// The adaptive budget: above what a wake across CPUs costs.
const BUDGET: Duration = Duration::from_micros(50);
/// A yield that came back sooner switched to nobody.
const SWITCHED: Duration = Duration::from_nanos(700);
/// A yield that took longer went to somebody who does not give way: sleeping would have been cheaper.
const HOGGED: Duration = Duration::from_millis(1);
/// Polling after a yield, with the CPU to ourselves in a small ring.
const ALONE: Duration = Duration::from_micros(5);
/// Polling after any other yield.
const BRIEF: Duration = Duration::from_nanos(300);
/// Yields before the sleep, where others run on other CPUs.
const YIELDS: u8 = 6;
/// Yields before the sleep on one CPU: more only delay whom we wait for.
const YIELDS_ALONE: u8 = 1;

/// A pipe's waiting configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    spin: Spin,
    wait: Relax,
    yields: Option<u8>,
    small: bool,
    pinned: bool,
}

impl Patience {
    pub(crate) fn new(spin: Spin, wait: Relax, yields: Option<u8>, capacity: usize) -> Self {
        Self { spin, wait, yields, small: capacity < SMALL, pinned: allowed_cpus() == Some(1) }
    }

    /// Whether nobody else can run meanwhile: told by the mask of whoever built the pipe, or by the quota.
    fn alone(&self) -> bool {
        self.pinned || one_cpu_quota()
    }

    fn yields(&self) -> u32 {
        self.yields.unwrap_or(if self.alone() { YIELDS_ALONE } else { YIELDS }).into()
    }

    /// Looks until `ready`, as long as the budget lasts and `deadline` has not passed. False: go to sleep.
    pub(crate) fn poll(
        &self,
        credit: &Credit,
        deadline: Deadline,
        ready: impl FnMut() -> bool,
        meter: &Meter,
    ) -> bool {
        let mut watch = Watch { ready, deadline, meter };
        match self.spin {
            Spin::None => self.give_way(&mut watch),
            Spin::Fixed(budget) => {
                (!self.alone() && self.look_for(budget, &mut watch)) || self.give_way(&mut watch)
            }
            Spin::Adaptive if self.alone() => credit.may_yield() && self.take_turns(credit, &mut watch),
            Spin::Adaptive => {
                if !credit.draw() {
                    return false;
                }
                let paid = if credit.may_yield() {
                    (self.small && self.look_for(FIRST, &mut watch)) || self.alternate(credit, &mut watch)
                } else {
                    self.look_for(BUDGET, &mut watch)
                };
                credit.settle(paid);
                paid
            }
        }
    }

    /// Yields and looks, without reading a clock.
    fn give_way(&self, watch: &mut Watch<'_, impl FnMut() -> bool>) -> bool {
        (0..self.yields()).any(|_| {
            watch.give_way();
            (watch.ready)() || watch.deadline.passed()
        }) && !watch.deadline.passed()
    }

    /// On one CPU: yields and looks, timed now and then to know a hog.
    fn take_turns(&self, credit: &Credit, watch: &mut Watch<'_, impl FnMut() -> bool>) -> bool {
        let start = credit.sample().then(Instant::now);
        let found = self.give_way(watch);
        if let Some(start) = start {
            credit.yielded(start.elapsed() >= HOGGED * self.yields().max(1));
        }
        found
    }

    /// Yields and looks in turn until both the yields and the budget are spent.
    fn alternate(&self, credit: &Credit, watch: &mut Watch<'_, impl FnMut() -> bool>) -> bool {
        let start = Instant::now();
        let mut before = start;
        let mut yields = 0;
        // An explicit number is a limit, the default is what is needed at least.
        let limit = self.yields.map_or(u32::MAX, u32::from);
        while yields < self.yields() || before - start < BUDGET {
            if yields == limit {
                return self.look_for(BUDGET.saturating_sub(before - start), watch);
            }
            watch.give_way();
            yields += 1;
            let took = before.elapsed();
            let hogged = took >= HOGGED;
            credit.yielded(hogged);
            let brief = if took < SWITCHED && self.small { ALONE } else { BRIEF };
            if self.look_for(brief, watch) {
                return true;
            }
            if hogged || watch.deadline.passed() {
                return false;
            }
            before = Instant::now();
        }
        false
    }

    /// Looks without leaving the CPU.
    fn look_for(&self, budget: Duration, watch: &mut Watch<'_, impl FnMut() -> bool>) -> bool {
        let (found, looked) = look_for(budget, self.wait, watch.deadline, &mut watch.ready);
        watch.meter.add(Event::Spin, looked);
        found
    }
}

/// Looks until `ready`, without leaving the CPU. Whether it was, and how many looks that took.
fn look_for(
    budget: Duration,
    wait: Relax,
    deadline: Deadline,
    mut ready: impl FnMut() -> bool,
) -> (bool, u32) {
    // So many looks take about a quarter of a microsecond: the clock is read that often.
    let look = wait.hints().saturating_mul(hint_nanos()).saturating_add(4);
    let batch = (250 / look).clamp(1, 32);
    let start = Instant::now();
    let mut looked = 0;
    loop {
        let found = (0..batch).any(|_| {
            looked += 1;
            ready() || {
                wait.wait(looked);
                false
            }
        });
        if found || start.elapsed() >= budget || deadline.passed() {
            return (found, looked);
        }
    }
}

/// Looks for what another thread is about to do, as who holds a lock for a moment; not at all where it cannot run.
pub(crate) fn look_briefly(mut ready: impl FnMut() -> bool) {
    if !ready() && !alone() {
        look_for(FIRST, Relax::WAIT, Deadline::NEVER, ready);
    }
}

/// What a waiting thread looks for, until when, and who counts it.
struct Watch<'a, F> {
    ready: F,
    deadline: Deadline,
    meter: &'a Meter,
}

impl<F> Watch<'_, F> {
    /// Off the CPU, for whoever else wants it.
    fn give_way(&self) {
        self.meter.count(Event::Yield);
        yield_now();
    }
}

/// What a side has learned about waiting awake. (Relaxed throughout: a heuristic, racing updates may be lost. Where
/// CPUs share its line it is written only when it changes.)
pub(crate) struct Credit {
    /// `{failed probes in a row, waits skipped, credit}`
    spin: AtomicU32,
    /// `{length of the last bar on yields, waits until it is lifted}`
    bar: AtomicU32,
    /// Waits on one CPU.
    waits: AtomicU32,
}

/// As good as it gets, and the start.
const FULL: u32 = 8;
/// What a wait that paid adds.
const REWARD: u32 = 2;
/// With no credit, one wait in so many is a probe; twice as many after each one that failed ...
const PROBE_FIRST: u32 = 8;
/// ... up to 2^6 times.
const FAILS: u32 = 6;
/// No wait yields for so many waits after a hog; twice as many after the next one ...
const BAR_FIRST: u32 = 16;
/// ... up to so many.
const BAR_LAST: u32 = 1024;
const BARRED: u32 = 1 << 16;
/// On one CPU one wait in so many is timed.
const SAMPLE_EVERY: u32 = 32;
const SKIPPED: u32 = 1 << 4;
const FAILED: u32 = 1 << 16;

impl Credit {
    pub(crate) fn new() -> Self {
        Self { spin: AtomicU32::new(FULL), bar: AtomicU32::new(0), waits: AtomicU32::new(0) }
    }

    /// Whether to wait awake now.
    fn draw(&self) -> bool {
        let word = self.spin.load(Relaxed);
        if word % SKIPPED > 0 {
            return true;
        }
        let skipped = word % FAILED / SKIPPED + 1;
        let probe = skipped >= PROBE_FIRST << (word / FAILED);
        self.spin.store(if probe { word / FAILED * FAILED } else { word + SKIPPED }, Relaxed);
        probe
    }

    /// Whether the last wait awake was worth it.
    fn settle(&self, paid: bool) {
        let word = self.spin.load(Relaxed);
        let credit = word % SKIPPED;
        let next = match (paid, credit) {
            (true, _) => (credit + REWARD).min(FULL),
            (false, 0) => (word / FAILED + 1).min(FAILS) * FAILED,
            (false, _) => word - 1,
        };
        if next != word {
            self.spin.store(next, Relaxed);
        }
    }

    /// Whether this wait may yield.
    fn may_yield(&self) -> bool {
        let bar = self.bar.load(Relaxed);
        if bar % BARRED > 0 {
            self.bar.store(bar - 1, Relaxed);
        }
        bar % BARRED == 0
    }

    /// Whether to time this wait's yields on one CPU: one in a few, since two looks at the clock are felt there;
    /// each one after a hog.
    fn sample(&self) -> bool {
        let waits = self.waits.load(Relaxed);
        self.waits.store(waits.wrapping_add(1), Relaxed);
        waits % SAMPLE_EVERY == 0 || self.bar.load(Relaxed) != 0
    }

    /// A yield came back.
    fn yielded(&self, hogged: bool) {
        let bar = self.bar.load(Relaxed);
        let length = if hogged { (bar / BARRED * 2).clamp(BAR_FIRST, BAR_LAST) } else { 0 };
        if hogged || bar != 0 {
            self.bar.store(length * BARRED + length, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Meters;

    /// Credit is spent by waits that end asleep, comes back by those that pay, and is probed when gone.
    #[test]
    fn credit_follows_what_pays() {
        let credit = Credit::new();
        for _ in 0..FULL {
            assert!(credit.draw());
            credit.settle(false);
        }
        for wanted in [8, 16, 32, 64, 128, 256, 512, 512] {
            let waits = (1..).find(|_| credit.draw()).unwrap();
            assert_eq!(waits, wanted, "waits until a probe");
            credit.settle(false);
        }
        while !credit.draw() {}
        credit.settle(true);
        assert!(credit.draw() && credit.draw());
        (0..REWARD).for_each(|_| credit.settle(false));
        assert_eq!((1..).find(|_| credit.draw()), Some(8), "a probe that paid starts anew");
    }

    /// After a yield to a hog nobody yields for a while, each time twice as long; a good yield forgets it.
    #[test]
    fn hogs_bar_yields() {
        let credit = Credit::new();
        for bar in [16, 32, 64, 128, 256, 512, 1024, 1024] {
            assert!(credit.may_yield());
            credit.yielded(true);
            assert_eq!((0..).find(|_| credit.may_yield()), Some(bar));
        }
        credit.yielded(false);
        credit.yielded(true);
        assert_eq!((0..).find(|_| credit.may_yield()), Some(16));
    }

    /// Each kind of spin ends without a reason to, within its budget (generously: the machine may be busy).
    #[test]
    fn budgets_end() {
        for spin in [Spin::None, Spin::Fixed(Duration::from_micros(100)), Spin::Adaptive] {
            for wait in [Relax::None, Relax::Hint, Relax::WAIT] {
                for capacity in [1, 1024] {
                    let patience = Patience::new(spin, wait, None, capacity);
                    let start = Instant::now();
                    assert!(!patience.poll(&Credit::new(), Deadline::NEVER, || false, &Meters::new().join()));
                    assert!(start.elapsed() < Duration::from_millis(500), "{spin:?} {wait:?} {capacity}");
                }
            }
        }
    }

    /// What is ready is seen, and a deadline ends a long budget.
    #[test]
    fn ready_and_deadline_end_it() {
        let patience = Patience {
            pinned: false,
            ..Patience::new(Spin::Fixed(Duration::from_secs(60)), Relax::Hint, Some(0), 1)
        };
        let (mut looks, meter) = (0, Meters::new().join());
        assert!(patience.poll(
            &Credit::new(),
            Deadline::NEVER,
            || {
                looks += 1;
                looks == 1000
            },
            &meter
        ));
        assert!(!patience.poll(&Credit::new(), Deadline::after(Duration::from_millis(5)), || false, &meter));
    }
}
