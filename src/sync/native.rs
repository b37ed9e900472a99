//! The facade of ordinary builds: core's and std's own types.

pub(crate) mod atomic {
    pub(crate) use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence, fence};
}

/// No label is ever mutated here.
#[inline(always)]
pub(crate) const fn mutated(_: &str) -> bool {
    false
}

/// core's cell with loom's interface.
#[repr(transparent)]
pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

pub(crate) use core::hint::spin_loop;

/// Nothing; a model yields here, to see that this thread waits for another.
#[inline(always)]
pub(crate) fn no_hint() {}

#[cfg(feature = "std")]
pub(crate) use std::thread::yield_now;

/// Store-load order on the publishing side: a compiler barrier only, the other side pays (see `fence`).
#[inline(always)]
pub(crate) fn light_fence() {
    atomic::compiler_fence(atomic::Ordering::SeqCst);
}

cfg_if::cfg_if! {
    if #[cfg(all(feature = "std", any(feature = "condvar", miri, not(any(target_os = "linux", target_os = "android")))))] {
        mod locks;
        pub(crate) use locks::{Condvar, Mutex};
    }
}

/// A constructor that can be used in a `static`: loom's types cannot.
macro_rules! constructor {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $of:ty),*) -> Self $body:block) => {
        $(#[$meta])*
        $vis const fn $name($($arg: $of),*) -> Self $body
    };
}
pub(crate) use constructor;
