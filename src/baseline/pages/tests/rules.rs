//! Each rule by itself, on one thread: sleepers that no thread sleeps on stand in the queues, and are looked at after.

use super::{MAINLINE, PAGE, POLICIES, PROACTIVE, WAS_FULL, full, take};
use crate::baseline::pages::pipe::Side;
use crate::baseline::pages::queue::Sleeper;
use crate::baseline::pages::{Counts, Merge, PageWriter, Waits, pipe};
use crate::wake::WakePolicy;
use std::io::{self, ErrorKind};
use std::string::ToString;
use std::sync::Arc;
use std::{vec, vec::Vec};

/// A sleeper in a queue, without its thread.
struct Doll {
    sleeper: Arc<Sleeper>,
    ticket: u32,
}

impl Doll {
    fn woken(&self) -> bool {
        self.sleeper.ticket() != self.ticket
    }
}

/// So many dolls, in this order.
fn dolls<const N: usize>(writer: &PageWriter, side: Side) -> [Doll; N] {
    [(); N].map(|()| {
        let sleeper = Sleeper::new();
        writer.pipe.queue(side).join(&sleeper, writer.pipe.counters());
        Doll { ticket: sleeper.ticket(), sleeper }
    })
}

fn woken(dolls: &[Doll]) -> Vec<bool> {
    dolls.iter().map(Doll::woken).collect()
}

#[track_caller]
fn kind<T: std::fmt::Debug>(result: io::Result<T>) -> ErrorKind {
    result.unwrap_err().kind()
}

/// What a pipe cannot be is refused in words.
#[test]
fn refusals() {
    for (pages, options, word) in [
        (0, MAINLINE, "at least one page"),
        ((1 << 31) + 1, MAINLINE, "at most 2^31"),
        (1, MAINLINE.wake(WakePolicy::Chain), "OnRelease"),
        (1, MAINLINE.wake(WakePolicy::Each), "OnRelease"),
        (1, MAINLINE.wake(WakePolicy::All), "OnRelease"),
    ] {
        let error = pipe(pages, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(word), "{error}");
    }
}

/// Any number of pages holds just as many, also where it is no power of two, and positions wrap.
#[test]
fn capacity_is_exact() {
    for pages in 1..=9 {
        let (writer, reader) = full(pages, MAINLINE);
        assert_eq!((writer.pages(), writer.len()), (pages, pages * PAGE));
        for _ in 0..20 {
            assert_eq!(kind(writer.try_write(&[2])), ErrorKind::WouldBlock);
            take(&reader, PAGE);
            assert_eq!(writer.try_write(&[1; PAGE]).unwrap(), PAGE);
        }
        assert!(take(&reader, pages * PAGE).iter().all(|byte| *byte == 1));
        assert!(reader.is_empty());
    }
}

/// A write that fits behind what the last buffer holds goes there; one byte too many takes a buffer.
#[test]
fn small_writes_merge() {
    let (writer, reader) = pipe(2, MAINLINE).unwrap();
    let used = || writer.pipe.span().len();
    writer.try_write(&[1; 100]).unwrap();
    writer.try_write(&[2; PAGE - 100]).unwrap();
    assert_eq!(used(), 1, "it fits exactly");
    writer.try_write(&[3; 100]).unwrap();
    assert_eq!(used(), 2);
    assert_eq!(kind(writer.try_write(&[4; PAGE - 99])), ErrorKind::WouldBlock);
    writer.try_write(&[4; PAGE - 100]).unwrap();
    assert_eq!((used(), writer.len()), (2, 2 * PAGE));
    let expected = [vec![1; 100], vec![2; PAGE - 100], vec![3; 100], vec![4; PAGE - 100]].concat();
    assert_eq!(take(&reader, 2 * PAGE), expected);
}

