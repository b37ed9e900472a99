//! The token pool: takers of one token, a timeout against a give, the bound on passing. (It is 1 in models.)

use hornpipe::TokenPool;
use hornpipe::model::advance;
use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;
use std::time::Duration;

/// What the timed call waits: until the only tick.
const TICK: Duration = Duration::from_millis(1);

/// A pool, and what its one token is for: loom watches that its holders come one after another.
struct Guarded {
    pool: TokenPool,
    jobs: UnsafeCell<u32>,
}

// SAFETY: the cell is used by who holds the only token: loom reports any access that is not ordered so.
unsafe impl Sync for Guarded {}
// SAFETY: as above.
unsafe impl Send for Guarded {}

impl Guarded {
    fn new() -> Arc<Self> {
        Arc::new(Self { pool: TokenPool::new(1), jobs: UnsafeCell::new(0) })
    }

    /// A job, under the token that the caller holds; how many there were before.
    fn job(&self) -> u32 {
        // SAFETY: the caller holds the only token.
        self.jobs.with_mut(|jobs| unsafe {
            *jobs += 1;
            *jobs - 1
        })
    }

    fn acquire_and_work(&self) -> u32 {
        let _token = self.pool.acquire();
        self.job()
    }

    fn assert_jobs(&self, jobs: u32) {
        assert_eq!(self.pool.len(), 1, "the token is back");
        assert_eq!(self.acquire_and_work(), jobs);
        assert!(format!("{:?}", self.pool).contains("waiting: 0"), "{:?}", self.pool);
    }
}

/// So many takers besides this thread, and one token: each gets it once.
pub fn takers(others: u32) {
    let guarded = Guarded::new();
    let threads: Vec<_> = (0..others)
        .map(|_| {
            let guarded = guarded.clone();
            thread::spawn(move || _ = guarded.acquire_and_work())
        })
        .collect();
    guarded.acquire_and_work();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    guarded.assert_jobs(others + 1);
}

/// One waits while another takes the token time and again without waiting: it is passed once at most, then handed the
/// token, and sees what the others did.
pub fn handed() {
    let guarded = Guarded::new();
    let token = guarded.pool.acquire();
    guarded.job();
    let waiter = guarded.clone();
    let waiter = thread::spawn(move || waiter.acquire_and_work());
    while !format!("{:?}", guarded.pool).contains("waiting: 1") {
        thread::yield_now();
    }
    drop(token);
    let mut before = 1;
    for _ in 0..2 {
        if let Some(_token) = guarded.pool.try_acquire() {
            before = before.max(guarded.job());
        }
    }
    // Of the takes after its own joining at most one came before its job.
    let at = waiter.join().unwrap();
    assert!(at <= 2, "passed {} times", at - 1);
    let jobs = before.max(at) + 1;
    guarded.assert_jobs(jobs);
}

/// Two wait for one token, and one of them gives up when it comes: the other gets it.
pub fn timeout() {
    let guarded = Guarded::new();
    let token = guarded.pool.acquire();
    let patient = guarded.clone();
    let patient = thread::spawn(move || _ = patient.acquire_and_work());
    let hasty = guarded.clone();
    let hasty = thread::spawn(move || {
        // Kept from the other for good, if it is got.
        hasty.pool.acquire_timeout(TICK).map(|_token| hasty.job()).is_some()
    });
    advance();
    drop(token);
    patient.join().unwrap();
    guarded.pool.disturb();
    let jobs = 1 + u32::from(hasty.join().unwrap());
    guarded.assert_jobs(jobs);
}
