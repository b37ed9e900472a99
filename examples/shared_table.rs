//! A table of shared entries, as a kernel keeps its directory entries: looking one up counts a reference without a lock,
//! and whoever puts the last one takes the entry down.
//!
//! Each entry is a [`LockrefCell`]. A lookup that finds it dead has met its end: the entry is about to leave the table, and the
//! lookup makes a new one. The memory is an `Arc`'s, since a thread may still be leaving the lock of an entry that another
//! has taken down; what the count decides is when the *value* is done.
//!
//! ```console
//! $ cargo run --release --example shared_table
//! ```

use hornpipe::{CellGuard, CountError, Lockref, LockrefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;

const NAMES: usize = 4;
const THREADS: usize = 4;
const LOOKUPS: usize = 20_000;

/// How often it was used, by whoever held it.
type Entry = LockrefCell<usize>;

#[derive(Default)]
struct Table {
    entries: Mutex<HashMap<usize, Arc<Entry>>>,
    made: AtomicUsize,
    uses: AtomicUsize,
    taken_down: AtomicUsize,
}

impl Table {
    /// The live entry of that name, counted.
    fn look_up(&self, name: usize) -> Arc<Entry> {
        let mut entries = self.entries.lock().unwrap();
        if let Some(entry) = entries.get(&name) {
            match entry.refs().get_not_dead() {
                Ok(_) => return entry.clone(),
                Err(CountError::Dead) => {} // its last user has not come to the table yet
                Err(error) => panic!("{error}"),
            }
        }
        self.made.fetch_add(1, Relaxed);
        let entry = Arc::new(LockrefCell::new(Lockref::new(1), 0));
        entries.insert(name, entry.clone());
        entry
    }

    /// The caller's reference is put; the last one's entry is dead from then on, and leaves the table.
    fn put(&self, name: usize, entry: &Arc<Entry>) {
        let Some(mut last) = entry.put_or_lock().expect("it was got") else {
            return;
        };
        CellGuard::mark_dead(&mut last);
        self.uses.fetch_add(*last, Relaxed);
        self.taken_down.fetch_add(1, Relaxed);
        drop(last);
        let mut entries = self.entries.lock().unwrap();
        // A lookup may have put a new one in its place.
        if entries.get(&name).is_some_and(|there| Arc::ptr_eq(there, entry)) {
            entries.remove(&name);
        }
    }
}

fn main() {
    let table = Table::default();
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let table = &table;
            scope.spawn(move || {
                for turn in 0..LOOKUPS {
                    let name = (seed + turn * turn) % NAMES;
                    let entry = table.look_up(name);
                    *entry.lock() += 1;
                    table.put(name, &entry);
                }
            });
        }
    });
    let [made, uses, taken_down] =
        [&table.made, &table.uses, &table.taken_down].map(|count| count.load(Relaxed));
    println!("{uses} uses of {made} entries, {taken_down} taken down");
    assert_eq!(
        (uses, made),
        (THREADS * LOOKUPS, taken_down),
        "each use is in an entry that was taken down once"
    );
    assert!(table.entries.lock().unwrap().is_empty());
}
