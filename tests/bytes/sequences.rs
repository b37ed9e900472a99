//! One thread, any sequence of calls, beside the model.

use super::machine::{Call, Run, run, run_bytes};
use super::model::Layout;
use crate::support::{Random, ms, sized, within};
use hornpipe::bytes::Merge;
use proptest::collection::vec;
use proptest::prelude::*;

fn calls() -> impl Strategy<Value = Vec<Call>> {
    vec(any::<[u8; 3]>().prop_map(Call::from), 1..sized(200, 30))
}

fn layout() -> impl Strategy<Value = (usize, Layout)> {
    let merge = prop_oneof![Just(Merge::Whole), Just(Merge::Fits)];
    (1..=20usize, 1..=5usize, 0..=24usize, merge, prop::bool::weighted(0.25)).prop_map(
        |(capacity, piece, atomic, merge, packets)| {
            let atomic = atomic.min(capacity.next_multiple_of(piece));
            (capacity, Layout { piece, atomic, merge, packets })
        },
    )
}

proptest! {
    // A failing case is printed, not kept in a file.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sized(2_000, 4) as u32) })]

    #[test]
    fn a_stream_is_a_queue_of_bytes(capacity in 1..=20usize, calls in calls()) {
        run(Run::stream(capacity), calls);
    }

    #[test]
    fn pieces_are_a_queue_of_pieces((capacity, layout) in layout(), calls in calls()) {
        run(Run::pieces(capacity, layout), calls);
    }
}

/// The fuzz target's body (tests/fuzz), on random bytes: it compiles, and holds for a few seconds' worth of them.
#[test]
fn any_bytes_are_a_run() {
    let mut at = 0;
    for seed in within(ms(4_000), 0..sized(40_000, 10) as u64) {
        at = seed;
        let mut random = Random::new(seed + 1);
        let data: Vec<_> = (0..random.below(600)).map(|_| random.below(256) as u8).collect();
        let outcome = std::panic::catch_unwind(|| run_bytes(&data));
        assert!(outcome.is_ok(), "seed {seed}: {data:?}");
    }
    println!("seeds 0 to {at}");
}
