//! Several on one side of a shared pipe: writers of unequal needs stand in line, readers share what comes.

use super::assert_nobody_waits;
use super::machine::kind;
use super::model::{Layout, Model};
use crate::support::{Config, Peer, all_asleep, all_waits, each, join_all, ms, once_of, peer, sized, sleepy};
use hornpipe::bytes::{Builder, Merge, PipeReader, PipeWriter};
use hornpipe::{Mpmc, WakePolicy};
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// A full pipe of `count` pieces of a byte, in which up to `count` bytes are not torn.
fn full(config: Config, count: usize) -> (PipeWriter<Mpmc>, PipeReader<Mpmc>) {
    let builder = Builder::new(count).piece_size(1).atomic_size(count);
    let (writer, reader) = config.bytes(builder).build().unwrap();
    assert_eq!(writer.write(&vec![0; count]).unwrap(), count);
    (writer, reader)
}

/// A writer of so many bytes, by now asleep.
fn waiting(writer: &PipeWriter<Mpmc>, len: u8, timeout: Duration) -> Peer<io::Result<usize>> {
    let writer = writer.clone();
    let writing = peer(move || writer.write_timeout(&vec![len; len.into()], timeout));
    writing.asleep();
    writing
}

fn read_one(reader: &PipeReader<Mpmc>) -> u8 {
    let mut byte = [0];
    assert_eq!(reader.read(&mut byte).unwrap(), 1);
    byte[0]
}

fn read_all(reader: &PipeReader<Mpmc>) -> Vec<u8> {
    let mut all = vec![0; 100];
    let len = reader.try_read(&mut all).unwrap_or(0);
    all.truncate(len);
    all
}

/// A writer that waits goes on as soon as a writer that came now would not wait: whatever the pieces hold, whichever part of
/// its bytes joins the last one. (38: it needed more room than it was to take.)
#[test]
fn scenario_38_a_writer_sleeps_no_longer_than_it_must() {
    for merge in [Merge::Whole, Merge::Fits] {
        each(
            (2..=4).flat_map(|piece| (1..=3).map(move |count| (piece, count))),
            60,
            move |(piece, count)| {
                let capacity = piece * count;
                let layout = Layout { piece, atomic: capacity, merge, packets: false };
                for (first, len) in (1..=piece).flat_map(|first| (1..=capacity).map(move |len| (first, len)))
                {
                    let builder = Builder::new(capacity).piece_size(piece).atomic_size(capacity).merge(merge);
                    let (writer, reader) = sleepy(WakePolicy::Chain).bytes(builder).build().unwrap();
                    let mut model = Model::pieces(capacity, layout);
                    // Whole pieces, then one with `first` bytes in it.
                    for bytes in [vec![1; capacity - piece], vec![2; first]] {
                        assert_eq!(kind(writer.write(&bytes)), model.write(&bytes));
                    }
                    let bytes = vec![3; len];
                    if model.takes(&bytes) {
                        continue;
                    }
                    let writing = peer({
                        let bytes = bytes.clone();
                        move || writer.write(&bytes)
                    });
                    while !model.takes(&bytes) {
                        writing.asleep();
                        assert_eq!(model.read(1), Ok(vec![read_one(&reader)]));
                    }
                    let start = Instant::now();
                    while !writing.is_done() {
                        let slow = start.elapsed() > Duration::from_secs(2);
                        assert!(
                            !slow,
                            "asleep beside room: {len} bytes, {first} in the last piece, {layout:?}"
                        );
                        std::thread::yield_now();
                    }
                    assert_eq!(writing.join().unwrap(), len);
                    assert_eq!(model.write(&bytes), Ok(len));
                    assert_eq!(read_all(&reader), model.bytes());
                }
            },
        );
    }
}

/// A large write was passed over by small ones for ever: the first in line is the first to go in, at once, and who does not
/// wait does not pass it.
#[test]
fn large_needs_are_not_passed_over() {
    each(all_waits(), 20, |config| {
        let (writer, reader) = full(config, 4);
        let large = waiting(&writer, 4, Duration::MAX);
        let small = [(); 4].map(|()| waiting(&writer, 1, Duration::MAX));
        for _ in 0..4 {
            large.asleep();
            assert_eq!(kind(writer.try_write(b"x")), Err(ErrorKind::WouldBlock));
            assert_eq!(kind(writer.write_timeout(b"x", Duration::ZERO)), Err(ErrorKind::TimedOut));
            assert_eq!(read_one(&reader), 0);
        }
        assert_eq!(large.join().unwrap(), 4);
        all_asleep(&small);
        assert_eq!([(); 4].map(|()| read_one(&reader)), [4; 4]);
        assert_eq!(join_all(small).map(Result::unwrap), [1; 4]);
        assert_eq!(read_all(&reader), [1; 4]);
        assert_nobody_waits(&reader);
    });
}

