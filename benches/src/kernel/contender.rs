//! What runs an experiment: on which kind of pipe, with which of the threads' variants of it.

use std::{fmt, time::Duration};

use hornpipe::{
    Builder, Mpmc, Relax, Spin, Topology, WakePolicy,
    baseline::pages::{Merge, Options},
    bytes,
};
use serde::Serialize;

/// What they do it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// `hornpipe::Lockref`.
    Lockref,
    /// The system's pipe.
    Os,
    /// The kernel's pipe in user space.
    Pages,
    /// hornpipe's byte pipe that is shared.
    Shared,
    /// hornpipe's ring.
    Ring,
}

/// What the threads argued about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Nothing: as it comes.
    Default,
    /// K1: a hint after a lost compare-exchange.
    Pause,
    /// K1: none.
    NoPause,
    /// K1, access2 without the second shared word, with the hint.
    Patched,
    /// K1, access2 without the second shared word and without the hint.
    PatchedNoPause,
    /// K2: a writer is woken by a read that frees a buffer of a full pipe.
    Mainline,
    /// K2: by a read that began at a full pipe.
    WasFull,
    /// The same, but looks whether anybody sleeps before it takes the queue's lock.
    WasFullLooks,
    /// K2: whenever there is room and one sleeps.
    Proactive,
    /// K2 on the ring, whose own policy it is: one, who hands on.
    Chain,
    /// K3: into the last page if all of it fits.
    MergeWhole,
    /// K3: as much as fits.
    MergeFits,
    /// Beside them: each message for itself, on a page of its own.
    Packets,
    /// K4: the queue's lock inside the pipe's.
    TwoLocks,
    /// K4: the pipe's only.
    OneLock,
    /// K5: so many microseconds before sleeping.
    Spin(u8),
    /// K5: as long as it has paid lately.
    Adaptive,
}

/// Who runs a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Contender {
    /// On what.
    pub on: On,
    /// With which switch.
    pub variant: Variant,
}

impl Variant {
    /// A page pipe's switches.
    pub fn pages(self) -> Options {
        let options = Options::new();
        match self {
            Self::WasFull => options.wake(WakePolicy::OnEdge),
            Self::WasFullLooks => options.wake(WakePolicy::OnEdge).look_first(true),
            Self::Proactive => options.wake(WakePolicy::Proactive),
            Self::MergeFits => options.merge(Merge::Fits),
            Self::Packets => options.packets(true),
            Self::TwoLocks => options.inner_lock(true),
            Self::Spin(micros) => options.spin(spin(micros)),
            Self::Adaptive => options.spin(Spin::Adaptive),
            _ => options,
        }
    }

    /// A byte pipe's. As in the kernel nobody spins or yields.
    pub fn bytes(self, capacity: usize) -> bytes::Builder<Mpmc> {
        let sleeps = bytes::Builder::new(capacity).spin(Spin::None).yields(0);
        match self {
            Self::MergeFits => sleeps.merge(bytes::Merge::Fits),
            Self::Packets => sleeps.packets(true),
            _ => sleeps,
        }
    }

    /// A ring's. As in the kernel nobody spins or yields, unless that is the question.
    pub fn ring<K: Topology>(self, capacity: usize) -> Builder<K> {
        let (default, sleeps) = (Builder::new(capacity), Builder::new(capacity).spin(Spin::None).yields(0));
        match self {
            Self::Default => default,
            Self::Mainline => sleeps.wake(WakePolicy::OnRelease),
            Self::WasFull => sleeps.wake(WakePolicy::OnEdge),
            Self::Proactive => sleeps.wake(WakePolicy::Proactive),
            Self::Spin(micros) => sleeps.spin(spin(micros)),
            Self::Adaptive => sleeps.spin(Spin::Adaptive),
            _ => sleeps,
        }
    }

    /// What a compare-exchange loop does after a lost try.
    pub fn relax(self) -> Relax {
        if matches!(self, Self::Pause | Self::Patched) { Relax::Hint } else { Relax::None }
    }
}

fn spin(micros: u8) -> Spin {
    if micros == 0 { Spin::None } else { Spin::Fixed(Duration::from_micros(micros.into())) }
}

