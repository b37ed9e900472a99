//! One lock, two sides: the state of a mutex pipe and how threads wait for it.
//!
//! A call takes one *turn*: lock, step, unlock, wake. If the step cannot be made, the thread polls for the
//! pipe's budget outside the lock and then sleeps on its side's bell. Two rules keep this free of lost and
//! of useless wakes; both hold whenever the lock is free:
//!
//! - **One wake in flight a side**: a side with sleepers and work (items for receivers, room for senders)
//!   has `waking` set, and whoever set it rings the bell once it has let go of the lock.
//! - **Hand on**: whoever leaves the bell, for whatever reason, clears `waking`. As the rule above holds
//!   again when it unlocks, a woken thread that leaves work and sleepers behind wakes the next.

use crate::spin::{Credit, Patience};
use crate::stats::{Meter, Meters};
use crate::sync::spin_loop;
use crate::sync::time::Deadline;
use alloc::collections::VecDeque;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::{fmt, mem};
use crossbeam_utils::CachePadded;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// Tries to take a contended lock, each after a back-off, before a thread queues up for it.
const TRIES: usize = 4;

/// The hints of one such back-off: longer where the holder has room for a longer run.
fn backoff(capacity: usize) -> usize {
    capacity.clamp(8, 64)
}

/// The two sides of a pipe; also the index of what is kept once a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Sender = 0,
    Receiver = 1,
}

impl Role {
    const BOTH: [Role; 2] = [Role::Sender, Role::Receiver];

    /// Whether a pipe of `capacity` items that holds `len` has work for this side.
    fn has_work(self, len: usize, capacity: usize) -> bool {
        match self {
            Role::Sender => len < capacity,
            Role::Receiver => len > 0,
        }
    }
}

/// What the lock guards of one side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    /// Living endpoints.
    pub(super) ends: usize,
    /// Threads that wait for the bell, or were woken and do not hold the lock yet.
    pub(super) asleep: usize,
    /// A wake is under way and nobody has come back from the bell since.
    pub(super) waking: bool,
}

/// What the lock guards.
pub(super) struct State<T> {
    queue: VecDeque<T>,
    capacity: usize,
    sides: [Side; 2],
}

/// A step that can never be made: the other side is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disconnected;

impl<T> State<T> {
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn side(&self, role: Role) -> Side {
        self.sides[role as usize]
    }

    pub(super) fn side_mut(&mut self, role: Role) -> &mut Side {
        &mut self.sides[role as usize]
    }

    /// Takes `item` into the queue; `None` while that is full.
    pub(super) fn put(&mut self, item: &mut Option<T>) -> Option<Result<(), Disconnected>> {
        if self.side(Role::Receiver).ends == 0 {
            return Some(Err(Disconnected));
        }
        if !Role::Sender.has_work(self.len(), self.capacity) {
            return None;
        }
        if let Some(item) = item.take() {
            self.queue.push_back(item);
        }
        Some(Ok(()))
    }

    /// Takes the oldest item out of the queue; `None` while that is empty.
    pub(super) fn take(&mut self) -> Option<Result<T, Disconnected>> {
        match self.queue.pop_front() {
            Some(item) => Some(Ok(item)),
            None => (self.side(Role::Sender).ends == 0).then_some(Err(Disconnected)),
        }
    }

    /// Whether `role`'s bell must be rung: it has sleepers, work for them, and no wake under way.
    pub(super) fn claim_wake(&mut self, role: Role) -> bool {
        let work = role.has_work(self.len(), self.capacity);
        let side = self.side_mut(role);
        let due = side.asleep > 0 && !side.waking && work;
        side.waking |= due;
        due
    }
}

/// Where one side sleeps, and what it has learned about spinning.
struct Bell {
    condvar: Condvar,
    credit: Credit,
}

impl Bell {
    fn new() -> Self {
        Self { condvar: Condvar::new(), credit: Credit::new() }
    }
}

/// What spinning threads look at instead of the lock: written under it, right before it is let go.
struct Hint {
    len: AtomicUsize,
    /// One side is gone.
    closed: AtomicBool,
}

/// A bounded queue of `T` behind a mutex; `typed` gives it endpoints.
pub(super) struct Pipe<T> {
    state: CachePadded<Mutex<State<T>>>,
    hint: CachePadded<Hint>,
    bells: [Bell; 2],
    patience: Patience,
    /// Of the baseline nobody asks.
    meter: Meter,
    /// Hints between two tries to take the lock.
    backoff: usize,
    capacity: usize,
    name: Option<&'static str>,
}

