//! How many futex calls and wake-ups a stretch of work makes, by the kernel's own count.
//!
//! The kernel passes a tracepoint on each system call `futex`, and another whenever it is about to wake a thread. Counted is
//! each passage by the calling thread and by every thread that comes from it; none is sampled or estimated. For wake-ups
//! that means those that these threads make, whoever is woken, and those that an interrupt makes while one of them runs.
//! Joining threads takes futex calls too, about one a thread.
//!
//! While such counters exist every system call on the machine takes a little longer, and opening the first and closing the
//! last take the kernel a while. So this is for a run of its own, which is not timed.

use serde::Serialize;

/// What the kernel counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// System calls `futex`; not its younger kin (`futex_waitv`), which neither std nor hornpipe makes.
    pub futexes: u64,
    /// Sleeping threads made runnable.
    pub wakeups: u64,
}

/// Runs `work` on the calling thread and counts it and every thread that it starts and joins within.
/// Why not, in a sentence, where the kernel does not tell; also where such a thread does not end.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Result<Counts, String>) {
    let counters = system::Counters::start();
    let result = work();
    (result, counters.and_then(system::Counters::stop).map_err(because))
}

/// Whether counting is possible here; the sentence is for people (what is missing and how to get it).
pub fn available() -> Result<(), String> {
    system::Counters::start().map(drop).map_err(because)
}

/// Why there are no counts, for people.
fn because(reason: String) -> String {
    format!("futex calls and wake-ups are not counted: {reason}")
}

#[cfg(tracepoints)]
mod system {
    use std::{
        fs,
        io::{self, ErrorKind},
        path::Path,
        thread,
        time::{Duration, Instant},
    };

    use perf_event::{Builder, Counter, events::Tracepoint};

    use super::Counts;

    /// Where the kernel describes its tracepoints: tracefs, by itself or as debugfs shows it.
    const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

    /// How long a thread that has been joined may take to its end.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Of the calling thread and of those that come from it.
    pub struct Counters {
        forks: Counter,
        exits: Counter,
        futexes: Counter,
        wakeups: Counter,
    }

    impl Counters {
        /// They count from here on.
        pub fn start() -> Result<Self, String> {
            let open = |name| counter(tracepoint(&TRACEFS, name)?).map_err(|error| refusal(&error));
            Ok(Self {
                forks: open("sched/sched_process_fork")?,
                exits: open("sched/sched_process_exit")?,
                futexes: open("syscalls/sys_enter_futex")?,
                // Last: opening the others wakes threads.
                wakeups: open("sched/sched_waking")?,
            })
        }

        /// Up to here.
        pub fn stop(mut self) -> Result<Counts, String> {
            let unread = |error: io::Error| error.to_string();
            match self.running().map_err(unread)? {
                0 => self.counts().map_err(unread),
                threads => Err(format!("threads of the stretch still run ({threads})")),
            }
        }

        /// How many threads have not come to their end, after some patience: a scope returns before the destructors of its
        /// threads' locals have run, and who has let a thread go does not know at all. A read adds up those that have
        /// ended and those that have not, under one lock (since Linux 5.13), so being past the last instruction is enough.
        fn running(&mut self) -> io::Result<u64> {
            let deadline = Instant::now() + PATIENCE;
            loop {
                // In this order: where the sums agree there was nobody left, at the time of the first, to start another.
                let ended = self.exits.read()?;
                let running = self.forks.read()?.saturating_sub(ended);
                if running == 0 || Instant::now() > deadline {
                    return Ok(running);
                }
                thread::sleep(Duration::from_micros(100));
            }
        }

        fn counts(&mut self) -> io::Result<Counts> {
            Ok(Counts { futexes: self.futexes.read()?, wakeups: self.wakeups.read()? })
        }
    }

    fn counter(tracepoint: Tracepoint) -> io::Result<Counter> {
        Builder::new(tracepoint).include_kernel().inherit(true).enabled(true).build()
    }

