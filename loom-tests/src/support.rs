//! What models share: counted items, traffic with its checks, and how a model runs.

use crate::process::USAGE;
use hornpipe::model::{Fences, set_fences, tables};
use hornpipe::{Builder, Mpmc, Receiver, Relax, Sender, Spin, WakePolicy};
use loom::thread;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::time::Instant;

/// One model and how far it is explored.
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// What it shows.
    pub what: &'static str,
    /// Which fences there are in it.
    pub fences: Fences,
    /// So many preemptions a run at most.
    pub bound: usize,
    /// About so many runs are all there are.
    pub runs: usize,
    /// One run.
    pub run: fn(),
}

impl Model {
    /// Explores it; the number of runs.
    ///
    /// # Panics
    /// In the first run that fails. (loom may abort while it unwinds: look at the first message.)
    pub fn check(&self) -> usize {
        set_fences(self.fences);
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound.get_or_insert(self.bound);
        let runs = Arc::new(AtomicUsize::new(0));
        let (counter, run) = (runs.clone(), self.run);
        builder.check(move || {
            counter.fetch_add(1, SeqCst);
            Track::forget_all();
            run();
            assert_eq!(Track::alive(), 0, "items leaked");
        });
        runs.load(SeqCst)
    }
}

/// Lists the models, or runs the one that the first argument names.
pub fn main() -> ExitCode {
    if let Ok(mutant) = std::env::var("HORNPIPE_MUTANT") {
        if !tables().any(|label| label.name == mutant) {
            eprintln!("HORNPIPE_MUTANT={mutant}: no such label");
            return ExitCode::from(USAGE as u8);
        }
    }
    let Some(name) = std::env::args().nth(1) else {
        for Model { name, what, fences, bound, runs, .. } in crate::MODELS {
            println!("{name:22} {fences:10?} bound {bound} {runs:7} runs  {what}");
        }
        return ExitCode::SUCCESS;
    };
    let Some(model) = crate::MODELS.iter().find(|model| model.name == name) else {
        eprintln!("{name}: no such model");
        return ExitCode::from(USAGE as u8);
    };
    let start = Instant::now();
    let runs = model.check();
    println!("{name}: {runs} runs, {:.2} s", start.elapsed().as_secs_f32());
    ExitCode::SUCCESS
}

const PRODUCERS: usize = 3;
const NUMBERS: usize = 4;
const UNBORN: u8 = 0;
const ALIVE: u8 = 1;
const DROPPED: u8 = 2;

/// What became of each item of the present run. (std's atomics: no part of the model.)
static LEDGER: [[AtomicU8; NUMBERS]; PRODUCERS] =
    [const { [const { AtomicU8::new(UNBORN) }; NUMBERS] }; PRODUCERS];

/// An item that is dropped exactly once, or the model fails.
#[derive(Debug)]
pub struct Track {
    /// Who made it.
    pub from: usize,
    /// Its number there.
    pub number: usize,
}

impl Track {
    /// Producer `from`'s item.
    pub fn new(from: usize, number: usize) -> Self {
        assert_eq!(LEDGER[from][number].swap(ALIVE, SeqCst), UNBORN, "made twice");
        Self { from, number }
    }

    /// Whether it is that item.
    pub fn is(&self, from: usize, number: usize) -> bool {
        (self.from, self.number) == (from, number)
    }

    /// Items that exist now.
    pub fn alive() -> usize {
        LEDGER.iter().flatten().filter(|state| state.load(SeqCst) == ALIVE).count()
    }

    /// Starts a run.
    fn forget_all() {
        LEDGER.iter().flatten().for_each(|state| state.store(UNBORN, SeqCst));
    }
}

impl Drop for Track {
    fn drop(&mut self) {
        let was = LEDGER[self.from][self.number].swap(DROPPED, SeqCst);
        assert!(was == ALIVE || std::thread::panicking(), "dropped twice: {self:?}");
    }
}

