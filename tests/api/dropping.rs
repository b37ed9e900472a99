//! Items whose drop does more than free memory: user code runs with nothing held.

use super::{Sender, bounded};
use crate::support::{Tally, watchdog};
use hornpipe::TrySendError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

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

/// What an [`Echo`] saw of its pipe when it was dropped.
#[derive(Default)]
struct Report {
    drops: AtomicUsize,
    refused: AtomicUsize,
}

/// Its drop calls back into the pipe it came through, which has no receiver then.
struct Echo {
    tx: Option<Sender<Echo>>,
    report: Arc<Report>,
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.report.drops.fetch_add(1, SeqCst);
        if let Some(tx) = self.tx.take() {
            assert!(tx.is_disconnected());
            assert_eq!(tx.receiver_count(), 0);
            assert!(tx.len() <= 3);
            let quiet = || Echo { tx: None, report: Arc::clone(&self.report) };
            let refusals =
                usize::from(tx.try_send(quiet()).is_err()) + usize::from(tx.send(quiet()).is_err());
            self.report.refused.fetch_add(refusals, SeqCst);
        }
    }
}

/// Items that call back into their pipe while the last receiver drops them: no deadlock, and their sends are refused.
/// They hold the only senders that are left, so the pipe ends in the middle of it: that is sound, and nothing leaks.
#[test]
fn items_may_hold_the_last_senders() {
    watchdog(10, || {
        let report = Arc::new(Report::default());
        let (tx, rx) = bounded(3);
        for _ in 0..3 {
            tx.send(Echo { tx: Some(tx.clone()), report: Arc::clone(&report) }).ok().unwrap();
        }
        drop(tx);
        drop(rx);
        // Three items, and two refused ones for each of them.
        assert_eq!(report.drops.load(SeqCst), 9);
        assert_eq!(report.refused.load(SeqCst), 6);
        assert_eq!(Arc::strong_count(&report), 1);
    });
}

/// A pipe sent through itself, both ends in one item, can still be received and used.
#[test]
fn ends_may_travel_through_their_own_pipe() {
    watchdog(10, || {
        enum Parcel {
            Ends(Box<(Sender<Parcel>, super::Receiver<Parcel>)>),
            Item(crate::support::Item),
        }
        let tally = Tally::new(1);
        let (tx, rx) = bounded(2);
        tx.send(Parcel::Ends(Box::new((tx.clone(), rx.clone())))).ok().unwrap();
        drop(tx);
        let Ok(Parcel::Ends(ends)) = rx.recv() else { panic!("the ends were sent") };
        drop(rx);
        ends.0.send(Parcel::Item(tally.item(0))).ok().unwrap();
        assert!(matches!(ends.1.recv(), Ok(Parcel::Item(item)) if item.id == 0));
        tally.assert_each_once();
        assert_eq!((ends.0.sender_count(), ends.0.receiver_count()), (1, 1));
    });
}
