//! Freezing a thread at a stall point inside the library.

use super::{Peer, peer};
use hornpipe::hooks::{self, Counters, Guard, Point};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A place where one thread stops until it is thawed: the first that comes to the point; the others pass.
#[derive(Clone)]
pub struct Ice(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    frozen: bool,
    thawed: bool,
    passes: usize,
}

impl Ice {
    pub fn new() -> Ice {
        Ice(Arc::default())
    }

    /// Lets the first `passes` arrivals pass and freezes the next.
    pub fn after(passes: usize) -> Ice {
        let ice = Ice::new();
        ice.0.0.lock().unwrap().passes = passes;
        ice
    }

    /// Lays the ice at `point` for the calling thread, as long as the guard lives.
    pub fn at(&self, point: Point) -> Guard {
        let ice = self.clone();
        hooks::on(point, move || ice.step_on())
    }

    /// A thread of its own that runs `body` and freezes at `point`, and its ice.
    pub fn over<R: Send + 'static>(
        point: Point,
        body: impl FnOnce() -> R + Send + 'static,
    ) -> (Ice, Peer<R>) {
        let ice = Ice::new();
        let thread = {
            let ice = ice.clone();
            peer(move || {
                let _ice = ice.at(point);
                body()
            })
        };
        (ice, thread)
    }

    fn step_on(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap();
        if state.frozen {
            return;
        }
        if state.passes > 0 {
            state.passes -= 1;
            return;
        }
        state.frozen = true;
        changed.notify_all();
        while !state.thawed {
            state = changed.wait(state).unwrap();
        }
    }

    /// Returns once a thread stands on the ice; panics if none comes within five seconds.
    #[track_caller]
    pub fn wait_frozen(&self) {
        assert!(self.freezes_within(Duration::from_secs(5)), "no thread came to the stall point");
    }

    /// Whether a thread comes to stand on the ice within `limit`.
    pub fn freezes_within(&self, limit: Duration) -> bool {
        let (state, changed) = &*self.0;
        changed.wait_timeout_while(state.lock().unwrap(), limit, |state| !state.frozen).unwrap().0.frozen
    }

    /// Lets the thread go on.
    pub fn thaw(&self) {
        let (state, changed) = &*self.0;
        state.lock().unwrap().thawed = true;
        changed.notify_all();
    }
}

/// What `body` cost the calling thread, and its result.
pub fn thread_cost<R>(body: impl FnOnce() -> R) -> (Counters, R) {
    let before = hooks::thread_counters();
    let result = body();
    let after = hooks::thread_counters();
    let mut cost = after;
    cost.futex_waits -= before.futex_waits;
    cost.futex_wakes -= before.futex_wakes;
    cost.retries -= before.retries;
    (cost, result)
}
