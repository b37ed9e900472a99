//! C. Index wrap, capacity and layout.

use crate::support::{
    Config, End, Kind, Receives, Sends, Tally, each, join_all, ms, on_each_ring, peer, sized,
    sleepy_policies, watchdog,
};
use hornpipe::mpmc::bounded;
use hornpipe::{BuildError, TryRecvError, TrySendError};
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Freed with a capacity that was not the one allocated: Miri compares them, for items of many shapes.
fn scenario_30_freed_as_allocated<K: Kind>() {
    #[derive(Clone, Copy, Debug)]
    #[repr(align(64))]
    struct Line(#[expect(dead_code)] [u8; 64]);

    fn walk<K: Kind, T: Copy + Debug + Send + 'static>(item: T) {
        for cap in [1, 2, 3, 5, 6, 7, 63, 64, 65, 1_000] {
            let (tx, rx) = K::bounded(cap);
            for _ in 0..cap / 2 + 1 {
                tx.send(item).unwrap();
            }
            assert!(rx.recv().is_ok());
            drop((tx, rx));
        }
    }
    walk::<K, _>(1u8);
    walk::<K, _>(1u64);
    walk::<K, _>([1u8; 3]);
    walk::<K, _>(Line([1; 64]));
    walk::<K, _>(());
}

/// Differences of positions taken in a type too narrow (or too wide): an endless loop when full or empty. With
/// `hornpipe_small` the positions wrap some hundred times here.
fn scenario_34_full_and_empty_at_every_lap<K: Kind>() {
    for cap in [1, 2, 4, 64] {
        watchdog(20, move || {
            let (tx, rx) = K::bounded(cap);
            for lap in 0..sized(1_000, 20) {
                // Every other time the fill starts one slot further on.
                for _ in 0..lap % 2 {
                    tx.send(usize::MAX).unwrap();
                    assert_eq!(rx.recv(), Ok(usize::MAX));
                }
                (0..cap).for_each(|n| tx.try_send(lap + n).unwrap());
                assert_eq!(tx.try_send(0), Err(TrySendError::Full(0)));
                assert!(tx.is_full());
                (0..cap).for_each(|n| assert_eq!(rx.try_recv(), Ok(lap + n)));
                assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
                assert!(rx.is_empty());
            }
        });
    }
}

/// Capacities that are no powers of two: in order over many laps, whatever the number in the pipe.
fn scenario_35_odd_capacities<K: Kind>() {
    for cap in [1, 3, 5, 6, 7, 100] {
        for level in [1, cap / 2 + 1, cap] {
            let (tx, rx) = K::bounded(cap);
            assert_eq!(tx.look().capacity, Some(cap));
            for n in 0..level {
                tx.try_send(n).unwrap();
            }
            for n in level..sized(50, 11) * cap {
                assert_eq!(rx.try_recv(), Ok(n - level));
                tx.try_send(n).unwrap();
                assert_eq!(tx.len(), level);
            }
        }
    }
}

/// Huge capacities overflowed to a tiny buffer, or panicked with an arithmetic message: they are refused, or (items
/// without a size) honoured.
fn scenario_36_huge_capacities<K: Kind>() {
    fn ask<K: Kind, T: Copy + Send + 'static>(cap: usize, item: T) {
        match K::build(Config::default(), cap) {
            Ok((tx, rx)) => {
                assert_eq!(tx.look().capacity, Some(cap), "rounded down silently");
                (0..100).for_each(|_| assert!(tx.try_send(item).is_ok()));
                assert_eq!(rx.try_iter().count(), 100);
            }
            Err(BuildError::CapacityTooLarge { requested } | BuildError::OutOfMemory { requested }) => {
                assert_eq!(requested, cap);
            }
            Err(other) => panic!("{cap} items: {other}"),
        }
    }
    let sixteenths = (1..=16).map(|n| (usize::MAX / 16) * n);
    let around = sixteenths.flat_map(|n| [n.wrapping_sub(1), n, n.wrapping_add(1), n.wrapping_add(2)]);
    let named = [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, isize::MAX as usize / 8 + 1];
    for cap in around.chain(named).filter(|cap| *cap > 100) {
        ask::<K, _>(cap, 1u64);
        ask::<K, _>(cap, 1u8);
        ask::<K, _>(cap, ());
        ask::<K, _>(cap, [0u8; 4_096]);
    }
}

/// Capacity 0 hung on the first write, or leaked in a failing constructor: it is refused, for every kind of item.
fn scenario_37_no_capacity<K: Kind>() {
    fn refused<K: Kind, T: Send + 'static>() {
        assert_eq!(K::build::<T>(Config::default(), 0).map(drop), Err(BuildError::ZeroCapacity));
    }
    refused::<K, u8>();
    refused::<K, ()>();
    refused::<K, [u8; 32_768]>();
}

/// ">" for ">=": the last slot was never usable, or a waiter needed two free slots to go on.
fn scenario_38_the_last_slot_counts<K: Kind>() {
    each(sleepy_policies(), 20, |config| {
        for cap in 1..=4 {
            let (tx, rx) = K::pipe(config, cap);
            assert_eq!((0..100).take_while(|n| tx.try_send(*n).is_ok()).count(), cap);
            let sender = peer(move || tx.send(100));
            sender.asleep();
            assert_eq!(rx.recv(), Ok(0));
            // One free slot, and the sender is in it.
            assert_eq!(sender.join(), Ok(()));
            assert_eq!(rx.len(), cap);
            assert_eq!(rx.try_iter().last(), Some(100));
        }
    });
}

