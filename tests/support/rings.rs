//! The topologies with their rings, and the baseline, as types: what a test body can run on.

use super::{Config, Receives, Sends};
use hornpipe::{Mpmc, Mpsc, Receiver, RingKind, Sender, Spmc, Spsc};

/// A topology with one of its rings.
pub trait Kind: 'static {
    const NAME: &'static str;
    /// Whether there may be many senders, many receivers.
    const MANY: (bool, bool);
    type Tx<T: Send + 'static>: Sends<T>;
    type Rx<T: Send + 'static>: Receives<T>;

    /// A pipe of `cap` items under these settings.
    fn pipe<T: Send + 'static>(config: Config, cap: usize) -> (Self::Tx<T>, Self::Rx<T>);

    /// The same with the builder's own settings.
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

            fn pipe<T: Send + 'static>(config: Config, cap: usize) -> (Self::Tx<T>, Self::Rx<T>) {
                config.pipe_on(RingKind::$ring, cap)
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

    fn pipe<T: Send + 'static>(_: Config, cap: usize) -> (Self::Tx<T>, Self::Rx<T>) {
        hornpipe::baseline::typed::bounded(cap)
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
