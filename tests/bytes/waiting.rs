//! Who waits gets room, bytes, the end of the stream or a broken pipe, whichever comes first: one body for both kinds.

use super::machine::kind;
use super::own::Subject;
use super::{assert_nobody_waits, on_both, pipe};
use crate::support::{Config, Random, all_waits, each, ms, once_of, peer, sized, within};
use std::io::{ErrorKind, IoSlice, IoSliceMut, Read};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Numbered bytes.
fn numbers(len: usize) -> Vec<u8> {
    (0..len).map(|n| n as u8).collect()
}

/// Zero-length reads and writes could wait for ever although they move nothing: they return 0 at once, full or empty, with
/// peers or without, and are never taken for the end of the stream.
fn scenario_46_no_bytes_no_wait<K: Subject>() {
    each(all_waits(), 10, |config: Config| {
        let (writer, reader) = pipe::<K>(config, 2);
        let nothing_read = || {
            assert_eq!(reader.read(&mut []).unwrap(), 0);
            assert_eq!(reader.try_read(&mut []).unwrap(), 0);
            assert_eq!(reader.read_timeout(&mut [], Duration::MAX).unwrap(), 0);
            assert_eq!(reader.read_vectored(&mut []).unwrap(), 0);
            let mut empty = [IoSliceMut::new(&mut []), IoSliceMut::new(&mut [])];
            assert_eq!(reader.read_vectored(&mut empty).unwrap(), 0);
        };
        nothing_read();
        assert_eq!(writer.write(b"ab").unwrap(), 2);
        let nothing_written = |len| {
            assert_eq!(writer.write(b"").unwrap(), 0);
            assert_eq!(writer.try_write(b"").unwrap(), 0);
            assert_eq!(writer.write_timeout(b"", Duration::MAX).unwrap(), 0);
            assert_eq!(writer.write_vectored(&[]).unwrap(), 0);
            assert_eq!(writer.write_vectored(&[IoSlice::new(b""), IoSlice::new(b"")]).unwrap(), 0);
            writer.write_all(b"").unwrap();
            assert_eq!(writer.len(), len);
        };
        nothing_written(2);
        nothing_read();
        let mut into = [0; 3];
        assert_eq!(reader.read(&mut into).unwrap(), 2);
        nothing_written(0);
        nothing_read();
        assert_eq!(kind(reader.try_read(&mut into)), Err(ErrorKind::WouldBlock));
        assert_nobody_waits(&reader);
    });
    each(all_waits(), 10, |config| {
        let (writer, reader) = pipe::<K>(config, 2);
        drop(reader);
        assert_eq!(writer.write(b"").unwrap(), 0);
        assert_eq!(kind(writer.write(b"a")), Err(ErrorKind::BrokenPipe));
        let (writer, reader) = pipe::<K>(config, 2);
        assert_eq!(writer.write(b"a").unwrap(), 1);
        drop(writer);
        assert_eq!(reader.read(&mut []).unwrap(), 0);
        assert_eq!(reader.read(&mut [0; 2]).unwrap(), 1);
        assert_eq!((reader.read(&mut [0]).unwrap(), reader.try_read(&mut [0]).unwrap()), (0, 0));
        assert_eq!(reader.read_timeout(&mut [0], Duration::ZERO).unwrap(), 0);
    });
}

/// A writer asleep on a full pipe was not woken when the reader went: it is, soon, and says how much went in.
fn scenario_47_the_reader_goes<K: Subject>() {
    each(all_waits(), 20, |config| {
        once_of(3, || {
            let (writer, reader) = pipe::<K>(config, 4);
            let writing = peer(move || (writer.write_all(&numbers(10)), Instant::now(), writer));
            writing.asleep();
            let mut into = [0; 3];
            (&reader).read_exact(&mut into).unwrap();
            writing.asleep();
            let gone = Instant::now();
            drop(reader);
            let (stopped, at, writer) = writing.join();
            let stopped = stopped.unwrap_err();
            assert_eq!((stopped.written, stopped.error.kind()), (7, ErrorKind::BrokenPipe));
            assert!(stopped.to_string().contains("after 7 bytes"), "{stopped}");
            assert_eq!(kind(writer.try_write(b"a")), Err(ErrorKind::BrokenPipe));
            assert_nobody_waits(&writer);
            let took = at.saturating_duration_since(gone);
            if took < ms(100) || cfg!(miri) { Ok(()) } else { Err(format!("told after {took:?}")) }
        });
    });
}

