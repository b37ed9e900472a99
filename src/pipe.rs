//! The pipe: a ring and a gate for each side. A message's way, in order; what happens when the ring says no is in
//! `wait`, the two sides' lives are in `lives`.

mod lives;
mod wait;

use crate::error::TryRecvError;
use crate::fence;
use crate::gate::{CALLS, GONE, Gate};
use crate::lockref::Handles;
use crate::relax::Relax;
use crate::ring::cursor::Cursor;
use crate::ring::{Refused, Ring};
use crate::stats::{Event, Meter, Meters};
use crate::sync::atomic::AtomicU32;
use crate::sync::labels::labels;
use crate::topology::Topology;
use crate::wake::{Call, WakePolicy};
#[cfg(feature = "std")]
use crate::{error::RecvTimeoutError, spin::Patience, sync::time::Deadline, wait::Habit};
use core::mem::{ManuallyDrop, MaybeUninit};
use crossbeam_utils::CachePadded;

labels! { "pipe";
    LAST_LOOK: Step, pairs "gate CLOSE",
        why "an item sent between the empty look and the last sender's end is received before Disconnected",
        model "close_senders, close_senders_timeout";
    DISCARD: Step, pairs "fence::heavy in `Gate::abandon`",
        why "a sender that published after the last receiver's discard drops its own item",
        model "close_receivers, close_receivers_spsc";
    TURN: AcqRel, pairs "TURN",
        why "one discarder at a time, who sees what the one before did; whoever finds one at it is seen by that one",
        model "close_receivers_spsc, close_receivers_mpsc, close_receivers_2p";
    TAKER_LOOKS: Step, pairs "gate SERVE",
        why "who takes the head without having slept wakes the sleepers for the next slot, published meanwhile",
        model "gate_1p2c, gate_edge_1p2c, gate_full_2p1c_mpsc_sym";
}

/// What a builder chose.
pub(crate) struct Config {
    pub(crate) retry: Relax,
    pub(crate) wake: WakePolicy,
    pub(crate) name: Option<&'static str>,
    #[cfg(feature = "std")]
    pub(crate) patience: Patience,
}

/// What both ends of a pipe share.
pub(crate) struct Shared<T, K: Topology> {
    ring: K::Ring<T>,
    /// Rarely written, read by every call: receivers wait for items, senders for space.
    gates: CachePadded<Gates>,
    pub(crate) senders: Handles,
    pub(crate) receivers: Handles,
    /// Sides that still have handles; the last one frees.
    sides: Handles,
    /// Discarders, one of them at work.
    discards: AtomicU32,
    pub(crate) meters: Meters,
    #[cfg(feature = "std")]
    habits: Habits,
}

struct Gates {
    items: Gate,
    space: Gate,
    /// As still as they are, and there is room.
    config: Config,
}

/// What a pipe has learned about each side's waits: those for items, those for space.
#[cfg(feature = "std")]
struct Habits {
    items: Habit,
    space: Habit,
}

/// Why nothing was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotSent {
    /// Full until the deadline, or now for a try.
    Full,
    /// No receiver is left.
    Disconnected,
}

impl<T, K: Topology> Shared<T, K> {
    // ---- a message's way in: reserve, write, publish, wake ----