/// The same in a crowd: writers of single bytes that never stop, and one large write after the other, which all get in.
#[test]
fn large_writes_get_in_beside_busy_small_ones() {
    each(all_waits().into_iter().step_by(3), 60, |config| {
        let (writer, reader) = full(config, 8);
        let small: Vec<_> = (0..3)
            .map(|_| {
                let writer = writer.clone();
                peer(move || while writer.write(b"s").is_ok() {})
            })
            .collect();
        let large = peer(move || {
            (0..sized(200, 3)).for_each(|_| assert_eq!(writer.write(b"12345678").unwrap(), 8));
        });
        let mut next = 0;
        while !large.is_done() {
            match read_one(&reader) {
                digit if digit.is_ascii_digit() => {
                    assert_eq!(digit, b"12345678"[next], "torn");
                    next = (next + 1) % 8;
                }
                _ => assert_eq!(next, 0, "torn"),
            }
        }
        large.join();
        drop(reader);
        small.into_iter().for_each(|small| small.join());
    });
}

/// Whose time is up leaves the line, with nothing of its write left behind, and the next one's need counts then: also where
/// no read comes any more.
#[test]
fn the_first_in_line_gives_up() {
    each(all_waits(), 20, |config| {
        let (writer, reader) = full(config, 4);
        let first = waiting(&writer, 4, ms(sized(150, 2_000) as u64));
        let second = waiting(&writer, 2, Duration::MAX);
        let third = waiting(&writer, 1, Duration::MAX);
        assert_eq!([(); 3].map(|()| read_one(&reader)), [0; 3]);
        assert_eq!(kind(first.join()), Err(ErrorKind::TimedOut));
        assert_eq!((second.join().unwrap(), third.join().unwrap()), (2, 1));
        assert_eq!(read_all(&reader).len(), 4);
        assert_eq!(writer.try_write(b"free").unwrap(), 4, "nobody stands in line");
        assert_nobody_waits(&reader);
    });
}

/// One in the middle gives up in time, though it is not its turn, and the others' turns come.
#[test]
fn one_in_the_middle_of_the_line_gives_up() {
    each(all_waits(), 20, |config| {
        once_of(3, || {
            let (writer, reader) = full(config, 4);
            let first = waiting(&writer, 4, Duration::MAX);
            let timeout = ms(40);
            let second = {
                let writer = writer.clone();
                peer(move || {
                    let start = Instant::now();
                    (kind(writer.write_timeout(&[2; 2], timeout)), start.elapsed())
                })
            };
            second.asleep();
            let third = waiting(&writer, 3, Duration::MAX);
            let (answer, took) = second.join();
            assert_eq!(answer, Err(ErrorKind::TimedOut));
            assert!(took >= timeout, "early, after {took:?}");
            assert_eq!([(); 4].map(|()| read_one(&reader)), [0; 4]);
            assert_eq!(first.join().unwrap(), 4);
            assert_eq!([(); 4].map(|()| read_one(&reader)), [4; 4]);
            assert_eq!(third.join().unwrap(), 3);
            assert_eq!(read_all(&reader), [3; 3]);
            if took < timeout + ms(100) || cfg!(miri) { Ok(()) } else { Err(format!("{took:?}")) }
        });
    });
}

/// A write that may be torn goes in as there is room, and its time's end says how far it came; no other comes between where
/// it stands in line.
#[test]
fn a_torn_write_gives_up() {
    each(all_waits(), 20, |config| {
        once_of(5, || {
            let builder = Builder::<Mpmc>::new(4).piece_size(1).atomic_size(1);
            let (writer, reader) = config.bytes(builder).build().unwrap();
            let first = waiting(&writer, 9, ms(sized(150, 2_000) as u64));
            let second = waiting(&writer, 1, Duration::MAX);
            assert_eq!([(); 2].map(|()| read_one(&reader)), [9; 2]);
            // A machine that stands still lets the time pass before the reads.
            let written = first.join().unwrap();
            let mut rest = read_all(&reader);
            assert_eq!(second.join().unwrap(), 1);
            rest.extend(read_all(&reader));
            if (written, &rest[..]) == (6, &[9, 9, 9, 9, 1]) {
                Ok(())
            } else {
                Err(format!("{written}, {rest:?}"))
            }
        });
    });
}

