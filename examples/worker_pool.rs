//! A pool of workers on two pipes: jobs go out on one, results come back on the other, and the pool ends by itself.
//!
//! Nothing tells the workers to stop. The last job's sender is dropped, each worker drains what is queued and finds
//! the pipe disconnected; the last worker's result sender goes with it, which ends the loop over the results. So
//! every job that was accepted is done, and no thread is left behind.
//!
//! The work: which number below a million takes the most Collatz steps to reach 1? The answer is known.
//!
//! ```console
//! $ cargo run --release --example worker_pool
//! ```

use hornpipe::mpmc::{self, Receiver, Sender};
use std::ops::Range;
use std::thread;

const BELOW: u64 = 1_000_000;
const JOB: u64 = 1_000;
const WORKERS: usize = 4;

/// A number and how many steps it takes.
type Longest = (u32, u64);

fn steps(mut n: u64) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

/// Works until there is nothing left and no one to send more.
fn work(jobs: &Receiver<Range<u64>>, results: &Sender<Longest>) -> usize {
    let mut done = 0;
    for job in jobs {
        let longest = job.map(|n| (steps(n), n)).max().expect("no job is empty");
        results.send(longest).expect("the results are read to their end");
        done += 1;
    }
    done
}

fn main() {
    // Few slots: whoever hands out jobs waits for the workers, and so never has many in memory.
    let (jobs, todo) = mpmc::bounded(2 * WORKERS);
    let (results, done) = mpmc::bounded(WORKERS);

    thread::scope(|scope| {
        // Each worker has its own ends; those that stay here have to go, or the pipes would never be disconnected.
        let pool: Vec<_> = (0..WORKERS)
            .map(|_| {
                let (todo, results) = (todo.clone(), results.clone());
                scope.spawn(move || work(&todo, &results))
            })
            .collect();
        drop((todo, results));

        scope.spawn(move || {
            for start in (1..BELOW).step_by(JOB as usize) {
                let job = start..(start + JOB).min(BELOW);
                jobs.send(job).expect("there are workers until the jobs are done");
            }
            // `jobs` is dropped here: that is the whole shutdown.
        });

        let results: Vec<Longest> = done.iter().collect();
        let shares: Vec<usize> = pool.into_iter().map(|worker| worker.join().unwrap()).collect();

        let (steps, n) = *results.iter().max().expect("there are results");
        println!("{n} takes {steps} steps, the most below {BELOW}; jobs a worker: {shares:?}");
        assert_eq!((steps, n), (524, 837_799));
        assert_eq!(results.len(), (BELOW - 1).div_ceil(JOB) as usize, "each job has one result");
        assert_eq!(shares.iter().sum::<usize>(), results.len());
    });
}
