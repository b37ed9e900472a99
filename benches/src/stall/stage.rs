//! The threads of a trial: what each does, and the counts that show from outside how it fares.

use std::{
    io,
    ops::Range,
    sync::{
        Barrier, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    task::Poll::{Pending, Ready},
    thread,
    time::{Duration, Instant},
};

use crossbeam_utils::CachePadded;

use super::{
    end::{End, Receipt},
    gate::{By, Gate},
    trial::{Futex, HOLDS},
};
use crate::{
    contender::Channel,
    usage::{Thread, Usage},
};

/// The others on the victim's side make a call so often.
pub const PACE: Duration = Duration::from_micros(500);
/// The prober does.
pub const PROBE: Duration = Duration::from_micros(100);

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Calls without a pause, till it is held.
    Victim,
    /// Calls now and then.
    Other,
    /// Calls without a pause, and so waits whenever it must.
    Waiter,
    /// Makes `try_` calls: now and then while it watches, and else without a pause, so that the victim is busy.
    Prober,
}

/// A thread's place, which the conductor reads.
struct Seat {
    role: Role,
    begun: AtomicU64,
    done: AtomicU64,
    thread: OnceLock<Thread>,
}

/// What all of them share. Its atomics are Relaxed: counts and a flag, nothing is handed over by them.
pub struct Stage {
    start: Barrier,
    /// Counts up: before the first hold is watched, while it is, before the second is, and so on; at last [`STOP`].
    scene: CachePadded<AtomicUsize>,
    seats: Vec<CachePadded<Seat>>,
}

/// The last scene.
const STOP: usize = usize::MAX;

fn watched(scene: usize) -> bool {
    scene % 2 == 1
}

/// The holds that were watched at some time between these scenes.
fn holds(begin: usize, end: usize) -> Range<usize> {
    begin / 2..end.div_ceil(2).min(HOLDS)
}

/// What a thread brings home.
pub struct Part {
    pub receipt: Receipt,
    /// Its `try_` calls: during which hold, how long.
    pub tries: Vec<(usize, u64)>,
}

/// The seats' counts at one moment.
pub struct Reading {
    pub through: u64,
    pub others_begun: u64,
    pub others_done: u64,
    pub waiters: Vec<Usage>,
    pub futex: Option<Futex>,
}

/// The conductor's side.
impl Stage {
    /// The victim comes first.
    pub fn new(roles: impl Iterator<Item = Role>) -> Self {
        let seat = |role| Seat { role, begun: 0.into(), done: 0.into(), thread: OnceLock::new() };
        let seats: Vec<_> = roles.map(|role| CachePadded::new(seat(role))).collect();
        Self { start: Barrier::new(seats.len() + 1), scene: CachePadded::new(0.into()), seats }
    }

    /// Returns when all threads are there.
    pub fn start(&self) {
        self.start.wait();
    }

    /// After [`start`](Self::start).
    pub fn victim(&self) -> io::Result<&Thread> {
        let unknown = || io::Error::other("this system does not tell a thread's CPU time");
        self.seats[0].thread.get().ok_or_else(unknown)
    }

    /// From now on the others are watched.
    pub fn open(&self) -> Reading {
        let before = self.reading();
        self.scene.fetch_add(1, Relaxed);
        before
    }

    /// They are no more.
    pub fn close(&self) -> Reading {
        self.scene.fetch_add(1, Relaxed);
        self.reading()
    }

    /// All threads shall come home.
    pub fn stop(&self) {
        self.scene.store(STOP, Relaxed);
    }

    /// The counts now.
    pub fn reading(&self) -> Reading {
        let of = |role| self.seats.iter().filter(move |seat| seat.role == role);
        let sum = |role, count: fn(&Seat) -> &AtomicU64| -> u64 {
            of(role).map(|seat| count(seat).load(Relaxed)).sum()
        };
        Reading {
            through: sum(Role::Waiter, |seat| &seat.done) + sum(Role::Prober, |seat| &seat.done),
            // In this order no call seems to be done that has not begun.
            others_done: sum(Role::Other, |seat| &seat.done),
            others_begun: sum(Role::Other, |seat| &seat.begun),
            waiters: of(Role::Waiter).filter_map(|seat| seat.thread.get()).map(Thread::usage).collect(),
            futex: futex(),
        }
    }
}

/// The threads' side.
impl Stage {
    /// A thread's whole part.
    pub fn play<C: Channel>(&self, seat: usize, mut end: End<C>, gate: &'static Gate, by: By) -> Part {
        let seat = &*self.seats[seat];
        let _hook = (seat.role == Role::Victim).then(|| gate.lay(by));
        if let Some(thread) = Thread::this() {
            let _ = seat.thread.set(thread); // nobody else does
        }
        let mut tries = Vec::new();
        self.start.wait();
        loop {
            let scene = self.scene.load(Relaxed);
            let goes_on = scene != STOP
                && match seat.role {
                    Role::Prober => self.probe(seat, &mut end, scene, &mut tries),
                    _ => {
                        seat.begun.fetch_add(1, Relaxed);
                        let goes_on = end.call();
                        seat.done.fetch_add(u64::from(goes_on), Relaxed);
                        goes_on
                    }
                };
            if !goes_on {
                return Part { receipt: end.finish(), tries };
            }
            if seat.role == Role::Other {
                thread::sleep(PACE);
            }
        }
    }

    /// One `try_` call, begun in `scene`; noted for each hold that it ran into.
    fn probe<C: Channel>(
        &self,
        seat: &Seat,
        end: &mut End<C>,
        scene: usize,
        tries: &mut Vec<(usize, u64)>,
    ) -> bool {
        let begun = Instant::now();
        let answer = end.try_call();
        let time = begun.elapsed();
        let now = self.scene.load(Relaxed);
        tries.extend(holds(scene, now).map(|hold| (hold, time.as_nanos() as u64)));
        seat.done.fetch_add(u64::from(answer == Ready(true)), Relaxed);
        match answer {
            _ if watched(now) => thread::sleep(PROBE),
            Pending => thread::yield_now(),
            Ready(_) => {}
        }
        answer != Ready(false)
    }
}

/// The process's calls so far, where they are counted.
fn futex() -> Option<Futex> {
    #[cfg(hornpipe_hooks)]
    let counters = Some(hornpipe::hooks::counters());
    #[cfg(hornpipe_hooks)]
    return counters.map(|counters| Futex { waits: counters.futex_waits, wakes: counters.futex_wakes });
    #[cfg(not(hornpipe_hooks))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_belongs_to_the_holds_it_ran_into() {
        assert_eq!(holds(0, 0), 0..0, "before the first");
        assert_eq!((holds(0, 1), holds(1, 1), holds(1, 2)), (0..1, 0..1, 0..1), "the first, or a part of it");
        assert!(holds(2, 2).is_empty(), "between two");
        assert_eq!((holds(2, 4), holds(3, 6)), (1..2, 1..3));
        assert_eq!(holds(2 * HOLDS - 1, STOP), HOLDS - 1..HOLDS);
        assert!(holds(2 * HOLDS, STOP).is_empty(), "after the last");
    }
}
