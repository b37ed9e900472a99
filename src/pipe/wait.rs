//! When the ring says no: nudge the other side, wait awake for a while, then sleep.

use super::Shared;
#[cfg(feature = "std")]
use super::{Gates, Habits, NotSent};
use crate::ring::Ring;
use crate::stats::Meter;
use crate::topology::Topology;
#[cfg(feature = "std")]
use crate::{
    error::RecvTimeoutError,
    ring::{Refused, cursor::Cursor},
    stats::Event,
    sync::{time::Deadline, yield_now},
    wait::{Habit, Side},
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
        let Gates { items, space, config } = &*self.gates;
        let (habit, patience) = (&self.habits.space, &config.patience);
        let side = Side { gate: space, habit, peers: items, unseen: K::Rx::ALONE, patience };
        let ring = &self.ring;
        side.wait(deadline, || ring.has_space(), || ring.find_space(), || ring.sent(), meter)
    }

    fn wait_for_item(&self, deadline: Deadline, meter: &Meter) -> bool {
        meter.count(Event::Empty);
        self.nudge_senders(meter);
        let Gates { items, space, config } = &*self.gates;
        let (habit, patience) = (&self.habits.items, &config.patience);
        let side = Side { gate: items, habit, peers: space, unseen: K::Tx::ALONE, patience };
        let ring = &self.ring;
        side.wait(deadline, || ring.has_item(), || ring.find_item(), || ring.sent(), meter)
    }
}
