//! The topologies with their rings, and the baseline, as types: what a test body can run on.

use super::{Config, Receives, Sends};
use hornpipe::{BuildError, Mpmc, Mpsc, Receiver, RingKind, Sender, Spmc, Spsc};

/// A topology with one of its rings.
pub trait Kind: 'static {
    const NAME: &'static str;
    /// Whether there may be many senders, many receivers.
    const MANY: (bool, bool);
    type Tx<T: Send + 'static>: Sends<T>;
    type Rx<T: Send + 'static>: Receives<T>;

    /// A pipe of `cap` items under these settings, if it can be had.
    #[expect(clippy::type_complexity, reason = "two ends, as every channel's constructor returns them")]
    fn build<T: Send + 'static>(config: Config, cap: usize)
    -> Result<(Self::Tx<T>, Self::Rx<T>), BuildError>;

    /// The same for a few items.
    #[track_caller]
    fn pipe<T: Send + 'static>(config: Config, cap: usize) -> (Self::Tx<T>, Self::Rx<T>) {
        Self::build(config, cap).expect("a pipe of a few items can be built")
    }

    /// The same with the builder's own settings.
    #[track_caller]
    fn bounded<T: Send + 'static>(cap: usize) -> (Self::Tx<T>, Self::Rx<T>) {
        Self::pipe(Config::default(), cap)
    }
}

macro_rules! kinds {
    ($($name:ident: $topology:ident on $ring:ident, $many:expr;)+) => {
        $(pub enum $name {}

        impl Kind for $name {
            const NAME: &'static str = stringify!($name);
            const MANY: (bool, bool) = $many;
            type Tx<T: Send + 'static> = Sender<T, $topology>;
            type Rx<T: Send + 'static> = Receiver<T, $topology>;

            fn build<T: Send + 'static>(
                config: Config,
                cap: usize,
            ) -> Result<(Self::Tx<T>, Self::Rx<T>), BuildError> {
                config.builder(cap).ring(RingKind::$ring).build()
            }
        })+
    };
}

kinds! {
    SpscIndexed: Spsc on Indexed, (false, false);
    SpscStamped: Spsc on Stamped, (false, false);
    MpscStamped: Mpsc on Stamped, (true, false);
    SpmcStamped: Spmc on Stamped, (false, true);
    MpmcStamped: Mpmc on Stamped, (true, true);
}

/// The mutex pipe.
#[cfg(feature = "baseline")]
pub enum Baseline {}

#[cfg(feature = "baseline")]
impl Kind for Baseline {
    const NAME: &'static str = "Baseline";
    const MANY: (bool, bool) = (true, true);
    type Tx<T: Send + 'static> = hornpipe::baseline::typed::Sender<T>;
    type Rx<T: Send + 'static> = hornpipe::baseline::typed::Receiver<T>;

    fn build<T: Send + 'static>(_: Config, cap: usize) -> Result<(Self::Tx<T>, Self::Rx<T>), BuildError> {
        Ok(hornpipe::baseline::typed::bounded(cap))
    }
}

#[allow(unused_macros)] // as the rest of this folder
/// Makes of each `fn name<K: Kind>()` a module of tests, one a ring.
macro_rules! on_each_ring {
    ($($body:ident),+ $(,)?) => {
        $($crate::support::on_each_ring! {
            @ $body spsc_indexed SpscIndexed, spsc_stamped SpscStamped, mpsc MpscStamped, spmc SpmcStamped,
            mpmc MpmcStamped
        })+
    };
    (@ $body:ident $($test:ident $kind:ident),+) => {
        mod $body {
            $(#[test]
            fn $test() {
                super::$body::<$crate::support::$kind>();
            })+
        }
    };
}
pub(crate) use on_each_ring;
