//! A model in a process of its own: a failing one may abort, and its label's mutant is the whole process's.

use std::fs::{File, read_to_string};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{io, thread};

/// What the program exits with when it was called wrongly: no such model, no such label.
pub const USAGE: i32 = 2;

/// How it ended.
#[derive(Debug)]
pub struct Outcome {
    /// `None`: not within the time.
    pub status: Option<ExitStatus>,
    /// All that it wrote.
    pub output: String,
    /// From its start to its end.
    pub seconds: f32,
}

impl Outcome {
    /// Whether the model passed.
    pub fn passed(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Whether a run failed: a panic, or the abort that may follow it. (A run that has no end shows nothing.)
    pub fn failed(&self) -> bool {
        let ended = self.status.is_some_and(|status| !status.success() && status.code() != Some(USAGE));
        ended && self.output.contains("panicked") && !self.output.contains("Model exceeded")
    }

    /// The first message of a failed run, in a few words.
    pub fn reason(&self) -> &str {
        let message =
            self.output.lines().skip_while(|line| !line.contains("panicked")).nth(1).unwrap_or_default();
        message.split([';', ':', '.']).next().unwrap_or_default()
    }
}

/// Runs `program model`, for a mutant explored up to a bound, no longer than `limit`. Its output goes through a file
/// in `scratch`.
///
/// # Errors
/// The process could not be started or watched.
pub fn run(
    program: &str,
    scratch: &str,
    model: &str,
    mutant: Option<(&str, usize)>,
    limit: Duration,
) -> io::Result<Outcome> {
    let path =
        Path::new(scratch).join(format!("{model}-{}.txt", mutant.map_or("passes", |(label, _)| label)));
    let file = File::create(&path)?;
    let mut command = Command::new(program);
    command
        .arg(model)
        .stdout(file.try_clone()?)
        .stderr(file)
        .env("RUST_BACKTRACE", "0")
        .env_remove("HORNPIPE_MUTANT");
    if let Some((label, bound)) = mutant {
        command.env("HORNPIPE_MUTANT", label).env("LOOM_MAX_PREEMPTIONS", bound.to_string());
    }
    let start = Instant::now();
    let mut child = command.spawn()?;
    let status = loop {
        match child.try_wait()? {
            None if start.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
            None => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            ended => break ended,
        }
    };
    let seconds = start.elapsed().as_secs_f32();
    Ok(Outcome { status, output: read_to_string(path)?, seconds })
}
