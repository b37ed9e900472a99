//! Instructions that one solo send and receive (of bytes: write and read) take, each topology: counted by callgrind, held against the recorded ones.
//!
//! `cargo bench -p hornpipe-bench --bench instructions` compares with the table in
//! arch-notes/measurements/instructions.md, to 2% either way; `HORNPIPE_BLESS=1` before it writes what was counted into
//! the table. A count belongs to a compiler and an architecture: others have nothing to compare with, and say so.
//! The program runs itself under callgrind, once with N pairs and once with 2 N: in the difference all but the pairs
//! cancels.

use std::{
    env,
    fmt::Display,
    fs,
    hint::black_box,
    path::Path,
    process::{Command, ExitCode},
};

use comfy_table::{Cell, CellAlignment, Table, presets::ASCII_MARKDOWN};
use hornpipe::bytes::{self, Kind};
use hornpipe::{Builder, Mpmc, Mpsc, RingKind, Spmc, Spsc, Topology};

/// A send and a receive (a write and a read), so many times; returns the sum of what came out.
type Solo = fn(u64) -> u64;

const PIPES: [(&str, Solo); 7] = [
    ("spsc indexed", solo::<Spsc, INDEXED>),
    ("spsc stamped", solo::<Spsc, STAMPED>),
    ("mpsc", solo::<Mpsc, STAMPED>),
    ("spmc", solo::<Spmc, STAMPED>),
    ("mpmc", solo::<Mpmc, STAMPED>),
    ("byte stream", solo_of_bytes::<Spsc>),
    ("byte pieces", solo_of_bytes::<Mpmc>),
];
const INDEXED: bool = true;
const STAMPED: bool = false;

const CAPACITY: usize = 64;
/// Whole laps, so that each count has the same share of wraps.
const PAIRS: u64 = 1_000 * CAPACITY as u64;
const SLACK: f64 = 0.02;

const RUSTC: &str = env!("HORNPIPE_BENCH_RUSTC");
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../arch-notes/measurements/instructions.md");

#[inline(never)]
fn solo<K: Topology, const RING: bool>(pairs: u64) -> u64 {
    let ring = if RING == INDEXED { RingKind::Indexed } else { RingKind::Stamped };
    let (tx, rx) = Builder::<K>::new(CAPACITY).ring(ring).build().expect("a small pipe can be built");
    let mut sum = 0;
    for n in 0..pairs {
        tx.send(black_box(n)).expect("the receiver lives");
        sum += rx.recv().expect("the sender lives");
    }
    sum
}

/// The same through a byte pipe, 8 bytes at a time.
#[inline(never)]
fn solo_of_bytes<K: Kind>(pairs: u64) -> u64 {
    let (writer, reader) = bytes::Builder::<K>::new(8 * CAPACITY).build().expect("a small pipe can be built");
    let mut sum = 0;
    for n in 0..pairs {
        writer.write(&black_box(n).to_le_bytes()).expect("the reader lives");
        let mut into = [0; 8];
        reader.read(&mut into).expect("the writer lives");
        sum += u64::from_le_bytes(into);
    }
    sum
}

/// Runs one pipe's loop and checks what came out.
fn child(pipe: &str, pairs: u64) -> Result<(), String> {
    let (_, solo) = PIPES.iter().find(|(name, _)| *name == pipe).ok_or("no such pipe")?;
    let (sum, expected) = (solo(pairs), pairs * (pairs - 1) / 2);
    if sum == expected { Ok(()) } else { Err(format!("{pipe}: the items' sum is {sum}, not {expected}")) }
}

/// All instructions of a run of its own with so many pairs.
fn counted(pipe: &str, pairs: u64) -> Result<u64, String> {
    let this = env::current_exe().map_err(|error| format!("where this program is: {error}"))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args(["solo", pipe, &pairs.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{pipe} under callgrind: {}\n{said}", output.status));
    }
    let total = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    total.ok_or_else(|| format!("callgrind's total was not found in what it said:\n{said}"))
}

/// Instructions a pair.
fn per_pair(pipe: &str) -> Result<f64, String> {
    let (once, twice) = (counted(pipe, PAIRS)?, counted(pipe, 2 * PAIRS)?);
    Ok((twice as f64 - once as f64) / PAIRS as f64)
}

/// A line of the record's table.
#[derive(Clone)]
struct Row {
    rustc: String,
    arch: String,
    pipe: String,
    instructions: f64,
}

impl Row {
    fn here(pipe: &str, instructions: f64) -> Self {
        Self { rustc: RUSTC.into(), arch: env::consts::ARCH.into(), pipe: pipe.into(), instructions }
    }

    /// Whether it is from this compiler and architecture.
    fn is_here(&self) -> bool {
        self.rustc == RUSTC && self.arch == env::consts::ARCH
    }

    /// `None` for whatever is no row.
    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<_> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [rustc, arch, pipe, instructions] = cells[..] else { return None };
        let instructions = instructions.parse().ok()?;
        Some(Self { rustc: rustc.into(), arch: arch.into(), pipe: pipe.into(), instructions })
    }
}

