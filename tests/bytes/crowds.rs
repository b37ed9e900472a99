//! Threads on both ends of a shared pipe, under every way to wait: nothing torn, lost, doubled or out of order.

use super::assert_nobody_waits;
use crate::support::{Config, Random, all_waits, each, ms, sized, within};
use hornpipe::Mpmc;
use hornpipe::bytes::{Builder, Merge, PipeReader, PipeWriter};
use std::io::{self, ErrorKind, Read};
use std::thread::scope;
use std::time::Duration;

/// Writers in each crowd.
const WRITERS: usize = 4;

fn rounds() -> u32 {
    sized(150, 4) as u32
}

fn build(config: Config, builder: Builder<Mpmc>) -> (PipeWriter<Mpmc>, PipeReader<Mpmc>) {
    config.bytes(builder).build().unwrap()
}

/// A message of `len` bytes, at least 6: who wrote it, its number, its length, and filling.
fn message(writer: u8, number: u32, len: usize) -> Vec<u8> {
    let mut message = vec![writer];
    message.extend(number.to_le_bytes());
    message.push(len as u8);
    message.resize(len, writer ^ 0x55);
    message
}

/// Writer and number of a whole message.
#[track_caller]
fn parse(bytes: &[u8]) -> (usize, u32) {
    let [writer, a, b, c, d, len, filling @ ..] = bytes else { panic!("torn: {bytes:?}") };
    let whole = bytes.len() == usize::from(*len) && filling.iter().all(|byte| *byte == writer ^ 0x55);
    assert!(whole, "torn: {bytes:?}");
    (usize::from(*writer), u32::from_le_bytes([*a, *b, *c, *d]))
}