    /// Sends `item`, which is moved out on Ok only. Waits for space until the deadline.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn send(
        &self,
        item: &ManuallyDrop<T>,
        deadline: Deadline,
        meter: &Meter,
    ) -> Result<(), NotSent> {
        // SAFETY: the item is the caller's to give; a single sender's handle is not Sync, so its calls come one by one.
        match unsafe { self.ring.push(item, |lost| self.lost_sending(lost, meter)) } {
            Ok(at) => {
                self.sent(at, meter);
                Ok(())
            }
            Err(_) => self.send_later(item, deadline, meter),
        }
    }

    /// As `send`, but never waits for anybody.
    #[inline]
    pub(crate) fn try_send(&self, item: &ManuallyDrop<T>, meter: &Meter) -> Result<(), NotSent> {
        // SAFETY: the item is the caller's to give; a single sender's handle is not Sync, so its calls come one by one.
        match unsafe { self.ring.push(item, |lost| self.lost(lost, meter)) } {
            Ok(at) => {
                self.sent(at, meter);
                Ok(())
            }
            Err(Refused::Closed) => Err(NotSent::Disconnected),
            Err(Refused::NotReady) => {
                meter.count(Event::Full);
                self.nudge_receivers(meter);
                Err(NotSent::Full)
            }
        }
    }

    /// After a publish: one plain load a gate, while nobody sleeps and both sides live. A single sender has no fellow
    /// who could sleep for space.
    #[inline(always)]
    fn sent(&self, at: u64, meter: &Meter) {
        fence::light();
        let fellows = if K::Tx::ALONE { 0 } else { self.gates.space.look() & CALLS };
        if (self.gates.items.look() & (CALLS | GONE)) | fellows != 0 {
            self.sent_to_sleepers(at, meter);
        }
    }

    #[cold]
    fn sent_to_sleepers(&self, at: u64, meter: &Meter) {
        Gate::before_serving();
        let policy = self.gates.config.wake;
        let made = Call::made(policy.asks_edge() && self.ring.awaited_item(at));
        self.gates.items.serve(policy, made, || self.ring.has_item(), meter);
        if !K::Tx::ALONE && TAKER_LOOKS.kept() {
            self.gates.space.serve(policy, Call::HandsOn, || self.ring.has_space(), meter);
        }
        if DISCARD.kept() && self.gates.items.is_gone() {
            // The last receiver may have discarded before this item was published.
            self.discard();
        }
        #[cfg(feature = "std")]
        self.habits.items.relieve(&self.gates.items, || self.ring.sent());
    }

    // ---- a message's way out: claim, read, release, wake ----

    /// Receives into `to`, which is initialized on Ok only. Waits for an item until the deadline.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn recv(
        &self,
        to: &mut MaybeUninit<T>,
        deadline: Deadline,
        meter: &Meter,
    ) -> Result<(), RecvTimeoutError> {
        // A place of its own: no call sees it, so a small item stays in registers.
        let mut item = MaybeUninit::uninit();
        // SAFETY: a single receiver's handle is not Sync, so its calls come one by one.
        match unsafe { self.ring.pop(&mut item, |lost| self.lost_receiving(lost, meter)) } {
            Ok(at) => {
                *to = item;
                self.received(at, meter);
                Ok(())
            }
            Err(_) => self.recv_later(to, deadline, meter),
        }
    }

    /// As `recv`, but never waits for anybody.
    #[inline]
    pub(crate) fn try_recv(&self, to: &mut MaybeUninit<T>, meter: &Meter) -> Result<(), TryRecvError> {
        // SAFETY: a single receiver's handle is not Sync, so its calls come one by one.
        match unsafe { self.ring.pop(to, |lost| self.lost(lost, meter)) } {
            Ok(at) => {
                self.received(at, meter);
                Ok(())
            }
            Err(_) if self.gates.items.is_closed() => {
                self.last_look(to, meter).ok_or(TryRecvError::Disconnected)
            }
            Err(_) => {
                meter.count(Event::Empty);
                self.nudge_senders(meter);
                Err(TryRecvError::Empty)
            }
        }
    }

    /// The ring was empty, then no sender was left: only now is what it holds all there will be.
    #[cold]
    fn last_look(&self, to: &mut MaybeUninit<T>, meter: &Meter) -> Option<()> {
        if !LAST_LOOK.kept() {
            return None;
        }
        // SAFETY: a single receiver's handle is not Sync, so its calls come one by one.
        let at = unsafe { self.ring.pop(to, |lost| self.lost(lost, meter)) }.ok()?;
        self.received(at, meter);
        Some(())
    }

    /// After a release: one plain load a gate, while nobody sleeps. A single receiver has no fellow.
    #[inline(always)]
    fn received(&self, at: u64, meter: &Meter) {
        fence::light();
        let fellows = if K::Rx::ALONE { 0 } else { self.gates.items.look() & CALLS };
        if (self.gates.space.look() & CALLS) | fellows != 0 {
            self.received_from_sleepers(at, meter);
        }
    }

    #[cold]
    fn received_from_sleepers(&self, at: u64, meter: &Meter) {
        Gate::before_serving();
        let policy = self.gates.config.wake;
        let made = Call::made(policy.asks_edge() && self.ring.awaited_space(at));
        self.gates.space.serve(policy, made, || self.ring.has_space(), meter);
        if !K::Rx::ALONE && TAKER_LOOKS.kept() {
            self.gates.items.serve(policy, Call::HandsOn, || self.ring.has_item(), meter);
        }
        #[cfg(feature = "std")]
        self.habits.space.relieve(&self.gates.space, || self.ring.sent());
    }

    /// After a lost compare-exchange.
    #[cold]
    fn lost(&self, lost: u32, meter: &Meter) {
        meter.count(Event::Retry);
        self.gates.config.retry.retry(lost);
    }

    // ---- what is asked from outside ----

    /// The name that it was built with.
    pub(crate) fn name(&self) -> Option<&'static str> {
        self.gates.config.name
    }

    /// Items sent and not received.
    pub(crate) fn len(&self) -> usize {
        self.ring.len()
    }

    /// In items.
    pub(crate) fn capacity(&self) -> usize {
        self.ring.capacity()
    }

    /// Whether no receiver is left.
    pub(crate) fn receivers_gone(&self) -> bool {
        self.ring.is_closed()
    }

    /// Whether no sender is left.
    pub(crate) fn senders_gone(&self) -> bool {
        self.gates.items.is_closed()
    }

    /// Threads asleep or about to be: receivers, senders.
    pub(crate) fn waiting(&self) -> (u32, u32) {
        (self.gates.items.waiting(), self.gates.space.waiting())
    }

    /// Wakes every sleeper for no reason.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    pub(crate) fn disturb(&self) {
        self.gates.items.disturb();
        self.gates.space.disturb();
    }

    /// Takes both sides' fences to their peers, or back.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    pub(crate) fn symmetric(&self, sym: bool) {
        for gate in [&self.gates.items, &self.gates.space] {
            match sym {
                true => gate.go_sym(),
                false if gate.fences_for_a_while() => gate.go_light(),
                false => {}
            }
        }
    }
}
