//! Items whose drop does more than free memory: user code runs with nothing held.

use super::{Sender, bounded};
use crate::support::watchdog;
use hornpipe::TrySendError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// Panics when it is dropped, if it is told to; counted in any case.
struct Volatile {
    panics: bool,
    drops: Arc<AtomicUsize>,
}

impl Drop for Volatile {
    fn drop(&mut self) {
        self.drops.fetch_add(1, SeqCst);
        if self.panics {
            panic!("an item's drop panics");
        }
    }
}

/// A panic in one item's drop, while the last receiver goes, comes out of that drop; the other items are dropped all
/// the same, nothing is dropped twice, and the sender's side still knows that it is alone.
#[test]
fn a_panicking_item_does_not_keep_the_others() {
    watchdog(10, || {
        for bad in 0..5 {
            let drops = Arc::new(AtomicUsize::new(0));
            let (tx, rx) = bounded(5);
            for n in 0..5 {
                tx.send(Volatile { panics: n == bad, drops: Arc::clone(&drops) }).ok().unwrap();
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| drop(rx)));
            assert!(outcome.is_err(), "the panic of item {bad} was swallowed");
            assert_eq!(drops.load(SeqCst), 5, "with item {bad} panicking");
            assert!(tx.is_disconnected());
            let spare = Volatile { panics: false, drops: Arc::clone(&drops) };
            assert!(matches!(tx.try_send(spare), Err(TrySendError::Disconnected(_))));
            drop(tx);
            assert_eq!(drops.load(SeqCst), 6);
            assert_eq!(Arc::strong_count(&drops), 1, "an item's fields leaked");
        }
    });
}

/// The same when the pipe has no sender any more and is freed right then.
#[test]
fn a_panicking_item_does_not_keep_the_pipe() {
    watchdog(10, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = bounded(3);
        for n in 0..3 {
            tx.send(Volatile { panics: n == 1, drops: Arc::clone(&drops) }).ok().unwrap();
        }
        drop(tx);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(rx))).is_err());
        assert_eq!(drops.load(SeqCst), 3);
        assert_eq!(Arc::strong_count(&drops), 1);
    });
}

/// An item whose drop uses its own pipe's sender, as long as there is one to use.
struct Echo {
    tx: Arc<Mutex<Option<Sender<Echo>>>>,
    refused: Arc<AtomicUsize>,
}

impl Drop for Echo {
    fn drop(&mut self) {
        // Items dropped meanwhile find nothing to use.
        let Some(tx) = self.tx.lock().unwrap().take() else { return };
        assert!(tx.is_disconnected());
        assert_eq!(tx.receiver_count(), 0);
        assert!(tx.len() <= 3);
        let quiet = || Echo { tx: Arc::default(), refused: Arc::clone(&self.refused) };
        let refusals = usize::from(tx.try_send(quiet()).is_err()) + usize::from(tx.send(quiet()).is_err());
        self.refused.fetch_add(refusals, SeqCst);
        *self.tx.lock().unwrap() = Some(tx);
    }
}

/// Items that call back into their pipe while the last receiver drops them: no deadlock, and their sends are refused.
/// The last of them may hold the only sender that is left, so that the pipe ends in the middle of it.
#[test]
fn items_may_use_their_sender() {
    watchdog(10, || {
        let refused = Arc::new(AtomicUsize::new(0));
        let ((tx, rx), place) = (bounded(3), Arc::new(Mutex::new(None)));
        for _ in 0..3 {
            let (tx_of_item, refused) = (Arc::clone(&place), Arc::clone(&refused));
            tx.send(Echo { tx: tx_of_item, refused }).ok().unwrap();
        }
        *place.lock().unwrap() = Some(tx);
        drop(place);
        drop(rx);
        assert_eq!(refused.load(SeqCst), 6, "three items, two sends each");
        assert_eq!(Arc::strong_count(&refused), 1, "an item was leaked");
    });
}
