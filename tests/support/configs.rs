//! The switches of a pipe as data, so that one test body runs under all of them.

use hornpipe::{Builder, Receiver, Relax, Sender, Spin, Topology, WakePolicy, bytes};
use std::num::NonZeroU8;
use std::time::Duration;

/// One setting of a pipe's switches.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// For both verbs; `None` leaves the builder's own two.
    pub relax: Option<Relax>,
    pub spin: Spin,
    pub wake: WakePolicy,
    /// `None` leaves the builder's own number.
    pub yields: Option<u8>,
}

impl Default for Config {
    /// All as the builder has it.
    fn default() -> Self {
        Self { relax: None, spin: Spin::default(), wake: WakePolicy::default(), yields: None }
    }
}

impl Config {
    /// A pipe of `cap` items under this setting.
    #[track_caller]
    pub fn pipe<T>(self, cap: usize) -> (Sender<T>, Receiver<T>) {
        self.builder(cap).build().expect("a pipe of a few items can be built")
    }

    /// What of it a byte pipe has: how its threads wait.
    pub fn bytes<K: bytes::Kind>(self, builder: bytes::Builder<K>) -> bytes::Builder<K> {
        let builder = builder.spin(self.spin);
        let builder = match self.relax {
            Some(relax) => builder.wait(relax),
            None => builder,
        };
        match self.yields {
            Some(yields) => builder.yields(yields),
            None => builder,
        }
    }

    /// What builds it, on any topology.
    pub fn builder<K: Topology>(self, cap: usize) -> Builder<K> {
        let builder = Builder::new(cap).spin(self.spin).wake(self.wake);
        let builder = match self.relax {
            Some(relax) => builder.retry(relax).wait(relax),
            None => builder,
        };
        match self.yields {
            Some(yields) => builder.yields(yields),
            None => builder,
        }
    }
}

pub const RELAXES: [Relax; 4] = [
    Relax::None,
    Relax::Hint,
    Relax::Hints(NonZeroU8::new(4).unwrap()),
    Relax::Backoff { max: Duration::from_micros(50) },
];
pub const SPINS: [Spin; 3] = [Spin::None, Spin::Fixed(Duration::from_micros(20)), Spin::Adaptive];
pub const WAKES: [WakePolicy; 6] = [
    WakePolicy::Chain,
    WakePolicy::Each,
    WakePolicy::All,
    WakePolicy::OnEdge,
    WakePolicy::OnRelease,
    WakePolicy::Proactive,
];

/// Whether a thread that was woken and never runs holds up the other sleepers until a call finds the pipe full or empty:
/// the documented limit of these policies.
pub const fn depends_on_the_woken(wake: WakePolicy) -> bool {
    matches!(wake, WakePolicy::Chain | WakePolicy::OnEdge | WakePolicy::OnRelease)
}

/// Every relax x spin x wake policy; under Miri each of their values once.
pub fn all_configs() -> Vec<Config> {
    let mut configs = Vec::new();
    for (r, relax) in RELAXES.into_iter().enumerate() {
        for (s, spin) in SPINS.into_iter().enumerate() {
            for (w, wake) in WAKES.into_iter().enumerate() {
                if !cfg!(miri) || (r % 3 == s && w % 3 == s) {
                    configs.push(Config { relax: Some(relax), spin, wake, yields: None });
                }
            }
        }
    }
    configs
}

/// Every way to wait, and none at all: what a byte pipe can be told of it.
pub fn all_waits() -> Vec<Config> {
    let wake = WakePolicy::Chain;
    let mut waits: Vec<_> = all_configs().into_iter().filter(|config| config.wake == wake).collect();
    waits.extend([Config::default(), sleepy(wake)]);
    waits
}

/// A pipe whose threads go to sleep at once: no spin, no yields.
pub fn sleepy(wake: WakePolicy) -> Config {
    Config { relax: Some(Relax::None), spin: Spin::None, wake, yields: Some(0) }
}

/// [`sleepy`] under every wake policy.
pub fn sleepy_policies() -> [Config; 6] {
    WAKES.map(sleepy)
}
