//! One trial: a channel, whose victim is held some times, one after the other.

use std::{
    io, iter,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::{
    Row,
    end::{End, Receipt},
    gate::Gate,
    stage::{Part, Reading, Role, Stage},
};
use crate::{
    contender::{Channel, Task},
    measure::{self, Cell, Failure},
    placement::Side,
    usage::Usage,
    workload::{Audit, Shape, Tally},
};

/// How often.
pub const HOLDS: usize = 10;
/// How long the others are watched while the victim stands still; ...
pub const HOLD: Duration = Duration::from_millis(20);
/// ... no longer than this where its place is in nobody's way.
const LOOK: Duration = Duration::from_millis(2);
/// Before they are: what was ready is taken, and who has to wait falls asleep.
const SETTLE: Duration = Duration::from_millis(2);
/// A hold begins after at most so much of the victim's CPU time.
const MOMENT: Duration = Duration::from_millis(1);
/// Threads on the victim's side besides it, and those who wait on the other side, where the contender can have them.
const OTHERS: usize = 2;
const WAITERS: usize = 2;
/// Room for all that the others send (take) during a hold: only the victim's slot is in their way.
const CAPACITY: usize = 1024;
/// A trial takes up to 0.3 s of an idle machine.
const WATCHDOG: Duration = Duration::from_secs(8);

/// What the other side does meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Watch {
    /// One thread makes `try_` calls.
    Probe,
    /// Two block.
    Wait,
}

/// What to do.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// Whom to hold, in whose channel.
    pub cell: Cell<Row>,
    /// Who watches.
    pub watch: Watch,
    /// For the moments.
    pub seed: u64,
}

/// What a hold found, while the victim stood still.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hold {
    /// Who watched.
    pub watch: Watch,
    /// How long.
    pub window_ns: u64,
    /// Calls of the watchers that brought something.
    pub through: u64,
    /// Whether there were none although others on the victim's side called; `None` where no other did.
    pub blocked: Option<bool>,
    /// The longest `try_` call.
    pub try_max_ns: Option<u64>,
    /// All of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries_ns: Vec<u64>,
    /// What each waiter cost.
    pub waiters: Vec<Usage>,
    /// Futex calls of the process, where hooks count them.
    pub futex: Option<Futex>,
}

/// hornpipe's futex calls.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Futex {
    /// That put a thread to sleep.
    pub waits: u64,
    /// That wake.
    pub wakes: u64,
}

impl Trial {
    /// Makes it in this process: one at a time.
    pub fn run(self) -> Result<Vec<Hold>, Failure<Row>> {
        let Self { cell, .. } = self;
        measure::watched(WATCHDOG, move || cell.contender.run(self))
            .map_err(|reason| Failure { cell, reason })
    }

    fn shape(&self) -> Shape {
        let watchers = if self.watch == Watch::Probe { 1 } else { WAITERS };
        let (senders, receivers) = match self.cell.row.victim {
            Side::Sender => (1 + OTHERS, watchers),
            Side::Receiver => (watchers, 1 + OTHERS),
        };
        self.cell.contender.cut(Shape { senders, receivers })
    }
}

impl Task for Trial {
    type Output = Result<Vec<Hold>, String>;

    fn run<C: Channel>(self, channel: C) -> Self::Output {
        // What a process pays once is no hold's: hornpipe's first closing (or first wait behind a claimed slot) registers
        // for membarrier, which takes the kernel 10 ms.
        let (txs, rxs) = channel.open(1, Shape::PAIR);
        drop(rxs);
        drop(txs);
        let shape = self.shape();
        let (txs, rxs) = channel.open(CAPACITY, shape);
        let senders: Vec<End<C>> = txs.into_iter().enumerate().map(|(id, tx)| End::tx(id, tx)).collect();
        let receivers: Vec<End<C>> = rxs.into_iter().map(|rx| End::rx(rx, shape)).collect();
        let (near, far) = match self.cell.row.victim {
            Side::Sender => (senders, receivers),
            Side::Receiver => (receivers, senders),
        };
        let watcher = match self.watch {
            Watch::Probe => Role::Prober,
            Watch::Wait => Role::Waiter,
        };
        let roles = iter::once(Role::Victim).chain(iter::repeat_n(Role::Other, near.len() - 1));
        let roles = roles.chain(iter::repeat_n(watcher, far.len()));

        let failed = |e: io::Error| format!("cannot hold a thread: {e}");
        let gate = Gate::of_this_process().map_err(failed)?;
        let stage = Arc::new(Stage::new(roles));
        let cast = near.into_iter().chain(far).enumerate().map(|(seat, end)| {
            let stage = Arc::clone(&stage);
            thread::spawn(move || stage.play(seat, end, gate, self.cell.row.by))
        });
        let cast: Vec<JoinHandle<Part>> = cast.collect();
        let holds = self.conduct(&stage, gate);

        let parts: Result<Vec<Part>, _> = cast.into_iter().map(JoinHandle::join).collect();
        let parts = parts.map_err(|_| "a thread panicked".to_string())?;
        let mut holds = holds.map_err(failed)?;
        for &(hold, ns) in parts.iter().flat_map(|part| &part.tries) {
            holds[hold].tries_ns.push(ns);
        }
        holds.iter_mut().for_each(|hold| hold.try_max_ns = hold.tries_ns.iter().max().copied());
        settle(parts, shape)?;
        Ok(holds)
    }
}

