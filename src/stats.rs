//! What calls did besides moving items: counted on their slow paths, a block of counters a handle, summed when asked.
//! Without feature `stats` a [`Meter`] is nothing and counts nothing.

/// What is counted.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "stats"), allow(dead_code))]
pub(crate) enum Event {
    Retry,
    Escape,
    Full,
    Empty,
    Spin,
    Yield,
    Park,
    FutileWake,
    Wake,
    MissedWake,
}

cfg_if::cfg_if! {
    if #[cfg(feature = "stats")] {
        mod counted;
        pub use counted::Stats;
        pub(crate) use counted::{Meter, Meters};
    } else {
        /// A handle's counters: none.
        #[derive(Debug)]
        pub(crate) struct Meter;

        impl Meter {
            #[inline(always)]
            #[cfg_attr(not(feature = "std"), allow(dead_code))]
            pub(crate) fn add(&self, _: Event, _: u32) {}

            #[inline(always)]
            pub(crate) fn count(&self, _: Event) {}

            /// Whether what only counting needs is worth finding out.
            #[inline(always)]
            #[cfg(feature = "std")]
            pub(crate) const fn counts(&self) -> bool {
                false
            }
        }

        /// The pipe's list of them: none.
        #[derive(Debug)]
        pub(crate) struct Meters;

        impl Meters {
            pub(crate) const fn new() -> Self {
                Self
            }

            #[inline(always)]
            pub(crate) fn join(&self) -> Meter {
                Meter
            }

            #[inline(always)]
            pub(crate) fn leave(&self, _: &Meter) {}
        }
    }
}
