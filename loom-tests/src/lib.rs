//! Models of the shipped code: every interleaving of a few threads, up to a bound of preemptions, with every value
//! that a weakly ordered machine may load. Nothing here exists without `--cfg hornpipe_loom`.
//!
//! ```text
//! RUSTFLAGS="--cfg hornpipe_loom" cargo run --release -p loom-tests                # the list
//! RUSTFLAGS="--cfg hornpipe_loom" cargo run --release -p loom-tests gate_sym_1p1c  # one model
//! RUSTFLAGS="--cfg hornpipe_loom" cargo test --release -p loom-tests               # all of them, and the mutants
//! ```
//! `LOOM_MAX_PREEMPTIONS` overrides each model's own bound, `HORNPIPE_MUTANT=LABEL` weakens one label of the library
//! (arch-notes/orderings.md), and a model must fail then.
//!
//! `ClaimsOnly` models have no light fence at all, `Full` ones full fences instead: see `gate`.
#![cfg(hornpipe_loom)]

pub mod close;
pub mod gate;
pub mod handles;
pub mod process;
pub mod ring;
pub mod support;
pub mod timeout;

use support::Model;

/// Hands every model to a macro, in the order of a message's way: module and function, fences, bound of preemptions,
/// about how many runs that takes (loom 0.7.3), what it shows.
#[macro_export]
macro_rules! each_model {
    ($then:ident) => {
        $then! {
            ring::ring_1p1c, Full, 5, 150, "two slots, three items: read after written, in order";
            ring::ring_1p1c_cap1, Full, 5, 240, "one slot: each lap waits for the lap before";
            ring::ring_2p1c, Full, 3, 1_800, "senders race for the tail";
            ring::ring_2p1c_cap1, Full, 3, 4_100, "senders race for the only slot";
            ring::ring_1p2c, Full, 3, 2_300, "receivers race for the head";
            ring::ring_1p2c_cap1, Full, 3, 12_000, "receivers race for the only slot";
            ring::ring_2p2c, Full, 2, 94_000, "both ends race";
            gate::gate_rmw_first, ClaimsOnly, 5, 1_400, "the first send meets the first receive";
            gate::gate_rmw_1p1c, ClaimsOnly, 2, 24_000, "both sides sleep; claims alone order look and announcement";
            gate::gate_rmw_taken_back, ClaimsOnly, 3, 15_000, "a wake for an item that another took hides no other";
            gate::gate_rmw_2p1c, ClaimsOnly, 2, 100_000, "a claim that is not the waiter's next one still shows it";
            gate::gate_rmw_1p2c, ClaimsOnly, 2, 350_000, "two asleep, two items: the wake is handed on";
            gate::gate_rmw_full_2p1c, ClaimsOnly, 1, 6_300, "two senders asleep on a full pipe";
            gate::gate_sym_first, Full, 5, 1_600, "the first send meets the first receive";
            gate::gate_sym_1p1c, Full, 2, 22_000, "both sides sleep, also on a claimed slot";
            gate::gate_sym_taken_back, Full, 3, 8_200, "a wake for an item that another took hides no other";
            gate::gate_sym_2p1c, Full, 2, 74_000, "a stalled sender before a published item";
            gate::gate_sym_1p2c, Full, 2, 150_000, "two asleep, two items: the wake is handed on";
            gate::gate_sym_full_2p1c, Full, 2, 98_000, "two senders asleep on a full pipe";
            gate::gate_each_1p2c, Full, 2, 170_000, "a wake an item";
            gate::gate_all_1p2c, Full, 2, 140_000, "all woken, one finds the item";
            close::close_senders, ClaimsOnly, 4, 13_000, "recv: the last sender's item, then Disconnected";
            close::close_senders_try, ClaimsOnly, 5, 24, "try_recv: the item, then Disconnected";
            close::close_senders_timeout, ClaimsOnly, 4, 13_000, "recv_timeout: the item, then Disconnected";
            close::close_senders_2p, ClaimsOnly, 3, 25_000, "two last senders: both items, then Disconnected";
            close::close_empty, ClaimsOnly, 5, 310, "nobody sleeps beside a closing";
            close::close_empty_2c, ClaimsOnly, 3, 68_000, "a closing wakes all";
            close::close_receivers, Full, 5, 300, "a send in flight: given back, or dropped before it returns";
            close::close_receivers_2p, Full, 3, 7_400, "two sends in flight";
            close::close_receivers_full, Full, 4, 3_800, "a sender on a full pipe gets its item back";
            timeout::timeout_recv, Full, 3, 11_000, "an item is received in time or stays";
            timeout::timeout_send, Full, 3, 13_000, "an item is sent in time or comes back";
            timeout::timeout_1p2c, Full, 1, 61_000, "who gives up passes its wake on";
            handles::handles_word, Full, 5, 79, "one last put, which sees what all wrote";
            handles::handles_senders, Full, 3, 10_000, "clones and drops on two threads: Disconnected at the end only";
            handles::handles_both_ends, Full, 5, 7, "both last handles dropped at once: the item too, once";
        }
    };
}

macro_rules! table {
    ($($module:ident::$name:ident, $fences:ident, $bound:literal, $runs:literal, $what:literal;)+) => {
        /// Every model.
        pub const MODELS: &[Model] = &[$(Model {
            name: stringify!($name),
            what: $what,
            fences: hornpipe::model::Fences::$fences,
            bound: $bound,
            runs: $runs,
            run: $module::$name,
        }),+];
    };
}
each_model!(table);
