//! hornpipe's ring in its topologies, with its switches.

use std::{
    task::Poll::{self, Pending, Ready},
    time::Duration,
};

use hornpipe::{Builder, Mpmc, Mpsc, Relax, RingKind, Spin, Spmc, Spsc, Topology, WakePolicy};
use serde::{Deserialize, Serialize};

use super::{Channel, ends, many, single};
use crate::workload::Shape;

/// Declares one of a switch's kinds of value: each with its name and what the library calls it.
macro_rules! setting {
    ($(#[$doc:meta])* $name:ident -> $library:ty { $($(#[$case_doc:meta])* $case:ident = $text:literal => $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$case_doc])* $case,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$case),+];

            /// As the tables show it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$case => $text,)+ }
            }

            fn library(self) -> $library {
                match self { $(Self::$case => $value,)+ }
            }
        }
    };
}

/// The longest back-off of the `backoff` column: some ten line transfers.
pub const BACKOFF: Duration = Duration::from_micros(1);

/// The spin budget of the `5us` column: about one futex hand-off on one CPU.
pub const FIXED: Duration = Duration::from_micros(5);

setting! {
    /// What a sender does after a lost compare-exchange.
    Retry -> Relax {
        /// Tries again at once.
        None = "none" => Relax::None,
        /// One pause.
        Hint = "hint" => Relax::Hint,
        /// Doubling pauses up to [`BACKOFF`].
        Backoff = "backoff" => Relax::Backoff { max: BACKOFF },
    }
}

setting! {
    /// How long a waiter spins before it parks.
    Budget -> Spin {
        /// Not at all.
        None = "none" => Spin::None,
        /// [`FIXED`].
        Fixed = "5us" => Spin::Fixed(FIXED),
        /// As long as it has paid lately.
        Adaptive = "adaptive" => Spin::Adaptive,
    }
}

setting! {
    /// Whom a call wakes.
    Wake -> WakePolicy {
        /// One, who hands on: the default.
        Chain = "chain" => WakePolicy::Chain,
        /// One for each item.
        Each = "each" => WakePolicy::Each,
        /// All sleepers.
        All = "all" => WakePolicy::All,
        /// One where the pipe was full (empty).
        OnEdge = "on-edge" => WakePolicy::OnEdge,
        /// The same on a ring, by the kernel's other rule.
        OnRelease = "on-release" => WakePolicy::OnRelease,
        /// One for each item; who is woken hands on.
        Proactive = "proactive" => WakePolicy::Proactive,
    }
}

setting! {
    /// What carries the items of one sender and one receiver.
    Kind -> RingKind {
        /// Two positions: the default from a capacity of 32 on.
        Indexed = "indexed" => RingKind::Indexed,
        /// A stamp a slot: the default below.
        Stamped = "stamped" => RingKind::Stamped,
    }
}

/// A pipe of a topology, by the builder that this makes of a capacity.
pub(crate) struct Ring<K: Topology>(Box<dyn Fn(usize) -> Builder<K> + Send>);

/// As a user gets it.
impl<K: Topology> Default for Ring<K> {
    fn default() -> Self {
        Self(Box::new(Builder::new))
    }
}

impl<K: Topology> Ring<K> {
    /// With its switches set like that.
    pub(crate) fn with(switch: impl Fn(Builder<K>) -> Builder<K> + Send + 'static) -> Self {
        Self(Box::new(move |capacity| switch(Builder::new(capacity))))
    }

    pub(super) fn retrying(retry: Retry, spin: Budget) -> Self {
        Self::with(move |builder| builder.retry(retry.library()).spin(spin.library()))
    }

    pub(super) fn waking(wake: Wake) -> Self {
        Self::with(move |builder| builder.wake(wake.library()))
    }

    pub(super) fn of(kind: Kind) -> Self {
        Self::with(move |builder| builder.ring(kind.library()))
    }
}

/// Deals a topology's ends as it allows.
macro_rules! topology {
    ($topology:ident: $tx:ident, $rx:ident) => {
        impl Channel for Ring<$topology> {
            ends!(hornpipe::Sender<u64, $topology>, hornpipe::Receiver<u64, $topology>, hornpipe);

            fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
                let (tx, rx) = (self.0)(capacity).build().expect("a plan's capacities are valid");
                ($tx(tx, shape.senders), $rx(rx, shape.receivers))
            }
        }
    };
}

topology!(Spsc: single, single);
topology!(Mpsc: many, single);
topology!(Spmc: single, many);
topology!(Mpmc: many, many);
