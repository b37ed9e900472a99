//! A measurement in a process of its own: this same program, started with the hidden command `child`.

use std::{env, fmt::Display, process::Command};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

#[cfg(stall)]
use crate::stall::{Hold, Trial};
#[cfg(feature = "peers")]
use crate::{
    bars::{
        barrier,
        costs::{self, Creation, Item},
        tokens::{pool, trial},
    },
    bytes,
    contender::Contender,
    measure::{self, Cell, Sample},
    placement::Cpus,
    relax::{crowd, row::Row, word::Kind},
};
use crate::{
    cli::{Exit, HUNG},
    measure::{Failure, Reason},
};

/// What a child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
enum Job {
    /// Check a cell, which also warms it up, then measure it.
    #[cfg(feature = "peers")]
    Measure { cell: Cell, slice: std::time::Duration },
    /// Check a crowd on one word, then measure it.
    #[cfg(feature = "peers")]
    Crowd { threads: usize, kind: Kind, slice: std::time::Duration },
    /// Check a byte pipe, then measure it.
    #[cfg(feature = "peers")]
    Bytes { cell: Cell<bytes::row::Row, bytes::contender::Contender>, slice: std::time::Duration },
    /// Check a pool of tokens, then measure it.
    #[cfg(feature = "peers")]
    Tokens { cell: Cell<trial::Row, pool::Kind>, slice: std::time::Duration },
    /// Create pipes of that item, the first of which is this process's first.
    #[cfg(feature = "peers")]
    Create(Item),
    /// Suspend a peer some times.
    #[cfg(stall)]
    Stall(Trial),
}

/// The child's side: answers in JSON.
pub fn serve(job: &str) -> Result<String, Exit> {
    let job = serde_json::from_str(job).map_err(|e| Exit::Usage(format!("child: {e}")))?;
    let answer = match job {
        #[cfg(feature = "peers")]
        Job::Measure { cell, slice } => {
            if cell.contender == Contender::Symmetric {
                barrier::refuse().map_err(Exit::Failed)?;
            }
            let cpus = Cpus::usable();
            let sample = measure::checked(cell, &cpus).and_then(|_| measure::timed(cell, &cpus, slice));
            serde_json::to_string(&sample.map_err(exit)?)
        }
        #[cfg(feature = "peers")]
        Job::Crowd { threads, kind, slice } => {
            let cpus = Cpus::usable();
            let sample =
                crowd::check(kind, threads, &cpus).and_then(|()| crowd::timed(kind, threads, &cpus, slice));
            let cell = Cell { row: Row::Crowd(threads), contender: kind };
            serde_json::to_string(&sample.map_err(|reason| exit(Failure { cell, reason }))?)
        }
        #[cfg(feature = "peers")]
        Job::Bytes { cell, slice } => {
            let cpus = Cpus::usable();
            let sample =
                bytes::trial::checked(cell, &cpus).and_then(|_| bytes::trial::timed(cell, &cpus, slice));
            serde_json::to_string(&sample.map_err(exit)?)
        }
        #[cfg(feature = "peers")]
        Job::Tokens { cell, slice } => {
            let cpus = Cpus::usable();
            let found = trial::checked(cell, &cpus).and_then(|_| trial::timed(cell, &cpus, slice));
            serde_json::to_string(&found.map_err(exit)?)
        }
        #[cfg(feature = "peers")]
        Job::Create(item) => serde_json::to_string(&costs::create(item)),
        #[cfg(stall)]
        Job::Stall(trial) => serde_json::to_string(&trial.run().map_err(exit)?),
    };
    answer.map_err(|e| Exit::Failed(format!("child: {e}")))
}

fn exit<R: Display, C: Display>(failure: Failure<R, C>) -> Exit {
    match failure.reason {
        // Leaving main ends the threads that hang.
        Reason::Hung(_) => Exit::Hung,
        _ => Exit::Failed(failure.to_string()),
    }
}

/// [`measure::timed`] in a child; `None` is a time-out.
#[cfg(feature = "peers")]
pub fn measure(cell: Cell, slice: std::time::Duration) -> Result<Option<Sample>, Exit> {
    ask(&Job::Measure { cell, slice })
}

/// [`crowd::timed`] in a child; `None` is a time-out.
#[cfg(feature = "peers")]
pub(crate) fn crowd(threads: usize, kind: Kind, slice: std::time::Duration) -> Result<Option<Sample>, Exit> {
    ask(&Job::Crowd { threads, kind, slice })
}

/// [`bytes::trial::timed`] in a child; `None` is a time-out.
#[cfg(feature = "peers")]
pub(crate) fn bytes(
    cell: Cell<bytes::row::Row, bytes::contender::Contender>,
    slice: std::time::Duration,
) -> Result<Option<Sample>, Exit> {
    ask(&Job::Bytes { cell, slice })
}

/// [`trial::timed`] in a child; `None` is a time-out.
#[cfg(feature = "peers")]
pub(crate) fn tokens(
    cell: Cell<trial::Row, pool::Kind>,
    slice: std::time::Duration,
) -> Result<Option<trial::Found>, Exit> {
    ask(&Job::Tokens { cell, slice })
}

/// [`costs::create`] in a child.
#[cfg(feature = "peers")]
pub(crate) fn create(item: Item) -> Result<Creation, Exit> {
    ask(&Job::Create(item))?.ok_or_else(|| Exit::Failed("creating pipes did not end".into()))
}

/// [`Trial::run`] in a child; `None` is a time-out.
#[cfg(stall)]
pub fn trial(trial: Trial) -> Result<Option<Vec<Hold>>, Exit> {
    ask(&Job::Stall(trial))
}

fn ask<T: DeserializeOwned>(job: &Job) -> Result<Option<T>, Exit> {
    let failed = |why: &dyn Display| Exit::Failed(format!("child: {why}"));
    let job = serde_json::to_string(job).map_err(|e| failed(&e))?;
    let program = env::current_exe().map_err(|e| failed(&e))?;
    let output = Command::new(program).args(["child", &job]).output().map_err(|e| failed(&e))?;
    match output.status.code() {
        Some(0) => serde_json::from_slice(&output.stdout).map(Some).map_err(|e| failed(&e)),
        Some(code) if code == i32::from(HUNG) => Ok(None),
        _ => Err(failed(&format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))),
    }
}
