//! The process-wide barrier, and what is measured in its place.

use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use crate::placement::{Cpus, Placement, Side};

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{MembarrierCommand as Command, membarrier, membarrier_query};

    /// Whether there is a membarrier; it can be used from then on. Called before there are threads, for speed.
    pub fn register() -> bool {
        membarrier_query().contains_command(Command::PrivateExpedited)
            && membarrier(Command::RegisterPrivateExpedited).is_ok()
    }

    /// Every running thread of the process executes a full barrier during this call.
    pub fn heavy() {
        membarrier(Command::PrivateExpedited).expect("a membarrier, which the system has promised");
    }

    /// Into the kernel and back; it orders nothing.
    pub fn another_call() {
        std::hint::black_box(membarrier_query());
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn register() -> bool {
        false
    }

    pub fn heavy() {
        unreachable!("no row that takes a membarrier runs here")
    }

    pub fn another_call() {
        std::thread::yield_now();
    }
}

pub use system::{another_call, heavy, register};

/// How long a membarrier takes beside a thread that runs on another CPU, the median; `None` where there is none.
pub fn time(cpus: &Cpus) -> Result<Option<Duration>, String> {
    if !system::register() {
        return Ok(None);
    }
    // Beside one that is not running at the moment, a membarrier costs next to nothing.
    let (turns, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let sample = || {
        let before = turns.load(Relaxed);
        while turns.load(Relaxed) == before {
            spin_loop();
        }
        let begun = Instant::now();
        heavy();
        begun.elapsed()
    };
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let pinned = Placement::Apart.settle(cpus, Side::Sender, 0);
            while !done.load(Relaxed) {
                turns.fetch_add(1, Relaxed);
            }
            pinned
        });
        let measured = scope.spawn(|| {
            let pinned = Placement::Apart.settle(cpus, Side::Receiver, 0);
            let mut times: Vec<Duration> = (0..201).map(|_| sample()).collect();
            done.store(true, Relaxed);
            times.sort();
            pinned.map(|()| times[times.len() / 2])
        });
        beside.join().expect("no panic")?;
        measured.join().expect("no panic").map(Some)
    })
}
