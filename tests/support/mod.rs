//! What the tests share: the watchdog, the configurations, items that count their drops, threads that can be
//! watched while they sleep, and (with hooks) threads that can be frozen inside a call.

// Each test binary compiles this folder for itself and uses its own part of it.
#![allow(dead_code, unused_imports)]

use std::io::Write;
use std::panic::{self, Location};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

mod configs;
mod ends;
#[cfg(hornpipe_hooks)]
mod ice;
mod items;
mod peers;
mod random;
mod rings;

pub use configs::{
    Config, RELAXES, SPINS, WAKES, all_configs, all_waits, depends_on_the_woken, sleepy, sleepy_policies,
};
pub use ends::{End, Looks, Receives, Sends};
#[cfg(hornpipe_hooks)]
pub use ice::{Ice, thread_cost};
pub use items::{Item, Seen, Tally};
pub use peers::{Peer, all_asleep, cpu_time, join_all, peer, thread_id, threads_left_by};
pub use random::Random;
#[cfg(feature = "baseline")]
pub use rings::Baseline;
pub(crate) use rings::on_each_ring;
pub use rings::{Kind, MpmcStamped, MpscStamped, SpmcStamped, SpscIndexed, SpscStamped};

/// A millisecond count as a `Duration`.
pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Whether software plays the processor, some ten times slower, and translates code as it comes to it: ci/cross.sh says so.
pub fn emulated() -> bool {
    std::env::var_os("HORNPIPE_EMULATED").is_some()
}

/// `big` in a normal run, a quarter of it on an emulated processor, `small` under Miri, which is thousands of times slower.
pub fn sized(big: usize, small: usize) -> usize {
    match emulated() {
        _ if cfg!(miri) => small,
        true => small.max(big / 4),
        false => big,
    }
}

/// A limit on CPU time, ten times that on an emulated processor: a thread that spins still exceeds it.
pub fn at_most(cpu: Duration) -> Duration {
    if emulated() { cpu * 10 } else { cpu }
}

/// Runs `body` on a thread of its own and passes its result or panic on. If it has not ended after `seconds`, the
/// test's name goes to stderr and the process ends: a hang is a failure, and it says where.
#[track_caller]
pub fn watchdog<R: Send + 'static>(seconds: u64, body: impl FnOnce() -> R + Send + 'static) -> R {
    watchdog_of(seconds, "", body)
}

/// [`watchdog`] that also says in which case of the test it hung or failed.
#[track_caller]
pub fn watchdog_of<R: Send + 'static>(
    seconds: u64,
    case: &str,
    body: impl FnOnce() -> R + Send + 'static,
) -> R {
    // Miri's clock runs by its own steps.
    let limit = Duration::from_secs(if cfg!(miri) { seconds * 100 } else { seconds });
    let test = thread::current().name().unwrap_or("a test").to_owned();
    let place = Location::caller();
    let (done, is_done) = mpsc::channel();
    let runner = thread::Builder::new()
        .name(test.clone())
        .spawn(move || {
            let outcome = panic::catch_unwind(panic::AssertUnwindSafe(body));
            // Nobody listens only after the abort below.
            let _ = done.send(());
            outcome
        })
        .expect("the watchdog's thread starts");
    if is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
        // Straight to stderr: the process ends before libtest would show what it captured.
        let _ = writeln!(
            std::io::stderr(),
            "\nHANG: {test} ({place}) {case}: not done after {limit:?} (--nocapture shows earlier panics)"
        );
        std::process::abort();
    }
    match runner.join().expect("the runner catches panics") {
        Ok(result) => result,
        Err(panic) => {
            if !case.is_empty() {
                eprintln!("failed in this case: {case}");
            }
            panic::resume_unwind(panic)
        }
    }
}

/// Runs `body` once a configuration, each run under a [`watchdog`].
#[track_caller]
pub fn each<C: std::fmt::Debug + Copy + Send + 'static>(
    configs: impl IntoIterator<Item = C>,
    seconds: u64,
    body: impl FnOnce(C) + Copy + Send + 'static,
) {
    for config in configs {
        watchdog_of(seconds, &format!("{config:?}"), move || body(config));
    }
}

/// Looks at `condition` until it holds; panics with `what` if it does not within ten seconds.
#[track_caller]
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(if cfg!(miri) { 1_000 } else { 10 }),
            "never came: {what}"
        );
        thread::sleep(Duration::from_micros(200));
    }
}

/// The items, as long as the time lasts, at least one: on a busy machine a test tries less and still ends.
pub fn within<I: IntoIterator>(limit: Duration, items: I) -> impl Iterator<Item = I::Item> {
    let start = Instant::now();
    let mut first = true;
    items.into_iter().take_while(move |_| std::mem::take(&mut first) || start.elapsed() < limit)
}

/// The pipe of this end has no thread asleep, or counted as one that is.
#[track_caller]
pub fn assert_nobody_waits(end: &impl std::fmt::Debug) {
    let shown = format!("{end:?}");
    let nobody = shown.contains("senders_asleep: 0,") && shown.contains("receivers_asleep: 0,");
    assert!(nobody, "a waiter is still counted: {shown}");
}

/// Measures up to `tries` times and is content with one success: limits on time, on machines shared with others.
#[track_caller]
pub fn once_of(tries: usize, measure: impl Fn() -> Result<(), String>) {
    let mut complaints = Vec::new();
    for _ in 0..tries {
        match measure() {
            Ok(()) => return,
            Err(complaint) => complaints.push(complaint),
        }
    }
    panic!("missed {tries} times: {complaints:#?}");
}
