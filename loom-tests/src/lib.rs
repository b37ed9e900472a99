//! Models of the shipped code: every interleaving of a few threads, up to a bound of preemptions, with every value
//! that a weakly ordered machine may load. Nothing here exists without `--cfg hornpipe_loom`.
//!
//! ```text
//! RUSTFLAGS="--cfg hornpipe_loom" cargo run --release -p loom-tests                # the list
//! RUSTFLAGS="--cfg hornpipe_loom" cargo run --release -p loom-tests gate_1p1c      # one model
//! RUSTFLAGS="--cfg hornpipe_loom" cargo test --release -p loom-tests               # all of them, and the mutants
//! ```
//! `LOOM_MAX_PREEMPTIONS` overrides each model's own bound, `HORNPIPE_MUTANT=LABEL` weakens one label of the library
//! (arch-notes/orderings.md), and a model must fail then.
//!
//! `Barrier` models have the asymmetric pair of fences as it is, `Sym` ones none: see `gate` and the library's
//! `sync::modelled`. Each light and heavy fence is one more step to preempt: where that is too many runs, the bound of
//! the `Sym` model is higher.
#![cfg(hornpipe_loom)]

pub mod close;
pub mod gate;
pub mod handles;
pub mod process;
pub mod ring;
pub mod support;
pub mod timeout;

use support::Model;

/// Hands every model to a macro, in the order of a message's way: name, module and function, fences, bound of
/// preemptions, about how many runs that takes (loom 0.7.3), what it shows.
#[macro_export]
macro_rules! each_model {
    ($then:ident) => {
        $then! {
            ring_1p1c: ring::ring_1p1c, Barrier, 5, 150, "two slots, three items: read after written, in order";
            ring_1p1c_cap1: ring::ring_1p1c_cap1, Barrier, 5, 240, "one slot: each lap waits for the lap before";
            ring_2p1c: ring::ring_2p1c, Barrier, 3, 1_800, "senders race for the tail";
            ring_2p1c_cap1: ring::ring_2p1c_cap1, Barrier, 3, 4_100, "senders race for the only slot";
            ring_1p2c: ring::ring_1p2c, Barrier, 3, 2_300, "receivers race for the head";
            ring_1p2c_cap1: ring::ring_1p2c_cap1, Barrier, 3, 12_000, "receivers race for the only slot";
            ring_2p2c: ring::ring_2p2c, Barrier, 2, 94_000, "both ends race";
            gate_first: gate::gate_first, Barrier, 5, 2_100, "the first send meets the first receive";
            gate_1p1c: gate::gate_1p1c, Barrier, 2, 16_500, "both sides sleep, also on a claimed slot";
            gate_taken_back: gate::gate_taken_back, Barrier, 3, 20_000, "a wake for a taken item hides no other";
            gate_2p1c: gate::gate_2p1c, Barrier, 2, 103_000, "a stalled sender before a published item";
            gate_1p2c: gate::gate_1p2c, Barrier, 1, 15_100, "two asleep, two items: the wake is handed on";
            gate_full_2p1c: gate::gate_full_2p1c, Barrier, 1, 8_500, "two senders asleep on a full pipe";
            gate_each_1p2c: gate::gate_each_1p2c, Barrier, 1, 15_000, "a wake an item";
            gate_all_1p2c: gate::gate_all_1p2c, Barrier, 1, 21_800, "all woken, one finds the item";
            gate_first_sym: gate::gate_first, Sym, 5, 2_400, "the first send meets the first receive";
            gate_1p1c_sym: gate::gate_1p1c, Sym, 2, 9_000, "both sides sleep, also on a claimed slot";
            gate_2p1c_sym: gate::gate_2p1c, Sym, 1, 4_600, "a stalled sender before a published item";
            gate_1p2c_sym: gate::gate_1p2c, Sym, 2, 135_000, "two asleep, two items: the wake is handed on";
            gate_full_2p1c_sym: gate::gate_full_2p1c, Sym, 2, 93_000, "two senders asleep on a full pipe";
            close_senders: close::close_senders, Barrier, 4, 16_000, "recv: the last sender's item, then Disconnected";
            close_senders_try: close::close_senders_try, Barrier, 5, 24, "try_recv: the item, then Disconnected";
            close_senders_timeout: close::close_senders_timeout, Barrier, 4, 16_000, "recv_timeout: the same";
            close_senders_2p: close::close_senders_2p, Barrier, 3, 25_000, "two last senders: both items first";
            close_empty: close::close_empty, Barrier, 5, 310, "nobody sleeps beside a closing";
            close_empty_2c: close::close_empty_2c, Barrier, 3, 63_000, "a closing wakes all";
            close_receivers: close::close_receivers, Barrier, 5, 910, "a send in flight: back, or dropped by its end";
            close_receivers_2p: close::close_receivers_2p, Barrier, 3, 22_000, "two sends in flight";
            close_receivers_full: close::close_receivers_full, Barrier, 4, 2_600, "a sender on a full pipe: back";
            close_receivers_sym: close::close_receivers, Sym, 5, 1_000, "a send in flight";
            close_receivers_2p_sym: close::close_receivers_2p, Sym, 2, 1_700, "two sends in flight";
            timeout_recv: timeout::timeout_recv, Barrier, 3, 13_600, "an item is received in time or stays";
            timeout_send: timeout::timeout_send, Barrier, 3, 16_300, "an item is sent in time or comes back";
            timeout_1p2c: timeout::timeout_1p2c, Barrier, 0, 6, "who gives up passes its wake on";
            timeout_recv_sym: timeout::timeout_recv, Sym, 2, 1_600, "an item is received in time or stays";
            timeout_1p2c_late: timeout::timeout_1p2c_late, Barrier, 1, 261_000, "who gives up passes its wake on";
            timeout_1p2c_late_sym: timeout::timeout_1p2c_late, Sym, 1, 6_200, "who gives up passes its wake on";
            timeout_1p2c_sym: timeout::timeout_1p2c, Sym, 1, 23_000, "who gives up passes its wake on";
            handles_word: handles::handles_word, Barrier, 5, 79, "one last put, which sees what all wrote";
            handles_senders: handles::handles_senders, Barrier, 3, 10_000, "Disconnected at the end only";
            handles_both_ends: handles::handles_both_ends, Barrier, 5, 39, "both last handles drop an item once";
        }
    };
}

macro_rules! table {
    ($($name:ident: $module:ident::$function:ident, $fences:ident, $bound:literal, $runs:literal, $what:literal;)+) => {
        /// Every model.
        pub const MODELS: &[Model] = &[$(Model {
            name: stringify!($name),
            what: $what,
            fences: hornpipe::model::Fences::$fences,
            bound: $bound,
            runs: $runs,
            run: $module::$function,
        }),+];
    };
}
each_model!(table);
