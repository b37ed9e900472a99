//! How a pipe is configured and made.

use crate::error::BuildError;
use crate::pipe::{Config, Shared};
use crate::receiver::Receiver;
use crate::relax::Relax;
use crate::ring::RingKind;
use crate::ring::position::MAX_CAPACITY;
use crate::sender::Sender;
#[cfg(feature = "std")]
use crate::spin::{Patience, Spin};
use crate::topology::{Mpmc, Topology};
use crate::wake::WakePolicy;
use core::fmt;
use core::marker::PhantomData;

/// Configures a pipe: a small `Copy` value that builds any number of pipes, of any item type.
///
/// Every setting has a default that is meant to be right: start with [`mpmc::bounded`](crate::mpmc::bounded).
///
/// ```
/// use hornpipe::{Builder, Mpmc, Relax, Spin};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), hornpipe::BuildError> {
/// let builder = Builder::<Mpmc>::new(64).retry(Relax::None).spin(Spin::Fixed(Duration::from_micros(5))).name("jobs");
/// let (tx, rx) = builder.build::<String>()?;
/// tx.send("one".to_string()).unwrap();
/// assert_eq!(rx.recv().unwrap(), "one");
/// # Ok(()) }
/// ```
pub struct Builder<K: Topology = Mpmc> {
    capacity: usize,
    retry: Relax,
    wake: WakePolicy,
    ring: Option<RingKind>,
    name: Option<&'static str>,
    #[cfg(feature = "std")]
    wait: Relax,
    #[cfg(feature = "std")]
    spin: Spin,
    #[cfg(feature = "std")]
    yields: Option<u8>,
    topology: PhantomData<fn() -> K>,
}

