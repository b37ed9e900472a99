//! What a call brings and what it has room for: a slice, or several in order.

use core::ops::{Deref, Range};
use core::slice;
use std::io::{IoSlice, IoSliceMut};

/// Bytes to write, taken from the front.
pub(crate) trait Source: Clone {
    /// Bytes that are not taken yet.
    fn left(&self) -> usize;

    /// Takes the next `count`, at most what is [`left`](Self::left): `to` sees them in order, in one part or several.
    fn take(&mut self, count: usize, to: impl FnMut(&[u8]));
}

/// Room to read into, filled from the front.
pub(crate) trait Sink {
    /// Bytes that it has room for.
    fn left(&self) -> usize;

    /// Fills the next `count`, at most what is [`left`](Self::left): `from` fills them in order, in one part or several.
    fn fill(&mut self, count: usize, from: impl FnMut(&mut [u8]));
}

impl Source for &[u8] {
    #[inline(always)]
    fn left(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn take(&mut self, count: usize, mut to: impl FnMut(&[u8])) {
        let (now, later) = self.split_at(count);
        *self = later;
        to(now);
    }
}

impl Sink for &mut [u8] {
    #[inline(always)]
    fn left(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn fill(&mut self, count: usize, mut from: impl FnMut(&mut [u8])) {
        let (now, later) = core::mem::take(self).split_at_mut(count);
        *self = later;
        from(now);
    }
}

/// Slices in a row, used up from the front: an iterator over references to them.
#[derive(Clone)]
pub(crate) struct Row<I: Iterator> {
    slices: I,
    first: Option<I::Item>,
    /// Bytes used of the first.
    used: usize,
    left: usize,
}

impl<I: Iterator<Item: Deref<Target: Deref<Target = [u8]>>>> Row<I> {
    /// `slices`, of `left` bytes together.
    fn new(mut slices: I, left: usize) -> Self {
        Self { first: slices.next(), slices, used: 0, left }
    }

    /// Uses the next `count` bytes: `with` is told of each slice that has some, and which.
    fn advance(&mut self, mut count: usize, mut with: impl FnMut(&mut I::Item, Range<usize>)) {
        self.left -= count;
        while let Some(first) = self.first.as_mut().filter(|_| count > 0) {
            let part = count.min(first.len() - self.used);
            if part > 0 {
                with(first, self.used..self.used + part);
                self.used += part;
                count -= part;
            } else {
                self.first = self.slices.next();
                self.used = 0;
            }
        }
    }
}

/// How many bytes slices of these lengths have; more than can be counted are as many as can.
fn sum(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}

impl<'a, 'b> Row<slice::Iter<'a, IoSlice<'b>>> {
    /// To write.
    pub(crate) fn of(slices: &'a [IoSlice<'b>]) -> Self {
        Self::new(slices.iter(), sum(slices.iter().map(|slice| slice.len())))
    }
}

impl<'a, 'b> Row<slice::IterMut<'a, IoSliceMut<'b>>> {
    /// To read into.
    pub(crate) fn of_mut(slices: &'a mut [IoSliceMut<'b>]) -> Self {
        let left = sum(slices.iter().map(|slice| slice.len()));
        Self::new(slices.iter_mut(), left)
    }
}

impl Source for Row<slice::Iter<'_, IoSlice<'_>>> {
    fn left(&self) -> usize {
        self.left
    }

    fn take(&mut self, count: usize, mut to: impl FnMut(&[u8])) {
        self.advance(count, |slice, part| to(&slice[part]));
    }
}

impl Sink for Row<slice::IterMut<'_, IoSliceMut<'_>>> {
    fn left(&self) -> usize {
        self.left
    }

    fn fill(&mut self, count: usize, mut from: impl FnMut(&mut [u8])) {
        self.advance(count, |slice, part| from(&mut slice[part]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Any way to cut what is taken gives the same bytes, whatever the slices' lengths, empty ones included.
    #[test]
    fn rows_are_one_stream() {
        let parts: [&[u8]; 5] = [b"", b"abc", b"", b"d", b"efgh"];
        for step in 1..=8 {
            let list = parts.map(IoSlice::new);
            let mut row = Row::of(&list);
            let mut all = Vec::new();
            while row.left() > 0 {
                row.take(step.min(row.left()), |part| {
                    assert!(!part.is_empty());
                    all.extend_from_slice(part);
                });
            }
            assert_eq!(all, b"abcdefgh", "{step} at a time");

            let (mut one, mut two) = ([0; 3], [0; 5]);
            let mut list = [IoSliceMut::new(&mut one), IoSliceMut::new(&mut []), IoSliceMut::new(&mut two)];
            let mut row = Row::of_mut(&mut list);
            let mut from = all.iter();
            while row.left() > 0 {
                row.fill(step.min(row.left()), |part| part.fill_with(|| *from.next().unwrap()));
            }
            assert_eq!((&one, &two), (b"abc", b"defgh"), "{step} at a time");
        }
    }
}
