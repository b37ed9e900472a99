//! The pipes of models, a function a topology. No spinning and no yields: whoever finds nothing goes to sleep.

use hornpipe::{Builder, Mpmc, Mpsc, Relax, RingKind, Spin, Spmc, Spsc, Topology};

/// A pipe of so many items.
pub type Make<K> = fn(usize) -> Builder<K>;

fn make<K: Topology>(capacity: usize) -> Builder<K> {
    Builder::new(capacity).spin(Spin::None).yields(0).retry(Relax::None)
}

/// Both cursors shared.
pub fn mpmc(capacity: usize) -> Builder<Mpmc> {
    make(capacity)
}

/// The receivers' cursor exclusive.
pub fn mpsc(capacity: usize) -> Builder<Mpsc> {
    make(capacity)
}

/// The senders' cursor exclusive.
pub fn spmc(capacity: usize) -> Builder<Spmc> {
    make(capacity)
}

/// Both cursors exclusive, on the stamped ring.
pub fn spsc(capacity: usize) -> Builder<Spsc> {
    make(capacity).ring(RingKind::Stamped)
}

/// Both cursors exclusive, on the indexed ring.
pub fn indexed(capacity: usize) -> Builder<Spsc> {
    make(capacity).ring(RingKind::Indexed)
}
