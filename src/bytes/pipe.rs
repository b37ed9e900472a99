//! The byte pipe: a ring of bytes and a gate for each side. Bytes' way in and out, in order, and what a call does when the
//! ring says no.

use super::error;
use super::labels::{LAST_BYTES, LATE_HANDS_ON, TAKER_LEAVES};
use super::ring::{Ring, Stuck, Took, Until};
use super::slices::{Sink, Source};
use crate::fence;
use crate::gate::{CALLS, Gate};
use crate::lockref::Handles;
use crate::spin::Patience;
use crate::stats::{Event, Meter, Meters};
use crate::sync::time::Deadline;
use crate::wait::{Habit, Side};
use crate::wake::{Call, WakePolicy};
use crossbeam_utils::CachePadded;
use std::io;

/// Whom to wake: one at a time, who hands on. (There is never more than one writer at the gate: the others stand in line.)
const POLICY: WakePolicy = WakePolicy::Chain;

/// What both ends of a byte pipe share.
pub(crate) struct Shared<R> {
    pub(super) ring: R,
    /// Rarely written, read by every call: readers wait for bytes, writers for room.
    gates: CachePadded<Gates>,
    habits: Habits,
    pub(super) writers: Handles,
    pub(super) readers: Handles,
    pub(super) meters: Meters,
}

struct Gates {
    bytes: Gate,
    room: Gate,
    /// As still as they are, and there is room.
    patience: Patience,
    name: Option<&'static str>,
}

/// What a pipe has learned about each side's waits.
struct Habits {
    bytes: Habit,
    room: Habit,
}

impl<R: Ring> Shared<R> {
    /// With one handle a side.
    pub(super) fn new(ring: R, patience: Patience, name: Option<&'static str>) -> Self {
        Self {
            ring,
            gates: CachePadded::new(Gates {
                bytes: Gate::new(R::UNSEEN),
                room: Gate::new(R::UNSEEN),
                patience,
                name,
            }),
            habits: Habits { bytes: Habit::new(), room: Habit::new() },
            writers: Handles::new(1),
            readers: Handles::new(1),
            meters: Meters::new(),
        }
    }

    // ---- bytes' way in ----

    /// Writes all of `from`, waiting for room that long: how much went in, which is less where the time or the last
    /// reader goes; none of it is an error.
    ///
    /// # Safety
    /// If there is one writer, that one calls.
    #[inline]
    pub(super) unsafe fn write(
        &self,
        mut from: impl Source,
        until: Until,
        meter: &Meter,
    ) -> io::Result<usize> {
        let total = from.left();
        if total == 0 {
            return Ok(0);
        }
        if self.readers_gone() {
            return Err(error::broken());
        }
        let mut turn = self.ring.turn(total);
        // SAFETY: the caller's promise.
        if unsafe { self.ring.put(&mut turn, &mut from, until) }.is_ok() {
            self.wrote(meter);
            if from.left() == 0 {
                return Ok(total);
            }
        }
        // SAFETY: the caller's promise.
        match unsafe { self.write_later(turn, &mut from, until, meter) } {
            Err(error) if from.left() == total => Err(error),
            _ => Ok(total - from.left()),
        }
    }

