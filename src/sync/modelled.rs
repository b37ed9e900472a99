//! The facade of models: loom's types, a clock that a model's thread advances, and the run-time mutant switch.

pub(crate) mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    loom::lazy_static! {
        pub(super) static ref FENCES: AtomicU32 = AtomicU32::new(0);
    }

    /// loom's full fence orders two threads, but it does not try both orders by itself: for this word it does.
    pub(crate) fn fence(order: Ordering) {
        FENCES.fetch_add(1, Ordering::Relaxed);
        loom::sync::atomic::fence(order);
    }
}

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::hint::spin_loop as no_hint;
pub(crate) use loom::thread::yield_now;

use super::Zeroed;
use std::boxed::Box;
use std::string::String;
use std::sync::OnceLock;

/// Whether the label is the one whose mutant this process runs (`HORNPIPE_MUTANT=NAME`).
pub(crate) fn mutated(label: &str) -> bool {
    static MUTANT: OnceLock<Option<String>> = OnceLock::new();
    MUTANT.get_or_init(|| std::env::var("HORNPIPE_MUTANT").ok()).as_deref() == Some(label)
}

/// How the two fences of the asymmetric pair stand in a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fences {
    /// As on a system with a process-wide barrier: a light one and a heavy one order, two light ones do not, and
    /// neither do a light one and an ordinary full fence.
    Barrier,
    /// As on a system without: pipes are born SYM.
    Sym,
}

static SYM: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Sets them for the models that this process runs from now on.
pub fn set_fences(fences: Fences) {
    SYM.store(fences == Fences::Sym, std::sync::atomic::Ordering::SeqCst);
}

pub(crate) fn has_barrier() -> bool {
    !SYM.load(std::sync::atomic::Ordering::SeqCst)
}

pub(crate) fn ready_barrier() -> bool {
    has_barrier()
}

/// The process-wide barrier, as loom can have it: one word a thread, on which that thread's light fences and
/// everybody's heavy ones are read-modify-writes. So of a light and a heavy fence one comes first and the other sees
/// all that was before it; light fences of two threads never meet.
struct Lights {
    words: [atomic::AtomicU64; loom::MAX_THREADS],
    threads: std::sync::atomic::AtomicUsize,
}

loom::lazy_static! {
    static ref LIGHTS: Lights = Lights {
        words: core::array::from_fn(|_| atomic::AtomicU64::new(0)),
        threads: std::sync::atomic::AtomicUsize::new(0),
    };
}

loom::thread_local! {
    static OWN: usize = LIGHTS.threads.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
}

/// Begins a run: who comes first to one of these words must not seem to have ordered it for the others.
pub fn begin() {
    let _ = (&*LIGHTS, &*atomic::FENCES, &*time::NOW);
}

pub(crate) fn light_fence() {
    if has_barrier() {
        OWN.with(|own| LIGHTS.words[*own].fetch_add(1, atomic::Ordering::AcqRel));
    }
}

/// Meets every thread's light fences; false where there is no such barrier.
pub(crate) fn barrier() -> bool {
    if has_barrier() {
        for word in &LIGHTS.words {
            word.fetch_add(1, atomic::Ordering::AcqRel);
        }
    }
    has_barrier()
}

pub(crate) const fn allowed_cpus() -> Option<usize> {
    None
}

pub(crate) const fn one_cpu_quota() -> bool {
    false
}

/// To look for a while would only be more turns of the same.
pub(crate) const fn alone() -> bool {
    true
}

pub(crate) const fn hint_nanos() -> u32 {
    20
}

/// Slots, built one by one.
pub(crate) struct Slots<S>(Box<[S]>);

impl<S: Zeroed> Slots<S> {
    pub(crate) fn new(len: usize) -> Option<Self> {
        Some(Self((0..len).map(|_| S::zeroed()).collect()))
    }
}

impl<S> core::ops::Deref for Slots<S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        &self.0
    }
}