/// Makes one of three calls, and again while there is nothing to be done.
fn until_done(random: &mut Random, mut call: impl FnMut(u64, Duration) -> io::Result<usize>) -> usize {
    loop {
        match call(random.below(3), Duration::from_micros(random.below(300))) {
            Ok(done) => return done,
            Err(late) => {
                assert!(matches!(late.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{late}")
            }
        }
        std::thread::yield_now();
    }
}

/// Writes by any call, until all of it is in: these are all or nothing.
fn write_anyhow(writer: &PipeWriter<Mpmc>, message: &[u8], random: &mut Random) {
    let done = until_done(random, |call, timeout| match call {
        0 => writer.write(message),
        1 => writer.try_write(message),
        _ => writer.write_timeout(message, timeout),
    });
    assert_eq!(done, message.len());
}

/// Reads by any call, until there is something or the end.
fn read_anyhow(reader: &PipeReader<Mpmc>, into: &mut [u8], random: &mut Random) -> usize {
    until_done(random, |call, timeout| match call {
        0 => reader.read(into),
        1 => reader.try_read(into),
        _ => reader.read_timeout(into, timeout),
    })
}

/// Four writers of messages that `len` chooses the length of, and `readers` that take each by one read of at most `room`:
/// each arrives whole and once, and each reader sees each writer's in order.
fn messages(
    ends: (PipeWriter<Mpmc>, PipeReader<Mpmc>),
    readers: usize,
    room: usize,
    len: fn(&mut Random) -> usize,
) {
    let (writer, reader) = ends;
    let mut seen = vec![Vec::new(); WRITERS];
    scope(|scope| {
        for n in 0..WRITERS as u8 {
            let writer = writer.clone();
            scope.spawn(move || {
                let mut random = Random::new(1 + u64::from(n));
                for number in 0..rounds() {
                    write_anyhow(&writer, &message(n, number, len(&mut random)), &mut random);
                    random.dawdle();
                }
            });
        }
        drop(writer);
        let reading: Vec<_> = (0..readers as u64)
            .map(|n| {
                let reader = reader.clone();
                scope.spawn(move || {
                    let (mut random, mut into) = (Random::new(100 + n), vec![0; room]);
                    let mut seen = vec![Vec::new(); WRITERS];
                    loop {
                        match read_anyhow(&reader, &mut into, &mut random) {
                            0 => return seen,
                            done => {
                                let (writer, number) = parse(&into[..done]);
                                seen[writer].push(number);
                            }
                        }
                        random.dawdle();
                    }
                })
            })
            .collect();
        for reading in reading {
            for (all, some) in seen.iter_mut().zip(reading.join().unwrap()) {
                assert!(some.is_sorted(), "a writer's order is lost");
                all.extend(some);
            }
        }
    });
    for mut all in seen {
        all.sort_unstable();
        assert!(all.into_iter().eq(0..rounds()), "each arrives once");
    }
    assert_nobody_waits(&reader);
}

/// Packets of any length, to several readers.
#[test]
fn packets_arrive_whole_and_once() {
    for readers in 1..=4 {
        each(all_waits().into_iter().skip(readers).step_by(4), 60, move |config| {
            let builder = Builder::new(64).piece_size(16).packets(true);
            messages(build(config, builder), readers, 16, |random| 6 + random.below(11) as usize);
        });
    }
}

/// Messages of one length, which pieces hold a whole number of: no reader finds a part of one, whatever joins what.
#[test]
fn messages_of_one_length_arrive_whole_and_once() {
    for readers in 1..=4 {
        each(all_waits().into_iter().skip(readers).step_by(4), 60, move |config| {
            let builder = Builder::new(64).piece_size(16);
            messages(build(config, builder), readers, 8, |_| 8);
        });
    }
}

/// Messages up to the atomic size over several pieces, of unequal lengths, to one reader: none is torn by another, under
/// either rule of merging.
#[test]
fn messages_up_to_the_atomic_size_are_not_torn() {
    for merge in [Merge::Whole, Merge::Fits] {
        for piece in [1, 5, 8, 40] {
            each(all_waits().into_iter().skip(piece % 3).step_by(5), 60, move |config| {
                let builder = Builder::<Mpmc>::new(40).piece_size(piece).atomic_size(40).merge(merge);
                let (writer, mut reader) = build(config, builder);
                scope(|scope| {
                    for n in 0..WRITERS as u8 {
                        let writer = writer.clone();
                        scope.spawn(move || {
                            let mut random = Random::new(1 + u64::from(n));
                            for number in 0..rounds() {
                                let len = 6 + random.below(if n == 0 { 35 } else { 6 }) as usize;
                                write_anyhow(&writer, &message(n, number, len), &mut random);
                                random.dawdle();
                            }
                        });
                    }
                    drop(writer);
                    let mut next = [0; WRITERS];
                    while next != [rounds(); WRITERS] {
                        let mut message = vec![0; 6];
                        reader.read_exact(&mut message).unwrap();
                        let len = message[5].into();
                        message.resize(len, 0);
                        reader.read_exact(&mut message[6..]).unwrap();
                        let (writer, number) = parse(&message);
                        assert_eq!(number, next[writer]);
                        next[writer] += 1;
                    }
                    assert_eq!(reader.read(&mut [0]).unwrap(), 0, "nothing else was written");
                });
                assert_nobody_waits(&reader);
            });
        }
    }
}

/// A writer's bytes: its number in two bits, and a count.
fn tagged(writer: u8, from: usize, len: usize) -> Vec<u8> {
    (from..from + len).map(|n| writer << 6 | (n % 61) as u8).collect()
}

/// Writes above the atomic size may be split, and no writer's bytes change their order: whether they wait, are cut short by
/// time or by no room.
#[test]
fn larger_writes_keep_their_order() {
    for piece in [1, 3, 7] {
        each(all_waits().into_iter().skip(piece % 3).step_by(4), 60, move |config| {
            let (writer, reader) = build(config, Builder::new(20).piece_size(piece).atomic_size(4));
            let total = sized(4_000, 200);
            scope(|scope| {
                for n in 0..WRITERS as u8 {
                    let writer = writer.clone();
                    scope.spawn(move || {
                        let (mut random, mut done) = (Random::new(7 + u64::from(n)), 0);
                        while done < total {
                            let bytes = tagged(n, done, (5 + random.below(60) as usize).min(total - done));
                            let answer = match random.below(3) {
                                0 => writer.write(&bytes),
                                1 => writer.try_write(&bytes),
                                _ => writer.write_timeout(&bytes, Duration::from_micros(random.below(500))),
                            };
                            done += answer.unwrap_or(0);
                        }
                    });
                }
                drop(writer);
                let (mut random, mut next, mut into) = (Random::new(77), [0; WRITERS], [0; 50]);
                loop {
                    let room = 1 + random.below(50) as usize;
                    match read_anyhow(&reader, &mut into[..room], &mut random) {
                        0 => break,
                        len => into[..len].iter().for_each(|byte| {
                            let writer = usize::from(byte >> 6);
                            assert_eq!(usize::from(byte & 63), next[writer] % 61, "of writer {writer}");
                            next[writer] += 1;
                        }),
                    }
                }
                assert_eq!(next, [total; WRITERS]);
            });
            assert_nobody_waits(&reader);
        });
    }
}

/// Pipes as sources of tokens: threads that each take a byte and put it back. None is lost, and nobody waits for ever.
#[test]
fn tokens_come_back() {
    each(all_waits(), 60, |config| {
        let (writer, reader) = build(config, Builder::new(3).piece_size(1));
        assert_eq!(writer.write(&[1, 2, 3]).unwrap(), 3);
        scope(|scope| {
            for n in 0..6 {
                let (writer, reader) = (&writer, &reader);
                scope.spawn(move || {
                    let mut random = Random::new(n);
                    for _ in within(ms(200), 0..sized(100, 5)) {
                        let mut token = [0];
                        assert_eq!(reader.read(&mut token).unwrap(), 1);
                        random.dawdle();
                        assert_eq!(writer.write(&token).unwrap(), 1);
                    }
                });
            }
        });
        let mut left = [0; 4];
        assert_eq!(reader.read(&mut left).unwrap(), 3);
        left.sort_unstable();
        assert_eq!(left, [0, 1, 2, 3]);
        assert_nobody_waits(&reader);
    });
}

/// What one read gives is one stretch of what was written, however long, also beside other readers.
#[test]
fn a_read_is_one_stretch() {
    each(all_waits().into_iter().step_by(4), 60, |config| {
        let (writer, reader) = build(config, Builder::new(1 << 16));
        scope(|scope| {
            for n in 0..3 {
                let reader = reader.clone();
                scope.spawn(move || {
                    let mut into = vec![0; [1 << 17, 4 << 10, 1 << 10][n]];
                    loop {
                        // Whole numbers only: writes and buffers are.
                        let len = reader.read(&mut into).unwrap();
                        if len == 0 {
                            return;
                        }
                        let numbers: Vec<_> = into[..len]
                            .chunks_exact(4)
                            .map(|four| u32::from_le_bytes(four.try_into().unwrap()))
                            .collect();
                        let holds = numbers.windows(2).all(|two| two[0] + 1 == two[1]);
                        assert!(holds, "a hole in a read of {len} bytes");
                    }
                });
            }
            let mut numbers = 0..u32::MAX;
            for _ in within(ms(200), 0..sized(300, 2)) {
                let bytes: Vec<_> = numbers.by_ref().take(1 << 14).flat_map(u32::to_le_bytes).collect();
                assert_eq!(writer.write(&bytes).unwrap(), bytes.len());
            }
            drop(writer);
        });
    });
}