    /// By its number, which differs from kernel to kernel. (`Tracepoint::with_name` knows the second root only.)
    pub(super) fn tracepoint(roots: &[impl AsRef<Path>], name: &str) -> Result<Tracepoint, String> {
        let mut folders = roots.iter().map(|root| root.as_ref().join("events"));
        // One that cannot be looked into is there.
        let Some(events) = folders.find(|events| events.try_exists().unwrap_or(true)) else {
            return Err("there is no tracefs (as root: mount -t tracefs nodev /sys/kernel/tracing)".into());
        };
        let file = events.join(name).join("id");
        let id = fs::read_to_string(&file).map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!("this kernel has no tracepoint {name}"),
            ErrorKind::PermissionDenied => format!("it takes root to read {}", file.display()),
            _ => format!("{}: {error}", file.display()),
        })?;
        let id = id.trim().parse().map_err(|_| format!("{} has no number: {id:?}", file.display()))?;
        Ok(Tracepoint::with_id(id))
    }

    pub(super) fn refusal(error: &io::Error) -> String {
        match error.kind() {
            ErrorKind::PermissionDenied => {
                "not permitted (it takes root, CAP_PERFMON or sysctl kernel.perf_event_paranoid=1, and a container \
                 that lets perf_event_open through)"
                    .into()
            }
            ErrorKind::Unsupported => format!("this kernel has no perf_event_open ({error})"),
            _ => format!("perf_event_open: {error}"),
        }
    }
}

#[cfg(not(tracepoints))]
mod system {
    use super::Counts;

    /// There are none.
    pub enum Counters {}

    impl Counters {
        pub fn start() -> Result<Self, String> {
            Err("it takes Linux on aarch64, riscv64 or x86_64".into())
        }

