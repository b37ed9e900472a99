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
        const FROM: usize = usize::MAX;
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
    Heap(Layout),
    Mapped {
        /// Held for its Drop.
        _pages: Pages,
    },
}

// SAFETY: an owned array, as Box<[S]>.
unsafe impl<S: Send> Send for Slots<S> {}
// SAFETY: shared access gives only `&[S]`.
unsafe impl<S: Sync> Sync for Slots<S> {}

impl<S: Zeroed> Slots<S> {
    /// `None` where there is no memory, or no such layout, or nothing to allocate.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let layout = Layout::array::<S>(len).ok().filter(|layout| layout.size() > 0)?;
        let (first, memory) = if layout.size() >= FROM {
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
