//! Two pinned threads that hand a number on to each other: a line's transfer, a futex hand-off.

use std::{
    hint::spin_loop,
    sync::{
        Barrier,
        atomic::{
            AtomicU32,
            Ordering::{Acquire, Release},
        },
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_utils::CachePadded;

use crate::{
    measure::{self, Reason, Sample, WATCHDOG},
    placement,
    stats::median,
    usage::{Meter, Usage},
};

/// Says that the run is over; no turn has this number.
const END: u32 = u32::MAX;
/// Round trips between two readings of the clock.
const BLOCK: u32 = 100;

/// How a thread waits for its turn, and how it tells the other.
pub trait Relay: Send + Sync + 'static {
    /// Waits until `turn` is not `mine` any more: what it is then.
    fn wait(&self, turn: &AtomicU32, mine: u32) -> u32;

    /// After `turn` has changed.
    fn tell(&self, _turn: &AtomicU32) {}
}

/// Awake, with so many hints between two looks.
struct Spinning(u8);

impl Relay for Spinning {
    #[inline]
    fn wait(&self, turn: &AtomicU32, mine: u32) -> u32 {
        loop {
            let now = turn.load(Acquire);
            if now != mine {
                return now;
            }
            (0..self.0).for_each(|_| spin_loop());
        }
    }
}

/// Asleep.
#[cfg(target_os = "linux")]
struct Asleep;

#[cfg(target_os = "linux")]
impl Relay for Asleep {
    fn wait(&self, turn: &AtomicU32, mine: u32) -> u32 {
        use rustix::thread::futex;
        loop {
            let now = turn.load(Acquire);
            if now != mine {
                return now;
            }
            // An error is a change of the word or a signal: the loop looks again.
            let _ = futex::wait(turn, futex::Flags::PRIVATE, mine, None);
        }
    }

    fn tell(&self, turn: &AtomicU32) {
        use rustix::thread::futex;
        futex::wake(turn, futex::Flags::PRIVATE, 1).expect("a futex can be woken");
    }
}

/// A line's way from one CPU to the other: the median of the slice's blocks.
pub fn spinning(seats: [usize; 2], hints: u8, slice: Duration) -> Result<Sample, Reason> {
    run(seats, Spinning(hints), slice)
}

/// From a futex wake to the sleeper's first step.
#[cfg(target_os = "linux")]
pub fn asleep(seats: [usize; 2], slice: Duration) -> Result<Sample, Reason> {
    run(seats, Asleep, slice)
}

fn run(seats: [usize; 2], relay: impl Relay, slice: Duration) -> Result<Sample, Reason> {
    measure::watched(WATCHDOG, move || {
        let (turn, start) = (CachePadded::new(AtomicU32::new(0)), Barrier::new(2));
        let (there, back) = thread::scope(|scope| {
            let there = scope.spawn(|| {
                let pinned = placement::pin(Some(seats[0]));
                start.wait();
                pinned.and_then(|()| ping(&relay, &turn, slice)).inspect_err(|_| end(&relay, &turn))
            });
            let back = scope.spawn(|| {
                let pinned = placement::pin(Some(seats[1]));
                start.wait();
                pinned.and_then(|()| pong(&relay, &turn)).inspect_err(|_| end(&relay, &turn))
            });
            (there.join().expect("no panic"), back.join().expect("no panic"))
        });
        // In this order: when the second gives up, the first knows no more than that.
        let (returned, usage_back) = back?;
        let (blocks, turns, mut usage) = there?;
        if turns != returned {
            return Err(format!("{turns} turns were taken and {returned} returned"));
        }
        usage += usage_back;
        // Blocks' times, not all of the span: a neighbour's turn on the CPU is in few of them.
        let items = u64::from(turns) * 2;
        let span_ns = (median(&blocks) / f64::from(2 * BLOCK) * items as f64) as u64;
        Ok(Sample { items, span_ns, usage, slowest_share: 1.0, p99_ns: None })
    })
}

/// Nobody waits for one who has given up.
fn end(relay: &impl Relay, turn: &AtomicU32) {
    turn.store(END, Release);
    relay.tell(turn);
}

fn pass(relay: &impl Relay, turn: &AtomicU32, mine: u32) {
    turn.store(mine, Release);
    relay.tell(turn);
}

/// Takes odd turns: the time of each block, and how many turns.
fn ping(relay: &impl Relay, turn: &AtomicU32, slice: Duration) -> Result<(Vec<f64>, u32, Usage), String> {
    let (mut meter, mut blocks, mut mine) = (Meter::new(), Vec::new(), 1);
    meter.start();
    let begun = Instant::now();
    let mut last = begun;
    // The first block warms up; near the last number there is no next turn.
    while (blocks.len() < 2 || begun.elapsed() < slice) && mine < END - 4 * BLOCK {
        for _ in 0..BLOCK {
            pass(relay, turn, mine);
            expect(mine + 1, relay.wait(turn, mine))?;
            mine += 2;
        }
        let now = Instant::now();
        blocks.push((now - last).as_nanos() as f64);
        last = now;
    }
    end(relay, turn);
    Ok((blocks.split_off(1), (mine - 1) / 2, meter.stop()))
}

/// Takes even turns: how many.
fn pong(relay: &impl Relay, turn: &AtomicU32) -> Result<(u32, Usage), String> {
    let (mut meter, mut seen) = (Meter::new(), 0);
    meter.start();
    loop {
        match relay.wait(turn, seen) {
            END => return Ok((seen / 2, meter.stop())),
            now => expect(seen + 1, now)?,
        }
        seen += 2;
        pass(relay, turn, seen);
    }
}

fn expect(next: u32, now: u32) -> Result<(), String> {
    match now {
        now if now == next => Ok(()),
        END => Err(format!("the other thread gave up before turn {next}")),
        _ => Err(format!("turn {now} came when {next} was the next")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Cpus;

    const SLICE: Duration = Duration::from_millis(5);

    #[test]
    fn turns_alternate_whoever_waits_how() {
        let cpus = Cpus::usable();
        let [first, .., last] = cpus.ids() else { return };
        for hints in [0, 8] {
            let sample = spinning([*first, *last], hints, SLICE).expect("a figure");
            assert!(sample.items >= 4 * u64::from(BLOCK) && sample.ns() > 0.0, "{sample:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_sleeper_is_woken_on_its_own_cpu_too() {
        let cpus = Cpus::usable();
        let (first, last) = (cpus.ids()[0], cpus.ids()[cpus.count() - 1]);
        for seats in [[last, last], [first, last]] {
            let sample = asleep(seats, SLICE).expect("a figure");
            assert!(sample.usage.switches() > Some(0), "{sample:?}");
        }
    }

    /// Skips every hundredth turn.
    struct Hasty;

    impl Relay for Hasty {
        fn wait(&self, turn: &AtomicU32, mine: u32) -> u32 {
            let now = Spinning(1).wait(turn, mine);
            if now != END && now % 100 == 99 { now + 1 } else { now }
        }
    }

    #[test]
    fn a_wrong_turn_ends_both() {
        let cpus = Cpus::usable();
        let [first, .., last] = cpus.ids() else { return };
        let why = run([*first, *last], Hasty, SLICE).expect_err("no figure");
        assert!(matches!(&why, Reason::Wrong(why) if why == "turn 100 came when 99 was the next"), "{why:?}");
    }
}
