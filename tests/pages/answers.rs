//! One thread, any sequence of calls: a stream is a queue of bytes, under every switch alike, and what goes in and what does
//! not is what the running kernel says.

use super::all_options;
use crate::support::sized;
use hornpipe::baseline::pages::{Merge, Options, PAGE, PageReader, PageWriter, pipe};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::io;

/// A call that does not wait.
#[derive(Clone, Copy, Debug)]
enum Op {
    Write(usize),
    Read(usize),
}

/// What it answered; a read's bytes too.
type Answer = Result<(usize, Vec<u8>), io::ErrorKind>;

/// What can be asked the same.
trait Bytes {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;
    fn try_read(&self, into: &mut [u8]) -> io::Result<usize>;
}

impl Bytes for (PageWriter, PageReader) {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn try_read(&self, into: &mut [u8]) -> io::Result<usize> {
        self.1.try_read(into)
    }
}

/// All answers; what is written is numbered on, so that no byte can be taken for its neighbour.
fn transcript(pipe: &impl Bytes, ops: &[Op]) -> Vec<Answer> {
    let mut numbers = (0..251u8).cycle();
    let answer = |op: &Op| match *op {
        Op::Write(len) => {
            let bytes: Vec<_> = numbers.by_ref().take(len).collect();
            pipe.try_write(&bytes).map(|done| (done, Vec::new()))
        }
        Op::Read(len) => {
            let mut into = vec![0; len];
            pipe.try_read(&mut into).map(|done| (done, into[..done].to_vec()))
        }
    };
    ops.iter().map(answer).map(|answer| answer.map_err(|error| error.kind())).collect()
}

/// Lengths around nothing, a page and a few pages, and small ones, which merge.
fn len() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => 1..200usize,
        2 => 0..PAGE,
        2 => (0..4usize, 0..3usize).prop_map(|(pages, more)| (pages * PAGE + more).saturating_sub(1)),
        1 => 0..6 * PAGE,
    ]
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![len().prop_map(Op::Write), len().prop_map(Op::Read)];
    vec(op, 1..sized(200, 30))
}

