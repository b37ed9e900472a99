//! The asymmetric pair: a compiler barrier on the side that always runs, a process-wide barrier on the side that
//! is about to sleep anyway.
//!
//! | side | store | fence | load | partner |
//! |---|---|---|---|---|
//! | publish, release, claim | stamp or cursor | [`light`] | gate word | `heavy` |
//! | waiter on a claimed slot, closer | gate word | [`heavy`] | cursor, stamp | `light` |
//!
//! No pair is light-light: `light` is called in one place, before a gate's look, and what pairs with it is the
//! [`heavy`] of a waiter or closer. (A waiter on an *unclaimed* slot needs neither, see `ring` SETTLE.) Linux's
//! membarrier, expedited and private, is the heavy side; it needs no registration before the light side runs.
//! Where there is none, pipes are born SYM: whoever looks at the gate then takes the cold path, which fences.

pub(crate) use crate::sync::light_fence as light;
use crate::sync::atomic::{Ordering::SeqCst, fence};

/// Orders this thread's stores before its loads against every `light` fence, or says that it cannot.
///
/// With `sym` the other side fences fully itself, and a full fence is enough here.
pub(crate) fn heavy(sym: bool) -> bool {
    fence(SeqCst);
    sym || barrier()
}

/// Whether a pipe has to be born SYM: there is no process-wide barrier.
pub(crate) fn born_sym() -> bool {
    !exists()
}

cfg_if::cfg_if! {
    if #[cfg(hornpipe_loom)] {
        // A model's light fence is a full one, or the model never needs a heavy one.
        use crate::sync::heavy_orders as barrier;
        const fn exists() -> bool {
            true
        }
    } else if #[cfg(all(feature = "std", not(miri), any(target_os = "linux", target_os = "android")))] {
        use rustix::thread::{MembarrierCommand as Command, membarrier, membarrier_query};
        use std::sync::OnceLock;

        fn exists() -> bool {
            static EXISTS: OnceLock<bool> = OnceLock::new();
            *EXISTS.get_or_init(|| membarrier_query().contains_command(Command::PrivateExpedited))
        }

        /// Registers when it has to: with threads running that may take milliseconds, which no `build` and no
        /// pipe that never meets a stalled peer should pay. (A forked child registers anew.)
        fn barrier() -> bool {
            let order = || membarrier(Command::PrivateExpedited).is_ok();
            order() || (membarrier(Command::RegisterPrivateExpedited).is_ok() && order())
        }
    } else {
        const fn exists() -> bool {
            false
        }
        const fn barrier() -> bool {
            false
        }
    }
}
