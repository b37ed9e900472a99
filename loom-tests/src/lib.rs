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
//! the `Sym` model is higher. Two light fences order nothing: that loom knows is seen where the heavy one is taken away
//! (HEAVY), on every kind of cursor.
//!
//! What loom does not try: a word's store between two loads of another thread, where the storing thread has loaded the
//! word itself just before (it remembers a word's last access only). The model `close_receivers_slow` is shaped so that
//! ABANDON and IS_GONE are seen in spite of it.
#![cfg(hornpipe_loom)]

pub mod bytes;
pub mod close;
pub mod frozen;
pub mod gate;
pub mod handles;
pub mod lockref;
pub mod model;
pub mod pipes;
pub mod process;
pub mod ring;
pub mod timeout;
pub mod tokens;
pub mod track;
pub mod traffic;

use hornpipe::RingKind::{Indexed, Stamped};
use hornpipe::WakePolicy::{All, Chain, Each, OnEdge, OnRelease, Proactive};
use hornpipe::{Mpmc, Mpsc, Spmc, Spsc};
use lockref::Op::*;
use model::Model;
use pipes::{indexed, mpmc, mpsc, spmc, spsc};

/// Hands every model to a macro, in the order of a message's way: name, one run, fences, bound of preemptions, about
/// how many runs that takes (loom 0.7.3), what it shows. (`spsc` is on the stamped ring, `indexed` on the other.)
#[macro_export]
macro_rules! each_model {
    ($then:ident) => {
        $then! {
            ring_1p1c: ring::in_order::<Mpmc>(Stamped, 2), Barrier, 5, 151, "two slots: read after written";
            ring_1p1c_cap1: ring::in_order::<Mpmc>(Stamped, 1), Barrier, 5, 243, "one slot: each lap waits";
            ring_2p1c: ring::senders_race::<Mpmc>(Stamped, 2), Barrier, 3, 1_800, "senders race for the tail";
            ring_2p1c_cap1: ring::senders_race::<Mpmc>(Stamped, 1), Barrier, 3, 4_100, "senders race for one slot";
            ring_1p2c: ring::receivers_race::<Mpmc>(Stamped, 2), Barrier, 3, 2_300, "receivers race for the head";
            ring_1p2c_cap1: ring::receivers_race::<Mpmc>(Stamped, 1), Barrier, 3, 12_300, "receivers race for one slot";
            ring_2p2c: ring::both_race::<Mpmc>(Stamped, 1), Barrier, 2, 94_000, "both ends race";
            ring_mpsc: ring::senders_race::<Mpsc>(Stamped, 2), Barrier, 3, 1_800, "senders race, exclusive head";
            ring_mpsc_cap1: ring::senders_race::<Mpsc>(Stamped, 1), Barrier, 3, 4_100, "the same for one slot";
            ring_spmc: ring::receivers_race::<Spmc>(Stamped, 2), Barrier, 3, 2_300, "receivers race, exclusive tail";
            ring_spmc_cap1: ring::receivers_race::<Spmc>(Stamped, 1), Barrier, 3, 12_300, "the same for one slot";
            ring_spsc: ring::in_order::<Spsc>(Stamped, 2), Barrier, 5, 151, "both cursors exclusive";
            ring_spsc_cap1: ring::in_order::<Spsc>(Stamped, 1), Barrier, 5, 243, "the same, one slot";
            indexed_1p1c: ring::in_order::<Spsc>(Indexed, 2), Barrier, 5, 2_100, "two places: read after written";
            indexed_1p1c_cap1: ring::in_order::<Spsc>(Indexed, 1), Barrier, 5, 417, "one place: written after read";
            gate_first: gate::first(mpmc), Barrier, 5, 6_100, "the first send meets the first receive";
            gate_first_mpsc: gate::first(mpsc), Barrier, 5, 5_900, "the same, exclusive head";
            gate_first_spmc: gate::first(spmc), Barrier, 5, 5_900, "the same, exclusive tail";
            gate_first_spsc: gate::first(indexed), Barrier, 5, 4_000, "the same, two positions";
            gate_first_spsc_stamped: gate::first(spsc), Barrier, 5, 5_700, "the same, both cursors exclusive";
            gate_1p1c: gate::both_sleep(mpmc), Barrier, 2, 43_000, "both sides sleep, also on a claimed slot";
            gate_1p1c_spsc: gate::both_sleep(indexed), Barrier, 2, 12_200, "both sides sleep";
            gate_1p1c_spsc_stamped: gate::both_sleep(spsc), Barrier, 2, 9_900, "the same";
            gate_taken_back: gate::taken_back(), Barrier, 3, 33_000, "a wake for a taken item hides no other";
            gate_2p1c: gate::stalled_sender(mpmc), Barrier, 2, 283_000, "a stalled sender before a published item";
            gate_2p1c_mpsc: gate::stalled_sender(mpsc), Barrier, 1, 10_300, "the same, exclusive head";
            gate_1p2c: gate::two_receivers(mpmc, Chain), Barrier, 1, 20_000, "two asleep: the wake is handed on";
            gate_1p2c_spmc: gate::two_receivers(spmc, Chain), Barrier, 1, 37_000, "the same, exclusive tail";
            gate_full_2p1c: gate::two_senders(mpmc, Chain), Barrier, 1, 17_700, "two senders asleep on a full pipe";
            gate_full_2p1c_mpsc: gate::two_senders(mpsc, Chain), Barrier, 1, 12_600, "the same, exclusive head";
            gate_each_1p2c: gate::two_receivers(mpmc, Each), Barrier, 1, 23_000, "a wake an item";
            gate_all_1p2c: gate::two_receivers(mpmc, All), Barrier, 1, 28_000, "all woken, one finds the item";
            gate_edge_1p2c: gate::two_receivers(mpmc, OnEdge), Barrier, 1, 33_000, "one edge, two items: handed on";
            gate_edge_full_2p1c: gate::two_senders(mpmc, OnEdge), Barrier, 1, 22_000, "the same for senders";
            gate_edge_1p2c_spmc: gate::two_receivers(spmc, OnEdge), Barrier, 1, 44_000, "the same, exclusive tail";
            gate_release_1p2c: gate::two_receivers(mpmc, OnRelease), Barrier, 0, 362, "the same";
            gate_proactive_1p2c: gate::two_receivers(mpmc, Proactive), Barrier, 1, 23_000, "a wake an item, handed on";
            gate_first_sym: gate::first(mpmc), Sym, 5, 11_800, "the first send meets the first receive";
            gate_first_mpsc_sym: gate::first(mpsc), Sym, 5, 11_300, "the same";
            gate_first_spmc_sym: gate::first(spmc), Sym, 5, 13_400, "the same";
            gate_first_spsc_sym: gate::first(indexed), Sym, 5, 8_600, "the same";
            gate_first_spsc_stamped_sym: gate::first(spsc), Sym, 5, 12_800, "the same";
            gate_1p1c_sym: gate::both_sleep(mpmc), Sym, 2, 27_000, "both sides sleep, also on a claimed slot";
            gate_1p1c_spsc_sym: gate::both_sleep(indexed), Sym, 2, 19_300, "both sides sleep";
            gate_1p1c_spsc_stamped_sym: gate::both_sleep(spsc), Sym, 2, 13_600, "the same";
            gate_2p1c_sym: gate::stalled_sender(mpmc), Sym, 1, 12_300, "a stalled sender before a published item";
            gate_2p1c_mpsc_sym: gate::stalled_sender(mpsc), Sym, 1, 12_300, "the same, exclusive head";
            gate_1p2c_sym: gate::two_receivers(mpmc, Chain), Sym, 1, 5_400, "two asleep: the wake is handed on";
            gate_1p2c_spmc_sym: gate::two_receivers(spmc, Chain), Sym, 1, 7_200, "the same, exclusive tail";
            gate_full_2p1c_sym: gate::two_senders(mpmc, Chain), Sym, 1, 10_300, "two senders asleep on a full pipe";
            gate_full_2p1c_mpsc_sym: gate::two_senders(mpsc, Chain), Sym, 2, 230_000, "the same, exclusive head";
            gate_edge_1p2c_sym: gate::two_receivers(mpmc, OnEdge), Sym, 1, 5_800, "one edge: handed on";
            sym_switch: gate::to_sym(indexed), Barrier, 2, 49_000, "a switch to SYM at any moment";
            sym_switch_mpmc: gate::to_sym(mpmc), Barrier, 1, 6_600, "the same";
            sym_switch_1p2c: gate::to_sym_2c(spmc), Barrier, 0, 4_600, "the same, two waiters";
            sym_back: gate::to_light(indexed), Barrier, 2, 33_000, "a switch back at any moment";
            sym_back_mpmc: gate::to_light(mpmc), Barrier, 2, 56_000, "the same";
            frozen_receiver: frozen::receiver(mpmc, Chain), Barrier, 1, 36_000, "woken and frozen: another receives";
            frozen_receiver_edge: frozen::receiver(spmc, OnEdge), Barrier, 1, 67_000, "the same";
            frozen_sender: frozen::sender(mpmc, Chain), Barrier, 1, 26_000, "woken and frozen: another sends";
            frozen_sender_edge: frozen::sender(mpsc, OnEdge), Barrier, 1, 23_000, "the same";
            frozen_waker: frozen::waker(), Barrier, 1, 31_000, "frozen before its wake: another wakes";
            close_senders: close::senders(mpmc), Barrier, 4, 43_000, "recv: the last sender's item first";
            close_senders_spsc: close::senders(indexed), Barrier, 4, 41_000, "the same";
            close_senders_try: close::senders_try(mpmc), Barrier, 5, 24, "try_recv: the item, then Disconnected";
            close_senders_timeout: close::senders_timeout(mpmc), Barrier, 4, 43_000, "recv_timeout: the same";
            close_senders_2p: close::senders_2p(mpmc), Barrier, 3, 25_000, "two last senders: both items first";
            close_empty: close::empty(mpmc), Barrier, 5, 311, "nobody sleeps beside a closing";
            close_empty_spsc: close::empty(indexed), Barrier, 5, 311, "the same";
            close_empty_2c: close::empty_2c(), Barrier, 3, 95_000, "a closing wakes all";
            close_receivers: close::receivers(mpmc), Barrier, 5, 1_000, "a send in flight: back, or dropped";
            close_receivers_spsc: close::receivers(indexed), Barrier, 5, 512, "two discarders, one at a time";
            close_receivers_spsc_stamped: close::receivers(spsc), Barrier, 5, 781, "the same";
            close_receivers_2p: close::receivers_2p(mpmc), Barrier, 3, 23_000, "two sends in flight";
            close_receivers_mpsc: close::receivers_2p(mpsc), Barrier, 3, 23_000, "three discarders, one at a time";
            close_receivers_slow: close::receivers_slow(indexed), Barrier, 3, 1_600, "gone before the wake of its sender";
            close_receivers_full: close::receivers_full(mpmc), Barrier, 4, 3_900, "a sender on a full pipe: back";
            close_receivers_full_spsc: close::receivers_full(indexed), Barrier, 4, 5_200, "the same, indexed ring";
            close_receivers_full_spmc: close::receivers_full(spmc), Barrier, 4, 5_900, "the same, exclusive tail";
            close_receivers_sym: close::receivers(mpmc), Sym, 5, 2_700, "a send in flight";
            close_receivers_spsc_sym: close::receivers(indexed), Sym, 5, 885, "a send in flight";
            close_receivers_2p_sym: close::receivers_2p(mpmc), Sym, 2, 4_200, "two sends in flight";
            timeout_recv: timeout::recv(), Barrier, 3, 17_200, "an item is received in time or stays";
            timeout_send: timeout::send(), Barrier, 3, 17_600, "an item is sent in time or comes back";
            timeout_1p2c: timeout::taken_1p2c(), Barrier, 0, 6, "who gives up passes its wake on";
            timeout_recv_sym: timeout::recv(), Sym, 2, 2_100, "an item is received in time or stays";
            timeout_1p2c_late: timeout::taken_1p2c_late(), Barrier, 0, 13_500, "who gives up passes its wake on";
            timeout_1p2c_late_sym: timeout::taken_1p2c_late(), Sym, 1, 33_000, "who gives up passes its wake on";
            timeout_1p2c_sym: timeout::taken_1p2c(), Sym, 1, 68_000, "who gives up passes its wake on";
            timeout_edge: timeout::two_items(mpmc, OnEdge), Barrier, 1, 26_000, "who gives up passes its wake on";
            timeout_edge_sym: timeout::two_items(mpmc, OnEdge), Sym, 1, 2_800, "who gives up passes its wake on";
            handles_word: handles::word(), Barrier, 5, 129, "one last put, which sees what all wrote";
            handles_senders: handles::senders(), Barrier, 3, 10_100, "Disconnected at the end only";
            handles_both_ends: handles::both_ends(mpmc), Barrier, 5, 46, "both last handles drop an item once";
            handles_both_ends_spsc: handles::both_ends(indexed), Barrier, 5, 46, "the same";
            lockref_get: lockref::pairs(Get), Barrier, 4, 2_800, "against each operation: as if one by one";
            lockref_get_not_zero: lockref::pairs(GetNotZero), Barrier, 4, 2_900, "the same";
            lockref_put_not_zero: lockref::pairs(PutNotZero), Barrier, 4, 2_500, "the same";
            lockref_put_return: lockref::pairs(PutReturn), Barrier, 4, 406, "the same";
            lockref_put_or_lock: lockref::pairs(PutOrLock), Barrier, 4, 6_900, "the same, the last one under the lock";
            lockref_lock: lockref::pairs(LockAndGet), Barrier, 4, 11_700, "the same, under the lock";
            lockref_mark_dead: lockref::pairs(LockAndMarkDead), Barrier, 4, 8_700, "the same";
            lockref_cell: lockref::cell(), Barrier, 5, 914, "one holder at a time, who sees the last one's";
            lockref_sleeper: lockref::lockers(1), Barrier, 5, 90, "a locker asleep is called";
            lockref_sleepers: lockref::lockers(2), Barrier, 2, 21_000, "and calls the next one";
            lockref_late: lockref::late(), Barrier, 1, 312_000, "who gives up leaves nobody asleep";
            lockref_last_put: lockref::last_put(), Barrier, 5, 14, "the last put sees what all wrote";
            lockref_death: lockref::death(), Barrier, 5, 22_000, "taken down once, and under nobody";
            stream_1p1c: bytes::through(bytes::stream(2), 3, 1, 2), Barrier, 2, 46_000, "read after written, written after read";
            stream_first: bytes::through(bytes::stream(1), 1, 1, 1), Barrier, 4, 2_000, "the first write meets the first read";
            stream_sleep: bytes::through(bytes::stream(1), 2, 2, 1), Barrier, 2, 7_000, "both sides sleep";
            stream_first_sym: bytes::through(bytes::stream(1), 1, 1, 1), Sym, 4, 3_900, "the first write meets the first read";
            stream_sleep_sym: bytes::through(bytes::stream(1), 2, 2, 1), Sym, 2, 8_500, "both sides sleep";
            stream_grant: bytes::grant(), Barrier, 2, 2_300, "written and read where it is";
            stream_close: bytes::close(bytes::stream(1)), Barrier, 3, 6_000, "the last byte, then the end of the stream";
            stream_broken: bytes::broken(bytes::stream(1)), Barrier, 3, 118, "the last reader goes: the writer is told";
            pieces_1p1c: bytes::through(bytes::pieces(2), 3, 1, 2), Barrier, 1, 2_100, "read after written, written after read";
            pieces_merge: bytes::merge(), Barrier, 2, 17_000, "a write joins a piece that is drained";
            shared_first: bytes::through(bytes::pieces(1), 1, 1, 1), Barrier, 3, 673, "the first write meets the first read";
            shared_sleep: bytes::through(bytes::pieces(1), 2, 2, 1), Barrier, 2, 30_000, "both sides sleep";
            shared_first_sym: bytes::through(bytes::pieces(1), 1, 1, 1), Sym, 3, 1_400, "the first write meets the first read";
            shared_sleep_sym: bytes::through(bytes::pieces(1), 2, 2, 1), Sym, 2, 35_000, "both sides sleep";
            shared_close: bytes::close(bytes::pieces(1)), Barrier, 3, 5_500, "the last byte, then the end of the stream";
            shared_broken: bytes::broken(bytes::pieces(1)), Barrier, 3, 143, "the last reader goes: the writer is told";
            shared_broken_2p: bytes::broken_line(), Barrier, 1, 40_000, "two writers in line are told";
            shared_1p2c: bytes::two_readers(), Barrier, 0, 180, "who leaves bytes hands on";
            shared_2p1c: bytes::two_writers(), Barrier, 0, 360, "unequal needs stand in line";
            shared_late: bytes::late(), Barrier, 0, 2_200, "who gives up leaves the line";
            shared_late_1p3c: bytes::late_reader(), Barrier, 0, 360, "who gives up behind the lock passes its wake on";
            shared_len: bytes::counts(), Barrier, 2, 159, "counts are never more than what is there";
            shared_resize: bytes::resize(), Barrier, 2, 176, "a writer has room by a resize";
            shared_resize_1p1c: bytes::resize_under(), Barrier, 0, 112, "a resize at any moment";
            shared_tries: bytes::tries(), Barrier, 2, 2_200, "a try waits for nobody";
            tokens_2t1: tokens::takers(1), Barrier, 4, 15_000, "two takers of one token";
            tokens_3t1: tokens::takers(2), Barrier, 1, 11_900, "three takers of one token";
            tokens_handed: tokens::handed(), Barrier, 2, 29_000, "passed once, then handed the token";
            tokens_timeout: tokens::timeout(), Barrier, 1, 10_100, "who gives up strands nobody";
        }
    };
}

macro_rules! table {
    ($($name:ident: $run:expr, $fences:ident, $bound:literal, $runs:literal, $what:literal;)+) => {
        /// Every model.
        pub const MODELS: &[Model] = &[$(Model {
            name: stringify!($name),
            what: $what,
            fences: hornpipe::model::Fences::$fences,
            bound: $bound,
            runs: $runs,
            run: || $run,
        }),+];
    };
}
each_model!(table);
