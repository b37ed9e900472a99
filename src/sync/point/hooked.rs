//! The hooks themselves, one set a thread, and the counters.

use super::{Count, Point};
use std::boxed::Box;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::Vec;

type Hook = Box<dyn FnMut()>;

std::thread_local! {
    static HOOKS: RefCell<Vec<(Point, u64, Option<Hook>)>> = const { RefCell::new(Vec::new()) };
    static MINE: Cell<Counters> = const { Cell::new(Counters { futex_waits: 0, futex_wakes: 0, retries: 0 }) };
}

std::thread_local! {
    static BARRIER_FAILS: Cell<bool> = const { Cell::new(false) };
}

static NEXT: AtomicU64 = AtomicU64::new(0);
static ALL: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Events since the start, of a thread or of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Calls that put a thread to sleep.
    pub futex_waits: u64,
    /// Calls that wake sleepers.
    pub futex_wakes: u64,
    /// Turns of a claim's retry loop beyond the first.
    pub retries: u64,
}

/// Removes its hook when dropped.
#[derive(Debug)]
pub struct Guard(u64);

impl Drop for Guard {
    fn drop(&mut self) {
        // At thread exit the hooks are gone already.
        let _ = HOOKS.try_with(|hooks| hooks.borrow_mut().retain(|(_, id, _)| *id != self.0));
    }
}

/// Runs `hook` each time that the calling thread passes `point`, until the guard is dropped. While it runs it
/// is taken out, so that it may use pipes itself.
#[must_use = "the hook is removed when the guard is dropped"]
pub fn on(point: Point, hook: impl FnMut() + 'static) -> Guard {
    // Relaxed: only uniqueness matters.
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    HOOKS.with(|hooks| hooks.borrow_mut().push((point, id, Some(Box::new(hook)))));
    Guard(id)
}

/// The process's counters.
pub fn counters() -> Counters {
    // Relaxed: counters, read as hints.
    let [waits, wakes, retries] = ALL.each_ref().map(|count| count.load(Ordering::Relaxed));
    Counters { futex_waits: waits, futex_wakes: wakes, retries }
}

/// The calling thread's counters.
pub fn thread_counters() -> Counters {
    MINE.get()
}

/// Makes the calling thread's process-wide barriers fail from now on, as a seccomp filter may.
pub fn fail_barriers(fail: bool) {
    BARRIER_FAILS.set(fail);
}

pub(crate) fn barrier_fails() -> bool {
    BARRIER_FAILS.get()
}

pub(crate) fn count(what: Count) {
    ALL[what as usize].fetch_add(1, Ordering::Relaxed); // Relaxed: a counter
    let mut mine = MINE.get();
    match what {
        Count::FutexWait => mine.futex_waits += 1,
        Count::FutexWake => mine.futex_wakes += 1,
        Count::Retry => mine.retries += 1,
    }
    MINE.set(mine);
}

pub(crate) fn at(point: Point) {
    let take = |hooks: &RefCell<Vec<(Point, u64, Option<Hook>)>>| {
        hooks
            .borrow_mut()
            .iter_mut()
            .find(|(at, _, hook)| *at == point && hook.is_some())
            .map(|entry| (entry.1, entry.2.take()))
    };
    let Ok(Some((id, Some(mut hook)))) = HOOKS.try_with(take) else { return };
    hook();
    let _ = HOOKS.try_with(|hooks| {
        if let Some(entry) = hooks.borrow_mut().iter_mut().find(|entry| entry.1 == id) {
            entry.2 = Some(hook);
        }
    });
}
