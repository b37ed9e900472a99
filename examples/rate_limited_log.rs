//! A log that never holds up the program: one thread writes, at a limited rate; who logs does not wait.
//!
//! Each thread hands its line over with `try_send`. Where the writer is behind and the pipe is full, the line is
//! counted as lost instead, and the next line that is written says how many were lost before it: a burst of
//! messages costs lines, never time. The writer sleeps in `recv_timeout` and flushes when nothing came for a while.
//!
//! Dropping the last handle ends the log: the writer drains the pipe, then hands back what it wrote to.
//!
//! ```console
//! $ cargo run --release --example rate_limited_log
//! ```

use hornpipe::mpmc::{self, Receiver, Sender};
use hornpipe::{RecvTimeoutError, TrySendError};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What threads log to; clone it for each.
#[derive(Clone)]
struct Log {
    lines: Sender<String>,
    lost: Arc<AtomicU64>,
}

impl Log {
    /// Starts a writer that keeps up to `capacity` lines waiting and leaves `pause` between two of them.
    fn start<W: Write + Send + 'static>(
        capacity: usize,
        pause: Duration,
        out: W,
    ) -> (Log, JoinHandle<io::Result<W>>) {
        let (lines, waiting) = mpmc::bounded(capacity);
        let lost = Arc::new(AtomicU64::new(0));
        let writer = Writer { waiting, lost: lost.clone(), pause, out };
        (Log { lines, lost }, thread::spawn(move || writer.run()))
    }

    /// Logs a line, or counts it as lost; never waits.
    fn line(&self, line: String) {
        match self.lines.try_send(line) {
            Ok(()) => {}
            // A writer that is gone has failed: its error is what `join` tells.
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

struct Writer<W> {
    waiting: Receiver<String>,
    lost: Arc<AtomicU64>,
    pause: Duration,
    out: W,
}

impl<W: Write> Writer<W> {
    fn run(mut self) -> io::Result<W> {
        loop {
            match self.waiting.recv_timeout(Duration::from_millis(20)) {
                Ok(line) => {
                    self.tell_lost()?;
                    writeln!(self.out, "{line}")?;
                    thread::sleep(self.pause);
                }
                Err(RecvTimeoutError::Timeout) => self.out.flush()?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.tell_lost()?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn tell_lost(&mut self) -> io::Result<()> {
        match self.lost.swap(0, Ordering::Relaxed) {
            0 => Ok(()),
            lost => writeln!(self.out, "({lost} lines lost)"),
        }
    }
}

const THREADS: u64 = 4;
const LINES: u64 = 2_000;

fn main() -> io::Result<()> {
    let pause = Duration::from_micros(500);
    let begun = Instant::now();
    let (log, writer) = Log::start(64, pause, Vec::new());

    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let log = log.clone();
            thread::spawn(move || {
                for n in 0..LINES {
                    log.line(format!("{thread} {n}"));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let logged = begun.elapsed();
    // Shutdown: the last handle goes, what waits is written.
    drop(log);
    let out = writer.join().unwrap()?;
    let ended = begun.elapsed();

    let text = String::from_utf8(out).expect("it is the text that was written");
    let (mut written, mut lost, mut next) = (0, 0, [0; THREADS as usize]);
    for line in text.lines() {
        if let Some(told) = line.strip_prefix('(') {
            lost += told.split(' ').next().and_then(|n| n.parse::<u64>().ok()).expect("a number of lines");
            continue;
        }
        let (thread, n) = line.split_once(' ').expect("two numbers");
        let (thread, n): (usize, u64) = (thread.parse().unwrap(), n.parse().unwrap());
        assert!(n >= next[thread], "thread {thread}'s line {n} is out of order");
        next[thread] = n + 1;
        written += 1;
    }

    let all = THREADS * LINES;
    println!("{all} lines logged in {logged:.1?}: {written} written in {ended:.1?}, {lost} lost");
    assert_eq!(written + lost, all, "each line is written or told as lost");
    assert!(written >= 64, "what fits the pipe is written");
    assert!(ended >= pause * u32::try_from(written).unwrap(), "the rate is kept");
    Ok(())
}
