//! A measurement in a process of its own: this same program, started with the hidden command `child`.

use std::{env, process::Command, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::costs::{self, Creation, Item};
use crate::{
    cli::{Exit, HUNG},
    measure::{self, Cell, Failure, Reason, Sample},
    placement::Cpus,
};

/// What a child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
enum Job {
    /// Check a cell, which also warms it up, then measure it.
    Measure { cell: Cell, slice: Duration },
    /// Create pipes of that item, the first of which is this process's first.
    Create(Item),
}

/// The child's side: answers in JSON.
pub fn serve(job: &str) -> Result<String, Exit> {
    let job = serde_json::from_str(job).map_err(|e| Exit::Usage(format!("child: {e}")))?;
    let answer = match job {
        Job::Measure { cell, slice } => {
            let cpus = Cpus::usable();
            let sample = measure::checked(cell, &cpus).and_then(|_| measure::timed(cell, &cpus, slice));
            serde_json::to_string(&sample.map_err(|failure| match failure {
                // Leaving main ends the threads that hang.
                Failure { reason: Reason::Hung, .. } => Exit::Hung,
                failure => failure.into(),
            })?)
        }
        Job::Create(item) => serde_json::to_string(&costs::create(item)),
    };
    answer.map_err(|e| Exit::Failed(format!("child: {e}")))
}

/// [`measure::timed`] in a child; `None` is a time-out.
pub fn measure(cell: Cell, slice: Duration) -> Result<Option<Sample>, Exit> {
    ask(&Job::Measure { cell, slice })
}

/// [`costs::create`] in a child.
pub(super) fn create(item: Item) -> Result<Creation, Exit> {
    ask(&Job::Create(item))?.ok_or_else(|| Exit::Failed("creating pipes did not end".into()))
}

fn ask<T: DeserializeOwned>(job: &Job) -> Result<Option<T>, Exit> {
    let failed = |why: &dyn std::fmt::Display| Exit::Failed(format!("child: {why}"));
    let job = serde_json::to_string(job).map_err(|e| failed(&e))?;
    let program = env::current_exe().map_err(|e| failed(&e))?;
    let output = Command::new(program).args(["child", &job]).output().map_err(|e| failed(&e))?;
    match output.status.code() {
        Some(0) => serde_json::from_slice(&output.stdout).map(Some).map_err(|e| failed(&e)),
        Some(code) if code == i32::from(HUNG) => Ok(None),
        _ => Err(failed(&format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))),
    }
}
