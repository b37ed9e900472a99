//! A real `make -j` that takes its jobs' tokens from a `TokenPool`, beside threads of this process that take theirs from the
//! same one (examples/jobserver.rs): each job runs, never more at once than there are tokens and make's own one, and all
//! tokens are back at the end.

#![cfg(all(feature = "std", target_os = "linux", not(miri)))]

#[path = "../examples/jobserver.rs"]
#[allow(dead_code)] // its main
mod jobserver;
mod support;

use jobserver::linux::{Plan, run};
use support::{emulated, watchdog};

/// With make alone, with threads that leave it little, and with fewer tokens than threads.
#[test]
fn make_and_threads_share_tokens() {
    if emulated() {
        println!("SKIPPED: make is not this processor's");
        return;
    }
    for (tokens, linkers) in [(1, 0), (1, 2), (3, 3), (4, 0), (4, 2), (16, 4)] {
        watchdog(60, move || {
            let plan = Plan { tokens, jobs: 24, linkers, links: 6 };
            let Some(outcome) = run(plan).expect("make runs") else {
                println!("SKIPPED: there is no GNU make here");
                return;
            };
            assert_eq!((outcome.by_make, outcome.by_us), (24, linkers * 6), "{plan:?}: {outcome:?}");
            let [make, us, all] = outcome.most;
            assert!(all <= tokens + 1 && us <= tokens, "{plan:?}: {outcome:?}");
            assert!(make > 1, "one at a time: {plan:?}: {outcome:?}");
            assert_eq!(outcome.idle_at_the_end, tokens, "{plan:?}: {outcome:?}");
            assert_eq!(outcome.told_by_make, "", "{plan:?}");
        });
    }
}