/// Why the answers are not a byte queue's, if they are not.
fn unlike_a_queue(pages: usize, ops: &[Op], answers: &[Answer]) -> Option<String> {
    let mut numbers = (0..251u8).cycle();
    let mut queue = VecDeque::new();
    ops.iter().zip(answers).enumerate().find_map(|(at, (op, answer))| {
        let fits = match (op, answer) {
            (Op::Write(len), answer) => {
                let bytes: Vec<_> = numbers.by_ref().take(*len).collect();
                let done = answer.as_ref().map_or(0, |(done, _)| *done);
                let was_empty = queue.is_empty();
                queue.extend(&bytes[..done]);
                match answer {
                    // Only a full pipe takes less, and a page or less is not torn.
                    Ok(_) if done == *len => true,
                    Ok(_) => *len > PAGE && done > 0 && (!was_empty || done == pages * PAGE),
                    Err(kind) => *kind == io::ErrorKind::WouldBlock && !was_empty && *len > 0,
                }
            }
            (Op::Read(len), Ok((done, bytes))) => {
                let all: Vec<_> = queue.drain(..queue.len().min(*len)).collect();
                *done == all.len() && *bytes == all && (*done > 0 || *len == 0)
            }
            (Op::Read(len), Err(kind)) => *kind == io::ErrorKind::WouldBlock && queue.is_empty() && *len > 0,
        };
        let holds = queue.len() <= pages * PAGE;
        (!fits || !holds)
            .then(|| format!("call {at}, {op:?}, answers {answer:?} with {} queued", queue.len()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sized(60, 2) as u32) })]

    /// It is a queue of bytes, and no switch changes an answer.
    #[test]
    fn a_queue_of_bytes(pages in 1..6usize, ops in ops()) {
        let answers = transcript(&pipe(pages, Options::new()).unwrap(), &ops);
        let unlike = unlike_a_queue(pages, &ops, &answers);
        prop_assert!(unlike.is_none(), "{}", unlike.unwrap());
        for options in all_options() {
            prop_assert!(transcript(&pipe(pages, options).unwrap(), &ops) == answers, "{options:?}");
        }
    }

    /// The other rule of merging has room for more, and is one too.
    #[test]
    fn a_queue_of_bytes_that_merge_as_far_as_they_fit(pages in 1..6usize, ops in ops()) {
        let answers = transcript(&pipe(pages, Options::new().merge(Merge::Fits)).unwrap(), &ops);
        let unlike = unlike_a_queue(pages, &ops, &answers);
        prop_assert!(unlike.is_none(), "{}", unlike.unwrap());
    }

    /// Packets are a queue of pieces up to a page long.
    #[test]
    fn a_queue_of_packets(pages in 1..6usize, ops in ops()) {
        let answers = transcript(&pipe(pages, Options::new().packets(true)).unwrap(), &ops);
        let mut numbers = (0..251u8).cycle();
        let mut queue: VecDeque<Vec<u8>> = VecDeque::new();
        for (op, answer) in ops.iter().zip(answers) {
            let expected = match *op {
                Op::Write(len) => {
                    let bytes: Vec<u8> = numbers.by_ref().take(len).collect();
                    let packets = bytes.chunks(PAGE).take(pages - queue.len());
                    let done: usize = packets.clone().map(<[u8]>::len).sum();
                    queue.extend(packets.map(<[u8]>::to_vec));
                    if done > 0 || len == 0 { Ok((done, Vec::new())) } else { Err(io::ErrorKind::WouldBlock) }
                }
                Op::Read(0) => Ok((0, Vec::new())),
                Op::Read(len) => match queue.pop_front() {
                    Some(mut packet) => {
                        packet.truncate(len);
                        Ok((packet.len(), packet))
                    }
                    None => Err(io::ErrorKind::WouldBlock),
                },
            };
            prop_assert_eq!(answer, expected, "{:?}", op);
        }
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod kernel {
    use super::*;
    use crate::support::emulated;
    use rustix::fd::OwnedFd;
    use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

    struct Kernels(OwnedFd, OwnedFd);

    impl Kernels {
        fn new(pages: usize, flags: PipeFlags) -> Self {
            let (reader, writer) = pipe_with(PipeFlags::NONBLOCK | flags).unwrap();
            assert_eq!(fcntl_setpipe_size(&writer, pages * PAGE).unwrap(), pages * PAGE);
            Self(reader, writer)
        }
    }

    impl Bytes for Kernels {
        fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
            Ok(rustix::io::write(&self.1, bytes)?)
        }

        fn try_read(&self, into: &mut [u8]) -> io::Result<usize> {
            Ok(rustix::io::read(&self.0, into)?)
        }
    }

    /// Whether the pipe below is Linux's own, of our page size: older ones, and what only looks like Linux, differ.
    fn comparable() -> bool {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let major = release.split('.').next().and_then(|major| major.parse::<u32>().ok());
        major.is_some_and(|major| major >= 6) && rustix::param::page_size() == PAGE && !emulated()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        /// The kernel's pipe answers the same: it takes as much of each write, and gives as much to each read.
        #[test]
        fn as_the_kernels_pipe(shift in 0..5u32, packets in any::<bool>(), ops in ops()) {
            if comparable() {
                let pages = 1 << shift;
                let ours = transcript(&pipe(pages, Options::new().packets(packets)).unwrap(), &ops);
                let flags = if packets { PipeFlags::DIRECT } else { PipeFlags::empty() };
                let theirs = transcript(&Kernels::new(pages, flags), &ops);
                let differs = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
                prop_assert!(differs.is_none(), "call {}: {:?}", differs.unwrap(), ops[differs.unwrap()]);
            }
        }
    }
}