impl<K: Topology> Builder<K> {
    /// A pipe that holds exactly `capacity` items. Nothing is made, and nothing checked, before
    /// [`build`](Self::build).
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc};
    /// const JOBS: Builder<Mpmc> = Builder::new(8);
    /// let (tx, _rx) = JOBS.build::<u32>().unwrap();
    /// assert_eq!(tx.capacity(), Some(8));
    /// ```
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        Self {
            capacity,
            retry: Relax::RETRY,
            wake: WakePolicy::Chain,
            ring: None,
            name: None,
            #[cfg(feature = "std")]
            wait: Relax::WAIT,
            #[cfg(feature = "std")]
            spin: Spin::Adaptive,
            #[cfg(feature = "std")]
            yields: None,
            topology: PhantomData,
        }
    }

    /// What a thread does after it lost a compare-exchange. Default: [`Relax::RETRY`].
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc, Relax};
    /// let (_tx, _rx) = Builder::<Mpmc>::new(8).retry(Relax::Hint).build::<u32>().unwrap();
    /// ```
    #[must_use]
    pub const fn retry(mut self, relax: Relax) -> Self {
        self.retry = relax;
        self
    }

    /// What a thread does between two looks while it waits awake. Default: [`Relax::WAIT`].
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc, Relax};
    /// let (_tx, _rx) = Builder::<Mpmc>::new(8).wait(Relax::None).build::<u32>().unwrap();
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn wait(mut self, relax: Relax) -> Self {
        self.wait = relax;
        self
    }

    /// How long a blocking call looks before it sleeps. Default: [`Spin::Adaptive`].
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc, Spin};
    /// use std::time::Duration;
    /// let spin = Spin::Fixed(Duration::from_micros(20));
    /// let (_tx, _rx) = Builder::<Mpmc>::new(8).spin(spin).build::<u32>().unwrap();
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn spin(mut self, spin: Spin) -> Self {
        self.spin = spin;
        self
    }

    /// How often a wait gives its CPU to others before it sleeps, at most (0: never); under [`Spin::Adaptive`] it
    /// polls for the rest of its budget. Default: 1 where one CPU is usable; else 6, and under
    /// [`Spin::Adaptive`] more while the budget lasts.
    ///
    /// Not counted: the yield of a blocking call after a lost compare-exchange.
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc, Spin};
    /// // Asleep at once.
    /// let (_tx, _rx) = Builder::<Mpmc>::new(8).spin(Spin::None).yields(0).build::<u32>().unwrap();
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub const fn yields(mut self, yields: u8) -> Self {
        self.yields = Some(yields);
        self
    }

    /// Who is woken when a slot or an item becomes available. Default: [`WakePolicy::Chain`].
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc, WakePolicy};
    /// let (_tx, _rx) = Builder::<Mpmc>::new(8).wake(WakePolicy::Each).build::<u32>().unwrap();
    /// ```
    #[must_use]
    pub const fn wake(mut self, policy: WakePolicy) -> Self {
        self.wake = policy;
        self
    }

    /// Which ring carries the items. Default: [`RingKind::Indexed`] where there is one sender and one receiver
    /// ([`Spsc`](crate::Spsc)) and a capacity of 32 or more; [`RingKind::Stamped`] elsewhere.
    ///
    /// ```
    /// use hornpipe::{Builder, RingKind, Spsc};
    /// let (_tx, _rx) = Builder::<Spsc>::new(1).ring(RingKind::Stamped).build::<u32>().unwrap();
    /// ```
    #[must_use]
    pub const fn ring(mut self, kind: RingKind) -> Self {
        self.ring = Some(kind);
        self
    }

    /// A name for `Debug` output. Default: none.
    ///
    /// ```
    /// use hornpipe::{Builder, Mpmc};
    /// let (tx, _rx) = Builder::<Mpmc>::new(8).name("jobs").build::<u32>().unwrap();
    /// assert!(format!("{tx:?}").contains("jobs"));
    /// ```
    #[must_use]
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Makes the pipe: one slot an item of capacity, each an item (and on the stamped ring 4 bytes more, padded to their
    /// alignment). On Linux and Android (with `std`) large pipes take no time or memory for slots before these are first
    /// used.
    ///
    /// # Errors
    /// A capacity of 0, one that cannot be addressed (or above 2^31 items; 2^26 where a `usize` has less than 64
    /// bits), or one there is no memory for; the indexed ring for others than one sender and one receiver. Nothing is
    /// left behind.
    ///
    /// # Progress
    /// Waits for no peer, but allocates: as the allocator and the system allow. The process's first pipe with a single
    /// end may take milliseconds on Linux, if threads run already: the kernel prepares its barrier (membarrier).
    ///
    /// ```
    /// use hornpipe::{BuildError, Builder, Mpmc};
    /// let builder = Builder::<Mpmc>::new(2);
    /// let (numbers, _rx) = builder.build::<u64>().unwrap();
    /// let (names, _rx) = builder.build::<String>().unwrap(); // another pipe
    /// assert_eq!((numbers.capacity(), names.capacity()), (Some(2), Some(2)));
    /// assert_eq!(Builder::<Mpmc>::new(0).build::<u64>().unwrap_err(), BuildError::ZeroCapacity);
    /// ```
    #[expect(clippy::type_complexity, reason = "two ends, as every channel's constructor returns them")]
    pub fn build<T>(&self) -> Result<(Sender<T, K>, Receiver<T, K>), BuildError> {
        match self.capacity {
            0 => Err(BuildError::ZeroCapacity),
            requested if requested > MAX_CAPACITY => Err(BuildError::CapacityTooLarge { requested }),
            capacity => {
                let kind = self.ring.unwrap_or_else(|| K::ring(capacity));
                let shared = Shared::new(capacity, kind, self.config())?;
                Ok((Sender::first(shared), Receiver::first(shared)))
            }
        }
    }

    fn config(&self) -> Config {
        Config {
            retry: self.retry,
            wake: self.wake,
            name: self.name,
            #[cfg(feature = "std")]
            patience: Patience::new(self.spin, self.wait, self.yields, self.capacity),
        }
    }
}

// Written out: the derives would ask the same of K.
impl<K: Topology> Clone for Builder<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Topology> Copy for Builder<K> {}

impl<K: Topology> fmt::Debug for Builder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Builder");
        debug
            .field("capacity", &self.capacity)
            .field("retry", &self.retry)
            .field("wake", &self.wake)
            .field("ring", &self.ring);
        #[cfg(feature = "std")]
        debug.field("wait", &self.wait).field("spin", &self.spin).field("yields", &self.yields);
        debug.field("name", &self.name).finish_non_exhaustive()
    }
}
