//! Threads on both ends, under every switch, with a watchdog: a lost wake is a hang.

use super::all_options;
use crate::support::{Random, each, sized};
use hornpipe::baseline::pages::{Merge, Options, PAGE, PageReader, PageWriter, pipe};
use std::io::Read;
use std::thread::scope;

/// Seconds that one setting may take.
const LIMIT: u64 = 60;

/// Every setting, each with pipes of 1, 2 and 16 pages; and with the other rule of merging where the rest is the kernel's.
fn cases() -> impl Iterator<Item = (Options, usize)> {
    let fits = Options::new().merge(Merge::Fits);
    all_options().into_iter().chain([fits]).flat_map(|options| [1, 2, 16].map(|pages| (options, pages)))
}

fn ends(options: Options, pages: usize) -> (PageWriter, PageReader) {
    pipe(pages, options).unwrap()
}

/// Several writers of any lengths and several readers: each byte that goes in comes out once.
#[test]
fn bytes_are_conserved() {
    each(cases(), LIMIT, |(options, pages)| {
        let (writer, reader) = ends(options, pages);
        let (mut sent, mut received) = ([0u64; 4], [0u64; 4]);
        scope(|scope| {
            let readers: Vec<_> = (0..3)
                .map(|n| {
                    let reader = reader.clone();
                    scope.spawn(move || {
                        let (mut counts, mut random) = ([0u64; 4], Random::new(100 + n));
                        let mut into = vec![0; 3 * PAGE];
                        loop {
                            let room = 1 + random.below(into.len() as u64) as usize;
                            match reader.read(&mut into[..room]).unwrap() {
                                0 => return counts,
                                len => into[..len].iter().for_each(|byte| counts[*byte as usize] += 1),
                            }
                            random.dawdle();
                        }
                    })
                })
                .collect();
            let writers: Vec<_> = (0..4u8)
                .map(|n| {
                    let writer = writer.clone();
                    scope.spawn(move || {
                        let (mut count, mut random) = (0, Random::new(n.into()));
                        let bytes = vec![n; 3 * PAGE];
                        for _ in 0..sized(40, 4) {
                            let len = 1 + random.below([200, bytes.len() as u64][n as usize % 2]) as usize;
                            assert_eq!(writer.write(&bytes[..len]).unwrap(), len);
                            count += len as u64;
                            random.dawdle();
                        }
                        count
                    })
                })
                .collect();
            drop(writer);
            for (n, writer) in writers.into_iter().enumerate() {
                sent[n] = writer.join().unwrap();
            }
            for reader in readers {
                let counts = reader.join().unwrap();
                received.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        });
        assert_eq!(received, sent);
        assert_nobody_asleep(&reader);
    });
}

/// Several writers and one reader: a write of up to a page is one piece, and each writer's come in order.
#[test]
fn small_writes_are_whole_and_in_order() {
    each(cases(), LIMIT, |(options, pages)| {
        let (writer, mut reader) = ends(options, pages);
        let rounds = sized(60, 5) as u32;
        scope(|scope| {
            for n in 0..3u8 {
                let writer = writer.clone();
                scope.spawn(move || {
                    let mut random = Random::new(n.into());
                    for round in 0..rounds {
                        let body = random.below([100, PAGE as u64 - 7][n as usize % 2]) as u16;
                        let mut record = vec![n];
                        record.extend(round.to_le_bytes());
                        record.extend(body.to_le_bytes());
                        record.resize(7 + usize::from(body), n);
                        assert_eq!(writer.write(&record).unwrap(), record.len());
                        random.dawdle();
                    }
                });
            }
            drop(writer);
            let mut next = [0; 3];
            let mut head = [0; 7];
            while next != [rounds; 3] {
                reader.read_exact(&mut head).unwrap();
                let [n, a, b, c, d, low, high] = head;
                assert_eq!(u32::from_le_bytes([a, b, c, d]), next[n as usize]);
                next[n as usize] += 1;
                let mut body = vec![0; u16::from_le_bytes([low, high]).into()];
                reader.read_exact(&mut body).unwrap();
                assert!(body.iter().all(|byte| *byte == n), "a record is torn");
            }
            assert_eq!(reader.read(&mut head).unwrap(), 0, "nothing else was written");
        });
        assert_nobody_asleep(&reader);
    });
}

/// A pipe as a source of tokens: threads that each take one and put it back. None is lost, and nobody waits for ever.
#[test]
fn tokens_come_back() {
    each(cases(), LIMIT, |(options, pages)| {
        let (writer, reader) = ends(options, pages);
        // Less than a page in all: at its end a token may find no room before the page's others are taken.
        writer.write(&[1, 2, 3]).unwrap();
        scope(|scope| {
            for n in 0..6 {
                let (writer, reader) = (&writer, &reader);
                scope.spawn(move || {
                    let mut random = Random::new(n);
                    for _ in 0..sized(100, 5) {
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
        assert_nobody_asleep(&reader);
    });
}

#[track_caller]
fn assert_nobody_asleep(end: &PageReader) {
    let shown = format!("{end:?}");
    let nobody = shown.contains("readers_asleep: 0,") && shown.contains("writers_asleep: 0,");
    assert!(nobody, "somebody still stands in a queue: {shown}");
}
