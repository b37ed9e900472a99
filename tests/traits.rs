//! What the types promise: marker traits, checked while compiling, and how errors read and convert.

use hornpipe::{
    BuildError, Builder, CellGuard, CountError, Lockref, LockrefCell, LockrefGuard, ManyReceivers,
    ManySenders, Mpmc, Mpsc, Receiver, RecvError, RecvTimeoutError, Relax, RingKind, SendError,
    SendTimeoutError, Sender, Spin, Spmc, Spsc, Token, TokenPool, Topology, TryRecvError, TrySendError,
    WakePolicy,
};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::cell::{Cell, UnsafeCell};
use std::error::Error;
use std::fmt::{Debug, Display};
use std::iter::FusedIterator;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

// scenario_31: the ends follow their items: `Send` is all that is asked of `T`, and it is asked.
assert_impl_all!(Sender<u8>: Send, Sync, Clone, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Receiver<u8>: Send, Sync, Clone, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Sender<Cell<u8>>: Send, Sync, Clone, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Receiver<Cell<u8>>: Send, Sync, Clone, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Sender<Rc<()>>: Send, Sync);
assert_not_impl_any!(Receiver<Rc<()>>: Send, Sync);
assert_not_impl_any!(Sender<*const u8>: Send, Sync);
assert_not_impl_any!(Receiver<std::sync::MutexGuard<'static, u8>>: Send, Sync);
// No bound on the structs: a pipe of items that stay in their thread is fine.
assert_impl_all!(Sender<Rc<()>>: Clone, Debug);
assert_impl_all!(Receiver<UnsafeCell<Rc<()>>>: Clone, Debug, Unpin);

// Single ends move between threads, and neither multiply nor serve two at once; nothing else is different.
assert_impl_all!(Sender<u8, Spsc>: Send, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Receiver<u8, Spsc>: Send, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Sender<u8, Spsc>: Sync, Clone);
assert_not_impl_any!(Receiver<u8, Spsc>: Sync, Clone);
assert_impl_all!(Sender<u8, Mpsc>: Send, Sync, Clone, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Receiver<u8, Mpsc>: Send, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Receiver<u8, Mpsc>: Sync, Clone);
assert_impl_all!(Sender<u8, Spmc>: Send, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Sender<u8, Spmc>: Sync, Clone);
assert_impl_all!(Receiver<u8, Spmc>: Send, Sync, Clone, Debug, Unpin, UnwindSafe, RefUnwindSafe);
// They follow their items as the others do.
assert_impl_all!(Sender<Cell<u8>, Spsc>: Send);
assert_impl_all!(Receiver<Cell<u8>, Spsc>: Send);
assert_not_impl_any!(Sender<Rc<()>, Spsc>: Send);
assert_not_impl_any!(Receiver<Rc<()>, Spsc>: Send);
assert_not_impl_any!(Sender<Rc<()>, Mpsc>: Send, Sync);
assert_not_impl_any!(Receiver<Rc<()>, Spmc>: Send, Sync);
// `Many` is what may be cloned, in generic code too.
assert_impl_all!(Mpsc: Topology, ManySenders);
assert_impl_all!(Spmc: Topology, ManyReceivers);
assert_impl_all!(Mpmc: Topology, ManySenders, ManyReceivers);
assert_not_impl_any!(Spsc: ManySenders, ManyReceivers);
assert_not_impl_any!(Mpsc: ManyReceivers);
assert_not_impl_any!(Spmc: ManySenders);

// A lockref's value is with one thread at a time, so `Send` is all that is asked of it; a guard is like `&mut`.
assert_impl_all!(Lockref: Send, Sync, Debug, Unpin);
assert_impl_all!(LockrefGuard<'static>: Send, Sync, Debug);
assert_impl_all!(LockrefCell<Cell<u8>>: Send, Sync, Debug);
assert_not_impl_any!(LockrefCell<Rc<()>>: Send, Sync);
assert_impl_all!(CellGuard<'static, Cell<u8>>: Send, Debug);
assert_not_impl_any!(CellGuard<'static, Cell<u8>>: Sync);
assert_not_impl_any!(CellGuard<'static, Rc<()>>: Send, Sync);
// A pool's handle and its tokens may go anywhere.
assert_impl_all!(TokenPool: Send, Sync, Clone, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Token: Send, Sync, Debug, Unpin, UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(Token: Clone);
assert_impl_all!(CountError: Error, Debug, Display, Copy, Send, Sync, Unpin);

// A handle is one pointer, whatever the item, as long as it counts nothing.
#[cfg(not(feature = "stats"))]
mod sizes {
    use super::*;
    use static_assertions::assert_eq_size;

    #[cfg(all(target_os = "linux", not(any(feature = "condvar", miri))))]
    assert_eq_size!(Lockref, [u64; 4]);

    assert_eq_size!(Sender<u8>, usize);
    assert_eq_size!(Receiver<[u64; 100]>, usize);
    assert_eq_size!(Sender<u8, Spsc>, usize);
    assert_eq_size!(Receiver<u8, Spsc>, usize);
    assert_eq_size!(Option<Sender<String, Mpsc>>, usize);
    assert_eq_size!(Option<Receiver<String, Spmc>>, usize);
}

assert_impl_all!(Builder<Mpmc>: Copy, Debug, Send, Sync);
assert_impl_all!(Builder<Spsc>: Copy, Debug, Send, Sync);
assert_impl_all!(RingKind: Copy, Debug, Default, Eq, Send, Sync);
assert_impl_all!(Relax: Copy, Debug, Default, PartialEq, Send, Sync);
assert_impl_all!(Spin: Copy, Debug, Default, PartialEq, Send, Sync);
assert_impl_all!(WakePolicy: Copy, Debug, Default, PartialEq, Send, Sync);

assert_impl_all!(BuildError: Error, Copy, Eq, Send, Sync);
assert_impl_all!(RecvError: Error, Copy, Eq, Send, Sync);
assert_impl_all!(TryRecvError: Error, Copy, Eq, Send, Sync);
assert_impl_all!(RecvTimeoutError: Error, Copy, Eq, Send, Sync);
assert_impl_all!(SendError<u8>: Copy, Eq, Send, Sync);
assert_impl_all!(SendError<Rc<()>>: Error);
assert_impl_all!(TrySendError<Rc<()>>: Error);
assert_impl_all!(SendTimeoutError<Rc<()>>: Error);

/// An item that can do nothing at all.
struct Opaque;

/// The iterators end for good or not as their names say, and the two that wait are fused.
#[test]
fn iterators_are_iterators() {
    fn fused<I: FusedIterator<Item = u8> + Debug>(iter: I) -> usize {
        iter.count()
    }
    fn plain<I: Iterator<Item = u8> + Debug>(iter: I) -> usize {
        iter.count()
    }
    let (tx, rx) = hornpipe::mpmc::bounded(4);
    (0..4).for_each(|n| tx.send(n).unwrap());
    assert_eq!(plain(rx.try_iter()), 4);
    (0..3).for_each(|n| tx.send(n).unwrap());
    drop(tx);
    let clone = rx.clone();
    assert_eq!(fused(rx.iter()) + fused(clone.into_iter()), 3);
}

/// Errors read as lower-case sentences without a full stop, and as crossbeam's do when printed for debugging: never
/// the item.
#[test]
fn errors_read_well() {
    #[track_caller]
    fn reads<E: Display + Debug>(error: E, display: &str, debug: &str) {
        assert_eq!((error.to_string(), format!("{error:?}")), (display.to_owned(), debug.to_owned()));
    }
    reads(SendError(Opaque), "sending on a disconnected pipe", "SendError { .. }");
    reads(TrySendError::Full(Opaque), "sending on a full pipe", "Full(..)");
    reads(TrySendError::Disconnected(Opaque), "sending on a disconnected pipe", "Disconnected(..)");
    reads(SendTimeoutError::Timeout(Opaque), "timed out waiting on send operation", "Timeout(..)");
    reads(SendTimeoutError::Disconnected(Opaque), "sending on a disconnected pipe", "Disconnected(..)");
    reads(RecvError, "receiving on an empty and disconnected pipe", "RecvError");
    reads(TryRecvError::Empty, "receiving on an empty pipe", "Empty");
    reads(TryRecvError::Disconnected, "receiving on an empty and disconnected pipe", "Disconnected");
    reads(RecvTimeoutError::Timeout, "timed out waiting on receive operation", "Timeout");
    reads(RecvTimeoutError::Disconnected, "receiving on an empty and disconnected pipe", "Disconnected");
}

/// A refused size is named in the sentence, so that the log says what to change.
#[test]
fn build_errors_name_the_size() {
    assert!(BuildError::ZeroCapacity.to_string().contains("must not be zero"));
    assert!(BuildError::CapacityTooLarge { requested: 12_345 }.to_string().contains("12345"));
    assert!(BuildError::OutOfMemory { requested: 54_321 }.to_string().contains("54321"));
}

/// `is_*` and `into_inner` of every error that carries an item. The matches have no wild card: nothing was added to
/// crossbeam's variants.
#[test]
fn errors_tell_and_give_back() {
    assert_eq!(SendError(1).into_inner(), 1);
    for error in [TrySendError::Full(2), TrySendError::Disconnected(2)] {
        let (full, gone) = match error {
            TrySendError::Full(_) => (true, false),
            TrySendError::Disconnected(_) => (false, true),
        };
        assert_eq!((error.is_full(), error.is_disconnected(), error.into_inner()), (full, gone, 2));
    }
    for error in [SendTimeoutError::Timeout(3), SendTimeoutError::Disconnected(3)] {
        let (late, gone) = match error {
            SendTimeoutError::Timeout(_) => (true, false),
            SendTimeoutError::Disconnected(_) => (false, true),
        };
        assert_eq!((error.is_timeout(), error.is_disconnected(), error.into_inner()), (late, gone, 3));
    }
    for error in [TryRecvError::Empty, TryRecvError::Disconnected] {
        let (empty, gone) = match error {
            TryRecvError::Empty => (true, false),
            TryRecvError::Disconnected => (false, true),
        };
        assert_eq!((error.is_empty(), error.is_disconnected()), (empty, gone));
    }
    for error in [RecvTimeoutError::Timeout, RecvTimeoutError::Disconnected] {
        let (late, gone) = match error {
            RecvTimeoutError::Timeout => (true, false),
            RecvTimeoutError::Disconnected => (false, true),
        };
        assert_eq!((error.is_timeout(), error.is_disconnected()), (late, gone));
    }
}

/// The conversions that `?` uses between a blocking call's error and the wider ones.
#[test]
fn errors_convert() {
    assert_eq!(TrySendError::from(SendError(1)), TrySendError::Disconnected(1));
    assert_eq!(SendTimeoutError::from(SendError(1)), SendTimeoutError::Disconnected(1));
    assert_eq!(TryRecvError::from(RecvError), TryRecvError::Disconnected);
    assert_eq!(RecvTimeoutError::from(RecvError), RecvTimeoutError::Disconnected);

    fn boxed() -> Result<(), Box<dyn Error + Send + Sync>> {
        let (tx, rx) = hornpipe::mpmc::bounded(1);
        drop(rx);
        tx.send(String::from("an item"))?;
        Ok(())
    }
    assert!(boxed().unwrap_err().is::<SendError<String>>());
}
