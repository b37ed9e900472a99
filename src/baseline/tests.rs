//! What a mutex pipe promises, with the budget at zero so that whoever waits is asleep.

use super::pipe::{Pipe, Role, State};
use super::typed::{Builder, IntoIter, Receiver, Sender, bounded};
use crate::error::{BuildError, RecvError, RecvTimeoutError, SendTimeoutError, TryRecvError, TrySendError};
use crate::spin::Spin;
use alloc::sync::Arc;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::thread::{scope, spawn, yield_now};
use std::time::Instant;
use std::vec::Vec;
use std::{format, vec};

const SOON: Duration = Duration::from_millis(20);
/// Longer than any test waits; a lost wake shows as a wait of this length.
const NEVER: Duration = Duration::from_secs(30);

/// Ends that sleep as soon as they have to wait.
fn sleepy<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    Builder::new(capacity).spin(Spin::None).yields(0).build().unwrap()
}

/// Waits until so many of `role` are asleep.
fn until_asleep<T>(pipe: &Pipe<T>, role: Role, threads: usize) {
    let start = Instant::now();
    while pipe.lock().side(role).asleep != threads {
        assert!(start.elapsed() < NEVER, "{threads} of {role:?} never fell asleep");
        yield_now();
    }
}

/// Nobody is counted as waiting or on the way.
fn assert_at_rest<T>(pipe: &Pipe<T>) {
    let state = pipe.lock();
    for role in [Role::Sender, Role::Receiver] {
        let side = state.side(role);
        assert_eq!((side.asleep, side.waking), (0, false), "{role:?}");
    }
}

/// Counts its drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// One turn brings items for all, and so one wake: the woken receivers wake the others, one by one.
#[test]
fn woken_receivers_hand_on() {
    let (start, (tx, rx)) = (Instant::now(), sleepy(8));
    scope(|scope| {
        let receivers: Vec<_> = (0..4).map(|_| scope.spawn(|| rx.recv_timeout(NEVER).unwrap())).collect();
        until_asleep(&tx.pipe, Role::Receiver, 4);
        tx.pipe.attempt(|state: &mut State<usize>| (0..4).try_for_each(|n| state.put(&mut Some(n))?.ok()));
        let mut got: Vec<_> = receivers.into_iter().map(|thread| thread.join().unwrap()).collect();
        got.sort_unstable();
        assert_eq!(got, [0, 1, 2, 3]);
    });
    assert!(start.elapsed() < NEVER, "somebody slept beside work");
    assert_at_rest(&tx.pipe);
}

/// The same with room for all, and senders.
#[test]
fn woken_senders_hand_on() {
    let (start, (tx, rx)) = (Instant::now(), sleepy(4));
    (0..4).for_each(|n| tx.send(n).unwrap());
    scope(|scope| {
        let senders: Vec<_> = (4..8)
            .map(|n| {
                scope.spawn({
                    let tx = &tx;
                    move || tx.send_timeout(n, NEVER)
                })
            })
            .collect();
        until_asleep(&tx.pipe, Role::Sender, 4);
        let first = rx.pipe.attempt(|state| Some([(); 4].map(|()| state.take()?.ok())));
        assert_eq!(first, Some([Some(0), Some(1), Some(2), Some(3)]));
        assert!(senders.into_iter().all(|thread| thread.join().unwrap() == Ok(())));
    });
    assert!(start.elapsed() < NEVER, "somebody slept beside work");
    assert_eq!(rx.try_iter().count(), 4);
    assert_at_rest(&tx.pipe);
}

/// A sleeper that gives up leaves no count behind, and no wake that was meant for it is lost.
#[test]
fn given_up_waits_leave_nothing_behind() {
    let (tx, rx) = sleepy::<usize>(1);
    let (items, received) = (if cfg!(miri) { 20 } else { 2_000 }, AtomicUsize::new(0));
    let (tx, rx, received) = (&tx, &rx, &received);
    scope(|scope| {
        for thread in 0..3 {
            scope.spawn(move || {
                while received.load(Relaxed) < items {
                    if rx.recv_timeout(Duration::from_micros(20 << thread)).is_ok() {
                        received.fetch_add(1, Relaxed);
                    }
                }
            });
            scope.spawn(move || {
                for mut item in (thread..items).step_by(3) {
                    while let Err(error) = tx.send_timeout(item, Duration::from_micros(30 << thread)) {
                        item = error.into_inner();
                    }
                }
            });
        }
    });
    assert_eq!(received.load(Relaxed), items);
    assert_at_rest(&tx.pipe);
}

