//! The asymmetric pair: a compiler barrier on the side that always runs, a process-wide barrier on the side that
//! is about to sleep anyway.
//!
//! | side | store | fence | load | partner |
//! |---|---|---|---|---|
//! | publish, release, claim | stamp or cursor | [`light`] | gate word | `heavy` |
//! | waiter whom a peer may not see, closer | gate word | [`heavy`] | cursor, stamp | `light` |
//! | the same, on a SYM gate | gate word | [`heavy`]: a full fence | cursor, stamp | the full fence SERVE |
//!
//! No pair is light-light, by type: who sleeps without a time limit holds an [`Ordered`], which a heavy fence gives, or a
//! read-modify-write of the peers' cursor (`ring` SETTLE); a light one gives nothing. Linux's membarrier, expedited and
//! private, is the heavy side (`sync::machine`); the light side needs no preparation. Where there is none, pipes are born
//! SYM: whoever looks at the gate then takes the cold path, which fences; and a gate whose sleepers come too often for a
//! barrier each time goes SYM for a while (`tempo`).

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
#[cfg(feature = "std")]
use crate::sync::atomic::{Ordering::SeqCst, fence};
use crate::sync::labels::{Label, labels};
use crate::sync::{has_barrier, light_fence, ready_barrier};

labels! { "fence";
    LIGHT: Step, pairs "HEAVY",
        why "what was stored before it is seen by whose HEAVY comes later; else that one's gate word is seen",
        model "gate_first, gate_first_mpsc, gate_first_spmc, gate_first_spsc, gate_first_spsc_stamped, \
               close_receivers, close_receivers_spsc, sym_switch";
    HEAVY: Step, pairs "LIGHT",
        why "a waiter whom a peer may not see, or a closer, sees what was stored before each LIGHT that does not see it",
        model "gate_first, gate_first_mpsc, gate_first_spmc, gate_first_spsc, gate_first_spsc_stamped, \
               close_receivers, close_receivers_spsc, sym_switch";
    HEAVY_SYM: Fence, pairs "SERVE",
        why "of a closer and a publisher on a SYM gate one sees the other: each fences between its store and its load \
             (so does a waiter, twice: its re-check has `fence::full` too)",
        model "close_receivers_sym, close_receivers_spsc_sym";
}

/// That what this thread announced comes before what it loads next, in the eyes of every peer that has not seen it.
#[derive(PartialEq, Eq, Debug)]
pub struct Ordered(());

impl Ordered {
    /// The `word` that peers claim by read-modify-writes, and order against those claims (`ring` SETTLE, `bytes` MEET).
    pub(crate) fn settle(word: &AtomicU64, label: &Label) -> (u64, Self) {
        // An RMW, not a load: it has a place between two claims in the word's one order.
        let seen = if label.kept() {
            word.fetch_or(0, label.order())
        } else {
            word.load(Relaxed) // Relaxed: the mutant
        };
        (seen, Self(()))
    }
}

/// Orders this thread's stores before its loads against every `heavy` fence.
#[inline(always)]
pub(crate) fn light() {
    if LIGHT.kept() {
        light_fence();
    }
}

/// Orders what this thread stored against every `light` fence; with `sym` against full ones only, which its peers make
/// then. `None`: the system cannot, though it had promised.
pub(crate) fn heavy(sym: bool) -> Option<Ordered> {
    HEAVY_SYM.fence();
    (sym || barrier()).then_some(Ordered(()))
}

/// Every running thread of the process fences during this call; false: the system cannot, though it had promised.
pub(crate) fn barrier() -> bool {
    !HEAVY.kept() || crate::sync::barrier()
}

/// A waiter's second look must not be older than its first: in the language's model and on POWER another's claim, seen
/// here, need not be seen by whoever fences next (arch-notes/fence, `between`).
#[cfg(feature = "std")]
pub(crate) fn full() {
    fence(SeqCst);
}

/// Whether a gate has to be born SYM: there is no process-wide barrier. Behind an `exclusive` cursor its first sleeper
/// will need one, and what can be prepared is prepared now rather than in that one's wait.
pub(crate) fn born_sym(exclusive: bool) -> bool {
    if exclusive { !ready_barrier() } else { !has_barrier() }
}
