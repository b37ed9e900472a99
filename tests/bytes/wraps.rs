//! Past the ring's end: every capacity, from every offset, every length, by every way in and out.

use super::machine::{By, Call, End, Run};
use super::model::Layout;
use super::own::Subject;
use crate::support::sized;
use hornpipe::bytes::Merge;

const WAYS: [By; 5] = [By::Waiting, By::Vectored, By::Std, By::Trying, By::Timed];

/// From each offset: writes of `len` bytes until nothing more goes in, reads of as many until nothing comes, three times.
fn laps<K: Subject>(new: impl Fn() -> Run<K>, capacity: usize) {
    for offset in 0..capacity {
        for len in 1..=capacity + 1 {
            for by in WAYS {
                let mut run = new();
                (0..offset).for_each(|_| {
                    run.call(Call::Write(By::Waiting, 1));
                    run.call(Call::Read(By::Waiting, 1));
                });
                for _ in 0..3 {
                    (0..capacity.div_ceil(len) + 1).for_each(|_| run.call(Call::Write(by, len)));
                    (0..capacity.div_ceil(len) + 1).for_each(|_| run.call(Call::Read(by, len)));
                }
                run.finish();
            }
        }
    }
}

#[test]
fn a_stream_wraps_at_every_offset() {
    for capacity in 1..=sized(9, 3) {
        laps(|| Run::stream(capacity), capacity);
    }
}

#[test]
fn pieces_wrap_at_every_offset() {
    for (merge, packets) in [(Merge::Whole, false), (Merge::Fits, false), (Merge::Whole, true)] {
        for (piece, count) in (1..=3).flat_map(|piece| (1..=sized(4, 2)).map(move |count| (piece, count))) {
            let capacity = piece * count;
            for atomic in [1, piece, capacity] {
                let layout = Layout { piece, atomic, merge, packets };
                laps(|| Run::pieces(capacity, layout), capacity);
            }
        }
    }
}

/// The stream's own ways: grants of every length with every part of them committed, and looks at bytes in place of which
/// every part is used.
#[test]
fn a_stream_is_granted_and_looked_at_past_its_end() {
    for capacity in 1..=sized(9, 3) {
        for (most, part) in (1..=capacity).flat_map(|most| (1..=most).map(move |part| (most, part))) {
            let mut run = Run::stream(capacity);
            // Not in step, so that all offsets and fillings come.
            for step in 0..4 * capacity * capacity {
                let (room, bytes) = (run.model.capacity() - run.model.len(), run.model.len());
                if room > 0 && (bytes == 0 || step % 3 > 0) {
                    run.commit(most, part);
                } else {
                    run.consume(part);
                }
                run.compare();
            }
            run.finish();
        }
    }
}

/// 49: a transfer stopped at the ring's end though there was space beyond it: six bytes go in by one call, and out by one.
#[test]
fn scenario_49_one_call_past_the_end() {
    let mut run = Run::stream(8);
    run.call(Call::Write(By::Waiting, 6));
    run.call(Call::Read(By::Waiting, 6));
    for by in WAYS {
        run.call(Call::Write(by, 6));
        assert_eq!(run.writers[0].len(), 6, "{by:?}");
        run.call(Call::Read(by, 6));
        assert_eq!(run.writers[0].len(), 0, "{by:?}");
    }
}

/// A reader that keeps up with a writer of single bytes through a piece frees it, and the piece's next life begins empty.
#[test]
fn a_piece_begins_anew() {
    for (piece, count) in [(3, 1), (3, 2), (5, 3)] {
        let layout = Layout { piece, atomic: piece, merge: Merge::Whole, packets: false };
        let mut run = Run::pieces(piece * count, layout);
        for step in 0..100 {
            run.call(Call::Write(By::Trying, 1 + step % 2));
            run.call(Call::Read(By::Trying, 1 + step % 3));
        }
        run.call(Call::Leave(End::Writer));
        run.finish();
    }
}
