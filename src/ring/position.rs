//! Positions as words: pure arithmetic on `{lap, index}` with carry, and what the words' low bits hold.
//!
//! ```text
//! 63            lap_shift    17            16         0
//! |      lap      |   index   |  permits    |  closed |      one cursor word
//! ```
//!
//! The index takes as many bits as the capacity needs and carries into the lap where it reaches the capacity,
//! so any capacity is exact, nothing divides, and the lap wraps by dropping off the top. 47 bits of position:
//! a thread would have to stall between a load and its compare-exchange for exactly a multiple of 2^47
//! claims to be fooled. A stamp is `2 * lap` (writable) or `2 * lap + 1` (readable), so zeroed memory is the
//! empty ring and capacity 1 is not a special case.
//!
//! The indexed ring's positions have nothing below the index.
//!
//! Under `--cfg hornpipe_small` the position is moved to the top of the word so that laps have 3 bits: they
//! wrap after 8 laps, and tests reach the wrap at once.

/// Set in the tail once no send may start.
pub(crate) const CLOSED: u64 = 1;

/// Where the count of permits starts (issue: permits; always 0 until then).
const PERMITS_SHIFT: u32 = 1;

/// Bits below the index in a stamped ring's cursors.
pub(crate) const LOW: u32 = PERMITS_SHIFT + 16;

/// Bits of the lap under `hornpipe_small`.
const SMALL_LAP_BITS: u32 = 3;

/// The largest capacity: an index and what `behind` compares fit their words with room to spare.
pub(crate) const MAX_CAPACITY: usize = if usize::BITS >= 64 { 1 << 31 } else { 1 << 26 };

/// How a ring of one capacity lays out its words, with so many `BELOW` the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry<const BELOW: u32 = LOW> {
    /// In items, at least 1.
    capacity: usize,
    /// `2^index_bits - 1 >= capacity - 1`
    index_mask: usize,
    index_shift: u32,
    lap_shift: u32,
}

impl<const BELOW: u32> Geometry<BELOW> {
    /// For `capacity` items, `1 ..= MAX_CAPACITY`.
    pub(crate) const fn new(capacity: usize) -> Self {
        assert!(capacity >= 1 && capacity <= MAX_CAPACITY);
        let index_bits = usize::BITS - (capacity - 1).leading_zeros();
        let lap_shift = if cfg!(hornpipe_small) { u64::BITS - SMALL_LAP_BITS } else { BELOW + index_bits };
        Self { capacity, index_mask: (1 << index_bits) - 1, index_shift: lap_shift - index_bits, lap_shift }
    }

    /// In items.
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Which slot a cursor word stands at.
    #[inline(always)]
    pub(crate) const fn index(&self, word: u64) -> usize {
        (word >> self.index_shift()) as usize & self.index_mask
    }

    /// The stamp with which the slot at `word` may be written in this lap.
    #[inline(always)]
    pub(crate) const fn writable(&self, word: u64) -> u32 {
        ((word >> self.lap_shift) as u32) << 1
    }

    /// The stamp with which the slot at `word` may be written in the next lap: what a release leaves.
    #[inline(always)]
    pub(crate) const fn released(&self, word: u64) -> u32 {
        self.writable(word.wrapping_add(1 << self.lap_shift))
    }

    /// The word one item on; the low bits stay.
    #[inline(always)]
    pub(crate) const fn next(&self, word: u64) -> u64 {
        if self.index(word) + 1 < self.capacity {
            word.wrapping_add(1 << self.index_shift())
        } else {
            self.wrapped(word)
        }
    }

    /// Index to 0, carry into the lap. Cold: once a lap, and out of the way.
    #[cold]
    #[inline(always)]
    const fn wrapped(&self, word: u64) -> u64 {
        (word & !((self.index_mask as u64) << self.index_shift())).wrapping_add(1 << self.lap_shift)
    }

    /// Whether the slot's `stamp` has not come as far as `wanted`, by at most a lap: the ring is full (or
    /// empty) there. Otherwise it is beyond, and the cursor that gave `wanted` is stale.
    #[inline]
    pub(crate) const fn behind(&self, stamp: u32, wanted: u32) -> bool {
        // A stamp has one bit more than the lap, as long as 32 bits hold it.
        let lap_bits = u64::BITS - self.lap_shift;
        let mask = if lap_bits >= 31 { u32::MAX } else { (2 << lap_bits) - 1 };
        matches!(wanted.wrapping_sub(stamp) & mask, 1 | 2)
    }

    /// Items from `head` to `tail`: `0 ..= capacity` when both were read at one moment, else whatever the two
    /// moments give, negative included.
    pub(crate) const fn distance(&self, tail: u64, head: u64) -> i64 {
        // Up and down again: the difference of two laps of that width, with its sign.
        let laps = (tail >> self.lap_shift).wrapping_sub(head >> self.lap_shift);
        let laps = (laps << self.lap_shift) as i64 >> self.lap_shift;
        laps * self.capacity as i64 + self.index(tail) as i64 - self.index(head) as i64
    }