/// What is left of a write that may be torn may be torn too, however short it is.
#[test]
fn a_torn_rest_goes_in_as_there_is_room() {
    each(all_waits(), 20, |config| {
        once_of(5, || {
            let builder = Builder::<Mpmc>::new(10).piece_size(1).atomic_size(10);
            let (writer, reader) = config.bytes(builder).build().unwrap();
            let late = waiting(&writer, 15, ms(sized(150, 2_000) as u64));
            assert_eq!([(); 3].map(|()| read_one(&reader)), [15; 3]);
            match late.join().unwrap() {
                13 => Ok(()),
                written => Err(format!("{written} of 13 that had room")),
            }
        });
    });
}

/// Whoever stands in line gets its turn in the order in which they came, whatever they need.
#[test]
fn first_come_first_served() {
    each(all_waits(), 20, |config| {
        let (writer, reader) = full(config, 4);
        let needs = [2, 4, 1, 3, 1, 2];
        let writing = needs.map(|len| waiting(&writer, len, Duration::MAX));
        for expected in [&[0; 4][..], &[2; 2], &[4; 4], &[1], &[3; 3], &[1], &[2; 2]] {
            expected.iter().for_each(|byte| assert_eq!(read_one(&reader), *byte));
        }
        assert_eq!(join_all(writing).map(Result::unwrap), needs.map(usize::from));
        assert_nobody_waits(&reader);
    });
}

/// The last reader's end is told to all that stand in line, not to the first only; and what was torn says how much it was.
#[test]
fn the_last_readers_end_is_told_to_the_whole_line() {
    each(all_waits(), 20, |config| {
        let (writer, reader) = full(config, 4);
        let other = reader.clone();
        let writing = [5, 4, 1, 2, 3, 1, 9, 4].map(|len| waiting(&writer, len, Duration::MAX));
        drop(reader);
        all_asleep(&writing);
        drop(other);
        assert_eq!(join_all(writing).map(kind), [Err(ErrorKind::BrokenPipe); 8]);
        assert_eq!(writer.len(), 4, "nothing went in");
        assert_nobody_waits(&writer);
    });
}

/// Several readers asleep: each gets what comes for it, and the end is told to all.
#[test]
fn readers_share_what_comes() {
    each(all_waits(), 20, |config| {
        let builder = Builder::<Mpmc>::new(8).piece_size(1).atomic_size(8);
        let (writer, reader) = config.bytes(builder).build().unwrap();
        let read_one = || {
            let reader = reader.clone();
            peer(move || reader.read(&mut [0]))
        };
        let reading = [(); 4].map(|()| read_one());
        all_asleep(&reading);
        // One write for all of them.
        assert_eq!(writer.write(b"abcd").unwrap(), 4);
        assert_eq!(join_all(reading).map(Result::unwrap), [1; 4]);
        let reading = [(); 4].map(|()| read_one());
        all_asleep(&reading);
        assert_eq!(writer.write(b"a").unwrap(), 1);
        drop(writer);
        let mut got = join_all(reading).map(Result::unwrap);
        got.sort_unstable();
        assert_eq!(got, [0, 0, 0, 1]);
        assert_nobody_waits(&reader);
    });
}

/// A reader whose time is up has taken nobody's wake with it.
#[test]
fn a_reader_gives_up() {
    each(all_waits(), 20, |config| {
        let builder = Builder::<Mpmc>::new(8).piece_size(1);
        let (writer, reader) = config.bytes(builder).build().unwrap();
        for round in 0..sized(20, 2) as u64 {
            let [first, second] = [ms(1 + round % 3), Duration::MAX].map(|timeout| {
                let reader = reader.clone();
                peer(move || kind(reader.read_timeout(&mut [0], timeout)))
            });
            std::thread::sleep(ms(1 + round % 3));
            assert_eq!(writer.write(b"a").unwrap(), 1);
            // Whoever has it: the other one is not asleep beside a second byte.
            assert_eq!(writer.write(b"b").unwrap(), 1);
            let first = first.join();
            assert!(first == Ok(1) || first == Err(ErrorKind::TimedOut));
            assert_eq!(second.join(), Ok(1));
            assert_eq!(read_all(&reader).len(), usize::from(first.is_err()));
        }
    });
}
