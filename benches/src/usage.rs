//! What a thread has cost the system: CPU time, context switches, migrations.

use std::{fs, ops::AddAssign};

use serde::{Deserialize, Serialize};

/// The cost of a stretch of a thread's life; `None` where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Time on a CPU.
    pub cpu_ns: Option<u64>,
    /// Switches because the thread waited.
    pub voluntary: Option<u64>,
    /// Switches because another thread's turn came.
    pub involuntary: Option<u64>,
    /// Moves to another CPU.
    pub migrations: Option<u64>,
}

impl Usage {
    /// Adds field by field with `join`; what either does not know the sum does not know.
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let join = |a: Option<u64>, b: Option<u64>| Some(join(a?, b?));
        Self {
            cpu_ns: join(self.cpu_ns, other.cpu_ns),
            voluntary: join(self.voluntary, other.voluntary),
            involuntary: join(self.involuntary, other.involuntary),
            migrations: join(self.migrations, other.migrations),
        }
    }

    /// Nothing, all of it known: where a sum starts.
    pub const ZERO: Self =
        Self { cpu_ns: Some(0), voluntary: Some(0), involuntary: Some(0), migrations: Some(0) };

    /// What was added since `earlier`.
    pub fn since(self, earlier: Self) -> Self {
        self.zip(earlier, u64::saturating_sub)
    }

    /// Both kinds of context switches.
    pub fn switches(&self) -> Option<u64> {
        Some(self.voluntary? + self.involuntary?)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = self.zip(other, |a, b| a + b);
    }
}

/// Measures the calling thread from [`start`](Meter::start) to [`stop`](Meter::stop).
pub struct Meter(Usage);

impl Meter {
    /// Reads what takes long to read, so that `start` is quick.
    pub fn new() -> Self {
        Self(Usage { migrations: migrations(), ..Usage::default() })
    }

    /// The stretch begins.
    pub fn start(&mut self) {
        self.0 = Usage { migrations: self.0.migrations, ..clocks() };
    }

    /// The stretch ends.
    pub fn stop(self) -> Usage {
        let end = clocks();
        Usage { migrations: migrations(), ..end }.since(self.0)
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

/// The calling thread's CPU time so far.
pub fn cpu_ns() -> Option<u64> {
    clocks().cpu_ns
}

/// A thread whose usage others may read while it is in the middle of something.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub struct Thread {
    clock: nix::time::ClockId,
    id: nix::unistd::Pid,
}

#[cfg(target_os = "linux")]
impl Thread {
    /// The calling one.
    pub fn this() -> Option<Self> {
        let mut clock = 0;
        // SAFETY: `pthread_self` names a live thread, and `clock` is a clockid_t to write to.
        let error = unsafe { nix::libc::pthread_getcpuclockid(nix::libc::pthread_self(), &mut clock) };
        (error == 0).then(|| Self { clock: nix::time::ClockId::from_raw(clock), id: nix::unistd::gettid() })
    }

    /// Its CPU time's clock.
    pub fn clock(&self) -> nix::time::ClockId {
        self.clock
    }

    /// The kernel's number for it.
    pub fn id(&self) -> nix::unistd::Pid {
        self.id
    }

    /// So far, but for migrations.
    pub fn usage(&self) -> Usage {
        let status = fs::read_to_string(format!("/proc/self/task/{}/status", self.id)).unwrap_or_default();
        let fact = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.strip_prefix(':')?.trim().parse().ok()
        };
        Usage {
            cpu_ns: read(self.clock),
            voluntary: fact("voluntary_ctxt_switches"),
            involuntary: fact("nonvoluntary_ctxt_switches"),
            migrations: None,
        }
    }
}

#[cfg(target_os = "linux")]
fn read(clock: nix::time::ClockId) -> Option<u64> {
    let time = nix::time::clock_gettime(clock).ok()?;
    Some(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}

/// Everything but migrations.
#[cfg(target_os = "linux")]
fn clocks() -> Usage {
    use nix::sys::resource::{UsageWho, getrusage};
    // The clock counts to this very moment; getrusage's times lag by up to a tick.
    let cpu_ns = read(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID);
    let switches = getrusage(UsageWho::RUSAGE_THREAD).ok();
    Usage {
        cpu_ns,
        voluntary: switches.map(|usage| usage.voluntary_context_switches() as u64),
        involuntary: switches.map(|usage| usage.involuntary_context_switches() as u64),
        migrations: None,
    }
}

/// Everything but migrations: nothing is known here.
#[cfg(not(target_os = "linux"))]
fn clocks() -> Usage {
    Usage::default()
}

/// Only kernels with scheduler statistics have the file.
fn migrations() -> Option<u64> {
    let sched = fs::read_to_string("/proc/thread-self/sched").ok()?;
    let line = sched.lines().find(|line| line.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::{hint::black_box, time::Duration};

    #[test]
    fn a_busy_stretch_costs_more_than_an_idle_one() {
        let mut meter = Meter::new();
        meter.start();
        (0..2_000_000u64).for_each(|i| _ = black_box(i));
        let busy = meter.stop();
        let mut meter = Meter::new();
        meter.start();
        std::thread::sleep(Duration::from_millis(5));
        let idle = meter.stop();
        assert!(busy.cpu_ns > idle.cpu_ns, "{busy:?} {idle:?}");
        assert!(idle.voluntary >= Some(1), "{idle:?}");
    }

    #[test]
    fn a_thread_can_be_read_while_it_sleeps() {
        let (about, told) = std::sync::mpsc::channel();
        let (wake, woken) = std::sync::mpsc::channel::<()>();
        let sleeper = std::thread::spawn(move || {
            (0..2_000_000u64).for_each(|i| _ = black_box(i));
            about.send(Thread::this().expect("Linux tells")).expect("the test listens");
            woken.recv()
        });
        let thread = told.recv().expect("the sleeper tells");
        let nothing = Usage { migrations: None, ..Usage::ZERO };
        let sleeps = || {
            let before = thread.usage();
            std::thread::sleep(Duration::from_millis(5));
            before.cpu_ns > Some(0) && before.voluntary > Some(0) && thread.usage().since(before) == nothing
        };
        assert!((0..1000).any(|_| sleeps()), "{:?}", thread.usage());
        wake.send(()).expect("the sleeper waits");
        assert!(sleeper.join().is_ok_and(|woken| woken.is_ok()));
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        let mut sum = Usage::ZERO;
        sum += Usage { migrations: None, ..Usage::ZERO };
        assert_eq!(sum, Usage { migrations: None, ..Usage::ZERO });
    }
}