/// Each item sent was received once, in its sender's order.
fn settle(parts: Vec<Part>, shape: Shape) -> Result<(), String> {
    let (mut sent, mut audits) = (vec![0; shape.senders], Vec::new());
    for part in parts {
        match part.receipt {
            Receipt::Sent { sender, count } => sent[sender] = count,
            Receipt::Got(audit) => audits.push(audit),
        }
    }
    Tally::settle(audits, &sent)
}

impl Trial {
    /// Runs the play from the common start to the stop, which comes in any case.
    fn conduct(&self, stage: &Stage, gate: &Gate) -> io::Result<Vec<Hold>> {
        stage.start();
        let mut rng = Rng::with_seed(self.seed);
        let holds = (0..HOLDS).map(|_| {
            gate.hold(stage.victim()?, self.cell.row.by, MOMENT.mul_f64(rng.f64().max(0.01)))?;
            thread::sleep(SETTLE);
            let before = stage.open();
            let opened = Instant::now();
            thread::sleep(LOOK);
            if stage.reading().through == before.through {
                thread::sleep(HOLD - LOOK);
            }
            let window = opened.elapsed();
            let after = stage.close();
            gate.release()?;
            Ok(self.found(before, after, window))
        });
        let holds = holds.collect();
        stage.stop();
        holds
    }

    /// What happened between the two readings, but for what only the threads know.
    fn found(&self, before: Reading, after: Reading, window: Duration) -> Hold {
        let through = after.through - before.through;
        // A call that was in flight before counts: the victim may be what keeps it.
        let others_called = after.others_begun > before.others_done;
        Hold {
            watch: self.watch,
            window_ns: window.as_nanos() as u64,
            through,
            blocked: others_called.then_some(through == 0),
            try_max_ns: None,
            tries_ns: Vec::new(),
            waiters: before.waiters.iter().zip(after.waiters).map(|(a, b)| b.since(*a)).collect(),
            futex: before
                .futex
                .zip(after.futex)
                .map(|(a, b)| Futex { waits: b.waits - a.waits, wakes: b.wakes - a.wakes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{contender::Contender, stall::gate::By};
    use std::{
        collections::VecDeque,
        sync::Mutex,
        task::Poll::{self, Pending, Ready},
    };

    /// A channel whose sender spends all its CPU time inside a lock.
    struct Clumsy;

    type Queue = Arc<Mutex<VecDeque<u64>>>;

    impl Channel for Clumsy {
        type Tx = Queue;
        /// And a sign of life of the senders.
        type Rx = (Queue, usize);

        fn open(&self, _: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
            let queue = Queue::default();
            (vec![queue.clone(); shape.senders], vec![(queue, shape.receivers); shape.receivers])
        }

        fn send(tx: &Self::Tx, item: u64) -> bool {
            let mut queue = tx.lock().expect("nothing panics in there");
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_micros(300) {}
            queue.push_back(item);
            drop(queue);
            // So that others get the lock, too.
            thread::sleep(Duration::from_micros(50));
            true
        }

        fn recv(rx: &Self::Rx) -> Option<u64> {
            loop {
                match Self::try_recv(rx) {
                    Ready(item) => return item,
                    Pending => thread::yield_now(),
                }
            }
        }

        fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool> {
            Ready(Self::send(tx, item))
        }

        fn try_recv((queue, receivers): &Self::Rx) -> Poll<Option<u64>> {
            let over = Arc::strong_count(queue) == *receivers;
            match queue.lock().expect("nothing panics in there").pop_front() {
                None if !over => Pending,
                item => Ready(item),
            }
        }
    }

    /// The only test that holds a thread of this process.
    #[test]
    fn a_try_call_that_waits_for_the_victim_is_seen() {
        let row = Row { victim: Side::Sender, by: By::Signal };
        let trial = Trial { cell: Cell { row, contender: Contender::Mutex }, watch: Watch::Probe, seed: 1 };
        let holds = Task::run(trial, Clumsy).unwrap_or_else(|e| panic!("{e}"));
        let blocked = |hold: &&Hold| hold.blocked == Some(true);
        let waited = |hold: &Hold| hold.try_max_ns >= Some(HOLD.as_nanos() as u64);
        assert_eq!(holds.len(), HOLDS);
        assert!(holds.iter().filter(blocked).count() > HOLDS / 2, "{holds:?}");
        assert!(holds.iter().filter(blocked).all(waited), "{holds:?}");
    }
}