/// An interrupted write threw away the count of what had gone in, so the caller wrote it again: the number is exact where
/// the time ends the write, and where the last reader does.
fn scenario_48_the_count_is_exact<K: Subject>() {
    for reader_goes in [false, true] {
        each(all_waits(), 20, move |config| {
            once_of(3, || {
                let (writer, mut reader) = pipe::<K>(config, 10);
                let timeout = if reader_goes { Duration::MAX } else { ms(sized(100, 5_000) as u64) };
                let writing = peer(move || {
                    let start = Instant::now();
                    (writer.write_timeout(&numbers(100), timeout), start.elapsed())
                });
                let mut first = [0; 30];
                if reader.read_exact(&mut first).is_err() {
                    return Err("too late for a timeout of 100 ms".to_owned());
                }
                assert_eq!(first[..], numbers(30));
                if reader_goes {
                    writing.asleep();
                    drop(reader);
                    assert_eq!(writing.join().0.unwrap(), 40);
                } else {
                    let (written, took) = writing.join();
                    assert_eq!(written.unwrap(), 40);
                    assert!(took >= timeout, "early, after {took:?}");
                    let mut rest = Vec::new();
                    reader.read_to_end(&mut rest).unwrap();
                    assert_eq!(rest[..], numbers(40)[30..]);
                }
                Ok(())
            });
        });
    }
}

/// A waiter needed one place more than it was to take: a writer of `k` bytes goes on when `k` are free, not before.
fn scenario_38_as_many_free_as_needed<K: Subject>() {
    for (capacity, k) in (1..=4).flat_map(|capacity| (1..=capacity).map(move |k| (capacity, k))) {
        each(all_waits(), 10, move |config| {
            let (writer, reader) = pipe::<K>(config, capacity);
            assert_eq!(writer.try_write(&numbers(capacity + 1)).unwrap(), capacity, "all of it is used");
            let writing = peer(move || writer.write(&numbers(k)));
            for left in (0..k).rev() {
                writing.asleep();
                assert_eq!(reader.read(&mut [0]).unwrap(), 1, "{left} more to read");
            }
            assert_eq!(writing.join().unwrap(), k);
            assert_eq!(reader.len(), capacity);
        });
    }
}

/// Very long timeouts panicked or returned at once; zero is one attempt.
fn scenario_55_long_and_short_timeouts<K: Subject>() {
    let long = [
        Duration::MAX,
        Duration::from_secs(u64::MAX / 2),
        Duration::from_secs(1 << 62),
        ms(3_000_000_000_000),
    ];
    each(long, 20, |timeout| {
        let (writer, reader) = pipe::<K>(Config::default(), 1);
        let reading = peer(move || (reader.read_timeout(&mut [0; 2], timeout).unwrap(), reader));
        reading.asleep();
        thread::sleep(ms(20));
        assert!(!reading.is_done(), "early");
        assert_eq!(writer.write(b"a").unwrap(), 1);
        let (got, reader) = reading.join();
        assert_eq!((got, writer.write(b"b").unwrap()), (1, 1));
        let writing = peer(move || writer.write_timeout(b"c", timeout).unwrap());
        writing.asleep();
        assert_eq!(reader.read(&mut [0]).unwrap(), 1);
        assert_eq!(writing.join(), 1);
    });
    each(all_waits(), 10, |config| {
        let (writer, reader) = pipe::<K>(config, 1);
        for timeout in [Duration::ZERO, ms(1)] {
            let start = Instant::now();
            assert_eq!(kind(reader.read_timeout(&mut [0], timeout)), Err(ErrorKind::TimedOut));
            assert!(start.elapsed() >= timeout);
            assert_eq!(kind(writer.write_timeout(b"a", timeout)), Ok(1));
            assert_eq!(kind(writer.write_timeout(b"b", timeout)), Err(ErrorKind::TimedOut));
            assert_eq!(kind(reader.read_timeout(&mut [0; 2], timeout)), Ok(1));
            assert_nobody_waits(&reader);
        }
    });
}

