//! The shared pipe beside the page pipe (`baseline::pages`) and the system's own: the same calls get the same answers, the
//! same traffic gives the same bytes.

#![cfg(feature = "baseline")]

use super::machine::kind;
use crate::support::{Random, all_waits, sized, watchdog_of};
use hornpipe::Mpmc;
use hornpipe::baseline::pages::{self, Options, PAGE};
use hornpipe::bytes::{Builder, Merge};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::{self, ErrorKind, Read, Write};
use std::thread::scope;

/// A call that does not wait, of so many bytes.
#[derive(Clone, Copy, Debug)]
enum Op {
    Write(usize),
    Read(usize),
}

/// The answer; a read's bytes too.
type Answer = Result<(usize, Vec<u8>), ErrorKind>;

/// All answers; what is written is numbered on, so that no byte can be taken for its neighbour.
fn transcript(
    ops: &[Op],
    write: impl Fn(&[u8]) -> io::Result<usize>,
    read: impl Fn(&mut [u8]) -> io::Result<usize>,
) -> Vec<Answer> {
    let mut numbers = (0..251u8).cycle();
    let answer = |op: &Op| match *op {
        Op::Write(len) => {
            let bytes: Vec<_> = numbers.by_ref().take(len).collect();
            kind(write(&bytes).map(|done| (done, Vec::new())))
        }
        Op::Read(len) => {
            let mut into = vec![0; len];
            kind(read(&mut into).map(|done| (done, into[..done].to_vec())))
        }
    };
    ops.iter().map(answer).collect()
}

/// Lengths around nothing, a page and a few pages, and small ones, which merge.
fn ops() -> impl Strategy<Value = Vec<Op>> {
    let len = prop_oneof![
        4 => 1..200usize,
        2 => 0..PAGE,
        2 => (0..4usize, 0..3usize).prop_map(|(pages, more)| (pages * PAGE + more).saturating_sub(1)),
        1 => 0..9 * PAGE,
    ];
    vec(
        (any::<bool>(), len).prop_map(|(write, len)| if write { Op::Write(len) } else { Op::Read(len) }),
        1..200,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sized(300, 2) as u32) })]

    /// With pages for pieces every answer is the page pipe's, which is the kernel's: under either rule of merging, and of
    /// packets. (That the page pipe answers as the running kernel is shown in tests/pages.)
    #[test]
    fn answers_of_the_page_pipe(pages in 1..6usize, fits in any::<bool>(), packets in any::<bool>(), ops in ops()) {
        let merge = if fits { Merge::Fits } else { Merge::Whole };
        // Of what may be torn the page pipe lets a part join the last page only where all of it joins, or a page is free.
        let most = if fits { PAGE } else { usize::MAX };
        let shorter = |op| if let Op::Write(len) = op { Op::Write(len.min(most)) } else { op };
        let ops: Vec<_> = ops.into_iter().map(shorter).collect();
        let builder = Builder::<Mpmc>::new(pages * PAGE).piece_size(PAGE).atomic_size(PAGE);
        let (writer, reader) = builder.merge(merge).packets(packets).build().unwrap();
        let ours = transcript(&ops, |bytes| writer.try_write(bytes), |into| reader.try_read(into));
        let (writer, reader) = pages::pipe(pages, Options::new().merge(merge).packets(packets)).unwrap();
        let theirs = transcript(&ops, |bytes| writer.try_write(bytes), |into| reader.try_read(into));
        let differs = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
        prop_assert!(differs.is_none(), "call {}: {:?}", differs.unwrap(), ops[differs.unwrap()]);
    }
}

/// The ends of one pipe.
type Ends<W, R> = (Vec<W>, Vec<R>);

/// As many ends as wanted, of the shared pipe.
fn ours(builder: Builder<Mpmc>, writers: usize, readers: usize) -> Ends<impl Write + Send, impl Read + Send> {
    let (writer, reader) = builder.build().unwrap();
    (vec![writer; writers], vec![reader; readers])
}

/// Of the page pipe.
fn pages(writers: usize, readers: usize) -> Ends<impl Write + Send, impl Read + Send> {
    let (writer, reader) = pages::pipe(16, Options::new()).unwrap();
    (vec![writer; writers], vec![reader; readers])
}

/// Of the system's.
#[cfg(all(target_os = "linux", not(miri)))]
fn system(writers: usize, readers: usize) -> Ends<impl Write + Send, impl Read + Send> {
    use std::fs::File;
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    let ends = |end: rustix::fd::OwnedFd, count| {
        let first = File::from(end);
        let more: Vec<_> = (1..count).map(|_| first.try_clone().unwrap()).collect();
        more.into_iter().chain([first]).collect()
    };
    (ends(writer, writers), ends(reader, readers))
}

