//! The rows: what each side does between its store and its look.
//!
//! They are the library's steps without the ring around them; `arch-notes/fence` has the same in C11, for checkers.

use std::{
    hint::black_box,
    sync::atomic::{
        AtomicU64,
        Ordering::{Acquire, Relaxed, Release, SeqCst},
        compiler_fence, fence,
    },
    time::{Duration, Instant},
};

use crossbeam_utils::CachePadded;
use serde::Serialize;

use super::barrier::{another_call, heavy};

/// What two sides look at. Each word has a line of its own, and holds the last round that wrote it.
pub struct Cell {
    /// The waiter's announcement.
    gate: CachePadded<AtomicU64>,
    /// The publisher's claim, in the rows that have one.
    cursor: CachePadded<AtomicU64>,
    /// The item is there: a slot's stamp, or the position of a ring whose publisher is alone.
    stamp: CachePadded<AtomicU64>,
    /// An item of some lines, each in the waiter's cache: while the publisher's stores to it are on their way, its stamp
    /// waits behind them. Few enough for a store buffer that two hardware threads share.
    item: [CachePadded<AtomicU64>; 8],
    /// How long a membarrier takes.
    barrier: Duration,
}

impl Cell {
    /// Before the first round.
    pub fn new(barrier: Duration) -> Self {
        let word = || CachePadded::new(AtomicU64::new(0));
        Self { gate: word(), cursor: word(), stamp: word(), item: std::array::from_fn(|_| word()), barrier }
    }

    /// Before a round: what the publisher will look at is in its cache.
    pub fn ready_publisher(&self) {
        black_box(self.gate.load(Relaxed));
    }

    /// Before a round: what the publisher will write is in the waiter's cache, and what that will look at.
    pub fn ready_waiter(&self) {
        self.item.iter().for_each(|line| line.store(0, Relaxed));
        black_box(self.stamp.load(Relaxed));
    }

    fn publish(&self, round: u64) {
        self.item.iter().for_each(|line| line.store(round, Relaxed));
        self.stamp.store(round, Release);
    }

    /// The publisher's look: is somebody asleep?
    fn sees_sleeper(&self, round: u64) -> bool {
        self.gate.load(Relaxed) >= round
    }

    fn announce(&self) {
        self.gate.fetch_add(1, Relaxed);
    }

    /// The waiter's look: is something there?
    fn finds(&self, round: u64) -> bool {
        self.stamp.load(Acquire) >= round
    }
}

/// What a row is expected to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// Both partners are there: no wake-up is lost.
    Never,
    /// A partner is missing: wake-ups are lost, sooner or later, on most machines.
    Lost,
    /// Wrong by the rules, but this kind of machine may be too kind to show it; or a look at the method itself.
    Open,
}

/// One row.
pub struct Shape {
    /// What the publisher does between its store and its look.
    pub publisher: &'static str,
    /// What the waiter does between its announcement and its look.
    pub waiter: &'static str,
    /// What for.
    pub expected: Expected,
    /// Whether it can run only where there is a membarrier.
    pub takes_barrier: bool,
    /// The publisher's part of a round: whether it saw the sleeper.
    pub publish: fn(&Cell, u64) -> bool,
    /// The waiter's part of a round: whether it found the item, or knows that its publisher will wake it.
    pub wait: fn(&Cell, u64) -> bool,
}

const LIGHT: &str = "light: compiler barrier";
const FULL: &str = "full fence";
const CLAIM: &str = "claim before, light";

/// All rows: first the asymmetric pair, then pipes born or turned SYM, then a shared cursor.
pub const SHAPES: [Shape; 10] = [
    Shape {
        publisher: LIGHT,
        waiter: "nothing",
        expected: Expected::Lost,
        takes_barrier: false,
        publish: light,
        wait: |cell, round| wait(cell, round, || ()),
    },
    Shape {
        publisher: LIGHT,
        waiter: "another system call",
        expected: Expected::Open,
        takes_barrier: false,
        publish: light,
        wait: |cell, round| wait(cell, round, another_call),
    },
    Shape {
        publisher: LIGHT,
        waiter: "the time of a membarrier",
        expected: Expected::Open,
        takes_barrier: true,
        publish: light,
        wait: |cell, round| wait(cell, round, || spend(cell.barrier)),
    },
    Shape {
        publisher: LIGHT,
        waiter: "heavy: membarrier",
        expected: Expected::Never,
        takes_barrier: true,
        publish: light,
        wait: |cell, round| wait(cell, round, heavy),
    },
    Shape {
        publisher: LIGHT,
        waiter: FULL,
        expected: Expected::Lost,
        takes_barrier: false,
        publish: light,
        wait: |cell, round| wait(cell, round, || fence(SeqCst)),
    },
    Shape {
        publisher: FULL,
        waiter: "nothing",
        expected: Expected::Open,
        takes_barrier: false,
        publish: full,
        wait: |cell, round| wait(cell, round, || ()),
    },
    Shape {
        publisher: FULL,
        waiter: FULL,
        expected: Expected::Never,
        takes_barrier: false,
        publish: full,
        wait: |cell, round| wait(cell, round, || fence(SeqCst)),
    },
    Shape {
        publisher: CLAIM,
        waiter: "SETTLE",
        expected: Expected::Lost,
        takes_barrier: false,
        publish: claim,
        wait: |cell, round| recheck(cell, round, settle, || ()),
    },
    Shape {
        publisher: CLAIM,
        waiter: "a load; claimed: membarrier",
        expected: Expected::Open,
        takes_barrier: true,
        publish: claim,
        wait: |cell, round| recheck(cell, round, |cursor| cursor.load(Relaxed), heavy),
    },
    Shape {
        publisher: CLAIM,
        waiter: "SETTLE; claimed: membarrier",
        expected: Expected::Never,
        takes_barrier: true,
        publish: claim,
        wait: |cell, round| recheck(cell, round, settle, heavy),
    },
];

fn light(cell: &Cell, round: u64) -> bool {
    cell.publish(round);
    compiler_fence(SeqCst);
    cell.sees_sleeper(round)
}

fn full(cell: &Cell, round: u64) -> bool {
    cell.publish(round);
    fence(SeqCst);
    cell.sees_sleeper(round)
}

fn claim(cell: &Cell, round: u64) -> bool {
    let claimed = cell.cursor.compare_exchange(round - 1, round, Acquire, Relaxed);
    assert!(claimed.is_ok(), "one publisher, one claim a round");
    light(cell, round)
}

#[inline(always)]
fn wait(cell: &Cell, round: u64, between: impl FnOnce()) -> bool {
    cell.announce();
    between();
    cell.finds(round)
}

/// A re-check of a shared cursor: who claims after `settle`'s place in the word's order sees the announcement, who has
/// claimed before is met by `on_claimed`.
#[inline(always)]
fn recheck(
    cell: &Cell,
    round: u64,
    settle: impl FnOnce(&AtomicU64) -> u64,
    on_claimed: impl FnOnce(),
) -> bool {
    cell.announce();
    let word = settle(&cell.cursor);
    fence(SeqCst);
    if word >= round && !cell.finds(round) {
        on_claimed();
    }
    cell.finds(round)
}

/// An RMW, that adds nothing.
fn settle(cursor: &AtomicU64) -> u64 {
    cursor.fetch_or(0, Release)
}

/// Spends `time` awake, without a fence that reaches anybody.
fn spend(time: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < time {}
}
