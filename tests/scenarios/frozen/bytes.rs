//! Byte pipes, with a thread frozen in the middle of a call: what others may still do, and what calls of no bytes cost.

use crate::support::{Ice, all_asleep, join_all, peer, thread_cost, watchdog};
use hornpipe::Mpmc;
use hornpipe::bytes::{self, Builder};
use hornpipe::hooks::{self, Counters, Point};
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(20);

#[track_caller]
fn is(answer: io::Result<usize>, kind: ErrorKind) {
    assert_eq!(answer.map_err(|error| error.kind()), Err(kind));
}

/// A writer frozen with the writers' lock: tries answer at once, timed writes in time, and neither sleeps on a futex to try; readers
/// read what was there. All goes on when it does.
#[test]
fn a_writer_frozen_under_the_lock() {
    watchdog(30, || {
        let (writer, reader) = bytes::shared(4096).unwrap();
        writer.write(b"before").unwrap();
        let frozen = writer.clone();
        let (ice, frozen) = Ice::over(Point::Claimed, move || frozen.write(b"frozen").unwrap());
        ice.wait_frozen();
        let (cost, tried) = thread_cost(|| writer.try_write(b"try"));
        is(tried, ErrorKind::WouldBlock);
        assert_eq!(cost, Counters::default());
        is(writer.write_timeout(b"timed", SHORT), ErrorKind::TimedOut);
        let mut into = [0; 16];
        assert_eq!((reader.read(&mut into).unwrap(), &into[..6]), (6, &b"before"[..]));
        is(reader.try_read(&mut into), ErrorKind::WouldBlock);
        let waiting = [b"one", b"two"].map(|bytes| {
            let writer = writer.clone();
            peer(move || assert_eq!(writer.write(bytes).unwrap(), 3))
        });
        all_asleep(&waiting);
        ice.thaw();
        assert_eq!(frozen.join(), 6);
        join_all(waiting);
        assert_eq!(reader.len(), 12);
    });
}

/// A reader frozen with the readers' lock: the same for readers; writers write until the pipe is full.
#[test]
fn a_reader_frozen_under_the_lock() {
    watchdog(30, || {
        let (writer, reader) = Builder::<Mpmc>::new(8).piece_size(4).build().unwrap();
        writer.write(b"abcd").unwrap();
        let frozen = reader.clone();
        let (ice, frozen) = Ice::over(Point::Claimed, move || frozen.read(&mut [0; 2]).unwrap());
        ice.wait_frozen();
        let (cost, tried) = thread_cost(|| reader.try_read(&mut [0; 2]));
        is(tried, ErrorKind::WouldBlock);
        assert_eq!(cost, Counters::default());
        is(reader.read_timeout(&mut [0; 2], SHORT), ErrorKind::TimedOut);
        assert_eq!(writer.try_write(b"efgh").unwrap(), 4);
        is(writer.try_write(b"i"), ErrorKind::WouldBlock);
        let waiting = peer(move || writer.write(b"ijkl").unwrap());
        waiting.asleep();
        ice.thaw();
        assert_eq!(frozen.join(), 2);
        let mut rest = String::new();
        (&reader).read_to_string(&mut rest).unwrap();
        assert_eq!((waiting.join(), rest.as_str()), (4, "cdefghijkl"));
    });
}

/// A stream's end frozen before it publishes: the other one's tries answer at once.
#[test]
fn a_stream_with_a_frozen_end() {
    watchdog(30, || {
        let (writer, reader) = bytes::pipe(4).unwrap();
        let (ice, frozen) = Ice::over(Point::Claimed, move || {
            assert_eq!(writer.write(b"ab").unwrap(), 2);
            writer
        });
        ice.wait_frozen();
        let (cost, tried) = thread_cost(|| reader.try_read(&mut [0; 4]));
        is(tried, ErrorKind::WouldBlock);
        assert_eq!(cost, Counters::default());
        is(reader.read_timeout(&mut [0; 4], SHORT), ErrorKind::TimedOut);
        ice.thaw();
        let writer = frozen.join();
        let (ice, frozen) = Ice::over(Point::Claimed, move || {
            assert_eq!(reader.read(&mut [0; 4]).unwrap(), 2);
            reader
        });
        ice.wait_frozen();
        assert_eq!(writer.try_write(b"cdef").unwrap(), 2);
        is(writer.try_write(b"ef"), ErrorKind::WouldBlock);
        ice.thaw();
        assert_eq!(frozen.join().len(), 2);
    });
}

/// A writer that is first in line, woken and frozen, holds up those behind it, not those who find room beside what it needs; when
/// it goes on so do they.
#[test]
fn a_frozen_first_in_line() {
    watchdog(30, || {
        let (writer, reader) = Builder::<Mpmc>::new(12).piece_size(4).build().unwrap();
        writer.write(&[0; 12]).unwrap();
        let first = writer.clone();
        let (ice, first) = Ice::over(Point::Woken, move || first.write(&[1; 4]).unwrap());
        first.asleep();
        let second = writer.clone();
        let second = peer(move || second.write(&[2; 4]).unwrap());
        second.asleep();
        reader.read(&mut [0; 4]).unwrap();
        ice.wait_frozen();
        is(writer.try_write(&[3; 4]), ErrorKind::WouldBlock);
        is(writer.write_timeout(&[3; 4], SHORT), ErrorKind::TimedOut);
        assert!(!second.is_done());
        reader.read(&mut [0; 4]).unwrap();
        assert_eq!(writer.try_write(&[4; 4]).unwrap(), 4, "a piece is left for the first");
        ice.thaw();
        assert_eq!(first.join(), 4);
        reader.read(&mut [0; 4]).unwrap();
        assert_eq!(second.join(), 4);
        let mut rest = [0; 12];
        (&reader).read_exact(&mut rest).unwrap();
        assert_eq!(rest, [4, 4, 4, 4, 1, 1, 1, 1, 2, 2, 2, 2]);
    });
}