/// By the other rule the last page is filled first, and the rest takes a buffer; without one for it, nothing goes in.
#[test]
fn small_writes_merge_as_far_as_they_fit() {
    let (writer, reader) = pipe(2, MAINLINE.merge(Merge::Fits)).unwrap();
    let lens = || {
        let span = writer.pipe.span();
        let mut held = writer.pipe.lock();
        span.positions().map(|position| held.ring.buffer(position).len()).collect::<Vec<_>>()
    };
    writer.try_write(&[1; PAGE - 10]).unwrap();
    writer.try_write(&[2; 30]).unwrap();
    assert_eq!(lens(), [PAGE, 20]);
    writer.try_write(&[3; PAGE - 30]).unwrap();
    assert_eq!(lens(), [PAGE, PAGE - 10]);
    assert_eq!(kind(writer.try_write(&[4; 11])), ErrorKind::WouldBlock, "a part of it would be torn");
    assert_eq!(lens(), [PAGE, PAGE - 10]);
    writer.try_write(&[4; 10]).unwrap();
    let expected = [vec![1; PAGE - 10], vec![2; 30], vec![3; PAGE - 30], vec![4; 10]].concat();
    assert_eq!(take(&reader, 2 * PAGE), expected);
}

/// Each write is a packet of its own and nothing joins it; a page and more is several. A read takes one and leaves none of it,
/// which frees its buffer.
#[test]
fn packets_keep_their_bounds() {
    let (writer, reader) = pipe(4, MAINLINE.packets(true)).unwrap();
    writer.try_write(&[1; 10]).unwrap();
    writer.try_write(&[2; 20]).unwrap();
    assert_eq!(writer.try_write(&[3; PAGE + 1]).unwrap(), PAGE + 1);
    assert_eq!(kind(writer.try_write(&[4])), ErrorKind::WouldBlock, "four packets are four buffers");
    let mut into = [0; PAGE];
    let mut read = |room| {
        let len = reader.try_read(&mut into[..room]).unwrap();
        (len, into[..len].iter().all(|byte| *byte == into[0]).then_some(into[0]))
    };
    assert_eq!(read(PAGE), (10, Some(1)));
    assert_eq!(read(5), (5, Some(2)));
    assert_eq!(writer.pipe.span().len(), 2, "the rest of it is gone");
    assert_eq!(read(PAGE), (PAGE, Some(3)));
    assert_eq!(read(PAGE), (1, Some(3)));
    assert!(reader.is_empty());
}

/// Who writes into a full pipe is woken by a read that takes a part of a packet, since that frees a buffer.
#[test]
fn a_packet_read_in_part_makes_room() {
    for options in POLICIES {
        let (writer, reader) = pipe(1, options.packets(true)).unwrap();
        writer.try_write(&[1; 100]).unwrap();
        let calls = writer.counts().writers.wake_calls;
        assert_eq!(reader.try_read(&mut [0; 1]).unwrap(), 1);
        assert_eq!(writer.counts().writers.wake_calls, calls + 1, "{options:?}");
        assert_eq!(writer.try_write(&[2]).unwrap(), 1);
    }
}

/// What was read from a page is not room: a merge goes behind offset and length.
#[test]
fn what_was_read_leaves_no_room() {
    let (writer, reader) = pipe(1, MAINLINE).unwrap();
    writer.try_write(&[1; PAGE - 10]).unwrap();
    take(&reader, PAGE - 20);
    assert_eq!(kind(writer.try_write(&[2; 11])), ErrorKind::WouldBlock);
    assert_eq!(writer.try_write(&[2; 10]).unwrap(), 10);
    assert_eq!(take(&reader, 20), [[1; 10], [2; 10]].concat());
}

/// Of a large write the part beyond whole pages merges first, and the rest are whole pages.
#[test]
fn large_writes_align() {
    let (writer, reader) = pipe(2, MAINLINE).unwrap();
    writer.try_write(&[1; 100]).unwrap();
    let bytes: Vec<u8> = (0..PAGE + 50).map(|n| n as u8).collect();
    assert_eq!(writer.try_write(&bytes).unwrap(), PAGE + 50);
    assert_eq!(writer.pipe.span().len(), 2);
    assert_eq!(writer.pipe.lock().ring.buffer(writer.pipe.span().tail).len(), 150);
    assert_eq!(take(&reader, 150 + PAGE)[100..], bytes);
}

