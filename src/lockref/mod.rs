//! A lock and a count in one 64-bit word, as Linux lib/lockref.c has them: while the lock is free the count changes by
//! compare-exchange on the whole word, so nobody changes it behind a holder's back and nobody takes the lock to count.
//!
//! `word` is the word and its loop, `lock` its other half, [`Handles`] the pipe's own use of it; the public type needs
//! threads that can sleep.

mod handles;
mod word;

cfg_if::cfg_if! {
    if #[cfg(feature = "std")] {
        mod cell;
        mod guard;
        mod lock;
        mod public;
        pub use cell::{CellGuard, LockrefCell};
        pub use guard::LockrefGuard;
        pub use public::Lockref;
    }
}

pub use crate::error::CountError;
pub use handles::Handles;

use crate::sync::labels::labels;

labels! { "lockref";
    PUT: AcqRel, pairs "PUT, TAKE",
        why "all that any holder of a count did is before what the last put, or who locks after it, does",
        model "handles_word, lockref_last_put";
    TAKE: Acquire, pairs "LEAVE, PUT",
        why "the value and the count are the next holder's as the last one left them",
        model "lockref_cell";
    LEAVE: Release, pairs "TAKE",
        why "the value and the count are the next holder's as the last one left them",
        model "lockref_cell";
    CALL: Release, pairs "LISTEN",
        why "a locker that sees the new epoch sees the lock open",
        model "lockref_sleeper, lockref_sleepers";
    LISTEN: Acquire, pairs "CALL",
        why "a locker that has heard the call must not take its flag of before for one that still stands",
        model "lockref_sleeper, lockref_sleepers";
    FLAG: Step, pairs "LEAVE",
        why "the holder is told that somebody sleeps",
        model "lockref_sleeper";
    PASS_ON: Step, pairs "FLAG",
        why "who has slept tells its own end that others may sleep still",
        model "lockref_sleepers";
    GIVE_UP: Step, pairs "FLAG",
        why "who was called and gives up tells the holder, or calls, for those who sleep still",
        model "lockref_late";
}
