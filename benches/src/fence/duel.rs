//! Two pinned threads that go through a shape's rounds side by side.

use std::{
    hint::{black_box, spin_loop},
    sync::atomic::{
        AtomicU64,
        Ordering::{Acquire, Release},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_utils::CachePadded;
use fastrand::Rng;
use serde::Serialize;

use super::shapes::{Cell, Shape};
use crate::{
    cli::Exit,
    placement::{Cpus, Placement, Side},
};

/// How rounds ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The publisher saw no sleeper, and the waiter found nothing: it would sleep beside the item.
    pub lost: u64,
    /// The waiter found the item.
    pub found: u64,
    /// The publisher saw the sleeper: it would wake it.
    pub woken: u64,
    /// Both: the two were near each other.
    pub both: u64,
}

impl Counts {
    /// All of them.
    pub fn rounds(&self) -> u64 {
        self.lost + self.found + self.woken + self.both
    }

    fn add(&mut self, saw: bool, found: bool) {
        *match (saw, found) {
            (false, false) => &mut self.lost,
            (false, true) => &mut self.found,
            (true, false) => &mut self.woken,
            (true, true) => &mut self.both,
        } += 1;
    }
}

/// Rounds that a pair of threads plays before their answers are compared.
const BATCH: u64 = 8192;
/// Turns of an empty loop that the waiter spends before its part of a round, so that the publisher can be earlier.
const HEAD_START: i64 = 500;
/// Up to so many turns more are drawn for the publisher, so that the two pass each other at all distances.
const JITTER: i64 = 128;
/// So many turns the publisher comes later after a round in which it was early, and the other way round.
const STEP: i64 = 8;
/// Looks for the other side before the CPU is given away: somebody else may be running in its place.
const LOOKS: u32 = 20_000;

/// A shape with what it has shown so far.
pub struct Duel<'a> {
    shape: &'a Shape,
    cpus: &'a Cpus,
    cell: Cell,
    /// The round that each side has come to.
    arrived: [CachePadded<AtomicU64>; 2],
    /// Rounds played.
    played: u64,
    /// How late the publisher is, in turns of an empty loop.
    delay: i64,
    /// Sums.
    pub counts: Counts,
}

impl<'a> Duel<'a> {
    /// Nothing played yet.
    pub fn new(shape: &'a Shape, cpus: &'a Cpus, barrier: Duration) -> Self {
        let counter = || CachePadded::new(AtomicU64::new(0));
        Self {
            shape,
            cpus,
            cell: Cell::new(barrier),
            arrived: [counter(), counter()],
            played: 0,
            delay: HEAD_START,
            counts: Counts::default(),
        }
    }

    /// Plays so many.
    pub fn rounds(&mut self, rounds: u64) -> Result<(), Exit> {
        let end = self.played + rounds;
        while self.played < end {
            self.batch(BATCH.min(end - self.played))?;
        }
        Ok(())
    }

    /// Plays until then, one batch at least.
    pub fn until(&mut self, end: Instant) -> Result<(), Exit> {
        loop {
            self.batch(BATCH)?;
            if Instant::now() >= end {
                return Ok(());
            }
        }
    }

    fn batch(&mut self, rounds: u64) -> Result<(), Exit> {
        let batch = self.played + 1..=self.played + rounds;
        let duel = &*self;
        let (publisher, waiter) = thread::scope(|scope| {
            let publisher = scope.spawn(|| {
                let pinned = Placement::Apart.settle(duel.cpus, Side::Sender, 0);
                let mut delay = duel.delay;
                let mut rng = Rng::with_seed(duel.played);
                let mut answers = Vec::with_capacity(rounds as usize);
                for round in batch.clone() {
                    duel.cell.ready_publisher();
                    duel.meet(0, round);
                    spend(delay + rng.i64(0..JITTER));
                    let saw = (duel.shape.publish)(&duel.cell, round);
                    // Towards the moment at which the waiter announces itself: where it hurts.
                    delay = (delay + if saw { -STEP } else { STEP }).clamp(0, 100 * HEAD_START);
                    answers.push(saw);
                }
                pinned.map(|()| (answers, delay))
            });
            let waiter = scope.spawn(|| {
                let pinned = Placement::Apart.settle(duel.cpus, Side::Receiver, 0);
                let mut answers = Vec::with_capacity(rounds as usize);
                for round in batch.clone() {
                    duel.cell.ready_waiter();
                    duel.meet(1, round);
                    spend(HEAD_START);
                    answers.push((duel.shape.wait)(&duel.cell, round));
                }
                pinned.map(|()| answers)
            });
            (publisher.join().expect("no panic"), waiter.join().expect("no panic"))
        });
        let (saw, delay) = publisher.map_err(Exit::Failed)?;
        let found = waiter.map_err(Exit::Failed)?;
        saw.into_iter().zip(found).for_each(|(saw, found)| self.counts.add(saw, found));
        self.delay = delay;
        self.played += rounds;
        Ok(())
    }

    /// Waits until both sides have come to `round`.
    fn meet(&self, side: usize, round: u64) {
        self.arrived[side].store(round, Release);
        let mut looks = 0;
        while self.arrived[1 - side].load(Acquire) < round {
            looks += 1;
            if looks < LOOKS { spin_loop() } else { thread::yield_now() }
        }
    }
}

/// A few cycles a turn: finer than a spin hint.
fn spend(turns: i64) {
    (0..turns).for_each(|turn| _ = black_box(turn));
}
