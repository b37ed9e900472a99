//! The command line: arguments, exit codes, what goes to which stream.

use std::{
    ffi::OsString,
    fmt::Display,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::{Args, Parser, Subcommand, error::ErrorKind};
use console::Term;
use regex_lite::Regex;
use serde::Serialize;

use crate::{
    bytes,
    compare::{self, Switch},
    fence,
    html::{Show, reports},
    input, kernel,
    machine::Machine,
    measure::Failure,
    output::Output,
    placement::Cpus,
    plan::{Effort, QUICK},
    relax,
    report::Report,
    rounds::Settings,
};

/// What hornpipe's switches and topologies do on this machine.
#[derive(Debug, Parser)]
#[command(name = "hornpipe-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The ring with each value of its switches, against the mutex baseline and std's sync_channel.
    ///
    /// One switch is varied at a time, the others keep their defaults; so do `wait` and `yields`.
    Compare(Compare),
    /// The project's bars: hornpipe against other crates, lockref, byte pipes, tokens, memory, idle cost; met, missed or undecided. Needs the
    /// feature `peers`.
    ///
    /// Other crates' rings that cannot block try again with crossbeam-utils' back-off: "(spins)". "spsc symmetric" is spsc
    /// in a process that is refused the membarrier, so that publishers fence. The stand-ins are a ring like spsc's, cut
    /// down to what a publish costs: ordered before the look for sleepers by a compiler's fence (light), a full fence, or
    /// by being a SeqCst swap. Lockref's words are those of `relax`, byte pipes' those of `bytes`. A pool of
    /// 8 tokens stands against one of a mutex and a condition variable; its rows take 9 s a round, as a wait of a second has to show.
    /// Where nothing is promised there is no verdict.
    Bars(Run),
    /// A litmus: are wake-ups lost on this machine with a fence of the gate's protocol taken away, and with it?
    ///
    /// Ends with code 1 if one is lost with all fences in place.
    Fence(fence::Asked),
    /// Should loops pause on this machine? Costs of a spin hint, of lines, fences and futexes; one lockref in a crowd.
    ///
    /// N threads, 1 to two a CPU, get and put one lockref, whose compare-exchange loop does nothing after a lost try, or 1,
    /// 2, 4, 8 hints, a back-off, or reads until the word has changed; against `Mutex<u64>`, a CAS loop without a bound, and
    /// fetch_add. At its end what follows for this machine, with the evidence; beside it Linux's table of the same
    /// experiment.
    Relax(Run),
    /// The kernel's pipe threads, rerun: their workloads and variants on the kernel's pipe in user space and on hornpipe's pipes.
    ///
    /// Beside ours the thread's own table, by tasks per CPU, with a verdict where both have a row; what each variant costs in
    /// futex calls, context switches, idle CPUs. Futex calls are counted where the kernel lets us: as root, with tracefs
    /// mounted. `all --quick` (the default) ends within 4 minutes.
    Kernel(Kernel),
    /// hornpipe's byte pipes over the size of a write, against std::io::pipe and a memcpy relay; also UnixBench's 512-byte loop.
    ///
    /// Each holds 64 KiB; 1 writer and 4, 1 B to 1 MiB a write, and one reader with room for 64 KiB. With the feature `peers`
    /// also tokio's duplex, piper and ringbuf. At its end the project's bars about bytes. `--quick` (the default) ends within 2
    /// minutes on two CPUs.
    Bytes(Bytes),
    /// One page out of what `compare --json` wrote, here or on other machines.
    Report(Merge),
    /// One measurement of `bars` or `compare --stall`, in a process of its own.
    #[cfg(any(feature = "peers", stall))]
    #[command(hide = true)]
    Child {
        /// What to measure, as JSON.
        job: String,
    },
}

