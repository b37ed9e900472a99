//! Random numbers, good enough to shake the timing, with nothing shared between threads.

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// Passes a short random time: nothing, some turns of a loop, or the CPU.
    pub fn dawdle(&mut self) {
        match self.below(4) {
            0 => {}
            1 => std::thread::yield_now(),
            _ => (0..self.below(if cfg!(miri) { 5 } else { 500 })).for_each(|_| std::hint::spin_loop()),
        }
    }
}
