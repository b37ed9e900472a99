//! The stall rows: as a table for people, as JSON for programs.

use std::fmt;

use comfy_table::Table;
use hdrhistogram::Histogram;
use serde::Serialize;

use super::{
    Hold, Row, Watch,
    stage::{PACE, PROBE},
    trial::{Futex, HOLD, HOLDS},
};
use crate::{
    contender::Contender,
    head::Head,
    html::{Show, page::Page, table as html},
    machine::Machine,
    measure::Cell,
    report::{figure, new_table},
    rounds::Settings,
    stats::Spread,
};

/// All of it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// A round is a trial with each watch a line: so many holds times two.
    #[serde(flatten)]
    head: Head,
    /// Whether hornpipe was built with stall points, which cost it some time.
    hooks: bool,
    hold_us: u64,
    lines: Vec<Line>,
}

/// One contender in one row. `None` where no hold tells.
#[derive(Debug, Serialize)]
pub struct Line {
    row: String,
    contender: String,
    settings: Contender,
    /// Whether a hold did not come to its end; its trial is not among these, and the line's last.
    hung: bool,
    holds: usize,
    /// Of how many holds it is known whether they blocked the others.
    known: usize,
    /// How many did. All figures below are of these; of all holds where none is known.
    blocked: usize,
    /// `try_` calls as a caller with one due every [`PROBE`] finds them.
    try_p99_us: Option<f64>,
    try_max_us: Option<f64>,
    /// A waiter's CPU time over the time it waited.
    cpu_percent: Option<Spread>,
    /// How often, a hold, waiters were woken and went to sleep again with nothing.
    futile_wakes: Option<Spread>,
    /// hornpipe's futex calls a hold, where they are counted.
    futex_waits: Option<Spread>,
    futex_wakes: Option<Spread>,
    /// Each hold.
    samples: Vec<Hold>,
}

impl Line {
    /// Of a cell's holds.
    pub(super) fn new(cell: Cell<Row>, found: Vec<Hold>, hung: bool) -> Self {
        let known = found.iter().filter(|hold| hold.blocked.is_some()).count();
        let telling: Vec<&Hold> =
            found.iter().filter(|hold| known == 0 || hold.blocked == Some(true)).collect();
        let spread = |figure: &dyn Fn(&Hold) -> Option<f64>| {
            let values: Vec<f64> = telling.iter().filter_map(|hold| figure(hold)).collect();
            (!values.is_empty()).then(|| Spread::of(&values))
        };
        let futex = |which: fn(Futex) -> u64| {
            // The process's other contenders make none of these calls.
            let ours = cell.contender == Contender::Hornpipe;
            spread(&|hold| hold.futex.filter(|_| ours).map(|futex| which(futex) as f64))
        };
        let tries = histogram(telling.iter().flat_map(|hold| &hold.tries_ns));
        let some = |ns: u64| (!tries.is_empty()).then(|| ns as f64 / 1e3);
        Self {
            row: cell.row.to_string(),
            contender: cell.contender.to_string(),
            settings: cell.contender,
            hung,
            holds: found.len(),
            known,
            blocked: found.iter().filter(|hold| hold.blocked == Some(true)).count(),
            try_p99_us: some(tries.value_at_quantile(0.99)),
            try_max_us: some(telling.iter().filter_map(|hold| hold.try_max_ns).max().unwrap_or(0)),
            cpu_percent: spread(&Hold::cpu_percent),
            futile_wakes: spread(&|hold| hold.futile_wakes().map(|wakes| wakes as f64)),
            futex_waits: futex(|futex| futex.waits),
            futex_wakes: futex(|futex| futex.wakes),
            // The line has what the single calls say, and they are many.
            samples: found.into_iter().map(|hold| Hold { tries_ns: Vec::new(), ..hold }).collect(),
        }
    }
}

/// Of calls due every [`PROBE`]: one that takes longer keeps others from being made, which would have waited too.
fn histogram<'a>(tries_ns: impl Iterator<Item = &'a u64>) -> Histogram<u64> {
    let mut histogram = Histogram::new(3).expect("three digits are possible");
    for &ns in tries_ns {
        histogram.record_correct(ns, PROBE.as_nanos() as u64).expect("it grows as needed");
    }
    histogram
}

impl Hold {
    /// The mean of its waiters.
    fn cpu_percent(&self) -> Option<f64> {
        if self.waiters.is_empty() {
            return None;
        }
        let total: u64 = self.waiters.iter().map(|usage| usage.cpu_ns).sum::<Option<u64>>()?;
        Some(100.0 * total as f64 / self.waiters.len() as f64 / self.window_ns as f64)
    }