/// Zero-sized items broke the full test, the allocation, or divided by zero; their drops are counted like others'.
fn scenario_39_items_of_no_size<K: Kind>() {
    // A test's own count: nothing else can be told apart, and the tests run side by side.
    thread_local! {
        static DROPS: Cell<usize> = const { Cell::new(0) };
    }
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPS.set(DROPS.get() + 1);
        }
    }
    DROPS.set(0);
    let (tx, rx) = K::bounded(256);
    assert!(!tx.is_full() && tx.is_empty());
    for _ in 0..256 {
        tx.try_send(Nothing).ok().unwrap();
    }
    assert!(tx.is_full());
    assert_eq!(DROPS.get(), 0);
    assert!(matches!(tx.try_send(Nothing), Err(TrySendError::Full(Nothing))));
    assert_eq!(DROPS.get(), 1);
    assert_eq!(rx.iter().take(100).count(), 100);
    assert_eq!((DROPS.get(), rx.len()), (101, 156));
    drop(rx);
    assert_eq!(DROPS.get(), 257);
    drop(tx);
    assert_eq!(DROPS.get(), 257);
}

/// The same in traffic: capacity 3 keeps both sides waiting in turn.
fn scenario_39_items_of_no_size_in_traffic<K: Kind>() {
    watchdog(20, || {
        let (tx, rx) = K::bounded(3);
        let sender = peer(move || (0..sized(5_000, 50)).for_each(|_| tx.send(()).unwrap()));
        assert_eq!(rx.iter().count(), sized(5_000, 50));
        sender.join();
    });
}

/// `len` read during traffic underflowed: an observer always sees 0 to the capacity, and never a contradiction.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_40_lengths_during_traffic() {
    watchdog(30, || {
        let (tx, rx) = bounded(3);
        let stop = Arc::new(AtomicBool::new(false));
        let senders = [(); 4].map(|()| {
            let (tx, stop) = (tx.clone(), Arc::clone(&stop));
            peer(move || while !stop.load(Relaxed) && tx.send(1u8).is_ok() {})
        });
        let receivers = [(); 4].map(|()| {
            let rx = rx.clone();
            peer(move || rx.iter().count())
        });
        let start = Instant::now();
        let mut lengths = [0usize; 4];
        while start.elapsed() < ms(sized(1_000, 30) as u64) {
            let len = tx.len();
            assert!(len <= 3, "{len} items in a pipe of 3");
            lengths[len] += 1;
            assert!(rx.len() <= 3);
            // Each alone is a moment's truth; they may not agree, but they may not fail either.
            std::hint::black_box((tx.is_empty(), tx.is_full(), rx.is_empty(), rx.is_full()));
        }
        stop.store(true, Relaxed);
        drop((tx, rx));
        join_all(senders);
        assert!(join_all(receivers).iter().sum::<usize>() > 0);
        assert!(
            lengths.iter().filter(|count| **count > 0).count() > 1 || cfg!(miri),
            "{lengths:?}: no traffic seen"
        );
    });
}

/// Items that ask for 64 or 128 bytes of alignment were placed at 16: they go through, and are dropped in their slots.
/// Under Miri, and for wide moves on hardware, every misplaced access is an error; the slots' addresses are checked
/// inside the crate.
fn scenario_41_aligned_items<K: Kind>() {
    macro_rules! walk {
        ($align:literal) => {{
            #[repr(align($align))]
            struct Aligned(crate::support::Item, u8);
            for cap in [1, 3, 64] {
                let tally = Tally::new(3 * cap);
                let (tx, rx) = K::bounded(cap);
                for lap in 0..2 {
                    for n in 0..cap {
                        tx.send(Aligned(tally.item(lap * cap + n), n as u8)).ok().unwrap();
                    }
                    for n in 0..cap {
                        let item = rx.recv().unwrap();
                        assert_eq!((item.0.id, item.1), (lap * cap + n, n as u8));
                    }
                }
                for n in 0..cap {
                    tx.send(Aligned(tally.item(2 * cap + n), 0)).ok().unwrap();
                }
                // Dropped in their slots.
                drop(rx);
                tally.assert_each_once();
            }
        }};
    }
    walk!(32);
    walk!(64);
    walk!(128);
    walk!(4096);
}

/// Building a block of large items on the stack overflowed it: 2 MiB of slots on a stack of 256 KiB. Unoptimized code
/// copies an item from frame to frame (crossbeam's needs 560 KiB for this), and gets four copies more.
fn scenario_42_large_items_on_a_small_stack<K: Kind>() {
    type Large = [u8; 32_768];
    const STACK: usize = if cfg!(debug_assertions) { 384 } else { 256 } * 1024;
    // A function each: unoptimized code keeps every temporary of a function on the stack.
    fn send(tx: &impl Sends<Large>) {
        assert!(tx.send([7; 32_768]).is_ok());
    }
    fn receive(rx: &impl Receives<Large>) {
        assert!(rx.recv().is_ok_and(|item| item[32_767] == 7));
    }
    watchdog(20, || {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(|| {
            let (tx, rx) = K::bounded::<Large>(64);
            send(&tx);
            receive(&rx);
            send(&tx);
            drop(rx);
        });
        thread.unwrap().join().unwrap();
    });
}

on_each_ring!(
    scenario_30_freed_as_allocated,
    scenario_34_full_and_empty_at_every_lap,
    scenario_35_odd_capacities,
    scenario_36_huge_capacities,
    scenario_37_no_capacity,
    scenario_38_the_last_slot_counts,
    scenario_39_items_of_no_size,
    scenario_39_items_of_no_size_in_traffic,
    scenario_41_aligned_items,
    scenario_42_large_items_on_a_small_stack,
);
