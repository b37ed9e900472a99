//! Pieces at another capacity: what is queued stays, writers that now fit go on, and each piece's marks are its own.

use super::machine::{By, Call, Run, kind};
use super::model::Layout;
use crate::support::{Random, all_waits, each, ms, peer, sized};
use hornpipe::Mpmc;
use hornpipe::bytes::{Builder, Merge};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::scope;
use std::time::Instant;

const RULES: [(Merge, bool); 3] = [(Merge::Whole, false), (Merge::Fits, false), (Merge::Whole, true)];

/// Resizing a ring whose content wraps lost, doubled or misordered items: every old and new capacity, offset and length, in
/// pieces of which the first is read in part and the last is filled in part.
#[test]
fn scenario_51_resizing_what_wraps() {
    let most = sized(6, 3);
    let all = 1..=most;
    for (merge, packets) in RULES {
        for (old, new) in all.clone().flat_map(|old| all.clone().map(move |new| (old, new))) {
            for (offset, len) in (0..old).flat_map(|offset| (0..=old).map(move |len| (offset, len))) {
                let mut run = Run::pieces(3 * old, Layout { piece: 3, atomic: 3, merge, packets });
                for _ in 0..offset {
                    run.call(Call::Write(By::Waiting, 3));
                    run.call(Call::Read(By::Waiting, 3));
                }
                for n in 0..len {
                    run.call(Call::Write(By::Waiting, if n + 1 < len { 3 } else { 2 }));
                }
                if len > 1 {
                    run.call(Call::Read(By::Waiting, 1));
                }
                run.resize(3 * new);
                for _ in 0..3 {
                    (0..3 * most).for_each(|_| run.call(Call::Write(By::Trying, 1)));
                    (0..3 * most).for_each(|_| run.call(Call::Read(By::Trying, 2)));
                }
                run.finish();
            }
        }
    }
}

/// Refused: nothing of it, what cannot be addressed, less than the atomic size or than what is queued. Nothing has changed
/// then, and the sentence says why.
#[test]
fn refused_resizes_change_nothing() {
    let (writer, reader) = Builder::<Mpmc>::new(16).piece_size(4).atomic_size(8).build().unwrap();
    assert_eq!(writer.write(b"one two three").unwrap(), 13);
    let refused = [
        (0, ErrorKind::InvalidInput, "zero"),
        (4, ErrorKind::InvalidInput, "atomic size"),
        (12, ErrorKind::ResourceBusy, "read first"),
        (usize::MAX, ErrorKind::InvalidInput, "addressed"),
        (usize::MAX - 1, ErrorKind::InvalidInput, "addressed"),
        (usize::MAX / 2 + 1, ErrorKind::InvalidInput, "addressed"),
        (isize::MAX as usize, ErrorKind::InvalidInput, "addressed"),
        (isize::MAX as usize - 3, ErrorKind::OutOfMemory, "memory"),
    ];
    for (capacity, kind, why) in refused {
        for answer in [writer.resize(capacity), reader.resize(capacity)] {
            let error = answer.unwrap_err();
            assert_eq!(error.kind(), kind, "{capacity}");
            assert!(error.to_string().contains(why), "{error}");
            assert_eq!((writer.capacity(), writer.len()), (16, 13));
        }
    }
    let mut into = [0; 16];
    assert_eq!((reader.read(&mut into).unwrap(), &into[..13]), (13, &b"one two three"[..]));
    assert_eq!(writer.try_write(&[7; 17]).unwrap(), 16, "all of it is used");
}

