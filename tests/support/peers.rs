//! Threads on the other side of a pipe, which the test can see falling asleep and ask for the CPU they used.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Whether the system tells the state of a thread.
const VISIBLE: bool = cfg!(all(target_os = "linux", not(miri)));

/// A running thread of the test.
pub struct Peer<R> {
    handle: JoinHandle<R>,
    id: u32,
}

/// Starts a thread, and returns once it runs.
pub fn peer<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> Peer<R> {
    let (tell, told) = mpsc::channel();
    let handle = thread::spawn(move || {
        tell.send(thread_id()).expect("the starter waits");
        body()
    });
    let id = told.recv().expect("the thread runs");
    Peer { handle, id }
}

impl<R> Peer<R> {
    /// Returns once the thread sleeps in the system; panics if it is still busy (or over) after five seconds.
    #[track_caller]
    pub fn asleep(&self) {
        if !VISIBLE {
            thread::sleep(Duration::from_millis(10));
            return;
        }
        let start = Instant::now();
        let mut calm = 0;
        while calm < 4 {
            assert!(!self.handle.is_finished(), "the thread was to sleep, but it has ended");
            assert!(start.elapsed() < Duration::from_secs(5), "the thread does not go to sleep");
            calm = if state(self.id) == Some('S') { calm + 1 } else { 0 };
            thread::sleep(Duration::from_micros(100));
        }
    }

    /// Whether its body has returned.
    pub fn is_done(&self) -> bool {
        self.handle.is_finished()
    }

    /// The CPU time it has used so far.
    pub fn cpu(&self) -> Duration {
        cpu_of(self.id)
    }

    /// Waits for its end; a panic there is one here.
    #[track_caller]
    pub fn join(self) -> R {
        match self.handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Returns once all of them sleep.
#[track_caller]
pub fn all_asleep<R>(peers: &[Peer<R>]) {
    for peer in peers {
        peer.asleep();
    }
}

/// Waits for the end of all.
#[track_caller]
pub fn join_all<R, const N: usize>(peers: [Peer<R>; N]) -> [R; N] {
    peers.map(|peer| peer.join())
}

/// The system's number of the calling thread; 0 where it is not told.
pub fn thread_id() -> u32 {
    if !VISIBLE {
        return 0;
    }
    let link = std::fs::read_link("/proc/thread-self").expect("/proc is there");
    link.file_name().and_then(|name| name.to_str()?.parse().ok()).expect("it ends with the thread's number")
}

/// The CPU time of the calling thread; zero where it is not told.
pub fn cpu_time() -> Duration {
    cpu_of(thread_id())
}

/// How many threads that `body` started are still there after it; 0 where the system does not tell.
pub fn threads_left_by(body: impl FnOnce()) -> usize {
    if !VISIBLE {
        body();
        return 0;
    }
    // A new thread inherits the name of the one that starts it.
    let name = format!("by-{}", thread_id());
    std::fs::write("/proc/thread-self/comm", &name).expect("a thread may name itself");
    body();
    let tasks = std::fs::read_dir("/proc/self/task").expect("/proc is there");
    let named = tasks.filter(|task| {
        let comm = task.as_ref().map(|task| std::fs::read_to_string(task.path().join("comm")));
        matches!(comm, Ok(Ok(comm)) if comm.trim_end() == name)
    });
    named.count() - 1
}

fn state(id: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{id}/stat")).ok()?;
    // The state follows the name, which stands in brackets and may hold anything.
    stat[stat.rfind(')')? + 1..].trim_start().chars().next()
}

fn cpu_of(id: u32) -> Duration {
    if !VISIBLE {
        return Duration::ZERO;
    }
    let text = std::fs::read_to_string(format!("/proc/self/task/{id}/schedstat")).expect("the thread lives");
    let nanos = text.split_whitespace().next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanos.expect("schedstat starts with the time on a CPU"))
}
