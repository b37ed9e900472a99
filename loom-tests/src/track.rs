//! Items that are counted: each is made once and dropped once.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

/// So many threads may make items.
pub const PRODUCERS: usize = 3;
const NUMBERS: usize = 4;
const UNBORN: u8 = 0;
const ALIVE: u8 = 1;
const DROPPED: u8 = 2;

/// What became of each item of the present run. (std's atomics: no part of the model.)
static LEDGER: [[AtomicU8; NUMBERS]; PRODUCERS] =
    [const { [const { AtomicU8::new(UNBORN) }; NUMBERS] }; PRODUCERS];

/// An item that is dropped exactly once, or the model fails.
#[derive(Debug)]
pub struct Track {
    /// Who made it.
    pub from: usize,
    /// Its number there.
    pub number: usize,
}

impl Track {
    /// Producer `from`'s item.
    pub fn new(from: usize, number: usize) -> Self {
        assert_eq!(LEDGER[from][number].swap(ALIVE, SeqCst), UNBORN, "made twice");
        Self { from, number }
    }

    /// Whether it is that item.
    pub fn is(&self, from: usize, number: usize) -> bool {
        (self.from, self.number) == (from, number)
    }

    /// Items that exist now.
    pub fn alive() -> usize {
        LEDGER.iter().flatten().filter(|state| state.load(SeqCst) == ALIVE).count()
    }

    /// Starts a run.
    pub fn forget_all() {
        LEDGER.iter().flatten().for_each(|state| state.store(UNBORN, SeqCst));
    }
}

impl Drop for Track {
    fn drop(&mut self) {
        let was = LEDGER[self.from][self.number].swap(DROPPED, SeqCst);
        assert!(was == ALIVE || std::thread::panicking(), "dropped twice: {self:?}");
    }
}
