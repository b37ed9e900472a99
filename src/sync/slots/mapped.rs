//! Pages straight from the kernel: zeroed, and touched by nobody until they are used.

use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::NonNull;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// From this size on a mapping of its own: glibc's own threshold.
pub(super) const FROM: usize = 128 << 10;

/// The least that mmap aligns to.
const PAGE: usize = 4096;

/// A mapping; unmapped when dropped.
pub(super) struct Pages {
    start: *mut c_void,
    bytes: usize,
}

/// Zeroed memory for `layout`.
pub(super) fn map(layout: Layout) -> Option<(NonNull<u8>, Pages)> {
    // Room to align by hand where a page is not alignment enough.
    let slack = if layout.align() <= PAGE { 0 } else { layout.align() };
    let bytes = layout.size().checked_add(slack)?;
    // SAFETY: a fresh private mapping, no address asked for.
    let start = unsafe {
        mmap_anonymous(core::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
    }
    .ok()?;
    let first =
        NonNull::new(start.cast::<u8>().wrapping_add(start.cast::<u8>().align_offset(layout.align())))?;
    Some((first, Pages { start, bytes }))
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped in `map` with this length, and nothing borrows it any more.
        if unsafe { munmap(self.start, self.bytes) }.is_err() {
            // The kernel merges neighbours, and at its limit of mappings (65,530) refuses to split one. The addresses
            // stay then, the memory goes back.
            // SAFETY: as above.
            let _ = unsafe { madvise(self.start, self.bytes, Advice::LinuxDontNeed) };
        }
    }
}
