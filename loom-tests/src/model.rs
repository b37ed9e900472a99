//! One model, and the program that runs it.

use crate::process::USAGE;
use crate::track::Track;
use hornpipe::model::{Fences, begin, set_fences, tables};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
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
        let runs = Arc::new(AtomicUsize::new(0));
        loop {
            let mut builder = loom::model::Builder::new();
            builder.preemption_bound.get_or_insert(self.bound);
            let (counter, run) = (runs.clone(), self.run);
            builder.check(move || {
                counter.fetch_add(1, SeqCst);
                begin();
                Track::forget_all();
                run();
                assert_eq!(Track::alive(), 0, "items leaked");
            });
            if CASE.fetch_add(1, SeqCst) + 1 >= CASES.load(SeqCst) {
                return runs.load(SeqCst);
            }
        }
    }
}

static CASE: AtomicUsize = AtomicUsize::new(0);
static CASES: AtomicUsize = AtomicUsize::new(0);

/// For a model of several cases, explored one by one: which one this run is of, from 0.
pub fn case(cases: usize) -> usize {
    CASES.store(cases, SeqCst);
    CASE.load(SeqCst)
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