impl<T> Pipe<T> {
    /// A pipe with one endpoint a side; `queue` is empty and holds what was reserved up front.
    pub(super) fn new(
        capacity: usize,
        queue: VecDeque<T>,
        patience: Patience,
        name: Option<&'static str>,
    ) -> Self {
        let side = Side { ends: 1, ..Side::default() };
        Pipe {
            state: CachePadded::new(Mutex::new(State { queue, capacity, sides: [side; 2] })),
            hint: CachePadded::new(Hint { len: AtomicUsize::new(0), closed: AtomicBool::new(false) }),
            bells: [Bell::new(), Bell::new()],
            patience,
            meter: Meters::new().join(),
            backoff: backoff(capacity),
            capacity,
            name,
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// `Debug` of the end `end` whose peers are `peer`: all numbers of one moment.
    pub(super) fn describe(&self, end: &str, peer: Role, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        let (len, [senders, receivers], disconnected) =
            (state.len(), state.sides, state.side(peer).ends == 0);
        drop(state);
        f.debug_struct(end)
            .field("name", &self.name)
            .field("len", &len)
            .field("capacity", &self.capacity)
            .field("senders", &senders.ends)
            .field("receivers", &receivers.ends)
            .field("senders_asleep", &senders.asleep)
            .field("receivers_asleep", &receivers.asleep)
            .field("disconnected", &disconnected)
            .finish()
    }

    /// Takes the lock. Nothing panics under it, so a poisoned one is as good as any.
    pub(super) fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.try_lock().unwrap_or_else(|| self.lock_contended())
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, State<T>>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Backs off a few times, then queues up. What a contended turn costs is the state's way to another CPU:
    /// meanwhile the holder, who has it, makes a run of turns. (std's lock alone takes it back at once:
    /// several times slower with room for 1024 items and threads on two CPUs.)
    #[cold]
    #[inline(never)]
    fn lock_contended(&self) -> MutexGuard<'_, State<T>> {
        let taken = (0..TRIES).find_map(|_| {
            (0..self.backoff).for_each(|_| spin_loop());
            self.try_lock()
        });
        taken.unwrap_or_else(|| self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends a turn: lets spinning threads know, lets go of the lock, then rings the bells that are due.
    fn unlock(&self, mut state: MutexGuard<'_, State<T>>) {
        self.hint.len.store(state.len(), Ordering::Relaxed);
        let due = Role::BOTH.map(|role| state.claim_wake(role));
        drop(state);
        for (bell, due) in self.bells.iter().zip(due) {
            if due {
                bell.condvar.notify_one();
            }
        }
    }

    /// One turn without waiting; `None` if the step cannot be made now.
    pub(super) fn attempt<R>(&self, step: impl FnOnce(&mut State<T>) -> Option<R>) -> Option<R> {
        let mut state = self.lock();
        let done = step(&mut state);
        self.unlock(state);
        done
    }

    /// A turn of `role`'s that waits until the step can be made; `None` if the deadline passes first.
    pub(super) fn turn<R>(
        &self,
        role: Role,
        deadline: Deadline,
        mut step: impl FnMut(&mut State<T>) -> Option<R>,
    ) -> Option<R> {
        self.attempt(&mut step).or_else(|| self.wait(role, deadline, step))
    }

    /// The waiting half of [`turn`](Self::turn): polls outside the lock, then sleeps.
    #[cold]
    #[inline(never)]
    fn wait<R>(
        &self,
        role: Role,
        deadline: Deadline,
        mut step: impl FnMut(&mut State<T>) -> Option<R>,
    ) -> Option<R> {
        if deadline.passed() {
            return None;
        }
        self.poll(role, deadline);
        let mut state = self.lock();
        loop {
            let done = step(&mut state);
            if done.is_some() || deadline.passed() {
                self.unlock(state);
                return done;
            }
            state = self.sleep(role, deadline, state);
        }
    }

    /// Spends the pipe's budget of spins and yields, or less if there is work for `role` before that.
    fn poll(&self, role: Role, deadline: Deadline) {
        let Hint { len, closed } = &*self.hint;
        self.patience.poll(
            &self.bells[role as usize].credit,
            deadline,
            || role.has_work(len.load(Ordering::Relaxed), self.capacity) || closed.load(Ordering::Relaxed),
            &self.meter,
        );
    }

    /// Lets go of the lock until the bell rings or the deadline passes, and comes back with it.
    fn sleep<'a>(
        &'a self,
        role: Role,
        deadline: Deadline,
        mut state: MutexGuard<'a, State<T>>,
    ) -> MutexGuard<'a, State<T>> {
        let bell = &self.bells[role as usize].condvar;
        state.side_mut(role).asleep += 1;
        let mut state = match deadline.left() {
            None => bell.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(left) => bell.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
        };
        let side = state.side_mut(role);
        side.asleep -= 1;
        side.waking = false;
        state
    }

    /// Counts one more endpoint.
    pub(super) fn join(&self, role: Role) {
        self.lock().side_mut(role).ends += 1;
    }

    /// Counts one endpoint less. With a side's last one, everybody asleep is woken; with the last receiver
    /// the queued items are dropped too, after the lock is let go and all are awake.
    pub(super) fn leave(&self, role: Role) {
        let mut state = self.lock();
        let side = state.side_mut(role);
        side.ends -= 1;
        if side.ends > 0 {
            return;
        }
        let orphans = match role {
            Role::Sender => VecDeque::new(),
            Role::Receiver => mem::take(&mut state.queue),
        };
        let asleep = Role::BOTH.map(|role| state.side(role).asleep > 0);
        self.hint.len.store(state.len(), Ordering::Relaxed);
        self.hint.closed.store(true, Ordering::Relaxed);
        drop(state);
        for (bell, asleep) in self.bells.iter().zip(asleep) {
            if asleep {
                bell.condvar.notify_all();
            }
        }
        drop(orphans);
    }
}