impl On {
    /// As tables show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lockref => "lockref",
            Self::Os => "os pipe",
            Self::Pages => "pages",
            Self::Shared => "shared",
            Self::Ring => "ring",
        }
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::Pause => "pause",
            Self::NoPause => "no pause",
            Self::Patched => "patched",
            Self::PatchedNoPause => "patched, no pause",
            Self::Mainline => "mainline",
            Self::WasFull => "was_full",
            Self::WasFullLooks => "was_full, looks",
            Self::Proactive => "proactive",
            Self::Chain => "chain",
            Self::MergeWhole => "whole",
            Self::MergeFits => "what fits",
            Self::Packets => "packets",
            Self::TwoLocks => "two locks",
            Self::OneLock => "one lock",
            Self::Spin(0) => "no spin",
            Self::Spin(micros) => return f.pad(&format!("{micros} us")),
            Self::Adaptive => "adaptive",
        })
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.on, self.variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Variant::{Adaptive, Chain, Mainline, OneLock, Proactive, Spin, TwoLocks, WasFull, WasFullLooks};
    use hornpipe::Mpsc;

    /// Two switches that change places, or a default that moves, would go on measuring something.
    #[test]
    fn each_variant_sets_the_switch_that_it_names() {
        for (variant, switches) in [
            (Mainline, "wake: OnRelease, spin: None, inner_lock: false, look_first: false"),
            (WasFull, "wake: OnEdge, spin: None, inner_lock: false, look_first: false"),
            (WasFullLooks, "wake: OnEdge, spin: None, inner_lock: false, look_first: true"),
            (Proactive, "wake: Proactive, spin: None, inner_lock: false, look_first: false"),
            (TwoLocks, "wake: OnRelease, spin: None, inner_lock: true, look_first: false"),
            (OneLock, "wake: OnRelease, spin: None, inner_lock: false, look_first: false"),
            (Spin(0), "wake: OnRelease, spin: None, inner_lock: false, look_first: false"),
            (Spin(5), "wake: OnRelease, spin: Fixed(5µs), inner_lock: false, look_first: false"),
            (Adaptive, "wake: OnRelease, spin: Adaptive, inner_lock: false, look_first: false"),
        ] {
            let set = format!("{:?}", variant.pages());
            assert!(set.contains(switches), "{variant}: {set}");
        }
        for (variant, [wake, spin]) in [
            (Mainline, ["wake: OnRelease,", "spin: None, yields: Some(0)"]),
            (WasFull, ["wake: OnEdge,", "spin: None, yields: Some(0)"]),
            (Proactive, ["wake: Proactive,", "spin: None, yields: Some(0)"]),
            (Chain, ["wake: Chain,", "spin: None, yields: Some(0)"]),
            (Spin(0), ["wake: Chain,", "spin: None, yields: Some(0)"]),
            (Spin(5), ["wake: Chain,", "spin: Fixed(5µs), yields: Some(0)"]),
            (Adaptive, ["wake: Chain,", "spin: Adaptive, yields: Some(0)"]),
        ] {
            let set = format!("{:?}", variant.ring::<Mpsc>(8));
            assert!(set.contains(wake) && set.contains(spin), "{variant}: {set}");
        }
    }

    #[test]
    fn both_kinds_of_pages_merge_alike() {
        use Variant::{MergeFits, MergeWhole, Packets};
        for (variant, switches) in [
            (MergeWhole, "merge: Whole, packets: false"),
            (MergeFits, "merge: Fits, packets: false"),
            (Packets, "merge: Whole, packets: true"),
        ] {
            let (pages, bytes) = (format!("{:?}", variant.pages()), format!("{:?}", variant.bytes(8)));
            assert!(pages.contains(switches) && bytes.contains(switches), "{variant}: {pages} {bytes}");
            assert!(bytes.contains("spin: None") && bytes.contains("yields: Some(0)"), "{bytes}");
        }
    }

    #[test]
    fn only_k1s_base_pauses() {
        for (stock, without) in
            [(Variant::Pause, Variant::NoPause), (Variant::Patched, Variant::PatchedNoPause)]
        {
            assert_eq!([stock.relax(), without.relax()], [Relax::Hint, Relax::None]);
        }
    }
}