/// The pipe of models: no spinning, no yields, so that whoever finds nothing goes to sleep.
pub fn builder(capacity: usize) -> Builder<Mpmc> {
    Builder::new(capacity).spin(Spin::None).yields(0).retry(Relax::None)
}

/// Such a pipe.
pub fn pipe(capacity: usize) -> (Sender<Track>, Receiver<Track>) {
    builder(capacity).build().unwrap()
}

/// Tries that found nothing. Each gives way to another thread, and after a few this run goes on without branching
/// any further: two threads that look in turn would give a third no end of places to come in.
#[derive(Default)]
pub struct Tries(usize);

impl Tries {
    /// One more.
    pub fn failed(&mut self) {
        self.0 += 1;
        if self.0 > 2 {
            loom::skip_branch();
        }
        thread::yield_now();
    }
}

/// Something that items go through.
pub trait Carrier: Send + Sync + 'static {
    /// Puts an item in, however long it takes.
    fn put(&self, item: Track);
    /// Takes one out, however long it takes.
    fn get(&self) -> Track;
}

/// A pipe that stays open.
pub struct Open(Sender<Track>, Receiver<Track>);

impl Open {
    /// With that wake policy.
    pub fn new(capacity: usize, policy: WakePolicy) -> Self {
        let (tx, rx) = builder(capacity).wake(policy).build().unwrap();
        Self(tx, rx)
    }

    /// Full, with items of the last producer.
    pub fn full(capacity: usize, policy: WakePolicy) -> Self {
        let pipe = Self::new(capacity, policy);
        (0..capacity).for_each(|number| pipe.put(Track::new(PRODUCERS - 1, number)));
        pipe
    }
}

impl Carrier for Open {
    fn put(&self, item: Track) {
        assert!(self.0.send(item).is_ok(), "a receiver is left");
    }

    fn get(&self) -> Track {
        self.1.recv().expect("a sender is left")
    }
}

/// Each of `senders` puts so many items, each of `receivers` gets so many; the last receiver is the model's own
/// thread, which gets the rest in the end. Every item arrives exactly once, and each receiver gets each producer's
/// items in their order.
pub fn traffic(carrier: impl Carrier, senders: &[usize], receivers: &[usize]) {
    // std's Arc: a model of the carrier, not of its sharing.
    let carrier = Arc::new(carrier);
    let sending: Vec<_> = (0..senders.len())
        .map(|from| {
            let (carrier, count) = (carrier.clone(), senders[from]);
            thread::spawn(move || (0..count).for_each(|number| carrier.put(Track::new(from, number))))
        })
        .collect();
    let get = |count: usize| {
        let carrier = carrier.clone();
        move || (0..count).map(|_| carrier.get()).collect::<Vec<_>>()
    };
    let (&own, others) = receivers.split_last().unwrap();
    let receiving: Vec<_> = others.iter().map(|&count| thread::spawn(get(count))).collect();
    let mut received = vec![get(own)()];
    received.extend(receiving.into_iter().map(|thread| thread.join().unwrap()));
    sending.into_iter().for_each(|thread| thread.join().unwrap());
    let rest = Track::alive() - received.iter().map(Vec::len).sum::<usize>();
    received[0].extend(get(rest)());
    for (from, &count) in senders.iter().enumerate() {
        let numbers =
            |items: &[Track]| items.iter().filter(|item| item.from == from).map(|item| item.number).collect();
        let numbers: Vec<Vec<usize>> = received.iter().map(|items| numbers(items)).collect();
        assert!(numbers.iter().all(|of_one| of_one.is_sorted_by(|a, b| a < b)), "out of order: {numbers:?}");
        for number in 0..count {
            assert_eq!(
                numbers.iter().flatten().filter(|&&n| n == number).count(),
                1,
                "not once: {numbers:?}"
            );
        }
    }
}
