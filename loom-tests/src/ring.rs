//! The stamped ring without gates: claims and stamps alone. Threads that find nothing yield and look again.

use crate::support::{Carrier, Track, Tries, traffic};
use hornpipe::model::Ring;

impl Carrier for Ring<Track> {
    fn put(&self, mut item: Track) {
        let mut tries = Tries::default();
        while let Err(back) = self.push(item) {
            item = back;
            tries.failed();
        }
    }

    fn get(&self) -> Track {
        let mut tries = Tries::default();
        loop {
            match self.pop() {
                Some(item) => return item,
                None => tries.failed(),
            }
        }
    }
}

/// Three items through two slots: each is read after it was written (PUBLISH, READ_STAMP), the reused slot is
/// written after it was read (RELEASE).
pub fn ring_1p1c() {
    traffic(Ring::new(2), &[3], &[3]);
}

/// Three items through one slot, where writable, readable and writable again must not be confused.
pub fn ring_1p1c_cap1() {
    traffic(Ring::new(1), &[3], &[3]);
}

/// Two senders: one claims a slot once, and a receiver waits at the head for the earlier claim.
pub fn ring_2p1c() {
    traffic(Ring::new(2), &[1, 1], &[2]);
}

/// Two senders and the only slot: the loser of the race finds it full or writes it a lap later.
pub fn ring_2p1c_cap1() {
    traffic(Ring::new(1), &[1, 1], &[2]);
}

/// Two receivers: an item has one taker.
pub fn ring_1p2c() {
    traffic(Ring::new(2), &[2], &[1, 1]);
}

/// Two receivers and the only slot, which a stale head must not find readable.
pub fn ring_1p2c_cap1() {
    traffic(Ring::new(1), &[2], &[1, 1]);
}

/// Two of each.
pub fn ring_2p2c() {
    traffic(Ring::new(1), &[1, 1], &[1, 1]);
}
