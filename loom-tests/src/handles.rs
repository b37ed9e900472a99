//! Handles' lives: the counting word by itself, and the real handles.

use crate::pipes::{Make, mpmc};
use crate::track::Track;
use hornpipe::Topology;
use hornpipe::model::Handles;
use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;

const HANDLES: usize = 3;

/// The word, and what each of its handles writes before it is put.
struct Counted {
    word: Handles,
    written: [UnsafeCell<usize>; HANDLES],
}

// SAFETY: a cell is written by its handle's thread, and read by the last put's only, as `destroy` did: loom reports
// any access that is not ordered so.
unsafe impl Sync for Counted {}

impl Counted {
    /// Writes, puts; the last one reads what all wrote. Whether it was the last.
    fn put(&self, own: usize) -> bool {
        // SAFETY: this handle's cell.
        self.written[own].with_mut(|to| unsafe { *to = own + 1 });
        let last = self.word.put();
        if last {
            assert_eq!(self.word.count(), 0);
            // SAFETY: every handle is put.
            let sum: usize = self.written.iter().map(|cell| cell.with(|from| unsafe { *from })).sum();
            assert_eq!(sum, (1..=HANDLES).sum());
        }
        last
    }
}

/// Two threads put the handle they were given, one of them a clone of it too: one put is the last, and it sees what
/// all wrote before theirs.
pub fn word() {
    let counted = Arc::new(Counted { word: Handles::new(2), written: Default::default() });
    let other = counted.clone();
    let clones = thread::spawn(move || {
        other.word.get();
        [other.put(1), other.put(2)]
    });
    let own = counted.put(0);
    let [first, second] = clones.join().unwrap();
    assert!(!first, "a handle of this thread was left");
    assert!(own != second, "exactly one is the last");
}

/// Senders cloned and dropped on two threads: the receiver gets what each sent, and Disconnected at the end only.
pub fn senders() {
    let (tx, rx) = mpmc(2).build::<Track>().unwrap();
    let threads = [tx.clone(), tx].map(|tx| {
        thread::spawn(move || {
            let clone = tx.clone();
            drop(tx);
            let from = clone.sender_count().min(1);
            assert_eq!(from, 1, "a counted handle");
            drop(clone);
        })
    });
    assert!(rx.recv().is_err());
    assert_eq!(rx.sender_count(), 0);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// The last sender and the last receiver dropped at the same time, an item queued: it is dropped once, and the pipe
/// with it once.
pub fn both_ends<K: Topology>(pipe: Make<K>) {
    let (tx, rx) = pipe(1).build().unwrap();
    assert!(tx.send(Track::new(0, 0)).is_ok());
    let receiver = thread::spawn(move || drop(rx));
    drop(tx);
    receiver.join().unwrap();
}