/// What `compare` compares.
#[derive(Debug, Args)]
struct Compare {
    /// Instead: a peer suspended in the middle of a call, in each channel (with the feature `peers` other crates' too).
    ///
    /// What it costs the others: latency of try_ calls, CPU burnt by waiters, futile wakes. The peer is held in a signal
    /// handler at random moments, 20 times a line and round. To hold hornpipe's surely between claim and publish as
    /// well, and to count its futex calls, build with stall points: RUSTFLAGS='--cfg hornpipe_hooks' cargo run
    /// --release --target-dir target/hooks -p hornpipe-bench -- compare --stall
    #[arg(long, conflicts_with = "switch")]
    stall: bool,
    /// The switches to vary, with commas between them; all four in --quick leave time for fewer rounds.
    #[arg(long, value_enum, value_name = "SWITCH,...", value_delimiter = ',', default_values_t = Switch::DEFAULT)]
    switch: Vec<Switch>,
    #[command(flatten)]
    run: Run,
}

/// Which of the kernel's experiments.
#[derive(Debug, Args)]
struct Kernel {
    #[command(flatten)]
    asked: kernel::Asked,
    #[command(flatten)]
    run: Run,
}

/// Which sizes, writers and placements.
#[derive(Debug, Args)]
struct Bytes {
    #[command(flatten)]
    asked: bytes::Asked,
    #[command(flatten)]
    run: Run,
}

/// How a run of rounds is made.
#[derive(Debug, Args)]
struct Run {
    /// A choice of rows within 30 s on two CPUs (the default); `bytes` within 2 minutes, `kernel` within 4.
    #[arg(long)]
    quick: bool,
    /// Every row, many rounds; takes minutes.
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Writes all figures there as well, once all are known.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a page there as well: charts and tables in one file that a browser shows without a network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Runs the rows whose label contains this (a regular expression), such as 'apart 1:1 cap 16$'; of `relax` 'crowd 1$'.
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// How often each row is measured (quick: up to 5, of `kernel` and `bytes` 11, of `relax` 15; full: 15); under 5 there are no intervals.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Repeats the order of another run.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Which runs become a page.
#[derive(Debug, Args)]
struct Merge {
    /// What `compare --json` wrote.
    #[arg(required = true, value_name = "JSON")]
    files: Vec<PathBuf>,
    /// Writes the page there: one file that a browser shows without a network.
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
}

/// Why the program ends without a result.
#[derive(Debug)]
pub enum Exit {
    /// It was asked for something that cannot be done: code 2.
    Usage(String),
    /// A measurement has no figure, or the result cannot be handed over: code 1.
    Failed(String),
    /// A measurement in a child process hung: [`HUNG`].
    Hung,
}

impl Exit {
    /// For a `--only` that leaves nothing to do.
    pub fn no_row() -> Self {
        Self::Usage("--only: no row matches; a label is for example 'one-cpu 1:1 cap 1024'".into())
    }
}

/// The exit code by which a child says that its contender hung.
pub const HUNG: u8 = 3;

impl<R: Display, C: Display> From<Failure<R, C>> for Exit {
    fn from(failure: Failure<R, C>) -> Self {
        Self::Failed(failure.to_string())
    }
}

/// The program: runs what `args` say, complains in one line.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (why, code) = match run(args) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Exit::Usage(why)) => (why, 2),
        Err(Exit::Failed(why)) => (why, 1),
        Err(Exit::Hung) => return ExitCode::from(HUNG),
    };
    let _ = writeln!(io::stderr(), "hornpipe-bench: {why}");
    ExitCode::from(code)
}

fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), Exit> {
    let begun = Instant::now();
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return print(&e.render().to_string());
        }
        Err(e) => return Err(Exit::Usage(one_line(&e))),
    };
    match cli.command {
        Command::Compare(Compare { stall: false, mut switch, run }) => {
            switch.sort();
            switch.dedup();
            run.report(Some(begun + QUICK), |settings| compare::run(settings, &switch))
        }
        #[cfg(stall)]
        Command::Compare(Compare { stall: true, run, .. }) => {
            run.report(Some(begun + QUICK), crate::stall::run)
        }
        #[cfg(not(stall))]
        Command::Compare(Compare { stall: true, .. }) => Err(Exit::Usage(
            "compare --stall takes Linux with glibc: threads are held by the clocks of their own CPU time"
                .into(),
        )),
        #[cfg(feature = "peers")]
        Command::Bars(run) => run.report(None, crate::bars::run),
        #[cfg(not(feature = "peers"))]
        Command::Bars(_) => Err(Exit::Usage(
            "bars needs the peers: cargo run --release -p hornpipe-bench --features peers -- bars".into(),
        )),
        Command::Fence(asked) => fence::run(&asked),
        Command::Relax(run) => run.report(Some(begun + QUICK), relax::run),
        Command::Kernel(Kernel { asked, run }) => {
            run.report(Some(begun + kernel::QUICK), |settings| kernel::run(settings, &asked))
        }
        Command::Bytes(Bytes { asked, run }) => {
            run.report(Some(begun + bytes::QUICK), |settings| bytes::run(settings, &asked))
        }
        Command::Report(merge) => merge.write(),
        #[cfg(any(feature = "peers", stall))]
        Command::Child { job } => print(&crate::child::serve(&job)?),
    }
}