/// Every item once, each producer's in order, at every capacity, whatever the budget.
#[test]
fn exactly_once_in_order() {
    const THREADS: usize = 3;
    let items = if cfg!(miri) { 20 } else { 3_000 };
    for capacity in [1, 2, 16, 1024] {
        for builder in [Builder::new(capacity), Builder::new(capacity).spin(Spin::None).yields(0)] {
            let (tx, rx) = builder.build().unwrap();
            let senders: Vec<_> = (0..THREADS)
                .map(|sender| {
                    let tx = tx.clone();
                    spawn(move || (0..items).for_each(|n| tx.send((sender, n)).unwrap()))
                })
                .collect();
            drop(tx);
            let receivers: Vec<_> = (0..THREADS)
                .map(|_| {
                    let rx = rx.clone();
                    spawn(move || rx.iter().collect::<Vec<_>>())
                })
                .collect();
            senders.into_iter().for_each(|thread| thread.join().unwrap());
            let mut counts = [0; THREADS];
            for received in receivers.into_iter().map(|thread| thread.join().unwrap()) {
                for (sender, count) in counts.iter_mut().enumerate() {
                    let own: Vec<_> = received.iter().filter(|item| item.0 == sender).collect();
                    assert!(own.is_sorted_by(|a, b| a < b), "out of order or twice");
                    *count += own.len();
                }
            }
            assert_eq!(counts, [items; THREADS]);
            assert_at_rest(&rx.pipe);
        }
    }
}

#[test]
fn timeouts() {
    let (tx, rx) = sleepy(1);
    let start = Instant::now();
    assert_eq!(rx.recv_timeout(SOON), Err(RecvTimeoutError::Timeout));
    assert_eq!(rx.recv_deadline(Instant::now() + SOON), Err(RecvTimeoutError::Timeout));
    assert!(start.elapsed() >= 2 * SOON);
    // One attempt, made although the time is over.
    assert_eq!(tx.send_timeout(1, Duration::ZERO), Ok(()));
    assert_eq!(tx.send_timeout(2, Duration::ZERO), Err(SendTimeoutError::Timeout(2)));
    assert_eq!(rx.recv_deadline(start), Ok(1));
    assert_eq!(rx.recv_deadline(start), Err(RecvTimeoutError::Timeout));
    assert_eq!(tx.send_deadline(3, start), Ok(()));
    let start = Instant::now();
    assert_eq!(tx.send_timeout(4, SOON), Err(SendTimeoutError::Timeout(4)));
    assert_eq!(tx.send_deadline(4, Instant::now() + SOON), Err(SendTimeoutError::Timeout(4)));
    assert!(start.elapsed() >= 2 * SOON);
    assert_at_rest(&tx.pipe);
    // For ever, until the peer comes.
    scope(|scope| {
        let sender = scope.spawn(|| tx.send_timeout(5, Duration::MAX));
        until_asleep(&rx.pipe, Role::Sender, 1);
        assert_eq!(rx.recv_timeout(Duration::MAX), Ok(3));
        assert_eq!(sender.join().unwrap(), Ok(()));
    });
    assert_eq!(rx.recv(), Ok(5));
}

