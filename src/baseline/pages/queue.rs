//! A wait queue of exclusive sleepers: first in, first woken, one a wake.
//!
//! Nobody sleeps beside work, by the kernel's order of steps: who waits joins the queue *and then* looks at the pipe; who
//! wakes changes the pipe *and then* looks at the queue. Under the queue's lock one comes after the other and so sees it. Where
//! the waker looks without the lock, both put a full fence between their two steps.

use super::count::{Counters, Event};
use super::pipe::Side;
use crate::fence;
use crate::futex::Word;
use crate::sync::time::Deadline;
use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread_local;

/// What a thread sleeps on. It changes when a waker takes the thread off its queue.
pub(super) struct Sleeper(Word);

impl Sleeper {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Word::new()))
    }

    /// The calling thread's: it sleeps on one queue at a time.
    fn mine() -> Arc<Self> {
        thread_local! {
            static MINE: Arc<Sleeper> = Sleeper::new();
        }
        // A thread that is ending has lost its own.
        MINE.try_with(Arc::clone).unwrap_or_else(|_| Self::new())
    }

    /// Which wake is the next.
    pub(super) fn ticket(&self) -> u32 {
        // Relaxed: who sees it change and the pipe not yet queues up again, and by the queue's lock then sees both.
        self.0.load(Relaxed)
    }
}

/// One side's sleepers.
pub(super) struct Queue {
    side: Side,
    sleepers: Mutex<VecDeque<Arc<Sleeper>>>,
    /// How many, for who looks first; written under the lock.
    len: AtomicUsize,
}

pub(super) type Locked<'a> = MutexGuard<'a, VecDeque<Arc<Sleeper>>>;

impl Queue {
    pub(super) fn new(side: Side) -> Self {
        Self { side, sleepers: Mutex::new(VecDeque::new()), len: AtomicUsize::new(0) }
    }

    /// How many sleep, or are about to.
    pub(super) fn len(&self) -> usize {
        self.len.load(Relaxed)
    }

    /// The queue's lock. Nothing panics under it.
    pub(super) fn lock(&self, counters: &Counters) -> Locked<'_> {
        match self.sleepers.try_lock() {
            Ok(sleepers) => sleepers,
            Err(TryLockError::Poisoned(sleepers)) => sleepers.into_inner(),
            Err(TryLockError::WouldBlock) => {
                counters.count(self.side, Event::Contended);
                self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    fn unlock(&self, sleepers: Locked<'_>) {
        self.len.store(sleepers.len(), Relaxed);
        drop(sleepers);
    }

    /// Joins at the end.
    pub(super) fn join(&self, sleeper: &Arc<Sleeper>, counters: &Counters) {
        let mut sleepers = self.lock(counters);
        sleepers.push_back(Arc::clone(sleeper));
        self.unlock(sleepers);
    }

    /// Leaves, unless a waker was faster: then the caller owes the next one a look.
    pub(super) fn leave(&self, sleeper: &Arc<Sleeper>, counters: &Counters) {
        let mut sleepers = self.lock(counters);
        if let Some(place) = sleepers.iter().rposition(|other| Arc::ptr_eq(other, sleeper)) {
            sleepers.remove(place);
        }
        self.unlock(sleepers);
    }

    /// Sleeps until `ready`. Each wake that finds it otherwise sends the thread to the end of the queue again.
    pub(super) fn wait(&self, ready: impl Fn() -> bool, counters: &Counters) {
        let sleeper = Sleeper::mine();
        while !ready() {
            let ticket = sleeper.ticket();
            self.join(&sleeper, counters);
            fence::full();
            if ready() {
                return self.leave(&sleeper, counters);
            }
            counters.count(self.side, Event::Sleep);
            while sleeper.ticket() == ticket {
                sleeper.0.wait(ticket, Deadline::NEVER);
            }
        }
    }

    /// Wakes the first. `look_first`: takes the lock only where somebody seems to sleep.
    pub(super) fn wake_one(&self, look_first: bool, counters: &Counters) {
        if let Some(mut sleepers) = self.lock_to_wake(look_first, counters) {
            let first = sleepers.pop_front();
            self.rouse(sleepers, first.as_slice(), counters);
        }
    }

    /// Wakes all.
    pub(super) fn wake_all(&self, look_first: bool, counters: &Counters) {
        if let Some(mut sleepers) = self.lock_to_wake(look_first, counters) {
            let mut all = mem::take(&mut *sleepers);
            self.rouse(sleepers, all.make_contiguous(), counters);
        }
    }

    fn lock_to_wake(&self, look_first: bool, counters: &Counters) -> Option<Locked<'_>> {
        counters.count(self.side, Event::WakeCall);
        if look_first {
            fence::full();
            if self.len() == 0 {
                return None;
            }
        }
        counters.count(self.side, Event::Locked);
        Some(self.lock(counters))
    }

    /// Lets those run who were taken off. Under the lock still they are told so, each of which then knows that it is off;
    /// the system call comes after it.
    fn rouse(&self, sleepers: Locked<'_>, woken: &[Arc<Sleeper>], counters: &Counters) {
        woken.iter().for_each(|sleeper| sleeper.0.bump(Relaxed));
        self.unlock(sleepers);
        counters.add(self.side, Event::Woken, woken.len() as u64);
        woken.iter().for_each(|sleeper| _ = sleeper.0.wake_one());
    }
}
