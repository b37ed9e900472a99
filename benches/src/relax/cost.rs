//! What single operations cost on one CPU: a loop of each, less the empty loop of the same round.

use std::{
    fmt,
    hint::{black_box, spin_loop},
    sync::atomic::{
        AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
        compiler_fence, fence,
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_utils::CachePadded;
use serde::Serialize;

#[cfg(target_os = "linux")]
use super::relay;
use crate::{
    fence::barrier,
    measure::{self, Reason, Sample, WATCHDOG},
    placement::{Cpus, Placement, Side},
    stats::median,
    usage::Usage,
};

/// What [`spin_loop`] is on this architecture.
pub const INSTRUCTION: &str = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
    "pause"
} else if cfg!(any(target_arch = "aarch64", target_arch = "arm64ec")) {
    "isb"
} else if cfg!(target_arch = "arm") {
    "yield"
} else if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
    "pause (Zihintpause)"
} else if cfg!(target_arch = "loongarch64") {
    "ibar"
} else {
    "nothing"
};

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// None: what the loop itself costs.
    Empty,
    /// So many spin hints.
    Hints(u8),
    /// A load and a compare-exchange that succeeds.
    LoadCas,
    /// A `fetch_add`.
    FetchAdd,
    /// A `swap`.
    Swap,
    /// The compiler's fence: the library's light one.
    LightFence,
    /// A full fence.
    FullFence,
    /// The library's heavy fence, a membarrier, with the other CPUs left alone.
    HeavyFence,
    /// The same beside a thread that runs on another CPU.
    HeavyBeside,
    /// A futex wake, and nobody sleeps.
    WakeNobody,
    /// From one thread to another on the same CPU.
    HandOff,
    /// From one thread to another on another CPU.
    HandOffApart,
    /// `sched_yield`, and nobody else wants the CPU.
    Yield,
}

const ALL: [Cost; 15] = [
    Cost::Empty,
    Cost::Hints(1),
    Cost::Hints(8),
    Cost::Hints(64),
    Cost::LoadCas,
    Cost::FetchAdd,
    Cost::Swap,
    Cost::LightFence,
    Cost::FullFence,
    Cost::HeavyFence,
    Cost::HeavyBeside,
    Cost::WakeNobody,
    Cost::HandOff,
    Cost::HandOffApart,
    Cost::Yield,
];

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Empty => "empty loop",
            Self::Hints(1) => "1 hint",
            Self::Hints(hints) => return write!(f, "{hints} hints"),
            Self::LoadCas => "load + CAS",
            Self::FetchAdd => "fetch_add",
            Self::Swap => "swap",
            Self::LightFence => "light fence",
            Self::FullFence => "full fence",
            Self::HeavyFence => "heavy fence",
            Self::HeavyBeside => "heavy fence beside a running thread",
            Self::WakeNobody => "futex wake, nobody there",
            Self::HandOff => "futex hand-off, one CPU",
            Self::HandOffApart => "futex hand-off, two CPUs",
            Self::Yield => "sched_yield",
        })
    }
}

impl Cost {
    /// Those that this machine has.
    pub fn all(cpus: &Cpus) -> Vec<Self> {
        let membarrier = barrier::register();
        let there = |cost: &Self| match cost {
            Self::HeavyFence => membarrier,
            Self::HeavyBeside => membarrier && cpus.count() > 1,
            Self::WakeNobody | Self::HandOff => cfg!(target_os = "linux"),
            Self::HandOffApart => cfg!(target_os = "linux") && cpus.count() > 1,
            _ => true,
        };
        ALL.into_iter().filter(there).collect()
    }

    /// Whether it takes two CPUs.
    pub fn takes_two(self) -> bool {
        matches!(self, Self::HeavyBeside | Self::HandOffApart)
    }

    /// Whether the empty loop is in its figure.
    pub fn has_loop(self) -> bool {
        !matches!(self, Self::HandOff | Self::HandOffApart | Self::HeavyBeside)
    }

