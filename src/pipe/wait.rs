//! When the ring says no: nudge the other side, wait awake for a while, then sleep.

use super::Shared;
#[cfg(feature = "std")]
use super::{Gates, Habit, Habits, NotSent};
use crate::ring::Ring;
use crate::stats::Meter;
use crate::topology::Topology;
#[cfg(feature = "std")]
use crate::{
    error::RecvTimeoutError,
    gate::Gate,
    ring::{Found, Refused, cursor::Cursor},
    spin::Credit,
    stats::Event,
    sync::{time::Deadline, yield_now},
    tempo::Tempo,
};
#[cfg(feature = "std")]
use core::mem::{ManuallyDrop, MaybeUninit};

impl<T, K: Topology> Shared<T, K> {
    /// Full: should the receiver in flight never run, another one is woken.
    pub(super) fn nudge_receivers(&self, meter: &Meter) {
        self.gates.items.nudge(|| self.ring.has_item(), meter);
    }

    /// Empty: should the sender in flight never run, another one is woken.
    pub(super) fn nudge_senders(&self, meter: &Meter) {
        self.gates.space.nudge(|| self.ring.has_space(), meter);
    }
}

#[cfg(feature = "std")]
impl Habits {
    pub(super) fn new() -> Self {
        Self { items: Habit::new(), space: Habit::new() }
    }
}

#[cfg(feature = "std")]
impl Habit {
    fn new() -> Self {
        Self { credit: Credit::new(), tempo: Tempo::new() }
    }
}

/// What a waiting thread's side is.
#[cfg(feature = "std")]
struct Side<'a> {
    /// Where it sleeps.
    gate: &'a Gate,
    habit: &'a Habit,
    /// Where those sleep whom it waits for.
    peers: &'a Gate,
    /// Whether their claims do not see it.
    unseen: bool,
}

/// Of the blocking calls.
#[cfg(feature = "std")]
impl<T, K: Topology> Shared<T, K> {
    /// After a lost compare-exchange of a blocking call: the relax, then the escape. Off the CPU, so that the
    /// winner runs its burst; but while the ring is nearly empty receivers wait for this very sender.
    #[cold]
    pub(super) fn lost_sending(&self, lost: u32, meter: &Meter) {
        self.lost(lost, meter);
        if lost > 1 || self.ring.len() > self.ring.capacity() / 8 {
            meter.count(Event::Escape);
            yield_now();
        }
    }

    /// After a lost compare-exchange of a blocking call: the relax, then off the CPU.
    #[cold]
    pub(super) fn lost_receiving(&self, lost: u32, meter: &Meter) {
        self.lost(lost, meter);
        meter.count(Event::Escape);
        yield_now();
    }

    /// Sends once the ring takes it: a try before each wait, the last one after the deadline.
    #[inline(never)]
    pub(super) fn send_later(
        &self,
        item: &ManuallyDrop<T>,
        deadline: Deadline,
        meter: &Meter,
    ) -> Result<(), NotSent> {
        let mut in_time = true;
        loop {
            // SAFETY: as in `send`.
            match unsafe { self.ring.push(item, |lost| self.lost_sending(lost, meter)) } {
                Ok(at) => {
                    self.sent(at, meter);
                    return Ok(());
                }
                Err(Refused::Closed) => return Err(NotSent::Disconnected),
                Err(Refused::NotReady) if !in_time => return Err(NotSent::Full),
                Err(Refused::NotReady) => in_time = self.wait_for_space(deadline, meter),
            }
        }
    }

    /// Receives once the ring gives it, or after the last sender's end what is left.
    #[inline(never)]
    pub(super) fn recv_later(
        &self,
        to: &mut MaybeUninit<T>,
        deadline: Deadline,
        meter: &Meter,
    ) -> Result<(), RecvTimeoutError> {
        let mut in_time = true;
        loop {
            // SAFETY: as in `recv`.
            match unsafe { self.ring.pop(to, |lost| self.lost_receiving(lost, meter)) } {
                Ok(at) => {
                    self.received(at, meter);
                    return Ok(());
                }
                Err(_) if self.gates.items.is_closed() => {
                    return self.last_look(to, meter).ok_or(RecvTimeoutError::Disconnected);
                }
                Err(_) if !in_time => return Err(RecvTimeoutError::Timeout),
                Err(_) => in_time = self.wait_for_item(deadline, meter),
            }
        }
    }

    fn wait_for_space(&self, deadline: Deadline, meter: &Meter) -> bool {
        meter.count(Event::Full);
        self.nudge_receivers(meter);
        let Gates { items, space, .. } = &*self.gates;
        let side = Side { gate: space, habit: &self.habits.space, peers: items, unseen: K::Rx::ALONE };
        self.wait(side, deadline, || self.ring.has_space(), || self.ring.find_space(), meter)
    }

    fn wait_for_item(&self, deadline: Deadline, meter: &Meter) -> bool {
        meter.count(Event::Empty);
        self.nudge_senders(meter);
        let Gates { items, space, .. } = &*self.gates;
        let side = Side { gate: items, habit: &self.habits.items, peers: space, unseen: K::Tx::ALONE };
        self.wait(side, deadline, || self.ring.has_item(), || self.ring.find_item(), meter)
    }

    /// Awake for the budget, then asleep; the peers are then all that can go on. False: the deadline passed.
    fn wait(
        &self,
        side: Side<'_>,
        deadline: Deadline,
        has: impl Fn() -> bool,
        find: impl Fn() -> Found,
        meter: &Meter,
    ) -> bool {
        let Side { gate, habit, peers, unseen } = side;
        if deadline.passed() {
            return false;
        }
        if self.gates.config.patience.poll(&habit.credit, deadline, || has() || gate.is_closed(), meter) {
            return true;
        }
        peers.insist();
        if unseen {
            habit.tempo.sleeps(gate, self.ring.sent() as u32);
        }
        gate.wait(deadline, find, meter)
    }

    /// After a call that had to fence for `gate`: where nobody has slept for long it was the last.
    pub(super) fn relieve(&self, gate: &Gate, habit: &Habit) {
        if gate.fences_for_a_while() {
            habit.tempo.looks(gate, self.ring.sent() as u32);
        }
    }
}
