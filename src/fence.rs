//! The asymmetric pair: a compiler barrier on the side that always runs, a process-wide barrier on the side that
//! is about to sleep anyway.
//!
//! | side | store | fence | load | partner |
//! |---|---|---|---|---|
//! | publish, release, claim | stamp or cursor | [`light`] | gate word | `heavy` |
//! | waiter on a claimed slot, closer | gate word | [`heavy`] | cursor, stamp | `light` |
//!
//! No pair is light-light: `light` is called before a look at the gates only, and what pairs with it is the
//! [`heavy`] of a waiter or closer. (A waiter on an *unclaimed* slot needs neither, see `ring` SETTLE.) Linux's
//! membarrier, expedited and private, is the heavy side (`sync::machine`); the light side needs no preparation.
//! Where there is none, pipes are born SYM: whoever looks at the gate then takes the cold path, which fences.

use crate::sync::atomic::{Ordering::SeqCst, fence};
use crate::sync::labels::labels;
use crate::sync::{barrier, has_barrier, light_fence};

labels! { "fence";
    LIGHT: Step, pairs "HEAVY",
        why "what was stored before it is seen by whose HEAVY comes later; else that one's gate word is seen",
        model "gate_first, close_receivers";
    HEAVY: Step, pairs "LIGHT",
        why "a waiter on a claimed slot, or a closer, sees what was stored before each LIGHT that does not see it",
        model "gate_first, close_receivers";
}

/// Orders this thread's stores before its loads against every `heavy` fence.
#[inline(always)]
pub(crate) fn light() {
    if LIGHT.kept() {
        light_fence();
    }
}

/// Orders this thread's stores before its loads against every `light` fence, or says that it cannot.
///
/// With `sym` the other side fences fully itself, and a full fence is enough here.
pub(crate) fn heavy(sym: bool) -> bool {
    fence(SeqCst);
    sym || !HEAVY.kept() || barrier()
}

/// A waiter's second look must not be older than its first: no such machine is known but in the language's model and
/// POWER's, where another's claim, seen here, need not be seen by whoever fences next.
#[cfg(feature = "std")]
pub(crate) fn full() {
    fence(SeqCst);
}

/// Whether a pipe has to be born SYM: there is no process-wide barrier.
pub(crate) fn born_sym() -> bool {
    !has_barrier()
}