    /// Measures it for about `slice`, on the last CPU.
    pub fn measure(self, cpus: &Cpus, slice: Duration) -> Result<Sample, Reason> {
        let last = cpus.ids()[cpus.count() - 1];
        match self {
            #[cfg(target_os = "linux")]
            Self::HandOff => relay::asleep([last, last], slice * 5),
            #[cfg(target_os = "linux")]
            Self::HandOffApart => relay::asleep([cpus.ids()[0], last], slice * 5),
            _ => {
                let cpus = cpus.clone();
                measure::watched(WATCHDOG, move || self.alone(&cpus, slice))
            }
        }
    }

    fn alone(self, cpus: &Cpus, slice: Duration) -> Result<Sample, String> {
        if self == Self::HeavyBeside {
            let time = barrier::time(cpus)?.ok_or("the membarrier is gone")?;
            return Ok(sample(1, time.as_nanos() as u64));
        }
        Placement::OneCpu.settle(cpus, Side::Sender, 0)?;
        let word = &*CachePadded::new(AtomicU64::new(0));
        let mut lost = 0;
        let (turns, found) = match self {
            Self::Empty => repeat(slice, |_| ()),
            Self::Hints(hints) => repeat(slice, |_| (0..hints).for_each(|_| spin_loop())),
            Self::LoadCas => repeat(slice, |_| {
                let seen = word.load(Relaxed);
                lost += u64::from(word.compare_exchange(seen, seen + 1, AcqRel, Acquire).is_err());
            }),
            Self::FetchAdd => repeat(slice, |_| _ = black_box(word.fetch_add(1, AcqRel))),
            Self::Swap => repeat(slice, |turn| {
                lost += u64::from(word.swap(turn + 1, AcqRel) != turn);
            }),
            Self::LightFence => repeat(slice, |_| compiler_fence(SeqCst)),
            Self::FullFence => repeat(slice, |_| fence(SeqCst)),
            Self::HeavyFence => repeat(slice, |_| barrier::heavy()),
            #[cfg(target_os = "linux")]
            Self::WakeNobody => {
                use rustix::thread::futex;
                let bell = std::sync::atomic::AtomicU32::new(0);
                repeat(slice, |_| {
                    lost += u64::from(futex::wake(&bell, futex::Flags::PRIVATE, 1) != Ok(0));
                })
            }
            Self::Yield => repeat(slice, |_| thread::yield_now()),
            _ => unreachable!("{self} is not measured here"),
        };
        let counts = matches!(self, Self::LoadCas | Self::FetchAdd | Self::Swap);
        let count = word.load(Acquire);
        if lost > 0 || (counts && count != turns) {
            return Err(format!("a count of {count} after {turns} turns, {lost} of them lost"));
        }
        Ok(found)
    }
}

fn sample(items: u64, span_ns: u64) -> Sample {
    Sample { items, span_ns, usage: Usage::default(), slowest_share: 1.0, p99_ns: None }
}

/// How many loops share the slice; the median of them counts.
const LOOPS: u32 = 9;

/// Loops over `work`, which gets its turn's number: how many turns there were, and what the middle loop took.
fn repeat(slice: Duration, mut work: impl FnMut(u64)) -> (u64, Sample) {
    let mut turns = 0;
    let mut once = |times: u64| {
        let begun = Instant::now();
        for turn in turns..turns + times {
            work(black_box(turn));
        }
        turns += times;
        begun.elapsed()
    };
    // Long enough that reading the clock is nothing beside it.
    let (mut times, each) = (16, slice / LOOPS);
    while once(times) < each {
        times *= 2;
    }
    let loops: Vec<f64> = (0..LOOPS).map(|_| once(times).as_nanos() as f64).collect();
    (turns, sample(times, median(&loops) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_this_machine_has_a_cost() {
        let cpus = Cpus::usable();
        for cost in Cost::all(&cpus) {
            let found = cost.measure(&cpus, Duration::from_micros(200));
            assert!(found.as_ref().is_ok_and(|sample| sample.items > 0 && sample.span_ns > 0), "{found:?}");
        }
    }

    #[test]
    fn more_turns_take_more_time_and_each_is_counted() {
        let mut calls = 0;
        let (turns, found) = repeat(Duration::from_micros(100), |turn| {
            assert_eq!(turn, calls);
            calls += 1;
        });
        assert_eq!(turns, calls);
        assert!(turns >= found.items * u64::from(LOOPS));
    }
}
