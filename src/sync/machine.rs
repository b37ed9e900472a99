//! What the facade asks of the machine: its barrier, its CPUs, what a hint takes.

#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(feature = "std")]
use std::{cell::Cell, sync::OnceLock};

cfg_if::cfg_if! {
    if #[cfg(all(feature = "std", not(miri), any(target_os = "linux", target_os = "android")))] {
        use rustix::thread::{MembarrierCommand as Command, membarrier, membarrier_query};

        /// Whether the system has a process-wide barrier.
        pub(crate) fn has_barrier() -> bool {
            static HAS: OnceLock<bool> = OnceLock::new();
            *HAS.get_or_init(|| membarrier_query().contains_command(Command::PrivateExpedited))
        }

        /// The same, and the process is registered for it: with threads running that takes milliseconds, once.
        pub(crate) fn ready_barrier() -> bool {
            static READY: OnceLock<bool> = OnceLock::new();
            *READY.get_or_init(|| {
                has_barrier() && membarrier(Command::RegisterPrivateExpedited).is_ok()
            })
        }

        /// Every running thread of the process executes a full barrier during this call; false: it could not be.
        ///
        /// Registers when it has to: pipes that may never need a barrier leave that to the first that does. (A forked
        /// child registers anew.)
        pub(crate) fn barrier() -> bool {
            let order = || membarrier(Command::PrivateExpedited).is_ok();
            if super::point::barrier_fails() {
                return false;
            }
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
        pub(crate) const fn ready_barrier() -> bool {
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

/// Whether the process's quota is one CPU's time. Asked by the first waiting thread that can tell (one pinned to a
/// CPU cannot): reading a quota takes files, tens of microseconds.
#[cfg(feature = "std")]
pub(crate) fn one_cpu_quota() -> bool {
    static ONE: OnceLock<bool> = OnceLock::new();
    std::thread_local! {
        static ASKED: Cell<bool> = const { Cell::new(false) };
    }
    let ask = || {
        let told = ASKED.replace(true) || allowed_cpus() == Some(1);
        (!told).then(|| {
            *ONE.get_or_init(|| std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() == 1))
        })
    };
    ONE.get().copied().or_else(ask).unwrap_or(false)
}

/// Whether nobody else can run while this thread does, asked now.
#[cfg(feature = "std")]
pub(crate) fn alone() -> bool {
    one_cpu_quota() || allowed_cpus() == Some(1)
}

/// What one `spin_loop` takes here, in nanoseconds, at least 1. Measured by whoever needs it before somebody has:
/// microseconds each, and nobody waits for anybody (`try_` calls may ask).
#[cfg(feature = "std")]
pub(crate) fn hint_nanos() -> u32 {
    static NANOS: AtomicU32 = AtomicU32::new(0);
    // Relaxed: a number, the same whoever measured it.
    match NANOS.load(Relaxed) {
        0 => {
            let nanos = measure_hint();
            NANOS.store(nanos, Relaxed);
            nanos
        }
        nanos => nanos,
    }
}

#[cfg(feature = "std")]
#[cold]
fn measure_hint() -> u32 {
    const HINTS: u32 = 64;
    let once = || {
        let start = std::time::Instant::now();
        (0..HINTS).for_each(|_| super::spin_loop());
        start.elapsed().as_nanos() as u32
    };
    // The least of a few: an interrupt only ever adds.
    ((0..5).map(|_| once()).min().unwrap_or(0) / HINTS).max(1)
}

/// Without a clock: the middle of what is known of processors.
#[cfg(not(feature = "std"))]
pub(crate) const fn hint_nanos() -> u32 {
    20
}

#[cfg(all(test, feature = "std", not(miri), target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// A thread pinned to one CPU, asking first, does not decide for the process.
    #[test]
    fn a_pinned_thread_cannot_tell_the_quota() {
        let cpus = sched_getaffinity(None).unwrap();
        let pinned = std::thread::spawn(move || {
            let first = (0..CpuSet::MAX_CPU).find(|cpu| cpus.is_set(*cpu)).unwrap();
            let mut one = CpuSet::new();
            one.set(first);
            sched_setaffinity(None, &one).unwrap();
            (allowed_cpus(), one_cpu_quota())
        });
        assert_eq!(pinned.join().unwrap().0, Some(1));
        let one = std::thread::available_parallelism().unwrap().get() == 1 && cpus.count() > 1;
        assert_eq!(one_cpu_quota(), one);
    }
}