/// The first in line frozen under the lock: one behind it, asleep by then, is back when its time is up.
#[test]
fn a_timed_writer_behind_a_frozen_first() {
    watchdog(30, || {
        let (writer, reader) = Builder::<Mpmc>::new(8).piece_size(4).build().unwrap();
        writer.write(&[0; 8]).unwrap();
        let (first, ice) = (writer.clone(), Ice::new());
        let frozen = {
            let ice = ice.clone();
            peer(move || {
                let lay = || first.write(&[1; 4]).unwrap();
                // Its first looks find no room; frozen by the one that comes after its sleep.
                let woken = {
                    let ice = ice.clone();
                    hooks::on(Point::Woken, move || std::mem::forget(ice.at(Point::Claimed)))
                };
                let wrote = lay();
                drop(woken);
                wrote
            })
        };
        frozen.asleep();
        let second = writer.clone();
        let second = peer(move || {
            let start = Instant::now();
            (second.write_timeout(&[2; 4], 5 * SHORT), start.elapsed())
        });
        second.asleep();
        reader.read(&mut [0; 4]).unwrap();
        ice.wait_frozen();
        std::thread::sleep(20 * SHORT);
        let in_time = second.is_done();
        ice.thaw();
        assert_eq!(frozen.join(), 4);
        let (answer, took) = second.join();
        assert!(in_time, "back after {took:?}");
        is(answer, ErrorKind::TimedOut);
    });
}

/// Calls of no bytes answer 0 beside sleepers, and wake none of them.
#[test]
fn no_bytes_wake_nobody() {
    watchdog(30, || {
        let (writer, reader) = bytes::shared(4).unwrap();
        let waiting = reader.clone();
        let waiting = peer(move || waiting.read(&mut [0; 1]).unwrap());
        waiting.asleep();
        let (cost, wrote) = thread_cost(|| writer.write(&[]).unwrap() + reader.read(&mut []).unwrap());
        assert_eq!((cost, wrote), (Counters::default(), 0));
        assert!(!waiting.is_done());
        writer.write(&[1]).unwrap();
        assert_eq!(waiting.join(), 1);
        let (writer, reader) = bytes::pipe(4).unwrap();
        writer.write(&[0; 4]).unwrap();
        let waiting = peer(move || {
            assert_eq!(writer.write(&[1]).unwrap(), 1);
            writer
        });
        waiting.asleep();
        let (cost, read) = thread_cost(|| reader.read(&mut []).unwrap());
        assert_eq!((cost, read), (Counters::default(), 0));
        assert!(!waiting.is_done());
        reader.read(&mut [0; 1]).unwrap();
        let writer = waiting.join();
        let (cost, wrote) = thread_cost(|| writer.write(&[]).unwrap() + writer.try_write(&[]).unwrap());
        assert_eq!((cost, wrote), (Counters::default(), 0));
    });
}

/// While nobody sleeps no call makes a futex call, whatever it moves.
#[test]
fn awake_costs_no_system_call() {
    watchdog(30, || {
        let (writer, reader) = bytes::pipe(64).unwrap();
        let (shared_writer, shared_reader) = bytes::shared(64).unwrap();
        let (cost, ()) = thread_cost(|| {
            for _ in 0..1000 {
                assert_eq!(writer.write(&[1; 48]).unwrap(), reader.read(&mut [0; 64]).unwrap());
                assert_eq!(shared_writer.write(&[1; 48]).unwrap(), shared_reader.read(&mut [0; 64]).unwrap());
            }
        });
        assert_eq!(cost, Counters::default());
    });
}

/// Who leaves the line and is frozen before it calls the next one: whoever finds no room calls that one in its place.
#[test]
fn a_leaver_frozen_before_its_call() {
    watchdog(30, || {
        let (writer, reader) = Builder::<Mpmc>::new(8).piece_size(4).build().unwrap();
        writer.write(&[0; 8]).unwrap();
        let first = writer.clone();
        let (ice, first) = Ice::over(Point::BeforeWake, move || first.write(&[1; 8]).unwrap());
        first.asleep();
        let second = writer.clone();
        let second = peer(move || second.write(&[2; 4]).unwrap());
        second.asleep();
        assert_eq!(reader.read(&mut [0; 8]).unwrap(), 8);
        ice.wait_frozen();
        assert_eq!(reader.read(&mut [0; 8]).unwrap(), 8);
        assert!(!second.is_done() && reader.is_empty());
        is(writer.try_write(&[3; 8]), ErrorKind::WouldBlock);
        assert_eq!(second.join(), 4);
        assert_eq!(writer.try_write(&[3; 4]).unwrap(), 4, "what the frozen one needed is spared no more");
        ice.thaw();
        assert_eq!(first.join(), 8);
    });
}

/// A long read wakes the writer for the room that it makes, before it is at its end.
#[test]
fn a_long_read_frozen_at_its_end() {
    watchdog(30, || {
        let (writer, reader) = bytes::shared(64 << 10).unwrap();
        writer.write(&[0; 64 << 10]).unwrap();
        let waiting = writer.clone();
        let waiting = peer(move || waiting.write(&[1; 4096]).unwrap());
        waiting.asleep();
        let (ice, reading) = Ice::over(Point::Claimed, move || reader.read(&mut vec![0; 1 << 20]).unwrap());
        ice.wait_frozen();
        assert_eq!(waiting.join(), 4096);
        ice.thaw();
        assert_eq!(reading.join(), 64 << 10, "what came meanwhile is for the next read");
    });
}