    /// Of all its waiters: who falls asleep during the hold was awake, and what it got is no reason to count.
    fn futile_wakes(&self) -> Option<u64> {
        if self.watch == Watch::Probe {
            return None;
        }
        let asleep: u64 = self.waiters.iter().map(|usage| usage.voluntary).sum::<Option<u64>>()?;
        Some(asleep.saturating_sub(self.through))
    }
}

impl Report {
    pub(super) fn new(machine: Machine, settings: &Settings, lines: Vec<Line>) -> Self {
        let rounds = lines.iter().map(|line| line.holds / (2 * HOLDS)).max().unwrap_or(0);
        Self {
            head: Head::new(1, machine, settings, rounds),
            hooks: cfg!(hornpipe_hooks),
            hold_us: HOLD.as_micros() as u64,
            lines,
        }
    }

    fn table(&self) -> Table {
        let mut header = vec![
            "row",
            "contender",
            "holds",
            "blocked",
            "try_ p99",
            "try_ max",
            "CPU",
            "p25..p75",
            "futile wakes",
            "p25..p75",
        ];
        if self.hooks {
            header.extend(["futex waits", "futex wakes"]);
        }
        let mut table = new_table(&header, &[2, 3, 4, 5, 6, 8]);
        let mut last = "";
        for line in &self.lines {
            let row = if last == line.row { String::new() } else { line.row.clone() };
            last = &line.row;
            let one = |value: Option<f64>| value.map_or("-".into(), figure);
            let micros = |value: Option<f64>| value.map_or("-".into(), |us| format!("{} us", figure(us)));
            let median = |spread: Option<Spread>| one(spread.map(|spread| spread.median));
            let quartiles = |spread: Option<Spread>| {
                spread.map_or("-".into(), |s| format!("{}..{}", figure(s.p25), figure(s.p75)))
            };
            let mut cells = vec![
                row,
                line.contender.clone(),
                line.holds.to_string(),
                if line.known == 0 { "-".into() } else { percent(line.blocked, line.known) },
                micros(line.try_p99_us),
                micros(line.try_max_us),
                median(line.cpu_percent),
                quartiles(line.cpu_percent),
                median(line.futile_wakes),
                quartiles(line.futile_wakes),
            ];
            if self.hooks {
                cells.extend([median(line.futex_waits), median(line.futex_wakes)]);
            }
            table.add_row(cells);
        }
        table
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole as f64)
}

/// What the columns mean.
fn words() -> String {
    format!(
        "\
held: a thread that calls without a pause is suspended for {HOLD:?}, by a signal at a random moment of its CPU time; \
at Claimed: surely between the claim of a slot and its publish (release).\n\
blocked: the holds in which nothing got past the victim, though others on its side made a call every {PACE:?}. All \
figures behind it are of these holds; where the victim is alone on its side (-), of all.\n\
try_: in half of the holds a thread on the other side makes a try_ call every {PROBE:?}; a call that waits stands for \
those that it kept from being made, too.\n\
CPU, futile wakes: in the other half two threads (of std, where it has one receiver, one) wait on that side: what one \
burns of a CPU, and how often a hold they woke and went to sleep again with nothing; medians."
    )
}

