//! hornpipe's lockref, as a word.

use hornpipe::{Lockref, Relax};

use super::word::{START, Word};

/// One whose compare-exchange loop does `relax` after a lost try.
pub fn new(relax: Relax) -> Lockref {
    Lockref::new(START as u32).retry(relax)
}

impl Word for Lockref {
    #[inline]
    fn get(&self) -> bool {
        Lockref::get(self).is_ok()
    }

    #[inline]
    fn put(&self) -> bool {
        // A lock is for who puts the last.
        matches!(self.put_or_lock(), Ok(None))
    }

    fn count(&self) -> u64 {
        Lockref::count(self).into()
    }
}