/// Bytes, and beside each a cell by which loom sees who uses it when.
pub(crate) struct Buffer {
    bytes: Box<[core::cell::UnsafeCell<u8>]>,
    watched: Box<[UnsafeCell<()>]>,
}

// SAFETY: loom reports two threads that use a byte at once.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn new(len: usize) -> Option<Self> {
        let bytes = (0..len).map(|_| core::cell::UnsafeCell::new(0)).collect();
        Some(Self { bytes, watched: (0..len).map(|_| UnsafeCell::new(())).collect() })
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) unsafe fn write(&self, at: usize, bytes: &[u8]) {
        // SAFETY: the caller's promise.
        unsafe { self.slice_mut(at, bytes.len()) }.copy_from_slice(bytes);
    }

    pub(crate) unsafe fn read(&self, at: usize, into: &mut [u8]) {
        // SAFETY: the caller's promise.
        into.copy_from_slice(unsafe { self.slice(at, into.len()) });
    }

    pub(crate) unsafe fn slice(&self, at: usize, len: usize) -> &[u8] {
        self.watched[at..at + len].iter().for_each(|cell| cell.with(|_| ()));
        // SAFETY: inside, by the line above; the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts(self.bytes[at..].as_ptr().cast(), len) }
    }

    #[expect(clippy::mut_from_ref, reason = "the caller promises that this part is its own")]
    pub(crate) unsafe fn slice_mut(&self, at: usize, len: usize) -> &mut [u8] {
        self.watched[at..at + len].iter().for_each(|cell| cell.with_mut(|_| ()));
        // SAFETY: as in `slice`.
        unsafe { core::slice::from_raw_parts_mut(self.bytes[at..].as_ptr().cast_mut().cast(), len) }
    }
}

/// loom's mutex around nothing.
pub(crate) struct Mutex(loom::sync::Mutex<()>);

impl Mutex {
    pub(crate) fn new() -> Self {
        Self(loom::sync::Mutex::new(()))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, ()> {
        self.0.lock().unwrap()
    }
}

/// loom's condition variable; the clock's ticks notify it.
pub(crate) struct Condvar(loom::sync::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(loom::sync::Condvar::new())
    }

    pub(crate) fn wait(&self, guard: loom::sync::MutexGuard<'_, ()>, _: time::Deadline) {
        drop(self.0.wait(guard).unwrap());
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}

pub(crate) mod time {
    //! A clock that only ticks when a model's clock thread says so: one tick is a millisecond.

    use loom::sync::atomic::{AtomicU64, Ordering};
    use std::time::{Duration, Instant};

    loom::lazy_static! {
        pub(super) static ref NOW: AtomicU64 = AtomicU64::new(0);
    }

    /// One tick. Sleepers look at it when the pipe's gates are ticked after it.
    pub fn advance() {
        NOW.fetch_add(1, Ordering::AcqRel);
    }

    /// In ticks, or never.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Deadline(Option<u64>);

    impl Deadline {
        pub(crate) const NEVER: Self = Self(None);

        /// So many ticks from the run's beginning: a call that starts late is late.
        pub(crate) fn after(timeout: Duration) -> Self {
            Self(Some(timeout.as_millis() as u64))
        }

        /// No naps in a model: it looks again at once, and yields for that.
        pub(crate) fn nap(self, _: Duration) -> Option<Self> {
            loom::hint::spin_loop();
            None
        }

        pub(crate) fn at(_: Instant) -> Self {
            panic!("a model has ticks, not instants: use a timeout")
        }

        pub(crate) fn passed(self) -> bool {
            self.0.is_some_and(|end| NOW.load(Ordering::Acquire) >= end)
        }
    }
}

/// As natively, without `const`.
macro_rules! constructor {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $of:ty),*) -> Self $body:block) => {
        $(#[$meta])*
        $vis fn $name($($arg: $of),*) -> Self $body
    };
}
pub(crate) use constructor;