/// Nothing merges into an empty pipe, though the page is still there: as spare, two at most.
#[test]
fn two_pages_are_kept() {
    let (writer, reader) = full(4, MAINLINE);
    let spares = || writer.pipe.lock().ring.spares();
    let after: Vec<_> = (0..4)
        .map(|_| {
            take(&reader, PAGE);
            spares()
        })
        .collect();
    assert_eq!(after, [1, 2, 2, 2]);
    writer.try_write(&[1]).unwrap();
    assert_eq!(spares(), 1, "one is used again");
    assert_eq!(take(&reader, 1), [1]);
}

/// Nothing read or written: nothing happened, and on no state of the pipe is it an error.
#[test]
fn nothing_is_nothing() {
    for options in POLICIES {
        let (writer, reader) = full(1, options);
        let (readers, writers) = (dolls::<1>(&writer, Side::Readers), dolls::<1>(&writer, Side::Writers));
        assert_eq!((writer.write(&[]).unwrap(), reader.read(&mut []).unwrap()), (0, 0));
        take(&reader, PAGE);
        assert!(writers[0].woken());
        assert_eq!((writer.write(&[]).unwrap(), reader.read(&mut []).unwrap()), (0, 0));
        assert!(!readers[0].woken());
        drop(reader);
        assert_eq!(writer.write(&[]).unwrap(), 0);
    }
}

/// K2: a partial read of a full pipe frees nothing. Mainline wakes nobody, `was_full` does, for nothing; the last
/// byte of the page frees it, and all wake.
#[test]
fn partial_reads() {
    for (options, woken_by_part) in [(MAINLINE, false), (WAS_FULL, true), (PROACTIVE, false)] {
        let (writer, reader) = full(1, options);
        let writers = dolls::<2>(&writer, Side::Writers);
        take(&reader, PAGE - 1);
        assert_eq!(woken(&writers), [woken_by_part, false], "{options:?}");
        let calls = writer.counts().writers.wake_calls;
        assert_eq!(calls, u64::from(woken_by_part), "mainline does not even call: {options:?}");
        take(&reader, 1);
        assert_eq!(woken(&writers), [true, woken_by_part], "{options:?}");
    }
}

/// K2: with room already there a further page freed is no edge, nor was the pipe full: only `Proactive` looks.
#[test]
fn no_edge() {
    for (options, looks) in [(MAINLINE, false), (WAS_FULL, false), (PROACTIVE, true)] {
        let (writer, reader) = full(3, options);
        let writers = dolls::<2>(&writer, Side::Writers);
        take(&reader, PAGE);
        assert_eq!(woken(&writers), [true, false], "one page, one writer: {options:?}");
        take(&reader, PAGE + 1);
        assert_eq!(woken(&writers), [true, looks], "{options:?}");
        let counts = writer.counts().writers;
        assert_eq!((counts.wake_calls, counts.locked), (1 + u64::from(looks), 1 + u64::from(looks)));
    }
}

/// K2: `Proactive`'s look takes no lock where nobody sleeps, and is not taken where the pipe is full still.
#[test]
fn proactive_looks_are_cheap() {
    let (writer, reader) = full(2, PROACTIVE);
    take(&reader, 1);
    assert_eq!(writer.counts().writers, Waits::default(), "full");
    take(&reader, PAGE - 1);
    take(&reader, 1);
    let counts = writer.counts().writers;
    assert_eq!((counts.wake_calls, counts.locked), (2, 1), "the edge locks, the look does not");
}

/// One read that frees several pages wakes one writer: that one hands on.
#[test]
fn one_read_wakes_one() {
    for options in POLICIES {
        let (writer, reader) = full(4, options);
        let writers = dolls::<3>(&writer, Side::Writers);
        take(&reader, 3 * PAGE);
        assert_eq!(woken(&writers), [true, false, false], "{options:?}");
    }
}