/// With its last sender gone everybody asleep in recv returns; what was queued is still there before that.
#[test]
fn last_sender_ends_receivers() {
    let (tx, rx) = sleepy::<u8>(2);
    scope(|scope| {
        let receivers: Vec<_> = (0..4)
            .map(|n| {
                scope.spawn({
                    let rx = rx.clone();
                    move || if n % 2 == 0 { rx.recv().is_ok() } else { rx.recv_timeout(NEVER).is_ok() }
                })
            })
            .collect();
        until_asleep(&rx.pipe, Role::Receiver, 4);
        let last = tx.clone();
        drop(tx);
        until_asleep(&rx.pipe, Role::Receiver, 4);
        assert!(!rx.is_disconnected());
        drop(last);
        assert!(receivers.into_iter().all(|thread| !thread.join().unwrap()));
    });
    assert!(rx.is_disconnected());
    assert_at_rest(&rx.pipe);

    let (tx, rx) = bounded(2);
    tx.send(1).unwrap();
    drop(tx);
    assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(1), Err(TryRecvError::Disconnected)));
    assert_eq!(rx.recv(), Err(RecvError));
    assert_eq!(rx.recv_timeout(NEVER), Err(RecvTimeoutError::Disconnected));
}

/// With its last receiver gone everybody asleep in send gets the item back, and what was queued is dropped.
#[test]
fn last_receiver_ends_senders() {
    let drops = Arc::new(AtomicUsize::new(0));
    let (tx, rx) = sleepy(2);
    (0..2).for_each(|_| tx.send(Counted(drops.clone())).unwrap());
    scope(|scope| {
        let senders: Vec<_> = (0..4)
            .map(|n| {
                scope.spawn({
                    let (tx, item) = (tx.clone(), Counted(drops.clone()));
                    move || {
                        if n % 2 == 0 {
                            tx.send(item).unwrap_err().into_inner()
                        } else {
                            tx.send_timeout(item, NEVER).unwrap_err().into_inner()
                        }
                    }
                })
            })
            .collect();
        until_asleep(&tx.pipe, Role::Sender, 4);
        drop(rx);
        assert_eq!(drops.load(Relaxed), 2, "queued items are dropped before drop(rx) returns");
        let back: Vec<_> = senders.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!((back.len(), drops.load(Relaxed)), (4, 2));
    });
    assert_eq!(drops.load(Relaxed), 6);
    assert!(tx.is_disconnected() && tx.is_empty());
    assert!(matches!(tx.try_send(Counted(drops.clone())), Err(TrySendError::Disconnected(_))));
    assert_at_rest(&tx.pipe);
}

/// A thread that polls, and is not asleep, hears of a disconnect too.
#[test]
fn disconnects_end_polling() {
    let (tx, rx) = Builder::new(1).spin(Spin::Fixed(NEVER)).build::<u8>().unwrap();
    let receiver = spawn(move || rx.recv());
    drop(tx);
    assert_eq!(receiver.join().unwrap(), Err(RecvError));
}

/// An item that panics when dropped takes no other with it: they are dropped all the same.
#[test]
fn panicking_drop_leaks_nothing() {
    struct Bomb {
        _counted: Counted,
        armed: bool,
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.armed, "boom");
        }
    }
    for bomb in 0..6 {
        let drops = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = bounded(4);
        // The queue wraps: two went through before.
        for n in 0..6 {
            tx.send(Bomb { _counted: Counted(drops.clone()), armed: n == bomb }).unwrap();
            if n < 2 {
                assert_eq!(catch_unwind(AssertUnwindSafe(|| drop(rx.recv()))).is_err(), n == bomb);
            }
        }
        assert_eq!(catch_unwind(AssertUnwindSafe(|| drop(rx))).is_err(), bomb >= 2);
        assert_eq!(drops.load(Relaxed), 6);
        assert_eq!(Arc::strong_count(&drops), 1);
        assert_eq!(tx.receiver_count(), 0);
    }
}