/// A table as Markdown has it, numbers to the right.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(head);
    for row in rows {
        table.add_row(row.map(|text| {
            let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
            Cell::new(text).set_alignment(if number { CellAlignment::Right } else { CellAlignment::Left })
        }));
    }
    table
}

/// The record with this compiler's rows replaced: what stands before its table stays.
fn blessed(record: &str, counts: &[(&str, f64)]) -> String {
    let text: Vec<_> = record.lines().take_while(|line| !line.starts_with('|')).collect();
    let others = record.lines().filter_map(Row::parse).filter(|row| !row.is_here());
    let rows = others.chain(counts.iter().map(|(pipe, count)| Row::here(pipe, *count)));
    let rows = rows.map(|row| [row.rustc, row.arch, row.pipe, format!("{:.2}", row.instructions)]);
    format!("{}\n{}\n", text.join("\n"), table(["rustc", "architecture", "pipe", "instructions"], rows))
}

/// Counts all, shows the counts beside the recorded ones; Err says what differs.
fn compare(bless: bool) -> Result<(), String> {
    let path = Path::new(RECORD);
    let record = fs::read_to_string(path).map_err(|error| format!("{RECORD}: {error}"))?;
    let recorded: Vec<_> = record.lines().filter_map(Row::parse).filter(Row::is_here).collect();
    let mut counts = Vec::new();
    for (pipe, _) in PIPES {
        eprintln!("counting {pipe} ...");
        counts.push((pipe, per_pair(pipe)?));
    }
    let known = |pipe: &str| recorded.iter().find(|row| row.pipe == pipe).map(|row| row.instructions);
    let off = |pipe: &str, count: f64| known(pipe).map(|known| count / known - 1.0);
    let shown = counts.iter().map(|(pipe, count)| {
        let (known, off) = (known(pipe), off(pipe, *count));
        let known = known.map_or("none".into(), |known| format!("{known:.2}"));
        let off = off.map_or("none".into(), |off| format!("{:+.1}%", 100.0 * off));
        [pipe.to_string(), format!("{count:.2}"), known, off]
    });
    println!("{RUSTC}, {}: instructions a solo send and receive", env::consts::ARCH);
    println!("{}", table(["pipe", "counted", "recorded", "difference"], shown));
    if bless {
        fs::write(path, blessed(&record, &counts)).map_err(|error| format!("{RECORD}: {error}"))?;
        println!("recorded in {RECORD}");
        return Ok(());
    }
    if recorded.is_empty() {
        skip("nothing is recorded for this compiler and architecture (HORNPIPE_BLESS=1 records it)");
        return Ok(());
    }
    let wrong: Vec<_> = counts
        .iter()
        .filter(|(pipe, count)| off(pipe, *count).is_none_or(|off| off.abs() > SLACK))
        .map(|(pipe, _)| *pipe)
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "more than {:.0}% off what is recorded, or not recorded: {}. If that is meant, record it: HORNPIPE_BLESS=1",
        100.0 * SLACK,
        wrong.join(", ")
    ))
}

/// Says loudly that nothing was compared.
fn skip(why: impl Display) {
    println!("SKIPPED: {why}");
}

fn run() -> Result<(), String> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["solo", pipe, pairs] => child(pipe, pairs.parse().map_err(|error| format!("{pairs}: {error}"))?),
        // As criterion's benches: under `cargo bench -- --test` each loop runs once.
        [.., "--test"] | ["--test", ..] => PIPES.iter().try_for_each(|(pipe, _)| child(pipe, PAIRS)),
        _ if Command::new("valgrind").arg("--version").output().is_err() => {
            skip("there is no valgrind");
            Ok(())
        }
        _ => compare(env::var_os("HORNPIPE_BLESS").is_some_and(|bless| bless == "1")),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("instructions: {why}");
            ExitCode::FAILURE
        }
    }
}
