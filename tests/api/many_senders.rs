//! Senders that can be cloned and shared.

use super::{Sender, bounded};
use crate::support::{ms, peer, watchdog};
use hornpipe::{SendError, SendTimeoutError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Instant;

/// A sender asleep on a full pipe gets its own item back when the last receiver goes, whichever call it sleeps in.
#[test]
fn sleeping_senders_learn_of_the_disconnect() {
    watchdog(20, || {
        let (tx, rx) = bounded(1);
        tx.send(0).unwrap();
        let (a, b, c) = (tx.clone(), tx.clone(), tx.clone());
        let plain = peer(move || a.send(1));
        let timed = peer(move || b.send_timeout(2, ms(60_000)));
        let until = peer(move || c.send_deadline(3, Instant::now() + ms(60_000)));
        plain.asleep();
        timed.asleep();
        until.asleep();
        drop(rx);
        assert_eq!(plain.join(), Err(SendError(1)));
        assert_eq!(timed.join(), Err(SendTimeoutError::Disconnected(2)));
        assert_eq!(until.join(), Err(SendTimeoutError::Disconnected(3)));
    });
}

/// Clones are senders of the same pipe, and go on when the first is gone.
#[test]
fn clones_send_into_the_same_pipe() {
    let (tx, rx) = bounded(4);
    let clone = tx.clone();
    tx.send(1).unwrap();
    clone.send(2).unwrap();
    drop(tx);
    clone.send(3).unwrap();
    assert_eq!(rx.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
}

/// One shared handle serves several threads.
#[test]
fn a_handle_is_shared_by_reference() {
    watchdog(20, || {
        let (tx, rx) = bounded(2);
        std::thread::scope(|scope| {
            for start in [0, 100] {
                let tx = &tx;
                scope.spawn(move || (start..start + 50).for_each(|n| tx.send(n).unwrap()));
            }
            let mut got: Vec<i32> = (0..100).map(|_| rx.recv().unwrap()).collect();
            got.sort_unstable();
            assert_eq!(got, (0..50).chain(100..150).collect::<Vec<_>>());
        });
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

/// Each clone counts, and the receiver is alone only after the last.
#[test]
fn senders_are_counted() {
    let (tx, rx) = bounded::<u8>(1);
    let counts = || (tx.sender_count(), rx.sender_count(), rx.receiver_count());
    let clone = tx.clone();
    assert!(clone.same_channel(&tx));
    assert_eq!(counts(), (2, 2, 1));
    drop(clone);
    assert_eq!(counts(), (1, 1, 1));
    let clones: Vec<_> = (0..1_000).map(|_| tx.clone()).collect();
    assert_eq!(counts(), (1_001, 1_001, 1));
    drop(tx);
    assert!(!rx.is_disconnected());
    drop(clones);
    assert!(rx.is_disconnected());
    assert_eq!(rx.sender_count(), 0);
}

/// A pipe without receivers stays disconnected: a clone does not bring it back.
#[test]
fn a_disconnect_is_final() {
    let (tx, rx) = bounded(1);
    drop(rx);
    assert_eq!(tx.clone().send(1), Err(SendError(1)));
}
