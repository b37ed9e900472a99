//! Zeroed slot memory in O(1), whatever its size and alignment.
//!
//! Large arrays come straight from mmap where there is one: an allocator's zeroed allocation above its natural
//! alignment, or from recycled memory, writes every byte (16 MiB: milliseconds) before the first send.

use super::Zeroed;
use alloc::alloc::{alloc_zeroed, dealloc};
use core::alloc::Layout;
use core::ptr::NonNull;

cfg_if::cfg_if! {
    if #[cfg(all(feature = "std", not(miri), any(target_os = "linux", target_os = "android")))] {
        mod mapped;
        use mapped::{FROM, Pages, map};
    } else {
        // No mmap, or no crate to call it by: everything comes from the allocator.
        const FROM: usize = isize::MAX as usize;
        enum Pages {}
        fn map(_: Layout) -> Option<(NonNull<u8>, Pages)> {
            None
        }
    }
}

/// An owned array of `len` zeroed values, as a slice. Its values are not dropped with it.
pub(crate) struct Slots<S> {
    first: NonNull<S>,
    len: usize,
    memory: Memory,
}

/// Where the memory came from, and so where it goes.
enum Memory {
    /// Values without a size need none.
    None,
    Heap(Layout),
    Mapped {
        /// Held for its Drop.
        _pages: Pages,
    },
}

// SAFETY: `first` is the only pointer to the array: `new` makes it, nobody copies it out, Drop frees it, from any
// thread. So a move hands over the values and nothing else, as a Box<[S]> does.
unsafe impl<S: Send> Send for Slots<S> {}
// SAFETY: `&Slots` gives out `&[S]` (`deref`) and nothing else: `first` and `len` are never written after `new`,
// `memory` is read by Drop alone.
unsafe impl<S: Sync> Sync for Slots<S> {}

impl<S: Zeroed> Slots<S> {
    /// `None` where there is no memory, or no such layout.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let layout = Layout::array::<S>(len).ok()?;
        let (first, memory) = if layout.size() == 0 {
            (NonNull::<S>::dangling().cast(), Memory::None)
        } else if layout.size() >= FROM {
            let (first, pages) = map(layout)?;
            (first, Memory::Mapped { _pages: pages })
        } else {
            // SAFETY: the size is not zero.
            (NonNull::new(unsafe { alloc_zeroed(layout) })?, Memory::Heap(layout))
        };
        Some(Self { first: first.cast(), len, memory })
    }
}

impl<S> core::ops::Deref for Slots<S> {
    type Target = [S];

    #[inline(always)]
    fn deref(&self) -> &[S] {
        // SAFETY: `len` values, valid as zeroed (`Zeroed`), owned until drop.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<S> Drop for Slots<S> {
    fn drop(&mut self) {
        if let Memory::Heap(layout) = self.memory {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.first.as_ptr().cast(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! aligned {
        ($name:ident, $align:literal, $size:literal) => {
            #[repr(align($align))]
            struct $name([u8; $size]);
            // SAFETY: bytes.
            unsafe impl Zeroed for $name {
                fn zeroed() -> Self {
                    Self([0; $size])
                }
            }
        };
    }
    aligned!(Small, 1, 3);
    aligned!(Line, 64, 64);
    aligned!(Page, 4096, 4096);
    aligned!(Large, 65536, 65536);

    fn check<S: Zeroed>(len: usize, bytes: impl Fn(&S) -> &[u8]) {
        let slots = Slots::<S>::new(len).expect("memory");
        assert_eq!(slots.len(), len);
        for slot in slots.iter() {
            assert_eq!(core::ptr::from_ref(slot).align_offset(align_of::<S>()), 0);
            assert!(bytes(slot).iter().all(|byte| *byte == 0));
        }
    }

    /// Zeroed and aligned, from the allocator (small) and from the kernel (large), also above a page's alignment.
    #[test]
    fn zeroed_and_aligned() {
        for len in [1, 2, 43_690, 43_691, 100_000] {
            check::<Small>(len, |slot| &slot.0);
        }
        for len in [1, 3, 2047, 2048, 4096] {
            check::<Line>(len, |slot| &slot.0);
        }
        for len in [1, 31, 32, 64] {
            check::<Page>(len, |slot| &slot.0);
        }
        for len in [1, 2, 5] {
            check::<Large>(len, |slot| &slot.0);
        }
    }

    /// What cannot be had is refused: no panic, no abort.
    #[test]
    fn too_much_is_refused() {
        // The last is a layout, larger than any address space; 32 bits have no such number.
        for len in [usize::MAX, isize::MAX as usize / 64 + 1].into_iter().chain(1usize.checked_shl(50)) {
            assert!(Slots::<Line>::new(len).is_none(), "{len}");
        }
    }
}
