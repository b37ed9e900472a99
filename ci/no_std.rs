//! A program without std that moves items through a pipe: linked by ci/no_std.sh, so that a dependency on std
//! anywhere in the library is an error (`panic_impl` twice) and not something for the first user to find.

#![no_std]
#![no_main]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use hornpipe::{Builder, Mpmc, TryRecvError, TrySendError};

/// Memory that is handed out once.
struct Bump {
    memory: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

const SIZE: usize = 64 * 1024;

// SAFETY: each byte is handed out at most once.
unsafe impl Sync for Bump {}

// SAFETY: a block lies in `memory`, aligned, and no two overlap.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = self.memory.get().cast::<u8>();
        // As much as any alignment may skip, and the block itself.
        let start = self.used.fetch_add(layout.size() + layout.align(), Relaxed);
        if start + layout.size() + layout.align() > SIZE {
            return ptr::null_mut();
        }
        let block = memory.wrapping_add(start);
        block.wrapping_add(block.align_offset(layout.align()))
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Bump = Bump { memory: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) };

unsafe extern "C" {
    fn abort() -> !;
}

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    // SAFETY: C's abort asks for nothing.
    unsafe { abort() }
}

/// What the precompiled `alloc` names for unwinding, which nothing here does.
// SAFETY: there is no other personality without std, and it is never called.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// The C runtime's entry: 0 is success.
// SAFETY: nothing else here is called main.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let Ok((tx, rx)) = Builder::<Mpmc>::new(3).build::<u32>() else { return 1 };
    for lap in 0..10 {
        for n in 0..3 {
            assert_eq!(tx.try_send(3 * lap + n), Ok(()));
        }
        assert_eq!(tx.try_send(99), Err(TrySendError::Full(99)));
        assert!(rx.try_iter().eq(3 * lap..3 * lap + 3));
        assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    }
    drop(tx);
    assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
    0
}