/// Items are dropped with nothing held: their `drop` may use the pipe, and may hold its last sender.
#[test]
fn drops_run_outside_the_lock() {
    struct Nosy(Option<Sender<Nosy>>, Arc<AtomicUsize>);
    impl Drop for Nosy {
        fn drop(&mut self) {
            if let Some(tx) = &self.0 {
                assert!(tx.is_disconnected());
                assert_eq!((tx.len(), tx.sender_count()), (0, 1));
                assert!(tx.try_send(Nosy(None, self.1.clone())).is_err());
            }
            self.1.fetch_add(1, Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let (tx, rx) = bounded(1);
    tx.clone().send(Nosy(Some(tx), drops.clone())).ok().unwrap();
    drop(rx);
    assert_eq!(drops.load(Relaxed), 2);
    assert_eq!(Arc::strong_count(&drops), 1);
}

/// A bell is rung for sleepers with work only, and once until somebody comes back.
#[test]
fn wakes_are_claimed_once() {
    let (tx, _rx) = sleepy::<u8>(1);
    for (asleep, waking, full) in [(0, false, true), (1, false, true), (1, true, true), (1, false, false)] {
        let mut state = tx.pipe.lock();
        state.take();
        if full {
            state.put(&mut Some(0));
        }
        let side = state.side_mut(Role::Receiver);
        (side.asleep, side.waking) = (asleep, waking);
        let due = asleep > 0 && !waking && full;
        assert_eq!(state.claim_wake(Role::Receiver), due);
        assert_eq!(state.side(Role::Receiver).waking, waking || due);
        assert!(!state.claim_wake(Role::Receiver));
        let side = state.side_mut(Role::Receiver);
        (side.asleep, side.waking) = (0, false);
    }
}

#[test]
fn counts_and_sizes() {
    let (tx, rx) = Builder::new(3).name("three").build().unwrap();
    assert_eq!((tx.capacity(), rx.capacity()), (Some(3), Some(3)));
    assert!(tx.is_empty() && rx.is_empty());
    (0..3).for_each(|n| tx.try_send(n).unwrap());
    assert!(tx.is_full() && rx.is_full() && tx.len() == 3 && rx.len() == 3);
    assert_eq!(tx.try_send(3), Err(TrySendError::Full(3)));
    let (tx2, rx2) = (tx.clone(), rx.clone());
    assert!(tx.same_channel(&tx2) && rx.same_channel(&rx2));
    assert!(!tx.same_channel(&bounded(3).0));
    assert_eq!((tx.sender_count(), rx.receiver_count()), (2, 2));
    assert_eq!(
        format!("{tx:?}"),
        "Sender { name: Some(\"three\"), len: 3, capacity: 3, senders: 2, receivers: 2, senders_asleep: 0, receivers_asleep: 0, disconnected: false }"
    );
    drop((tx, tx2));
    assert_eq!((rx.sender_count(), rx.receiver_count()), (0, 2));
    assert_eq!(rx.try_iter().take(1).collect::<Vec<_>>(), [0]);
    assert_eq!((&rx).into_iter().take(1).collect::<Vec<_>>(), [1]);
    let rest: IntoIter<_> = rx.into_iter();
    assert_eq!(rest.collect::<Vec<_>>(), vec![2]);
    assert_eq!(rx2.try_recv(), Err(TryRecvError::Disconnected));
}

#[test]
fn builds_what_can_be_built() {
    assert_eq!(Builder::new(0).build::<u8>().err(), Some(BuildError::ZeroCapacity));
    let requested = usize::MAX / 8;
    assert_eq!(
        Builder::new(requested).build::<u64>().err(),
        Some(BuildError::CapacityTooLarge { requested })
    );
    // Large ones grow as they fill; without a size there is nothing to grow.
    let (tx, rx) = Builder::new(isize::MAX as usize).build::<u8>().unwrap();
    tx.send(7).unwrap();
    assert_eq!((rx.recv(), rx.capacity()), (Ok(7), Some(isize::MAX as usize)));
    let (tx, rx) = Builder::new(usize::MAX).build::<()>().unwrap();
    tx.send(()).unwrap();
    assert_eq!(rx.len(), 1);
}

#[test]
#[should_panic = "a pipe holds at least one item"]
fn bounded_refuses_zero() {
    bounded::<u8>(0);
}

type Shared = core::cell::Cell<u8>;
static_assertions::assert_impl_all!(Sender<Shared>: Send, Sync, UnwindSafe, RefUnwindSafe, Clone, core::fmt::Debug);
static_assertions::assert_impl_all!(Receiver<Shared>: Send, Sync, UnwindSafe, RefUnwindSafe, Clone, core::fmt::Debug);
static_assertions::assert_not_impl_any!(Sender<Rc<u8>>: Send, Sync);
static_assertions::assert_not_impl_any!(Receiver<Rc<u8>>: Send, Sync);