/// A "may append" mark left in a reused slot let later bytes be added to what did not allow it: packets in slots that were
/// another's, resized or given up, keep their bounds; and pieces that allowed it still do.
#[test]
fn scenario_50_marks_are_not_inherited() {
    for packets in [true, false] {
        let mut run = Run::pieces(16, Layout { piece: 4, atomic: 4, merge: Merge::Whole, packets });
        for step in 0..40 {
            for len in [1, 4, 2, 1] {
                run.call(Call::Write(By::Trying, len));
            }
            // Given up: by an error, and by an answer of nothing.
            let writer = &run.writers[0];
            assert!(writer.write_with(3, |_| Err(ErrorKind::Other.into())).is_err());
            assert_eq!(writer.write_with(3, |_| Ok(0)).unwrap(), 0);
            run.compare();
            run.resize([16, 24, 20, 32][step % 4]);
            run.call(Call::Write(By::Trying, 1));
            for _ in 0..step % 6 {
                run.call(Call::Read(By::Trying, 4));
            }
        }
        run.finish();
    }
}

/// Writers asleep on a full pipe go on when it grows, without a read: all that stand in line.
#[test]
fn scenario_53_growing_wakes_writers() {
    each(all_waits(), 20, |config| {
        let builder = Builder::<Mpmc>::new(4).piece_size(2).atomic_size(4);
        let (writer, reader) = config.bytes(builder).build().unwrap();
        assert_eq!(writer.write(&[0; 4]).unwrap(), 4);
        let writing = [4, 1, 3].map(|len| {
            let writer = writer.clone();
            let writing = peer(move || writer.write(&vec![len; len.into()]));
            writing.asleep();
            writing
        });
        // Not enough for the first in line.
        reader.resize(6).unwrap();
        writing[0].asleep();
        assert_eq!((reader.len(), reader.capacity()), (4, 6));
        reader.resize(20).unwrap();
        assert_eq!(writing.map(|writing| writing.join().unwrap()), [4, 1, 3]);
        let mut all = [0; 20];
        assert_eq!(reader.read(&mut all).unwrap(), 12);
        assert_eq!(all[..8], [0, 0, 0, 0, 4, 4, 4, 4]);
        super::assert_nobody_waits(&reader);
    });
}

/// A reader found nothing while a resize was half done, or a writer woken before the new size was there slept again: writing,
/// reading and resizing at once, what was written before a read began is there for it.
#[test]
fn scenario_53_resizing_under_traffic() {
    each(all_waits().into_iter().step_by(3), 60, |config| {
        let builder = Builder::<Mpmc>::new(12).piece_size(3).atomic_size(3);
        let (writer, reader) = config.bytes(builder).build().unwrap();
        let (start, over) = (Instant::now(), AtomicBool::new(false));
        let limit = ms(sized(300, 50) as u64);
        scope(|scope| {
            let resizer = writer.clone();
            scope.spawn({
                let over = &over;
                move || {
                    let mut random = Random::new(53);
                    while !over.load(Relaxed) {
                        match kind(resizer.resize(3 + random.below(60) as usize)) {
                            Ok(()) | Err(ErrorKind::ResourceBusy) => {}
                            Err(kind) => panic!("{kind}"),
                        }
                        random.dawdle();
                    }
                }
            });
            scope.spawn({
                let over = &over;
                move || {
                    let mut random = Random::new(35);
                    let mut numbers = (0..251u8).cycle();
                    while start.elapsed() < limit {
                        let bytes: Vec<_> = numbers.by_ref().take(1 + random.below(9) as usize).collect();
                        assert_eq!(writer.write(&bytes).unwrap(), bytes.len());
                    }
                    over.store(true, Relaxed);
                }
            });
            let mut random = Random::new(3);
            let mut numbers = (0..251u8).cycle();
            let mut into = [0; 40];
            loop {
                let room = 1 + random.below(40) as usize;
                let there = reader.len();
                let done = if there > 0 {
                    // The resizer may be in the way of an attempt, and no longer than that.
                    reader.read_timeout(&mut into[..room], ms(10_000)).expect("it was there before")
                } else {
                    reader.read(&mut into[..room]).unwrap()
                };
                if done == 0 {
                    return assert_eq!(there, 0);
                }
                into[..done].iter().for_each(|byte| assert_eq!(Some(*byte), numbers.next()));
            }
        });
    });
}
