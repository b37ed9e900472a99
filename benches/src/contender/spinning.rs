//! Rings that cannot block, for one sender and one receiver: who waits tries again, with crossbeam-utils's back-off
//! between tries (pauses, then yields), as their users do.

use std::{
    cell::UnsafeCell,
    marker::PhantomData,
    task::Poll::{self, Pending, Ready},
};

use crossbeam_utils::Backoff;
use ringbuf::traits::{Consumer, Observer, Producer, Split};

use super::{Channel, single};
use crate::workload::Shape;

/// Such a ring's own calls.
pub(super) trait Queue: Send + 'static {
    type Tx: Send;
    type Rx: Send;

    fn new(capacity: usize) -> (Self::Tx, Self::Rx);

    /// False when there is no space.
    fn push(tx: &mut Self::Tx, item: u64) -> bool;

    fn pop(rx: &mut Self::Rx) -> Option<u64>;

    fn receiver_gone(tx: &Self::Tx) -> bool;

    /// Once true, what was pushed can be seen.
    fn sender_gone(rx: &Self::Rx) -> bool;
}

/// rtrb's ring.
pub(super) type Rtrb = Spinning<RtrbQueue>;
/// ringbuf's.
pub(super) type Ringbuf = Spinning<RingbufQueue>;

/// The channel over a ring.
pub(super) struct Spinning<Q>(PhantomData<Q>);

impl<Q> Default for Spinning<Q> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// An end: its calls ask for `&mut`, a channel's have `&`. Free, as for those it runs against.
pub(super) struct End<E>(UnsafeCell<E>);

impl<E> End<E> {
    #[inline(always)]
    fn with<R>(&self, call: impl FnOnce(&mut E) -> R) -> R {
        // SAFETY: an end is not Sync, and `call`, a queue's method, knows no other way to it: this is its one borrow.
        call(unsafe { &mut *self.0.get() })
    }
}

impl<Q: Queue> Channel for Spinning<Q> {
    type Tx = End<Q::Tx>;
    type Rx = End<Q::Rx>;

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        let (tx, rx) = Q::new(capacity);
        let (tx, rx) = (End(UnsafeCell::new(tx)), End(UnsafeCell::new(rx)));
        (single(tx, shape.senders), single(rx, shape.receivers))
    }

    #[inline(always)]
    fn send(tx: &Self::Tx, item: u64) -> bool {
        let backoff = Backoff::new();
        loop {
            match Self::try_send(tx, item) {
                Ready(sent) => return sent,
                Pending => backoff.snooze(),
            }
        }
    }

    #[inline(always)]
    fn recv(rx: &Self::Rx) -> Option<u64> {
        let backoff = Backoff::new();
        loop {
            match Self::try_recv(rx) {
                Ready(item) => return item,
                Pending => backoff.snooze(),
            }
        }
    }

    #[inline(always)]
    fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool> {
        tx.with(|tx| match Q::push(tx, item) {
            true => Ready(true),
            false if Q::receiver_gone(tx) => Ready(false),
            false => Pending,
        })
    }

    #[inline(always)]
    fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>> {
        rx.with(|rx| match Q::pop(rx) {
            Some(item) => Ready(Some(item)),
            None if Q::sender_gone(rx) => Ready(Q::pop(rx)),
            None => Pending,
        })
    }
}

pub(super) struct RtrbQueue;

impl Queue for RtrbQueue {
    type Tx = rtrb::Producer<u64>;
    type Rx = rtrb::Consumer<u64>;

    fn new(capacity: usize) -> (Self::Tx, Self::Rx) {
        rtrb::RingBuffer::new(capacity)
    }

    #[inline(always)]
    fn push(tx: &mut Self::Tx, item: u64) -> bool {
        tx.push(item).is_ok()
    }

    #[inline(always)]
    fn pop(rx: &mut Self::Rx) -> Option<u64> {
        rx.pop().ok()
    }

    fn receiver_gone(tx: &Self::Tx) -> bool {
        tx.is_abandoned()
    }

    fn sender_gone(rx: &Self::Rx) -> bool {
        rx.is_abandoned()
    }
}

pub(super) struct RingbufQueue;

impl Queue for RingbufQueue {
    type Tx = ringbuf::HeapProd<u64>;
    type Rx = ringbuf::HeapCons<u64>;

    fn new(capacity: usize) -> (Self::Tx, Self::Rx) {
        ringbuf::HeapRb::new(capacity).split()
    }

    #[inline(always)]
    fn push(tx: &mut Self::Tx, item: u64) -> bool {
        tx.try_push(item).is_ok()
    }

    #[inline(always)]
    fn pop(rx: &mut Self::Rx) -> Option<u64> {
        rx.try_pop()
    }

    fn receiver_gone(tx: &Self::Tx) -> bool {
        !tx.read_is_held()
    }

    fn sender_gone(rx: &Self::Rx) -> bool {
        !rx.write_is_held()
    }
}
