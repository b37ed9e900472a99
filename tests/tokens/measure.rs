//! A measurement, not a test: a pool of 8 tokens against a mutex and a condition variable, and against the system's pipe with
//! a byte a token. (arch-notes/measurements/tokens.md)
//!
//! ```console
//! $ cargo test --release --test tokens -- --ignored --nocapture measure
//! ```

use hornpipe::TokenPool;
use rustix::fd::OwnedFd;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const TOKENS: usize = 8;
const SLICE: Duration = Duration::from_millis(300);
const ROUNDS: usize = 5;

/// Something that hands out tokens.
trait Tokens: Send + Sync {
    /// Runs `job` with a token.
    fn with(&self, job: &mut dyn FnMut());
}

impl Tokens for TokenPool {
    fn with(&self, job: &mut dyn FnMut()) {
        let _token = self.acquire();
        job();
    }
}

struct Condition(Mutex<Vec<u8>>, Condvar);

impl Tokens for Condition {
    fn with(&self, job: &mut dyn FnMut()) {
        let byte = self.1.wait_while(self.0.lock().unwrap(), |idle| idle.is_empty()).unwrap().pop().unwrap();
        job();
        self.0.lock().unwrap().push(byte);
        self.1.notify_one();
    }
}

struct SystemPipe(OwnedFd, OwnedFd);

impl Tokens for SystemPipe {
    fn with(&self, job: &mut dyn FnMut()) {
        let mut byte = [0];
        assert_eq!(rustix::io::read(&self.0, &mut byte), Ok(1));
        job();
        assert_eq!(rustix::io::write(&self.1, &byte), Ok(1));
    }
}

fn make(kind: usize) -> (&'static str, Arc<dyn Tokens>) {
    match kind {
        0 => ("TokenPool", Arc::new(TokenPool::new(TOKENS))),
        1 => ("Mutex + Condvar", Arc::new(Condition(Mutex::new(vec![b'+'; TOKENS]), Condvar::new()))),
        _ => {
            let (rx, tx) = rustix::pipe::pipe().unwrap();
            assert_eq!(rustix::io::write(&tx, &[b'+'; TOKENS]), Ok(TOKENS));
            ("system's pipe", Arc::new(SystemPipe(rx, tx)))
        }
    }
}

/// Acquisitions a second, the slowest thread's share of an equal one, the longest wait.
fn run(pool: &Arc<dyn Tokens>, threads: usize, work: u32) -> [f64; 3] {
    let (stop, start) = (Arc::new(AtomicBool::new(false)), Arc::new(Barrier::new(threads + 1)));
    let out = Arc::new(AtomicUsize::new(0));
    let crowd: Vec<_> = (0..threads)
        .map(|_| {
            let (pool, stop, start, out) = (pool.clone(), stop.clone(), start.clone(), out.clone());
            thread::spawn(move || {
                start.wait();
                let (mut count, mut longest) = (0u64, Duration::ZERO);
                while !stop.load(SeqCst) {
                    let before = Instant::now();
                    pool.with(&mut || {
                        longest = longest.max(before.elapsed());
                        if count % 64 == 0 {
                            assert!(out.fetch_add(1, SeqCst) < TOKENS);
                            out.fetch_sub(1, SeqCst);
                        }
                        (0..work).for_each(|n| _ = black_box(n));
                    });
                    count += 1;
                }
                (count, longest)
            })
        })
        .collect();
    start.wait();
    let begin = Instant::now();
    thread::sleep(SLICE);
    stop.store(true, SeqCst);
    let seconds = begin.elapsed().as_secs_f64();
    let ends: Vec<_> = crowd.into_iter().map(|thread| thread.join().unwrap()).collect();
    let sum = ends.iter().map(|end| end.0).sum::<u64>() as f64;
    let least = ends.iter().map(|end| end.0).min().unwrap() as f64;
    let longest = ends.iter().map(|end| end.1).max().unwrap().as_secs_f64();
    [sum / seconds, least / (sum / threads as f64), longest * 1e3]
}

#[test]
#[ignore = "a measurement"]
fn measure() {
    println!("| threads | job | pool | acquisitions/s | slowest thread's share | longest wait |");
    println!("|---|---|---|---|---|---|");
    for (work, job) in [(0, "none"), (2_000, "about 1 us")] {
        for threads in [1, 2, 8, 32] {
            let mut samples = [const { Vec::new() }; 3];
            for _ in 0..ROUNDS {
                for (kind, samples) in samples.iter_mut().enumerate() {
                    samples.push(run(&make(kind).1, threads, work));
                }
            }
            for (kind, samples) in samples.iter_mut().enumerate() {
                let [rate, share, longest] = [0, 1, 2].map(|column| {
                    let mut values: Vec<f64> = samples.iter().map(|sample| sample[column]).collect();
                    values.sort_by(f64::total_cmp);
                    if column == 2 { values[ROUNDS - 1] } else { values[ROUNDS / 2] }
                });
                println!(
                    "| {threads} | {job} | {} | {:.2} M | {:.0}% | {longest:.1} ms |",
                    make(kind).0,
                    rate / 1e6,
                    share * 100.0
                );
            }
        }
    }
}
