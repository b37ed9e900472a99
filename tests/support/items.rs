//! Items that count: each is dropped exactly once, each arrives exactly once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// One drop counter an item.
pub struct Tally(Vec<AtomicUsize>);

impl Tally {
    pub fn new(items: usize) -> Arc<Tally> {
        Arc::new(Tally((0..items).map(|_| AtomicUsize::new(0)).collect()))
    }

    /// The item that counts as number `id`.
    pub fn item(self: &Arc<Tally>, id: usize) -> Item {
        Item { id, tally: Arc::clone(self) }
    }

    /// How many drops there were, in all.
    pub fn dropped(&self) -> usize {
        self.0.iter().map(|count| count.load(SeqCst)).sum()
    }

    /// How often item `id` was dropped.
    pub fn drops_of(&self, id: usize) -> usize {
        self.0[id].load(SeqCst)
    }

    /// Every item was dropped, and none twice.
    #[track_caller]
    pub fn assert_each_once(&self) {
        let wrong: Vec<_> =
            self.0.iter().map(|c| c.load(SeqCst)).enumerate().filter(|(_, n)| *n != 1).collect();
        assert!(wrong.is_empty(), "(item, drops) of those not dropped exactly once: {wrong:?}");
    }
}

/// An item that says so when it is dropped.
pub struct Item {
    pub id: usize,
    tally: Arc<Tally>,
}

impl Drop for Item {
    fn drop(&mut self) {
        self.tally.0[self.id].fetch_add(1, SeqCst);
    }
}

/// A bitmap with counts: which numbers have arrived.
pub struct Seen(Tally);

impl Seen {
    pub fn new(numbers: usize) -> Arc<Seen> {
        Arc::new(Seen(Tally((0..numbers).map(|_| AtomicUsize::new(0)).collect())))
    }

    /// Notes the arrival of `number`, which must be the first.
    #[track_caller]
    pub fn note(&self, number: usize) {
        assert_eq!(self.0.0[number].fetch_add(1, SeqCst), 0, "item {number} arrived twice");
    }

    /// How many have arrived.
    pub fn count(&self) -> usize {
        self.0.dropped()
    }

    /// Every number has arrived, and none twice.
    #[track_caller]
    pub fn assert_all(&self) {
        self.0.assert_each_once();
    }
}