impl Show for Report {
    fn page(&self) -> String {
        let spread = |spread: Option<Spread>| {
            let of = |figure: fn(Spread) -> f64| html::Cell::Figure(spread.map(figure));
            [of(|s| s.median), of(|s| s.p25), of(|s| s.p75)]
        };
        let row = |line: &Line| {
            let mut row = vec![html::Cell::text(&line.row), html::Cell::text(&line.contender)];
            row.push(html::Cell::text(if line.hung { "HUNG" } else { "" }));
            row.extend([html::Cell::count(line.holds), html::Cell::count(line.blocked)]);
            row.extend([line.try_p99_us, line.try_max_us].map(html::Cell::Figure));
            row.extend(spread(line.cpu_percent));
            row.extend(spread(line.futile_wakes));
            row.extend([line.futex_waits, line.futex_wakes].map(|calls| spread(calls)[0].clone()));
            row
        };
        let columns = vec![
            "row",
            "contender",
            "hung",
            "holds",
            "blocked",
            "try_ p99 us",
            "try_ max us",
            "CPU %",
            "p25",
            "p75",
            "futile wakes",
            "p25",
            "p75",
            "futex waits",
            "futex wakes",
        ];
        let lines = html::Table {
            id: "stall",
            caption: "What a suspended peer costs",
            columns,
            rows: self.lines.iter().map(row).collect(),
        };
        let title = "hornpipe: a peer suspended in the middle of a call";
        Page {
            title,
            runs: vec![self.head.run(&[])],
            first: vec![lines],
            sections: Vec::new(),
            words: &words(),
        }
        .render()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        write!(f, "{}\n{}", self.table(), words())?;
        for line in self.lines.iter().filter(|line| line.hung) {
            write!(
                f,
                "\n{}, {}: HUNG after {} holds, left out of the rest.",
                line.row, line.contender, line.holds
            )?;
        }
        f.write_str(if self.hooks {
            "\nfutex waits, wakes: hornpipe's calls a hold, medians. Its rows pay a little for the stall points in this build."
        } else {
            "\nFor the rows 'at Claimed': RUSTFLAGS='--cfg hornpipe_hooks' cargo run --release --target-dir target/hooks \
-p hornpipe-bench -- compare --stall"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        placement::{Cpus, Side},
        plan::Effort,
        stall::gate::By,
        usage::Usage,
    };

    const CELL: Cell<Row> =
        Cell { row: Row { victim: Side::Sender, by: By::Signal }, contender: Contender::Mutex };

    fn hold(watch: Watch, blocked: Option<bool>) -> Hold {
        Hold {
            watch,
            window_ns: 20_000_000,
            through: 0,
            blocked,
            try_max_ns: None,
            tries_ns: Vec::new(),
            waiters: Vec::new(),
            futex: None,
        }
    }

    fn probe(blocked: Option<bool>, tries_ns: &[u64]) -> Hold {
        let try_max_ns = tries_ns.iter().max().copied();
        Hold { tries_ns: tries_ns.to_vec(), try_max_ns, ..hold(Watch::Probe, blocked) }
    }

    /// Two waiters of that CPU time and so many falls asleep.
    fn wait(blocked: Option<bool>, through: u64, [a, b]: [(u64, u64); 2]) -> Hold {
        let usage = |(ms, voluntary)| Usage {
            cpu_ns: Some(ms * 1_000_000),
            voluntary: Some(voluntary),
            ..Usage::default()
        };
        Hold { through, waiters: vec![usage(a), usage(b)], ..hold(Watch::Wait, blocked) }
    }

    #[test]
    fn a_call_that_waits_stands_for_those_it_kept_from_being_made() {
        let quick = vec![1_000; 100];
        let p99 = |tries: &[u64]| Line::new(CELL, vec![probe(Some(true), tries)], false).try_p99_us.unwrap();
        assert!((0.9..1.1).contains(&p99(&quick)));
        // 20 ms in which 200 calls were due: 1 % of the 300 waited for over 19.7 ms.
        let p99 = p99(&[quick, vec![20_000_000]].concat());
        assert!((19_600.0..19_800.0).contains(&p99), "{p99}");
    }

    #[test]
    fn figures_are_of_the_holds_that_blocked() {
        let holds = vec![
            probe(Some(false), &[7_000]),
            probe(Some(true), &[2_000]),
            probe(None, &[9_000]),
            wait(Some(false), 3, [(20, 9), (20, 9)]),
            wait(Some(true), 0, [(10, 1), (0, 2)]),
        ];
        let line = Line::new(CELL, holds, false);
        assert_eq!((line.holds, line.known, line.blocked), (5, 4, 2));
        assert_eq!(line.try_max_us, Some(2.0));
        assert_eq!(line.cpu_percent.map(|cpu| cpu.median), Some(25.0), "10 of 2 times 20 ms");
        assert_eq!(line.futile_wakes.map(|wakes| wakes.median), Some(3.0));
        assert!(line.samples.iter().all(|hold| hold.tries_ns.is_empty()));
    }

    #[test]
    fn where_no_hold_tells_the_figures_are_of_all() {
        let holds = vec![probe(None, &[7_000]), wait(None, 2, [(1, 2), (3, 1)])];
        let line = Line::new(CELL, holds, false);
        assert_eq!((line.known, line.blocked, line.try_max_us), (0, 0, Some(7.0)));
        assert_eq!(line.futile_wakes.map(|wakes| wakes.median), Some(1.0), "two of three brought something");
        let none = Line::new(CELL, vec![probe(Some(false), &[7_000])], false);
        assert_eq!((none.try_p99_us, none.try_max_us, none.cpu_percent), (None, None, None));
    }

    #[test]
    fn a_page_has_the_lines_and_what_they_mean() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let lines = vec![Line::new(CELL, vec![probe(Some(true), &[7_000])], true)];
        let page = Report::new(Machine::new(&settings.cpus), &settings, lines).page();
        assert!(page.contains("<th scope=\"row\">sender held</th><td>mutex</td><td>HUNG</td>"), "{page}");
        assert!(page.contains("at Claimed: surely") && !page.contains("href=\"#figures\""), "{page}");
    }

    #[test]
    fn a_hang_is_told() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let line = |hung| Line::new(CELL, vec![probe(Some(true), &[7_000])], hung);
        let shown = |hung| Report::new(Machine::new(&settings.cpus), &settings, vec![line(hung)]).to_string();
        assert!(shown(true).contains("sender held, mutex: HUNG after 1 holds"));
        assert!(!shown(false).contains("HUNG"));
    }
}
