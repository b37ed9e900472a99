//! The plain pipe anyone would write first: a `VecDeque`, one mutex, two condition variables, one wake a call, made
//! after the unlock. It is what the mutex baseline has to keep up with.

use std::{
    collections::VecDeque,
    marker::PhantomData,
    ops::DerefMut,
    sync::{Arc, atomic::AtomicUsize, atomic::Ordering::*},
    task::Poll::{self, Pending, Ready},
};

use super::{Channel, deal};
use crate::workload::Shape;

/// std's pair of lock and condition variable.
pub(super) type Std = Condvar<StdMonitor>;
/// parking_lot's.
pub(super) type ParkingLot = Condvar<ParkingLotMonitor>;

/// A mutex around `State`, and two queues to sleep in.
pub(super) trait Monitor: Default + Send + Sync + 'static {
    type Guard<'a>: DerefMut<Target = State>;

    fn lock(&self) -> Self::Guard<'_>;
    fn wait<'a>(&'a self, side: Side, guard: Self::Guard<'a>) -> Self::Guard<'a>;
    fn wake_one(&self, side: Side);
    fn wake_all(&self, side: Side);
}

/// Who sleeps.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Senders = 0,
    Receivers = 1,
}

#[derive(Default)]
pub(super) struct State {
    items: VecDeque<u64>,
    gone: [bool; 2],
}

#[derive(Default)]
pub(super) struct StdMonitor {
    state: std::sync::Mutex<State>,
    queues: [std::sync::Condvar; 2],
}

impl Monitor for StdMonitor {
    type Guard<'a> = std::sync::MutexGuard<'a, State>;

    fn lock(&self) -> Self::Guard<'_> {
        self.state.lock().expect("nothing panics under the lock")
    }

    fn wait<'a>(&'a self, side: Side, guard: Self::Guard<'a>) -> Self::Guard<'a> {
        self.queues[side as usize].wait(guard).expect("nothing panics under the lock")
    }

    fn wake_one(&self, side: Side) {
        self.queues[side as usize].notify_one();
    }

    fn wake_all(&self, side: Side) {
        self.queues[side as usize].notify_all();
    }
}

#[derive(Default)]
pub(super) struct ParkingLotMonitor {
    state: parking_lot::Mutex<State>,
    queues: [parking_lot::Condvar; 2],
}

impl Monitor for ParkingLotMonitor {
    type Guard<'a> = parking_lot::MutexGuard<'a, State>;

    fn lock(&self) -> Self::Guard<'_> {
        self.state.lock()
    }

    fn wait<'a>(&'a self, side: Side, mut guard: Self::Guard<'a>) -> Self::Guard<'a> {
        self.queues[side as usize].wait(&mut guard);
        guard
    }

    fn wake_one(&self, side: Side) {
        self.queues[side as usize].notify_one();
    }

    fn wake_all(&self, side: Side) {
        self.queues[side as usize].notify_all();
    }
}

/// The channel over either monitor.
pub(super) struct Condvar<M>(PhantomData<M>);

impl<M> Default for Condvar<M> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

struct Pipe<M> {
    monitor: M,
    capacity: usize,
}

impl<M: Monitor> Pipe<M> {
    /// False when nobody can receive it; the lock again when there is no space.
    fn put<'a>(&'a self, mut state: M::Guard<'a>, item: u64) -> Result<bool, M::Guard<'a>> {
        if state.gone[Side::Receivers as usize] {
            return Ok(false);
        }
        if state.items.len() == self.capacity {
            return Err(state);
        }
        state.items.push_back(item);
        drop(state);
        self.monitor.wake_one(Side::Receivers);
        Ok(true)
    }

    /// `None` when no item will come; the lock again when there is none yet.
    fn take<'a>(&'a self, mut state: M::Guard<'a>) -> Result<Option<u64>, M::Guard<'a>> {
        let Some(item) = state.items.pop_front() else {
            return if state.gone[Side::Senders as usize] { Ok(None) } else { Err(state) };
        };
        drop(state);
        self.monitor.wake_one(Side::Senders);
        Ok(Some(item))
    }
}

/// Either end; the last one of its side tells the other.
pub(super) struct End<M: Monitor> {
    pipe: Arc<Pipe<M>>,
    side: Side,
    peers: Arc<AtomicUsize>,
}

impl<M: Monitor> End<M> {
    fn new(pipe: &Arc<Pipe<M>>, side: Side) -> Self {
        Self { pipe: Arc::clone(pipe), side, peers: Arc::new(AtomicUsize::new(1)) }
    }
}

impl<M: Monitor> Clone for End<M> {
    fn clone(&self) -> Self {
        self.peers.fetch_add(1, Relaxed);
        Self { pipe: Arc::clone(&self.pipe), side: self.side, peers: Arc::clone(&self.peers) }
    }
}

impl<M: Monitor> Drop for End<M> {
    fn drop(&mut self) {
        if self.peers.fetch_sub(1, AcqRel) == 1 {
            self.pipe.monitor.lock().gone[self.side as usize] = true;
            self.pipe.monitor.wake_all(match self.side {
                Side::Senders => Side::Receivers,
                Side::Receivers => Side::Senders,
            });
        }
    }
}

impl<M: Monitor> Channel for Condvar<M> {
    type Tx = End<M>;
    type Rx = End<M>;

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        let monitor = M::default();
        monitor.lock().items.reserve_exact(capacity);
        let pipe = Arc::new(Pipe { monitor, capacity });
        deal((End::new(&pipe, Side::Senders), End::new(&pipe, Side::Receivers)), shape)
    }

    fn send(tx: &Self::Tx, item: u64) -> bool {
        let monitor = &tx.pipe.monitor;
        let mut state = monitor.lock();
        loop {
            match tx.pipe.put(state, item) {
                Ok(sent) => return sent,
                Err(full) => state = monitor.wait(Side::Senders, full),
            }
        }
    }

    fn recv(rx: &Self::Rx) -> Option<u64> {
        let monitor = &rx.pipe.monitor;
        let mut state = monitor.lock();
        loop {
            match rx.pipe.take(state) {
                Ok(item) => return item,
                Err(empty) => state = monitor.wait(Side::Receivers, empty),
            }
        }
    }

    fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool> {
        tx.pipe.put(tx.pipe.monitor.lock(), item).map_or(Pending, Ready)
    }

    fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>> {
        rx.pipe.take(rx.pipe.monitor.lock()).map_or(Pending, Ready)
    }
}
