//! The rings beside the baseline, a `VecDeque` behind a mutex: whatever is done to both, they answer the same.
//!
//! | covered | rings | settings |
//! |---|---|---|
//! | `oracle/calls.rs`: one thread, any sequence of calls, step by step | all five, with capacities 1 to 5 | drawn at random |
//! | the same | all five x capacities 1, 2, 3, 64 | the full product: 4 relaxes x 3 spins x 6 wake policies |
//! | `oracle/crowds.rs`: threads on both ends, blocking, timed and leaving | all five, 4 relaxes, 3 spins, 6 wake policies, capacities 1, 2, 3, 64 | each pair of their values |
//!
//! The five: one sender and one receiver on the indexed and on the stamped ring; many senders; many receivers; both.

#![cfg(feature = "baseline")]

mod support;

#[path = "oracle/calls.rs"]
mod calls;
#[path = "oracle/crowds.rs"]
mod crowds;

use proptest::prelude::ProptestConfig;
use std::collections::VecDeque;
use support::{End, Kind, Receives, Sends, on_each_ring, sized};

/// Capacities with and without a power of two, below and above where the rings' defaults change.
const CAPS: [usize; 4] = [1, 2, 3, 64];

/// A failing case is printed, not kept in a file: Miri has none, and the crate's root is not found from here.
fn settings(cases: usize) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases as u32) }
}

/// One thread against the plainest model there is, so that a fault common to ring and baseline shows as well.
fn one_thread_is_a_queue<K: Kind>() {
    let mut random = support::Random::new(42);
    for cap in 1..8 {
        let (tx, rx) = K::bounded(cap);
        let mut model = VecDeque::new();
        for n in 0..sized(5_000, 100) {
            if random.below(2) == 0 {
                assert_eq!(tx.try_send(n).is_ok(), model.len() < cap);
                if model.len() < cap {
                    model.push_back(n);
                }
            } else {
                assert_eq!(rx.try_recv().ok(), model.pop_front());
            }
            let look = tx.look();
            assert_eq!((look.len, look.is_full), (model.len(), model.len() == cap));
        }
    }
}

on_each_ring!(one_thread_is_a_queue);