/// Random traffic, the same for the same writers: what each of them wrote, in the order in which readers found it, one
/// reader's after the other's.
fn traffic<W: Write + Send, R: Read + Send>((writers, readers): Ends<W, R>) -> Vec<Vec<u8>> {
    let count = writers.len();
    scope(|scope| {
        for (n, mut writer) in writers.into_iter().enumerate() {
            scope.spawn(move || {
                let (mut random, mut numbers) = (Random::new(n as u64), (0..61u8).cycle());
                for _ in 0..sized(30, 4) {
                    let len = random.below([300, 3 * PAGE as u64][n % 2]) as usize;
                    let bytes: Vec<_> =
                        numbers.by_ref().take(len).map(|byte| (n as u8) << 6 | byte).collect();
                    assert_eq!(writer.write(&bytes).unwrap(), len);
                    random.dawdle();
                }
            });
        }
        let reading: Vec<_> = readers
            .into_iter()
            .enumerate()
            .map(|(n, mut reader)| {
                scope.spawn(move || {
                    let (mut random, mut into) = (Random::new(9 + n as u64), vec![0; 2 * PAGE]);
                    let mut all = vec![Vec::new(); count];
                    loop {
                        let room = 1 + random.below(2 * PAGE as u64) as usize;
                        match reader.read(&mut into[..room]).unwrap() {
                            0 => return all,
                            len => into[..len]
                                .iter()
                                .for_each(|byte| all[usize::from(byte >> 6)].push(byte & 63)),
                        }
                        random.dawdle();
                    }
                })
            })
            .collect();
        let mut all = vec![Vec::new(); count];
        for reading in reading {
            all.iter_mut().zip(reading.join().unwrap()).for_each(|(all, some)| all.extend(some));
        }
        all
    })
}

fn sorted(mut all: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    all.iter_mut().for_each(|bytes| bytes.sort_unstable());
    all
}

/// Each writer's bytes come out as they do of the page pipe and of the system's: in order for one reader, once for several.
#[test]
fn traffic_of_the_page_pipe_and_the_systems() {
    let one = traffic(pages(4, 1));
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        assert_eq!(traffic(system(4, 1)), one);
        assert_eq!(sorted(traffic(system(4, 3))), sorted(one.clone()));
    }
    assert_eq!(sorted(traffic(pages(4, 3))), sorted(one.clone()));
    let pipes = [(16 * PAGE, PAGE, Merge::Whole), (PAGE, 1000, Merge::Fits), (300, 100, Merge::Whole)];
    for (n, config) in all_waits().into_iter().enumerate() {
        let one = one.clone();
        let (capacity, piece, merge) = pipes[n % pipes.len()];
        watchdog_of(60, &format!("{capacity}, {piece}, {merge:?}, {config:?}"), move || {
            let builder = config.bytes(Builder::<Mpmc>::new(capacity).piece_size(piece).merge(merge));
            assert_eq!(traffic(ours(builder, 4, 1)), one);
            assert_eq!(sorted(traffic(ours(builder, 4, 3))), sorted(one));
        });
    }
}

/// What comes when an end goes: bytes that are left, then the end of the stream; a broken pipe.
fn endings<W: Write + Send, R: Read + Send>(new: impl Fn() -> Ends<W, R>) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut note = |answer: io::Result<usize>, bytes: &[u8]| {
        answers.push(kind(answer.map(|done| (done, bytes[..done].to_vec()))));
    };
    let mut into = [0; 4];
    let (mut writers, mut readers) = new();
    note(writers[0].write(b"abcdef"), b"abcdef");
    writers.pop();
    note(readers[0].read(&mut into), &into);
    note(writers[0].write(b"g"), b"g");
    writers.clear();
    for _ in 0..3 {
        note(readers[0].read(&mut into), &into);
        note(readers[1].read(&mut []), &[]);
    }
    let (mut writers, mut readers) = new();
    note(writers[0].write(b"abc"), b"abc");
    readers.pop();
    note(writers[1].write(b"def"), b"def");
    readers.clear();
    for writer in &mut writers {
        note(writer.write(b"ghi"), b"ghi");
        note(writer.write(b""), b"");
        note(writer.write_all(b"ghi").map(|()| 3), b"ghi");
    }
    answers
}

#[test]
fn ends_of_the_page_pipe_and_the_systems() {
    let answers = endings(|| ours(Builder::new(16 * PAGE), 2, 2));
    assert_eq!(endings(|| pages(2, 2)), answers);
    #[cfg(all(target_os = "linux", not(miri)))]
    assert_eq!(endings(|| system(2, 2)), answers);
    // The numbers are right, and not only the same.
    assert_eq!(answers[1], Ok((4, b"abcd".to_vec())));
    assert_eq!(answers[3], Ok((3, b"efg".to_vec())));
    assert_eq!((&answers[5], &answers[7]), (&Ok((0, Vec::new())), &Ok((0, Vec::new()))));
    assert_eq!(answers.iter().filter(|answer| **answer == Err(ErrorKind::BrokenPipe)).count(), 4);
}