    /// Items between two cursors: exact when nothing moves meanwhile, near it else, always in `0 ..= capacity`.
    pub(crate) fn between(&self, tail: impl Fn() -> u64, head: impl Fn() -> u64) -> usize {
        // A few tries for a moment at which both were so; then a bound that is right for two moments.
        let (mut first, mut last) = (head(), tail());
        for _ in 0..8 {
            let again = head();
            if again == first {
                break;
            }
            (first, last) = (again, tail());
        }
        self.distance(last, first).clamp(0, self.capacity as i64) as usize
    }

    /// Whether two words stand at one position, whatever their low bits say.
    #[cfg(any(feature = "std", test))]
    #[inline(always)]
    pub(crate) const fn same(&self, one: u64, other: u64) -> bool {
        (one ^ other) >> self.index_shift() == 0
    }

    /// The same slot one lap on.
    #[inline(always)]
    pub(crate) const fn lap_on(&self, word: u64) -> u64 {
        word.wrapping_add(1 << self.lap_shift)
    }

    /// Items before `word`, as far as the lap's bits count.
    #[cfg(feature = "std")]
    pub(crate) const fn items(&self, word: u64) -> u64 {
        (word >> self.lap_shift).wrapping_mul(self.capacity as u64).wrapping_add(self.index(word) as u64)
    }

    /// A constant in ordinary builds.
    #[inline(always)]
    const fn index_shift(&self) -> u32 {
        if cfg!(hornpipe_small) { self.index_shift } else { BELOW }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every position of eleven laps has its own index and stamps, for exact capacities of all kinds, starting
    /// at the first lap and where the lap wraps.
    #[test]
    fn positions_count_and_carry() {
        for capacity in [1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65] {
            let ring = Geometry::<LOW>::new(capacity);
            let last_laps = ((u64::MAX >> ring.lap_shift) - 4) << ring.lap_shift;
            for start in [0, CLOSED | 2, last_laps] {
                let mut word = start;
                for step in 0..11 * capacity {
                    assert_eq!(ring.index(word), step % capacity);
                    let lap = (start >> ring.lap_shift).wrapping_add((step / capacity) as u64);
                    let lap = lap & (u64::MAX >> ring.lap_shift);
                    assert_eq!(ring.writable(word), (lap as u32) << 1);
                    let next = ring.next(word);
                    assert_eq!(next & 0x1_ffff, word & 0x1_ffff, "the low bits stay");
                    assert_eq!(ring.distance(next, word), 1);
                    word = next;
                }
            }
        }
    }

    /// Full and empty are told from stale by stamps alone, also across the wrap of the lap.
    #[test]
    fn a_stamp_is_behind_by_at_most_a_lap() {
        for capacity in [1, 3, 1 << 20, MAX_CAPACITY] {
            let ring = Geometry::<LOW>::new(capacity);
            let mut word = ((u64::MAX >> ring.lap_shift) - 1) << ring.lap_shift;
            for _ in 0..4 {
                let writable = ring.writable(word);
                let next = ring.released(word);
                assert_eq!(next, ring.writable(ring.lap_on(word)));
                for (stamp, wanted, behind) in [
                    (writable, writable, false),
                    (writable, writable + 1, true), // unpublished: empty
                    (writable + 1, next, true),     // unreleased: full
                    (writable, next, true),         // claimed a lap ago, unpublished: full
                    (writable + 1, ring.released(word) + 1, true), // unreleased a lap ago: empty
                    (writable + 1, writable, false), // published by another: stale
                    (next, writable + 1, false),    // received by another: stale
                ] {
                    assert_eq!(ring.behind(stamp, wanted), behind, "{stamp} against {wanted}");
                }
                word = ring.lap_on(word);
            }
        }
    }

    /// The length of a full, an empty and a wrapped ring.
    #[test]
    fn distance_is_the_length() {
        for capacity in [1, 2, 3, 5, 8] {
            let ring = Geometry::<LOW>::new(capacity);
            let mut head = (u64::MAX >> ring.lap_shift) << ring.lap_shift;
            for _ in 0..3 * capacity {
                let mut tail = head;
                for len in 0..=capacity {
                    assert_eq!(ring.distance(tail | CLOSED, head), len as i64);
                    assert_eq!(ring.distance(head, tail), -(len as i64));
                    tail = ring.next(tail);
                }
                assert!(ring.same(ring.next(head) | CLOSED, ring.next(head)));
                assert!(!ring.same(ring.next(head), head));
                head = ring.next(head);
            }
        }
    }
}
