//! The idle tokens: a bit each, 63 to a word, and in each word's last bit whether a line is there.
//!
//! The bit is what makes one look enough: who gives a token back learns by the same instruction whether somebody waits, and
//! nobody takes one by compare-exchange from a word that says so. A bit has no history, so nothing here can be mistaken for
//! what it was a while ago.

use super::{GIVE, GOT, LINE_UP};
use crate::relax::Relax;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::boxed::Box;

/// Tokens a word.
const TOKENS: usize = 63;
/// Threads wait.
const LINE: u64 = 1 << TOKENS;

/// A token's number and so its place.
pub(super) type Number = u32;

pub(super) struct Idle(Box<[AtomicU64]>);

impl Idle {
    /// All of `tokens`.
    pub(super) fn new(tokens: usize) -> Self {
        let word = |first: usize| {
            let here = (tokens - first).min(TOKENS);
            AtomicU64::new((1 << here) - 1)
        };
        Self((0..tokens).step_by(TOKENS).map(word).collect())
    }

    /// Takes one, where no line is there.
    #[inline]
    pub(super) fn take(&self) -> Option<Number> {
        self.take_if(|word| word & LINE == 0)
    }

    /// Takes one, for who has the line's lock.
    pub(super) fn take_past(&self) -> Option<Number> {
        self.take_if(|_| true)
    }

    #[inline(always)]
    fn take_if(&self, may: impl Fn(u64) -> bool) -> Option<Number> {
        self.0.iter().zip(0..).find_map(|(word, nth)| {
            let mut seen = word.load(Relaxed);
            let mut lost = 0;
            while seen & !LINE != 0 && may(seen) {
                // Without its lowest bit, which is a token's.
                // Relaxed on failure: it looks again.
                match word.compare_exchange_weak(seen, seen & (seen - 1), GOT.order(), Relaxed) {
                    Ok(_) => return Some(nth * TOKENS as Number + seen.trailing_zeros()),
                    Err(now) => seen = now,
                }
                lost += 1;
                Relax::RETRY.retry(lost);
            }
            None
        })
    }

    /// Puts one back. Whether a line was there.
    #[inline]
    pub(super) fn give(&self, token: Number) -> bool {
        let (word, bit) = (token as usize / TOKENS, 1 << (token as usize % TOKENS));
        // The bit is clear: to add it is to set it, in one instruction that says what else was there.
        let before = self.0[word].fetch_add(bit, GIVE.order());
        debug_assert_eq!(before & bit, 0, "token {token} was given back twice");
        before & LINE != 0
    }

    /// From here on no token is given back unseen or taken past the line. For who has its lock.
    pub(super) fn line_up(&self) {
        if LINE_UP.kept() && !self.has_line() {
            // Relaxed: it is in each word's own order before or after each give; the lock is all that its reader relies on.
            self.0.iter().for_each(|word| _ = word.fetch_or(LINE, Relaxed));
        }
    }

    /// Nobody waits. For who has the line's lock.
    pub(super) fn break_up(&self) {
        if self.has_line() {
            self.0.iter().for_each(|word| _ = word.fetch_and(!LINE, Relaxed)); // Relaxed: as above
        }
    }

    /// Whether somebody waits, as far as it is seen from here.
    pub(super) fn has_line(&self) -> bool {
        self.0[0].load(Relaxed) & LINE != 0
    }

    /// How many; it may be old when it is returned.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| (word.load(Relaxed) & !LINE).count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// At each edge of a word: every number once, nothing more, and all back; with a line only past it.
    #[test]
    fn every_number_once() {
        for tokens in [1, 2, 62, 63, 64, 126, 127, 200] {
            let idle = Idle::new(tokens);
            let all: BTreeSet<Number> = (0..tokens).map_while(|_| idle.take()).collect();
            assert_eq!(all, (0..tokens as Number).collect());
            assert_eq!((idle.take(), idle.take_past(), idle.len()), (None, None, 0));
            assert!(!all.iter().any(|&token| idle.give(token)));
            idle.line_up();
            assert_eq!((idle.take(), idle.len(), idle.has_line()), (None, tokens, true));
            let past = idle.take_past().unwrap();
            assert!(idle.give(past), "somebody waits");
            idle.break_up();
            assert_eq!((idle.len(), idle.has_line(), idle.take()), (tokens, false, Some(past)));
        }
    }
}