/// A write wakes a reader if the pipe was empty, else nobody, whether it merged or not.
#[test]
fn writes_wake_on_empty() {
    for options in POLICIES {
        let (writer, reader) = pipe(4, options).unwrap();
        let readers = dolls::<3>(&writer, Side::Readers);
        writer.try_write(&[1]).unwrap();
        assert_eq!(woken(&readers), [true, false, false]);
        writer.try_write(&[2]).unwrap();
        writer.try_write(&[3; PAGE]).unwrap();
        assert_eq!(woken(&readers), [true, false, false]);
        take(&reader, PAGE + 2);
        writer.try_write(&[4]).unwrap();
        assert_eq!(woken(&readers), [true, true, false]);
    }
}

/// The queue is first in, first woken; who leaves it is not woken, and holds nobody up.
#[test]
fn exclusive_and_in_order() {
    let (writer, _reader) = pipe(1, MAINLINE).unwrap();
    let (queue, counters) = (writer.pipe.queue(Side::Readers), writer.pipe.counters());
    let sleepers = dolls::<4>(&writer, Side::Readers);
    queue.leave(&sleepers[1].sleeper, counters);
    queue.wake_one(false, counters);
    assert_eq!(woken(&sleepers), [true, false, false, false]);
    queue.leave(&sleepers[0].sleeper, counters);
    queue.wake_one(true, counters);
    assert_eq!(woken(&sleepers), [true, false, true, false]);
    queue.wake_all(true, counters);
    assert_eq!((woken(&sleepers), queue.len()), (vec![true, false, true, true], 0));
    let Waits { wake_calls, locked, woken, .. } = writer.counts().readers;
    assert_eq!((wake_calls, locked, woken), (3, 3, 3));
}

/// A wake for nobody takes the queue's lock as the kernel's does, and does not where it looks first.
#[test]
fn lock_first_or_look_first() {
    for (look_first, locked) in [(false, 1), (true, 0)] {
        let (writer, _reader) = pipe(1, MAINLINE.look_first(look_first)).unwrap();
        writer.try_write(&[1]).unwrap();
        let expected = Waits { wake_calls: 1, locked, ..Waits::default() };
        assert_eq!(writer.counts(), Counts { readers: expected, ..Counts::default() });
    }
}

/// Without writers: what is queued, then 0. Without readers: broken, and what is queued stays.
#[test]
fn ends_of_the_pipe() {
    let (writer, reader) = pipe(4, MAINLINE).unwrap();
    let second = writer.clone();
    writer.try_write(&[1, 2]).unwrap();
    drop(writer);
    assert_eq!(take(&reader, 2), [1, 2]);
    assert_eq!(kind(reader.try_read(&mut [0])), ErrorKind::WouldBlock, "one writer is left");
    drop(second);
    assert_eq!((reader.try_read(&mut [0]).unwrap(), reader.read(&mut [0]).unwrap()), (0, 0));

    let (writer, reader) = pipe(4, MAINLINE).unwrap();
    writer.try_write(&[1, 2]).unwrap();
    drop(reader.clone());
    writer.try_write(&[3]).unwrap();
    drop(reader);
    assert_eq!(kind(writer.write(&[4])), ErrorKind::BrokenPipe);
    assert_eq!(kind(writer.try_write(&[4])), ErrorKind::BrokenPipe);
    assert_eq!(writer.len(), 3);
}

/// The last end of either side wakes everybody; an end before it wakes nobody.
#[test]
fn closing_wakes_all() {
    for last in [Side::Readers, Side::Writers] {
        let (writer, reader) = pipe(1, MAINLINE).unwrap();
        let pipe = Arc::clone(&writer.pipe);
        let all = [dolls::<2>(&writer, Side::Readers), dolls(&writer, Side::Writers)];
        drop((writer.clone(), reader.clone()));
        assert!(!all.iter().flatten().any(Doll::woken));
        match last {
            Side::Readers => drop(reader),
            Side::Writers => drop(writer),
        }
        assert!(all.iter().flatten().all(Doll::woken), "{last:?}");
        assert_eq!(pipe.queue(last).len(), 0);
    }
}
