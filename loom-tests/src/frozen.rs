//! Threads that do not run: nobody may depend on them. One is held at a point inside its call until another has got on;
//! loom reports a deadlock if that one waits for it.

use crate::pipes::{Make, mpmc};
use crate::track::Track;
use hornpipe::model::{Point, at_next};
use hornpipe::{ManyReceivers, ManySenders, WakePolicy};
use loom::sync::{Condvar, Mutex};
use loom::thread;
use std::sync::Arc;

/// Where the thread is that is to be held.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Frozen,
    Thawed,
}

/// Holds a thread until it is thawed.
#[derive(Clone)]
struct Ice(Arc<(Mutex<State>, Condvar)>);

impl Ice {
    fn new() -> Self {
        Self(Arc::new((Mutex::new(State::Running), Condvar::new())))
    }

    /// Freezes the calling thread when it comes to `point`, if it was not thawed before.
    fn at(&self, point: Point) {
        let ice = self.clone();
        at_next(point, move || {
            ice.turn(State::Running, State::Frozen);
            ice.wait_while(State::Frozen);
        });
    }

    fn thaw(&self) {
        self.turn(State::Running, State::Thawed);
        self.turn(State::Frozen, State::Thawed);
    }

    fn turn(&self, from: State, to: State) {
        let mut state = self.0.0.lock().unwrap();
        if *state == from {
            *state = to;
            self.0.1.notify_all();
        }
    }

    fn wait_while(&self, is: State) {
        let mut state = self.0.0.lock().unwrap();
        while *state == is {
            state = self.0.1.wait(state).unwrap();
        }
    }
}

/// A woken receiver is frozen until another has received. The sender, which finds the pipe full, wakes that one
/// (NUDGE).
pub fn receiver<K: ManyReceivers>(pipe: Make<K>, policy: WakePolicy) {
    let (tx, rx) = pipe(1).wake(policy).build().unwrap();
    let (ice, other) = (Ice::new(), rx.clone());
    let frozen = ice.clone();
    let frozen = thread::spawn(move || {
        frozen.at(Point::Woken);
        drop(other.recv().unwrap());
        other
    });
    let free = thread::spawn(move || {
        drop(rx.recv().unwrap());
        ice.thaw();
        rx
    });
    for number in 0..2 {
        // First they sleep; then one of them wakes, while the other sleeps.
        thread::yield_now();
        assert!(tx.send(Track::new(0, number)).is_ok());
    }
    let _handles = (frozen.join().unwrap(), free.join().unwrap());
}

/// The same for a woken sender: the receiver, which finds the pipe empty, wakes the other.
pub fn sender<K: ManySenders>(pipe: Make<K>, policy: WakePolicy) {
    let (tx, rx) = pipe(1).wake(policy).build().unwrap();
    assert!(tx.send(Track::new(2, 0)).is_ok());
    let (ice, other) = (Ice::new(), tx.clone());
    let frozen = ice.clone();
    let frozen = thread::spawn(move || {
        frozen.at(Point::Woken);
        assert!(other.send(Track::new(0, 0)).is_ok());
        other
    });
    let free = thread::spawn(move || {
        assert!(tx.send(Track::new(1, 0)).is_ok());
        ice.thaw();
        tx
    });
    // The third stays in the pipe.
    for _ in 0..2 {
        thread::yield_now();
        drop(rx.recv().unwrap());
    }
    let _handles = (frozen.join().unwrap(), free.join().unwrap());
}

/// A sender has chosen the receiver that it will wake, and is frozen before it does, until something is received. The
/// other sender, about to sleep, wakes it instead (INSIST). (Had that one slept already, both would wait for the first,
/// as if it were frozen before its look at the gate.)
pub fn waker() {
    let (tx, rx) = mpmc(1).build().unwrap();
    let (ice, other) = (Ice::new(), tx.clone());
    let frozen = ice.clone();
    let frozen = thread::spawn(move || {
        frozen.at(Point::BeforeWake);
        assert!(other.send(Track::new(0, 0)).is_ok());
        frozen.thaw();
        other
    });
    let free = ice.clone();
    let receiver = thread::spawn(move || {
        drop(rx.recv().unwrap());
        free.thaw();
        drop(rx.recv().unwrap());
        rx
    });
    ice.wait_while(State::Running);
    assert!(tx.send(Track::new(1, 0)).is_ok());
    let _handles = (frozen.join().unwrap(), receiver.join().unwrap());
}
