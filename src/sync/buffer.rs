//! Byte memory that two sides use at once, each its own part.

use super::{Slots, UnsafeCell, Zeroed};
use core::ptr;
use core::slice;

/// A byte that one thread at a time may change.
#[repr(transparent)]
struct Byte(UnsafeCell<u8>);

// SAFETY: a byte.
unsafe impl Zeroed for Byte {
    fn zeroed() -> Self {
        Self(UnsafeCell::new(0))
    }
}

/// Zeroed bytes, in O(1). Who may use which part when is its user's to see to, so each access says that it may.
pub(crate) struct Buffer(Slots<Byte>);

// SAFETY: nothing but the unsafe calls reaches the bytes, and these promise that no two threads do so at once.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// `None` where there is no memory.
    pub(crate) fn new(len: usize) -> Option<Self> {
        Slots::new(len).map(Self)
    }

    /// In bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Where byte `at` is, which is inside.
    #[inline(always)]
    fn at(&self, at: usize, len: usize) -> *mut u8 {
        debug_assert!(
            at.checked_add(len).is_some_and(|end| end <= self.len()),
            "{at} + {len} of {}",
            self.len()
        );
        // Cells are transparent, so the array is one of bytes that may be written.
        self.0.as_ptr().cast_mut().cast::<u8>().wrapping_add(at)
    }

    /// Copies `bytes` to `at` and on.
    ///
    /// # Safety
    /// It fits, and nobody else uses that part meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, at: usize, bytes: &[u8]) {
        // SAFETY: the caller's promise; a borrowed slice does not overlap what only these calls reach.
        unsafe { copy(bytes.as_ptr(), self.at(at, bytes.len()), bytes.len()) }
    }

    /// Copies to `into` from `at` and on.
    ///
    /// # Safety
    /// It is inside, and nobody writes that part meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn read(&self, at: usize, into: &mut [u8]) {
        // SAFETY: as in `write`.
        unsafe { copy(self.at(at, into.len()), into.as_mut_ptr(), into.len()) }
    }

    /// The bytes themselves.
    ///
    /// # Safety
    /// They are inside, and nobody writes them while the slice lives.
    #[inline(always)]
    pub(crate) unsafe fn slice(&self, at: usize, len: usize) -> &[u8] {
        // SAFETY: initialized (zeroed), the rest is the caller's promise.
        unsafe { slice::from_raw_parts(self.at(at, len), len) }
    }

    /// The bytes themselves, to be written.
    ///
    /// # Safety
    /// They are inside, and nobody else uses them while the slice lives.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "the caller promises that this part is its own")]
    pub(crate) unsafe fn slice_mut(&self, at: usize, len: usize) -> &mut [u8] {
        // SAFETY: as in `slice`.
        unsafe { slice::from_raw_parts_mut(self.at(at, len), len) }
    }
}

/// `copy_nonoverlapping`, without the call where it would take longer than the copy.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    /// Two words of `T`, which overlap where `len` is less than both.
    #[inline(always)]
    unsafe fn both<T>(from: *const u8, to: *mut u8, len: usize) {
        let last = len - size_of::<T>();
        // SAFETY: both words are inside of what the caller copies; all is read before anything is written.
        unsafe {
            let (first, second) =
                (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
            to.cast::<T>().write_unaligned(first);
            to.add(last).cast::<T>().write_unaligned(second);
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        match len {
            0 => {}
            1 => *to = *from,
            2..4 => both::<u16>(from, to, len),
            4..8 => both::<u32>(from, to, len),
            8..=16 => both::<u64>(from, to, len),
            _ => ptr::copy_nonoverlapping(from, to, len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copied in and out as slices are, at each length about where the way of copying changes, and nothing beside it.
    #[test]
    fn copies_each_length() {
        let bytes: [u8; 40] = core::array::from_fn(|n| n as u8 + 1);
        for len in 0..=40 {
            for at in [0, 1, 7] {
                let buffer = Buffer::new(64).unwrap();
                let mut into = [0; 48];
                // SAFETY: inside, and one thread's.
                unsafe {
                    buffer.write(at, &bytes[..len]);
                    buffer.read(at, &mut into[4..4 + len]);
                    assert_eq!(buffer.slice(at, len), &bytes[..len]);
                    assert!(
                        buffer.slice(0, at).iter().chain(buffer.slice(at + len, 16)).all(|byte| *byte == 0)
                    );
                }
                assert_eq!(&into[4..4 + len], &bytes[..len]);
                assert!(into[..4].iter().chain(&into[4 + len..]).all(|byte| *byte == 0), "{len} at {at}");
            }
        }
    }
}
