//! The rings without gates: claims, stamps and positions alone. Threads that find nothing yield and look again.

use crate::track::Track;
use crate::traffic::{Carrier, Tries, traffic};
use hornpipe::model::Ring;
use hornpipe::{RingKind, Topology};
use std::sync::Arc;

impl<K: Topology> Carrier for Ring<Track, K> {
    fn put(&self, mut item: Track) {
        let mut tries = Tries::default();
        // SAFETY: a model has no more senders than its topology, or loom reports two threads in one cell.
        while let Err(back) = unsafe { self.push(item) } {
            item = back;
            tries.failed();
        }
    }

    fn get(&self) -> Track {
        let mut tries = Tries::default();
        loop {
            // SAFETY: as above, receivers.
            match unsafe { self.pop() } {
                Some(item) => return item,
                None => tries.failed(),
            }
        }
    }
}

fn through<K: Topology>(kind: RingKind, capacity: usize, senders: &[usize], receivers: &[usize]) {
    traffic(Arc::new(Ring::<Track, K>::new(capacity, kind)), senders, receivers);
}

/// Three items, more than there are slots: each is read after it was written (PUBLISH and READ_STAMP, or ADVANCE_TAIL
/// and SEE), a slot is written again after it was read (RELEASE, ADVANCE_HEAD). With one slot, writable, readable and
/// writable again must not be confused.
pub fn in_order<K: Topology>(kind: RingKind, capacity: usize) {
    through::<K>(kind, capacity, &[3], &[3]);
}

/// Two senders: one claims a slot once, and a receiver waits at the head for the earlier claim. With one slot, the
/// loser of the race finds it full or writes it a lap later.
pub fn senders_race<K: Topology>(kind: RingKind, capacity: usize) {
    through::<K>(kind, capacity, &[1, 1], &[2]);
}

/// Two receivers: an item has one taker. A stale head must not find the only slot readable.
pub fn receivers_race<K: Topology>(kind: RingKind, capacity: usize) {
    through::<K>(kind, capacity, &[2], &[1, 1]);
}

/// Two of each.
pub fn both_race<K: Topology>(kind: RingKind, capacity: usize) {
    through::<K>(kind, capacity, &[1, 1], &[1, 1]);
}
