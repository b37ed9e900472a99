//! The pipe: a ring and a gate for each side. A message's way, in order; its two sides' lives are in `lives`.

mod lives;

use crate::error::TryRecvError;
use crate::fence;
use crate::gate::{CALLS, CLOSED, Gate};
use crate::lockref::Lockref;
use crate::relax::Relax;
use crate::ring::stamped::{Refused, Stamped};
use crate::sync::labels::labels;
use crate::topology::Topology;
use crate::wake::WakePolicy;
#[cfg(feature = "std")]
use crate::{
    error::RecvTimeoutError,
    ring::stamped::Found,
    spin::{Credit, Patience},
    sync::{time::Deadline, yield_now},
};
use core::mem::{ManuallyDrop, MaybeUninit};
use crossbeam_utils::CachePadded;

labels! { "pipe";
    LAST_LOOK: Step, pairs "gate CLOSE",
        why "an item sent between the empty look and the last sender's end is received before Disconnected",
        model "close_senders, close_senders_timeout";
    DISCARD: Step, pairs "fence::heavy in `end_receivers`",
        why "a sender that published after the last receiver's discard drops its own item",
        model "close_receivers";
    TAKER_LOOKS: Step, pairs "gate SERVE",
        why "who takes the head without having slept wakes the sleepers for the next slot, published meanwhile",
        model "gate_1p2c, gate_full_2p1c_sym";
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
    ring: Stamped<T, K>,
    /// Rarely written, read by every call: receivers wait for items, senders for space.
    gates: CachePadded<Gates>,
    pub(crate) senders: Lockref,
    pub(crate) receivers: Lockref,
    /// Sides that still have handles; the last one frees.
    sides: Lockref,
    pub(crate) config: Config,
    #[cfg(feature = "std")]
    credits: Credits,
}

struct Gates {
    items: Gate,
    space: Gate,
}

/// What each side has learned about waiting awake.
#[cfg(feature = "std")]
struct Credits {
    items: Credit,
    space: Credit,
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
    /// A slot's size in bytes, for the builder's arithmetic.
    pub(crate) const SLOT: usize = Stamped::<T, K>::SLOT;

    // ---- a message's way in: reserve, write, publish, wake ----