impl Run {
    /// Looks at everything that can be refused before it costs time, then runs (till `quick`, if quickly) and reports.
    fn report<R: Serialize + Display + Show>(
        self,
        quick: Option<Instant>,
        run: impl FnOnce(&Settings) -> Result<R, Exit>,
    ) -> Result<(), Exit> {
        let usage = |what: &str, why: &dyn Display| Exit::Usage(format!("{what}: {why}"));
        let only = self.only.as_deref().map(Regex::new).transpose();
        let only = only.map_err(|e| usage("--only", &e.to_string().replace('\n', " ")))?;
        let json = self.json.as_deref().map(checked).transpose()?;
        let html = self.html.as_deref().map(checked).transpose()?;
        if let (Some(json), Some(html)) = (&json, &html)
            && json.path() == html.path()
        {
            return Err(Exit::Usage("--json and --html: both name one file".into()));
        }
        let effort = if self.full { Effort::Full } else { Effort::Quick };
        let mut settings = Settings {
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..1_000_000)),
            only,
            deadline: quick.filter(|_| effort == Effort::Quick),
            width: Term::stdout().size_checked().map(|(_, columns)| columns),
            ..Settings::new(effort, Cpus::usable())
        };
        if let Some(rounds) = self.rounds {
            // Who asks for a number of rounds gets it.
            (settings.rounds, settings.deadline) = (rounds as usize, None);
        }
        let report = run(&settings)?;
        if let Some(output) = html {
            output.write_text(&report.page()).map_err(|e| unwritten(&output, &e))?;
        }
        hand_over(&report, json)
    }
}

impl Merge {
    fn write(self) -> Result<(), Exit> {
        let output = checked(&self.html)?;
        let read = |path: &PathBuf| {
            input::read(path).map_err(|e| Exit::Usage(format!("cannot read {}: {e}", path.display())))
        };
        let runs: Vec<Report> = self.files.iter().map(read).collect::<Result<_, _>>()?;
        output.write_text(&reports::page(&runs)).map_err(|e| unwritten(&output, &e))
    }
}

/// A report goes to both its readers.
pub(crate) fn hand_over(report: &(impl Serialize + Display), json: Option<Output>) -> Result<(), Exit> {
    if let Some(output) = json {
        output.write(report).map_err(|e| unwritten(&output, &e))?;
    }
    print(&format!("{report}\n"))
}

/// A place for a result, before the work that it costs.
pub(crate) fn checked(path: &Path) -> Result<Output, Exit> {
    Output::check(path).map_err(|e| Exit::Usage(format!("cannot write {}: {e}", path.display())))
}

fn unwritten(output: &Output, why: &io::Error) -> Exit {
    Exit::Failed(format!("cannot write {}: {why}", output.path().display()))
}

/// The report's head, printed before the measurements: they take a while.
pub(crate) fn introduce(cpus: &Cpus) -> Result<Machine, Exit> {
    let machine = Machine::new(cpus);
    print(&format!("{machine}\n"))?;
    Ok(machine)
}

/// To stdout; a reader who has seen enough is no error.
fn print(text: &str) -> Result<(), Exit> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Exit::Failed(format!("cannot write to stdout: {e}")))
        }
        _ => Ok(()),
    }
}

/// clap's complaint without the usage text below it.
fn one_line(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing; see --help".into();
    }
    let text = error.render().to_string();
    let paragraph = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    let text = paragraph.collect::<Vec<_>>().join(" ");
    format!("{}; see --help", text.strip_prefix("error: ").unwrap_or(&text))
}
