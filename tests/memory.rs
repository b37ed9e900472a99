//! What a pipe asks of the allocator: little, everything given back, and a refusal is an error and not an abort.

mod support;

use crossbeam_utils::CachePadded;
use hornpipe::BuildError;
use hornpipe::mpmc::bounded;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use support::{Config, End, Kind, Receives, Sends, Tally, ms, on_each_ring};

/// The system's allocator, counting what the calling thread holds, and failing where the thread asks for it.
struct Counting;

thread_local! {
    // Constants without drop: reading them allocates nothing.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static BLOCKS: Cell<isize> = const { Cell::new(0) };
    static FAIL_FROM: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn note(bytes: isize, blocks: isize) {
    HELD.set(HELD.get() + bytes);
    BLOCKS.set(BLOCKS.get() + blocks);
}

// SAFETY: every call goes to `System` with the arguments given, or returns null, which an allocator may.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= FAIL_FROM.get() {
            return std::ptr::null_mut();
        }
        note(layout.size() as isize, 1);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= FAIL_FROM.get() {
            return std::ptr::null_mut();
        }
        note(layout.size() as isize, 1);
        // SAFETY: the caller keeps `alloc_zeroed`'s contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(-(layout.size() as isize), -1);
        // SAFETY: `block` came from `System`, by the caller's contract.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What the calling thread holds after `body` more than before, in bytes and blocks.
fn held_by<R>(body: impl FnOnce() -> R) -> (isize, isize, R) {
    let before = (HELD.get(), BLOCKS.get());
    let result = body();
    (HELD.get() - before.0, BLOCKS.get() - before.1, result)
}

/// Fails this thread's requests of `size` bytes and more, during `body`.
fn without_memory<R>(size: usize, body: impl FnOnce() -> R) -> R {
    FAIL_FROM.set(size);
    let result = body();
    FAIL_FROM.set(usize::MAX);
    result
}

/// The first pipe of a process may set things up for all of them.
fn warm_up() {
    drop(bounded::<u8>(1));
}

/// A pipe for one small item takes less than 768 bytes, or six lines where these are longer (single ends, which have the
/// choice of a ring, a few more), and a clone of its ends nothing. The counters of feature `stats` come on top: some lines
/// a handle.
fn a_small_pipe_is_small<K: Kind>() {
    // s390x has lines of 256 bytes.
    let lines = 6 * align_of::<CachePadded<u8>>().max(128) as isize;
    let most = match K::MANY {
        _ if cfg!(feature = "stats") => lines + 1_280,
        (false, false) => lines + 32,
        _ => lines,
    };
    warm_up();
    let (bytes, blocks, (tx, rx)) = held_by(|| K::bounded::<u64>(1));
    assert!(bytes > 0 && bytes < most, "{bytes} bytes in {blocks} blocks");
    let (more, _, clones) = held_by(|| (tx.another(), rx.another()));
    assert!(more == 0 || cfg!(feature = "stats"), "{more} bytes for clones");
    drop(clones);
}

/// A pipe that is gone has given back every byte, whether the slots came from the heap or from the system.
fn everything_is_given_back<K: Kind>() {
    warm_up();
    for cap in [1, 2, 7, 64, 1_000, 100_000] {
        let (bytes, blocks, ()) = held_by(|| {
            let tally = Tally::new(1);
            let (tx, rx) = K::bounded(cap);
            tx.send((tally.item(0), [0u64; 3])).ok().unwrap();
            drop((tx.another(), rx.another()));
            drop(tx);
            drop(rx);
            tally.assert_each_once();
        });
        assert_eq!((bytes, blocks), (0, 0), "with {cap} items");
    }
}

/// Waits, with and without success, leave nothing behind.
fn waiting_allocates_nothing_that_stays<K: Kind>() {
    warm_up();
    let (tx, rx) = K::bounded::<u64>(1);
    let (_, _, ()) = held_by(|| assert!(rx.recv_timeout(ms(1)).is_err()));
    let (bytes, blocks, ()) = held_by(|| {
        for _ in 0..10 {
            assert!(rx.recv_timeout(ms(1)).is_err());
            tx.send(1).unwrap();
            assert!(tx.send_timeout(2, ms(1)).is_err());
            assert_eq!(rx.recv(), Ok(1));
        }
    });
    assert_eq!((bytes, blocks), (0, 0));
}

/// Slots that come straight from the system go back to it: half a GB of them in turn do not make the process grow.
#[cfg(all(target_os = "linux", not(miri)))]
fn mapped_slots_are_unmapped<K: Kind>() {
    fn pages() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").expect("/proc is there");
        text.split_whitespace().next().unwrap().parse().unwrap()
    }
    warm_up();
    let before = pages();
    for _ in 0..2_000 {
        drop(K::bounded::<[u64; 8]>(4_096));
    }
    let grown = pages().saturating_sub(before) * 4_096;
    assert!(grown < 100 << 20, "the address space grew by {grown} bytes");
}

/// Slots the allocator refuses are an error that names the size; nothing is left behind, and the next pipe is built.
fn refused_slots_are_an_error<K: Kind>() {
    warm_up();
    let build = || K::build::<u64>(Config::default(), 1_000).map(drop);
    let (bytes, blocks, refusal) = held_by(|| without_memory(4_096, || build().unwrap_err()));
    assert_eq!(refusal, BuildError::OutOfMemory { requested: 1_000 });
    assert_eq!((bytes, blocks), (0, 0));
    assert!(build().is_ok());
}

/// More than the machine's address space, but not more than a `usize`: refused by the system, reported as an error.
#[test]
#[cfg(all(target_pointer_width = "64", not(miri)))]
fn refused_mappings_are_an_error() {
    use hornpipe::{Builder, Mpmc};
    for cap in [1 << 48, 1 << 55] {
        let refusal = Builder::<Mpmc>::new(cap).build::<u64>().map(|_| ()).unwrap_err();
        let (memory, size) =
            (BuildError::OutOfMemory { requested: cap }, BuildError::CapacityTooLarge { requested: cap });
        assert!(refusal == memory || refusal == size, "{refusal:?}");
    }
}

/// Creation does not touch the slots: a pipe of a million items costs the same time as a small one, not its pages.
#[cfg(all(target_os = "linux", not(miri)))]
fn creation_touches_no_slots<K: Kind>() {
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").expect("/proc is there");
        text.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4_096
    }
    support::watchdog(20, || {
        let before = resident();
        let (tx, rx) = K::bounded::<[u64; 8]>(4 << 20);
        let grown = resident().saturating_sub(before);
        assert!(grown < 64 << 20, "{grown} bytes of 256 MB and more are resident already");
        for n in 0..100 {
            tx.send([n; 8]).unwrap();
            assert_eq!(rx.recv(), Ok([n; 8]));
        }
    });
}

on_each_ring!(
    a_small_pipe_is_small,
    everything_is_given_back,
    waiting_allocates_nothing_that_stays,
    refused_slots_are_an_error,
);
#[cfg(all(target_os = "linux", not(miri)))]
on_each_ring!(creation_touches_no_slots, mapped_slots_are_unmapped);