    /// Goes on where a first try left it.
    ///
    /// # Safety
    /// As [`write`](Self::write).
    #[inline(never)]
    unsafe fn write_later<'a>(
        &'a self,
        mut turn: R::Turn<'a>,
        from: &mut impl Source,
        until: Until,
        meter: &Meter,
    ) -> io::Result<()> {
        while from.left() > 0 {
            // SAFETY: the caller's promise.
            self.when_room(|| unsafe { self.ring.put(&mut turn, from, until) }, until, meter)?;
            self.wrote(meter);
        }
        Ok(())
    }

    /// Tries once, and again after each wait, until the ring says yes; a last time after the deadline.
    pub(super) fn when_room<T>(
        &self,
        mut put: impl FnMut() -> Result<T, Stuck>,
        until: Until,
        meter: &Meter,
    ) -> io::Result<T> {
        let mut in_time = true;
        loop {
            if self.readers_gone() {
                return Err(error::broken());
            }
            match (put(), until) {
                (Ok(put), _) => return Ok(put),
                (Err(Stuck::Again), _) => {}
                (Err(Stuck::NotReady), Until::Deadline(deadline)) if in_time => {
                    in_time = self.wait_for_room(deadline, meter);
                }
                (Err(_), Until::Deadline(_)) => return Err(io::ErrorKind::TimedOut.into()),
                (Err(_), Until::Now) => {
                    meter.count(Event::Full);
                    self.nudge_readers(meter);
                    return Err(io::ErrorKind::WouldBlock.into());
                }
            }
        }
    }

    /// After a publish: one plain load while nobody sleeps.
    #[inline(always)]
    pub(super) fn wrote(&self, meter: &Meter) {
        fence::light();
        if self.gates.bytes.look() & CALLS != 0 {
            self.wrote_to_sleepers(meter);
        }
    }

    #[cold]
    fn wrote_to_sleepers(&self, meter: &Meter) {
        Gate::before_serving();
        self.gates.bytes.serve(POLICY, Call::made(false), || self.ring.has_bytes(), meter);
        self.habits.bytes.relieve(&self.gates.bytes, || self.ring.writes());
    }

    fn wait_for_room(&self, deadline: Deadline, meter: &Meter) -> bool {
        meter.count(Event::Full);
        self.nudge_readers(meter);
        let Gates { bytes, room, patience, .. } = &*self.gates;
        let side = Side { gate: room, habit: &self.habits.room, peers: bytes, unseen: R::UNSEEN, patience };
        let ring = &self.ring;
        side.wait(deadline, || ring.has_room(), || ring.find_room(), || ring.writes(), meter)
    }

    /// Full: should the reader in flight never run, another one is woken.
    fn nudge_readers(&self, meter: &Meter) {
        self.gates.bytes.nudge(|| self.ring.has_bytes(), meter);
    }

    // ---- bytes' way out ----

    /// Reads what there is, as far as it goes into `into`; waits that long for the first byte. 0: no writer is left, and
    /// nothing in the pipe.
    ///
    /// # Safety
    /// If there is one reader, that one calls.
    #[inline]
    pub(super) unsafe fn read(&self, mut into: impl Sink, until: Until, meter: &Meter) -> io::Result<usize> {
        let total = into.left();
        if total == 0 {
            return Ok(0);
        }
        let made_room = || self.made_room(meter);
        // SAFETY: the caller's promise.
        let mut taken = unsafe { self.ring.take(&mut into, until, made_room) };
        if taken.is_err() {
            // SAFETY: the caller's promise.
            match self.when_bytes(|| unsafe { self.ring.take(&mut into, until, made_room) }, until, meter)? {
                Some(took) => taken = Ok(took),
                None => return Ok(0),
            }
        }
        while let Ok(took) = taken {
            self.took(meter);
            if took == Took::All {
                break;
            }
            // SAFETY: the caller's promise.
            taken = unsafe { self.ring.take(&mut into, Until::Now, made_room) };
        }
        Ok(total - into.left())
    }

    /// Tries once, and again after each wait, until the ring says yes; a last time after the deadline. `None`: the ring was
    /// empty and will be.
    pub(super) fn when_bytes<T>(
        &self,
        mut take: impl FnMut() -> Result<T, Stuck>,
        until: Until,
        meter: &Meter,
    ) -> io::Result<Option<T>> {
        let mut in_time = true;
        let mut last = false;
        loop {
            match (take(), until) {
                (Ok(took), _) => return Ok(Some(took)),
                (Err(Stuck::Again), _) => {}
                (Err(Stuck::NotReady), _) if last || (self.writers_gone() && !LAST_BYTES.kept()) => {
                    return Ok(None);
                }
                // The ring was empty, then no writer was left: only now is what it holds all there will be.
                (Err(Stuck::NotReady), _) if self.writers_gone() => last = true,
                (Err(Stuck::NotReady), Until::Deadline(deadline)) if in_time => {
                    in_time = self.wait_for_bytes(deadline, meter);
                }
                (Err(stuck), Until::Deadline(_)) => {
                    // Without a look, and it may have been woken for what is there.
                    if stuck == Stuck::Behind && LATE_HANDS_ON.kept() {
                        Gate::before_serving();
                        self.hand_on(meter);
                    }
                    return Err(io::ErrorKind::TimedOut.into());
                }
                (Err(_), Until::Now) => {
                    meter.count(Event::Empty);
                    self.nudge_writers(meter);
                    return Err(io::ErrorKind::WouldBlock.into());
                }
            }
        }
    }

    /// After a release: one plain load a gate while nobody sleeps. A single reader has no fellow.
    #[inline(always)]
    pub(super) fn took(&self, meter: &Meter) {
        fence::light();
        let fellows = if R::UNSEEN { 0 } else { self.gates.bytes.look() & CALLS };
        if (self.gates.room.look() & CALLS) | fellows != 0 {
            self.took_from_sleepers(meter);
        }
    }

    #[cold]
    fn took_from_sleepers(&self, meter: &Meter) {
        Gate::before_serving();
        self.serve_writers(meter);
        if !R::UNSEEN && TAKER_LEAVES.kept() {
            self.hand_on(meter);
        }
    }

    /// In the middle of a long read.
    fn made_room(&self, meter: &Meter) {
        fence::light();
        if self.gates.room.look() & CALLS != 0 {
            Gate::before_serving();
            self.serve_writers(meter);
        }
    }

    fn serve_writers(&self, meter: &Meter) {
        self.gates.room.serve(POLICY, Call::made(false), || self.ring.has_room(), meter);
        self.habits.room.relieve(&self.gates.room, || self.ring.writes());
    }

    /// Wakes the next reader, if there is something for it.
    fn hand_on(&self, meter: &Meter) {
        self.gates.bytes.serve(POLICY, Call::HandsOn, || self.ring.has_bytes(), meter);
    }

    fn wait_for_bytes(&self, deadline: Deadline, meter: &Meter) -> bool {
        meter.count(Event::Empty);
        self.nudge_writers(meter);
        let Gates { bytes, room, patience, .. } = &*self.gates;
        let side = Side { gate: bytes, habit: &self.habits.bytes, peers: room, unseen: R::UNSEEN, patience };
        let ring = &self.ring;
        side.wait(deadline, || ring.has_bytes(), || ring.find_bytes(), || ring.writes(), meter)
    }

    /// Empty: should the writer in flight never run, it is called again.
    fn nudge_writers(&self, meter: &Meter) {
        self.gates.room.nudge(|| self.ring.has_room(), meter);
    }

    // ---- the two sides' ends ----

    /// A writer's handle is gone. The last one's ends the stream.
    pub(super) fn put_writer(&self) {
        if self.writers.put() {
            self.gates.bytes.close();
        }
    }

    /// A reader's handle is gone. The last one's breaks the pipe.
    pub(super) fn put_reader(&self) {
        if self.readers.put() {
            self.gates.room.close();
        }
    }

    pub(super) fn writers_gone(&self) -> bool {
        self.gates.bytes.is_closed()
    }

    pub(super) fn readers_gone(&self) -> bool {
        self.gates.room.is_closed()
    }

    pub(super) fn name(&self) -> Option<&'static str> {
        self.gates.name
    }

    /// Threads asleep or about to be: readers, writers.
    pub(super) fn waiting(&self) -> (u32, u32) {
        (self.gates.bytes.waiting(), self.gates.room.waiting())
    }

    /// Wakes every sleeper for no reason.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    pub(super) fn disturb(&self) {
        self.gates.bytes.disturb();
        self.gates.room.disturb();
        self.ring.disturb();
    }
}
