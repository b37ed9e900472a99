//! The facade over core, std and loom: the only folder that names loom.
//!
//! Algorithm files take atomics, cells, yields, the clock and slot memory from here and are the same text in
//! every build. Three cfgs change what stands behind it: `hornpipe_loom` (models), `hornpipe_hooks` (stall
//! points and counters), `hornpipe_small` (narrow laps, see `ring::position`).

pub(crate) mod labels;
pub(crate) mod point;

cfg_if::cfg_if! {
    if #[cfg(hornpipe_loom)] {
        mod modelled;
        pub(crate) use modelled::*;
        pub use modelled::{Fences, begin, set_fences};
    } else {
        #[cfg(feature = "std")]
        mod buffer;
        mod machine;
        mod native;
        mod slots;
        #[cfg(feature = "std")]
        pub(crate) use buffer::Buffer;
        pub(crate) use machine::*;
        pub(crate) use native::*;
        pub(crate) use slots::Slots;
        #[cfg(feature = "std")]
        pub(crate) mod time;
    }
}

/// Types whose all-zero bytes are a valid value: the slots of an empty ring.
///
/// # Safety
/// Zeroed memory must be the value that `zeroed` returns.
pub(crate) unsafe trait Zeroed {
    /// The value, built without relying on bytes (loom's atomics are not bytes).
    #[cfg_attr(not(hornpipe_loom), allow(dead_code))]
    fn zeroed() -> Self;
}
