//! What the facade asks of the machine: its barrier, its CPUs, what a hint takes.

use super::spin_loop;

cfg_if::cfg_if! {
    if #[cfg(all(feature = "std", not(miri), any(target_os = "linux", target_os = "android")))] {
        use rustix::thread::{MembarrierCommand as Command, membarrier, membarrier_query};
        use std::sync::OnceLock;

        /// Whether the system has a process-wide barrier.
        pub(crate) fn has_barrier() -> bool {
            static HAS: OnceLock<bool> = OnceLock::new();
            *HAS.get_or_init(|| membarrier_query().contains_command(Command::PrivateExpedited))
        }

        /// Every running thread of the process executes a full barrier during this call; false: it could not be.
        ///
        /// Registers when it has to: with threads running that may take milliseconds, which no `build` and no
        /// pipe that never meets a stalled peer should pay. (A forked child registers anew.)
        pub(crate) fn barrier() -> bool {
            let order = || membarrier(Command::PrivateExpedited).is_ok();
            order() || (membarrier(Command::RegisterPrivateExpedited).is_ok() && order())
        }

        fn affinity() -> Option<usize> {
            rustix::thread::sched_getaffinity(None).ok().map(|cpus| cpus.count() as usize)
        }
    } else {
        /// Whether the system has a process-wide barrier: none that is known here.
        pub(crate) const fn has_barrier() -> bool {
            false
        }

        /// No process-wide barrier.
        pub(crate) const fn barrier() -> bool {
            false
        }

        #[cfg(feature = "std")]
        const fn affinity() -> Option<usize> {
            None
        }
    }
}

/// CPUs that the calling thread, and so the threads it starts, may use: the affinity mask now, and the quota as it
/// was when first asked (reading it takes files).
#[cfg(feature = "std")]
pub(crate) fn usable_cpus() -> usize {
    static QUOTA: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let quota = *QUOTA.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    affinity().map_or(quota, |cpus| cpus.min(quota).max(1))
}

/// What one `spin_loop` takes here, in nanoseconds, at least 1; measured at the first call.
#[cfg(feature = "std")]
pub(crate) fn hint_nanos() -> u32 {
    static NANOS: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *NANOS.get_or_init(|| {
        const HINTS: u32 = 64;
        let once = || {
            let start = std::time::Instant::now();
            (0..HINTS).for_each(|_| spin_loop());
            start.elapsed().as_nanos() as u32
        };
        // The least of a few: an interrupt only ever adds.
        ((0..5).map(|_| once()).min().unwrap_or(0) / HINTS).max(1)
    })
}

/// Without a clock: the middle of what is known of processors.
#[cfg(not(feature = "std"))]
pub(crate) const fn hint_nanos() -> u32 {
    20
}
