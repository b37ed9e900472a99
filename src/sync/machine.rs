//! What the facade asks of the machine: its barrier, its CPUs, what a hint takes.

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

        /// CPUs that the calling thread, and so the threads it starts, may run on; where that can be asked.
        pub(crate) fn allowed_cpus() -> Option<usize> {
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

        /// Cannot be asked here.
        #[cfg(feature = "std")]
        pub(crate) const fn allowed_cpus() -> Option<usize> {
            None
        }
    }
}

/// CPUs that this process may keep busy, by its quota too. Asked once: reading a quota takes files.
#[cfg(feature = "std")]
pub(crate) fn quota() -> usize {
    static QUOTA: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *QUOTA.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// What one `spin_loop` takes here, in nanoseconds, at least 1; measured at the first call.
#[cfg(feature = "std")]
pub(crate) fn hint_nanos() -> u32 {
    static NANOS: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *NANOS.get_or_init(|| {
        const HINTS: u32 = 64;
        let once = || {
            let start = std::time::Instant::now();
            (0..HINTS).for_each(|_| super::spin_loop());
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