    /// Sends `item`, which is moved out on Ok only. Waits for space until the deadline.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn send(&self, item: &ManuallyDrop<T>, deadline: Deadline) -> Result<(), NotSent> {
        let mut in_time = true;
        loop {
            match self.ring.reserve(|lost| self.lost_sending(lost)) {
                Ok(slot) => {
                    slot.publish(item);
                    self.sent();
                    return Ok(());
                }
                Err(Refused::Closed) => return Err(NotSent::Disconnected),
                Err(Refused::NotReady) if !in_time => return Err(NotSent::Full),
                Err(Refused::NotReady) => in_time = self.wait_for_space(deadline),
            }
        }
    }

    /// As `send`, but never waits for anybody.
    #[inline]
    pub(crate) fn try_send(&self, item: &ManuallyDrop<T>) -> Result<(), NotSent> {
        match self.ring.reserve(|lost| self.config.retry.retry(lost)) {
            Ok(slot) => {
                slot.publish(item);
                self.sent();
                Ok(())
            }
            Err(Refused::Closed) => Err(NotSent::Disconnected),
            Err(Refused::NotReady) => {
                self.nudge_receivers();
                Err(NotSent::Full)
            }
        }
    }

    /// After a publish: one plain load a gate, while nobody sleeps and both sides live.
    #[inline(always)]
    fn sent(&self) {
        fence::light();
        if (self.gates.items.look() | self.gates.space.look()) & (CALLS | CLOSED) != 0 {
            self.sent_to_sleepers();
        }
    }

    #[cold]
    fn sent_to_sleepers(&self) {
        Gate::before_serving();
        self.gates.items.serve(self.config.wake, || self.ring.has_item());
        if TAKER_LOOKS.kept() {
            self.gates.space.serve(self.config.wake, || self.ring.has_space());
        }
        if DISCARD.kept() && self.gates.space.is_closed() {
            // The last receiver may have discarded before this item was published.
            self.ring.drain();
        }
    }

    // ---- a message's way out: claim, read, release, wake ----

    /// Receives into `to`, which is initialized on Ok only. Waits for an item until the deadline.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn recv(&self, to: &mut MaybeUninit<T>, deadline: Deadline) -> Result<(), RecvTimeoutError> {
        let mut in_time = true;
        loop {
            match self.ring.take(|lost| self.lost_receiving(lost)) {
                Ok(item) => {
                    item.release(to);
                    self.received();
                    return Ok(());
                }
                Err(_) if self.gates.items.is_closed() => {
                    return self.last_look(to).ok_or(RecvTimeoutError::Disconnected);
                }
                Err(_) if !in_time => return Err(RecvTimeoutError::Timeout),
                Err(_) => in_time = self.wait_for_item(deadline),
            }
        }
    }

    /// As `recv`, but never waits for anybody.
    #[inline]
    pub(crate) fn try_recv(&self, to: &mut MaybeUninit<T>) -> Result<(), TryRecvError> {
        match self.ring.take(|lost| self.config.retry.retry(lost)) {
            Ok(item) => {
                item.release(to);
                self.received();
                Ok(())
            }
            Err(_) if self.gates.items.is_closed() => self.last_look(to).ok_or(TryRecvError::Disconnected),
            Err(_) => {
                self.nudge_senders();
                Err(TryRecvError::Empty)
            }
        }
    }

    /// The ring was empty, then no sender was left: only now is what it holds all there will be.
    #[cold]
    fn last_look(&self, to: &mut MaybeUninit<T>) -> Option<()> {
        if !LAST_LOOK.kept() {
            return None;
        }
        self.ring.take(|lost| self.config.retry.retry(lost)).ok()?.release(to);
        self.received();
        Some(())
    }

    /// After a release: one plain load a gate, while nobody sleeps.
    #[inline(always)]
    fn received(&self) {
        fence::light();
        if (self.gates.items.look() | self.gates.space.look()) & CALLS != 0 {
            self.received_from_sleepers();
        }
    }

    #[cold]
    fn received_from_sleepers(&self) {
        Gate::before_serving();
        self.gates.space.serve(self.config.wake, || self.ring.has_space());
        if TAKER_LOOKS.kept() {
            self.gates.items.serve(self.config.wake, || self.ring.has_item());
        }
    }

    // ---- when the ring says no ----

    /// Full: should the receiver in flight never run, another one is woken.
    fn nudge_receivers(&self) {
        self.gates.items.nudge(|| self.ring.has_item());
    }

    /// Empty: should the sender in flight never run, another one is woken.
    fn nudge_senders(&self) {
        self.gates.space.nudge(|| self.ring.has_space());
    }

    /// After a lost compare-exchange of a blocking call: the relax, then the escape. Off the CPU, so that the
    /// winner runs its burst; but while the ring is nearly empty receivers wait for this very sender.
    #[cfg(feature = "std")]
    #[cold]
    fn lost_sending(&self, lost: u32) {
        self.config.retry.retry(lost);
        if lost > 1 || self.ring.len() > self.ring.capacity() / 8 {
            yield_now();
        }
    }

    /// After a lost compare-exchange of a blocking call: the relax, then off the CPU.
    #[cfg(feature = "std")]
    #[cold]
    fn lost_receiving(&self, lost: u32) {
        self.config.retry.retry(lost);
        yield_now();
    }

    #[cfg(feature = "std")]
    #[inline(never)]
    fn wait_for_space(&self, deadline: Deadline) -> bool {
        let (gates, credit) = (&self.gates, &self.credits.space);
        self.nudge_receivers();
        let (has, find) = (|| self.ring.has_space(), || self.ring.find_space());
        self.wait(&gates.space, credit, &gates.items, deadline, has, find)
    }

    #[cfg(feature = "std")]
    #[inline(never)]
    fn wait_for_item(&self, deadline: Deadline) -> bool {
        let (gates, credit) = (&self.gates, &self.credits.items);
        self.nudge_senders();
        let (has, find) = (|| self.ring.has_item(), || self.ring.find_item());
        self.wait(&gates.items, credit, &gates.space, deadline, has, find)
    }

    /// Awake for the budget, then asleep at `gate`; the `peers` are then all that can go on. False: the deadline
    /// passed.
    #[cfg(feature = "std")]
    fn wait(
        &self,
        gate: &Gate,
        credit: &Credit,
        peers: &Gate,
        deadline: Deadline,
        has: impl Fn() -> bool,
        find: impl Fn() -> Found,
    ) -> bool {
        if deadline.passed() {
            return false;
        }
        if self.config.patience.poll(credit, deadline, || has() || gate.is_closed()) {
            return true;
        }
        peers.insist();
        gate.wait(deadline, find)
    }

    // ---- what is asked from outside ----

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
    #[allow(dead_code)] // tests with hooks and models only
    pub(crate) fn disturb(&self) {
        self.gates.items.disturb();
        self.gates.space.disturb();
    }
}
