//! Bars that are not about speed under load: sleeping, creating, memory.

use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use hornpipe::mpmc;
use serde::{Deserialize, Serialize};

use super::heap;
use crate::{
    bar::Bar,
    child,
    cli::Exit,
    stats::{Estimate, Verdict},
    usage,
};

const CAPACITY: usize = 1 << 20;
/// How often a fresh process creates its first pipe, and its hundredth.
const PROCESSES: usize = 15;
const CREATIONS: usize = 100;

/// What the created pipes carry.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Item {
    Word,
    Line,
}

/// Over-aligned, as far as calloc is concerned.
#[derive(Clone, Copy, Default, PartialEq)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Times in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Creation {
    first: f64,
    last: f64,
}

/// All of these bars.
pub(super) fn bars(rng: &mut Rng) -> Result<Vec<Bar>, Exit> {
    let mut bars = vec![heap_bytes(rng)?, parked(rng)?];
    for (item, name) in [(Item::Word, "u64"), (Item::Line, "align-64 item")] {
        let times: Vec<Creation> = (0..PROCESSES).map(|_| child::create(item)).collect::<Result<_, _>>()?;
        let (first, last): (Vec<f64>, Vec<f64>) = times.iter().map(|time| (time.first, time.last)).unzip();
        for (which, times) in [("first", first), ("hundredth", last)] {
            let bar = format!("creating bounded(1 << 20) of {name}, the {which} time");
            let micros: Vec<f64> = times.iter().map(|ns| ns / 1e3).collect();
            bars.push(Bar::cost(bar, "us", &micros, 50.0, rng));
        }
    }
    Ok(bars)
}

impl Bar {
    pub(super) fn cost(
        bar: impl Into<String>,
        unit: &'static str,
        values: &[f64],
        limit: f64,
        rng: &mut Rng,
    ) -> Self {
        let value = Estimate::of(values, rng);
        let verdict = Some(value.verdict(limit));
        Self { bar: bar.into(), unit, value: Some(value), limit: Some(limit), verdict, note: String::new() }
    }

    /// For what does not vary enough to need an interval: the median decides.
    pub(super) fn by_median(mut self) -> Self {
        let met = self.value.zip(self.limit).is_some_and(|(value, limit)| value.median < limit);
        self.verdict = Some(if met { Verdict::Met } else { Verdict::Missed });
        self
    }
}

fn heap_bytes(rng: &mut Rng) -> Result<Bar, Exit> {
    if heap::live(|| black_box(Box::new([0u8; 100]))) != 100 {
        return Err(Exit::Failed("the counting allocator is not in use".into()));
    }
    // What the first pipe sets up for the process is not this pipe's.
    drop(mpmc::bounded::<u64>(1));
    let bytes = heap::live(|| mpmc::bounded::<u64>(1));
    Ok(Bar::cost("heap of bounded::<u64>(1)", "bytes", &[bytes as f64], 768.0, rng).by_median())
}

fn parked(rng: &mut Rng) -> Result<Bar, Exit> {
    let millis: Vec<f64> = (0..3).map(|_| parked_once()).collect::<Result<_, _>>()?;
    Ok(Bar::cost("CPU time of a receiver parked for a second", "ms", &millis, 1.0, rng).by_median())
}

fn parked_once() -> Result<f64, Exit> {
    let (tx, rx) = mpmc::bounded::<u64>(1);
    let receiver = thread::spawn(move || {
        let before = usage::cpu_ns()?;
        let item = rx.recv().ok();
        Some((item, (usage::cpu_ns()? - before) as f64 / 1e6))
    });
    thread::sleep(Duration::from_secs(1));
    let sent = tx.send(7).is_ok();
    match receiver.join() {
        Ok(Some((Some(7), millis))) if sent => Ok(millis),
        Ok(None) => Err(Exit::Failed("this system does not tell a thread's CPU time".into())),
        other => Err(Exit::Failed(format!("a parked receiver came back with {other:?}"))),
    }
}

/// In a fresh process: creates and uses a hundred pipes one after the other.
pub(crate) fn create(item: Item) -> Creation {
    match item {
        Item::Word => creation(7u64),
        Item::Line => creation(Line([7; 8])),
    }
}

fn creation<T: Copy + PartialEq>(item: T) -> Creation {
    let times: Vec<f64> = (0..CREATIONS)
        .map(|_| {
            let begun = Instant::now();
            let (tx, rx) = black_box(mpmc::bounded::<T>(CAPACITY));
            let time = begun.elapsed().as_nanos() as f64;
            assert!(tx.send(item).is_ok() && rx.recv().is_ok_and(|got| got == item), "a new pipe works");
            time
        })
        .collect();
    Creation { first: times[0], last: times[CREATIONS - 1] }
}