        pub fn stop(self) -> Result<Counts, String> {
            match self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts where the kernel tells; elsewhere the sentence has to be the same and to say what is missing.
    fn told(counts: Result<Counts, String>) -> Option<Counts> {
        let Err(missing) = available() else { return Some(counts.expect("it is available")) };
        assert_eq!(counts.as_ref(), Err(&missing));
        let lacks = ["mount -t tracefs", "root", "tracepoint", "perf_event", "Linux"];
        assert!(lacks.iter().any(|lack| missing.contains(lack)), "{missing}");
        None
    }

    /// While some counters exist others are opened and closed quickly.
    fn held() -> impl Sized {
        system::Counters::start()
    }

    #[test]
    fn the_work_is_done_and_nothing_counts_as_nothing() {
        let nothing = Counts { futexes: 0, wakeups: 0 };
        let _held = held();
        let counts: Vec<Counts> = (0..20)
            .filter_map(|work| {
                let (done, counts) = counted(|| work);
                assert_eq!(done, work);
                told(counts)
            })
            .collect();
        // An interrupt that wakes somebody can be part of one of them, or a call for the allocator's lock: other tests run.
        assert!(counts.is_empty() || counts.contains(&nothing), "{counts:?}");
        assert!(counts.iter().all(|counts| counts.futexes < 5), "{counts:?}");
    }

    #[cfg(tracepoints)]
    mod threads {
        use std::{
            cell::RefCell,
            io::{self, Read, Write},
            sync::{
                atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
                mpsc,
            },
            thread::{self, JoinHandle},
        };

        use rustix::thread::futex;

        use super::*;

        const THREADS: u64 = 3;
        const CALLS: u64 = 50;

        /// Futex calls that find nobody to wake.
        struct Calls(u64);

        impl Drop for Calls {
            fn drop(&mut self) {
                let word = AtomicU32::new(0);
                (0..self.0).for_each(|_| assert_eq!(futex::wake(&word, futex::Flags::PRIVATE, 1), Ok(0)));
            }
        }

        /// Counts it 500 times: each time every call of every thread, none of them twice. Joining takes a few calls, too.
        fn all_are_counted(work: impl Fn()) {
            let _held = held();
            for _ in 0..500 {
                if let Some(counts) = told(counted(&work).1) {
                    let made = THREADS * CALLS;
                    assert!((made..made + CALLS).contains(&counts.futexes), "{counts:?}");
                }
            }
        }

        #[test]
        fn every_call_of_a_joined_thread_is_counted() {
            all_are_counted(|| {
                let threads: Vec<_> = (0..THREADS).map(|_| thread::spawn(|| drop(Calls(CALLS)))).collect();
                assert!(threads.into_iter().map(JoinHandle::join).all(|end| end.is_ok()));
            });
        }

        #[test]
        fn every_call_is_counted_that_a_thread_makes_on_its_way_out() {
            thread_local!(static LAST: RefCell<Option<Calls>> = const { RefCell::new(None) });
            // Such a scope does not wait for the threads' locals.
            all_are_counted(|| {
                thread::scope(|scope| {
                    (0..THREADS).for_each(|_| _ = scope.spawn(|| LAST.set(Some(Calls(CALLS)))));
                });
            });
        }

        #[test]
        fn the_calling_thread_counts_and_others_do_not() {
            let (begun, over) = (AtomicBool::new(false), AtomicBool::new(false));
            let counts = thread::scope(|scope| {
                scope.spawn(|| {
                    while !over.load(Relaxed) {
                        drop(Calls(1));
                        begun.store(true, Relaxed);
                    }
                });
                while !begun.load(Relaxed) {
                    thread::yield_now();
                }
                let counts = counted(|| drop(Calls(CALLS))).1;
                over.store(true, Relaxed);
                counts
            });
            if let Some(counts) = told(counts) {
                assert!((CALLS..CALLS + 5).contains(&counts.futexes), "{counts:?}");
            }
        }

        #[test]
        fn a_thread_that_still_runs_is_told() {
            let (end, ended) = mpsc::channel::<()>();
            let (thread, counts) = counted(|| thread::spawn(move || ended.recv()));
            match available() {
                Ok(()) => assert!(counts.is_err_and(|told| told.contains("still run (1)"))),
                Err(_) => assert_eq!(told(counts), None),
            }
            end.send(()).expect("the thread waits");
            assert_eq!(thread.join().expect("no panic"), Ok(()));
        }

        #[test]
        fn a_ping_pong_over_pipes_wakes_and_makes_no_futex_calls() {
            const TRIPS: u64 = 500;
            let play = || -> io::Result<[u8; 1]> {
                let (mut there, mut ping) = io::pipe()?;
                let (mut back, mut pong) = io::pipe()?;
                let echo = thread::spawn(move || -> io::Result<()> {
                    let mut byte = [0];
                    (0..TRIPS).try_for_each(|_| {
                        there.read_exact(&mut byte)?;
                        pong.write_all(&[byte[0] + 1])
                    })
                });
                let mut byte = [0];
                for trip in 0..TRIPS {
                    ping.write_all(&[trip as u8 / 2])?;
                    back.read_exact(&mut byte)?;
                }
                echo.join().expect("no panic")?;
                Ok(byte)
            };
            let (last, counts) = counted(play);
            assert_eq!(last.expect("pipes"), [(TRIPS - 1) as u8 / 2 + 1]);
            if let Some(counts) = told(counts) {
                // One a trip or two: who was not asleep yet was not woken. The join is a futex call.
                assert!(counts.wakeups >= TRIPS / 2 && counts.futexes < 10, "{counts:?}");
            }
        }

        #[test]
        fn what_is_missing_is_said() {
            let [none, some] = [(); 2].map(|()| tempfile::tempdir().unwrap());
            let lack = |name| system::tracepoint(&[none.path(), some.path()], name).unwrap_err();
            assert!(lack("a/b").contains("mount -t tracefs"));
            std::fs::create_dir_all(some.path().join("events/a/b")).unwrap();
            assert!(lack("a/b").contains("no tracepoint a/b"));
            std::fs::write(some.path().join("events/a/b/id"), "many\n").unwrap();
            assert!(lack("a/b").contains("no number"));
            std::fs::write(some.path().join("events/a/b/id"), "7\n").unwrap();
            assert_eq!(system::tracepoint(&[none.path(), some.path()], "a/b").unwrap().id(), 7);

            let refusal = |error: rustix::io::Errno| system::refusal(&error.into());
            assert!(refusal(rustix::io::Errno::ACCESS).contains("kernel.perf_event_paranoid=1"));
            assert!(refusal(rustix::io::Errno::PERM).contains("root"));
            assert!(refusal(rustix::io::Errno::NOSYS).contains("this kernel has no"));
            assert!(refusal(rustix::io::Errno::MFILE).starts_with("perf_event_open: "));
        }
    }
}