/// A reader saw that no writer was left and said so, though the last write had returned: it looks once more.
fn scenario_17_the_last_byte_comes_before_the_end<K: Subject>() {
    for way in 0..3 {
        each(all_waits().into_iter().step_by(5), 60, move |config| {
            let (give, given) = mpsc::channel();
            let writing = peer(move || {
                let mut random = Random::new(17);
                for (n, writer) in given.into_iter().enumerate() {
                    let writer: hornpipe::bytes::PipeWriter<K> = writer;
                    random.dawdle();
                    assert_eq!(writer.write(&[n as u8]).unwrap(), 1);
                }
            });
            for n in within(ms(200), 0..sized(3_000, 20)) {
                let (writer, reader) = pipe::<K>(config, 1);
                give.send(writer).unwrap();
                let mut into = [0];
                let mut read = || match way {
                    0 => reader.read(&mut into).unwrap(),
                    1 => reader.read_timeout(&mut into, ms(100_000)).unwrap(),
                    _ => loop {
                        match kind(reader.try_read(&mut into)) {
                            Ok(done) => return done,
                            Err(ErrorKind::WouldBlock) => thread::yield_now(),
                            Err(kind) => panic!("{kind}"),
                        }
                    },
                };
                assert_eq!((read(), read()), (1, 0));
                assert_eq!(into, [n as u8]);
            }
            drop(give);
            writing.join();
        });
    }
}

/// The reader goes between a writer's look at a full pipe and its falling asleep.
fn scenario_19_the_reader_goes_while_the_writer_falls_asleep<K: Subject>() {
    each(all_waits().into_iter().step_by(4), 60, |config| {
        let (give, given) = mpsc::channel();
        let writing = peer(move || {
            let mut random = Random::new(19);
            for writer in given {
                let writer: hornpipe::bytes::PipeWriter<K> = writer;
                random.dawdle();
                assert_eq!(kind(writer.write(b"b")), Err(ErrorKind::BrokenPipe));
            }
        });
        let mut random = Random::new(91);
        for _ in within(ms(150), 0..sized(1_000, 15)) {
            let (writer, reader) = pipe::<K>(config, 1);
            assert_eq!(writer.write(b"a").unwrap(), 1);
            give.send(writer).unwrap();
            random.dawdle();
            drop(reader);
        }
        drop(give);
        writing.join();
    });
}

/// A pipe on which all sleep uses no CPU.
fn an_idle_pipe_uses_no_cpu<K: Subject>() {
    each([Config::default(), all_waits().pop().unwrap()], 20, |config| {
        let (writer, reader) = pipe::<K>(config, 1);
        let (full, full_reader) = pipe::<K>(config, 1);
        assert_eq!(full.write(b"a").unwrap(), 1);
        let (reading, writing) = (peer(move || reader.read(&mut [0])), peer(move || full.write(b"b")));
        thread::sleep(ms(sized(500, 10) as u64));
        let used = (reading.cpu(), writing.cpu());
        let limit = crate::support::at_most(ms(5));
        assert!(used.0 < limit && used.1 < limit, "{used:?} while asleep");
        drop((writer, full_reader));
        assert_eq!((kind(reading.join()), kind(writing.join())), (Ok(0), Err(ErrorKind::BrokenPipe)));
    });
}

on_both!(
    scenario_46_no_bytes_no_wait,
    scenario_47_the_reader_goes,
    scenario_48_the_count_is_exact,
    scenario_38_as_many_free_as_needed,
    scenario_55_long_and_short_timeouts,
    scenario_17_the_last_byte_comes_before_the_end,
    scenario_19_the_reader_goes_while_the_writer_falls_asleep,
    an_idle_pipe_uses_no_cpu,
);
