//! The report as tables for people.

use std::fmt;

use comfy_table::Table;

use super::{
    advice::Candidate,
    cost::Cost,
    kernel::Beside,
    report::{Price, Report, Transfer},
};
use crate::{
    report::{figure, fit, interval, new_table, write_dim},
    stats::Spread,
};

/// The column of a crowd's table that goes where it is too broad.
const QUARTILES: usize = 4;
/// So many CPUs' columns fit a terminal.
const SHOWN: usize = 8;

/// What the words mean, a line each.
pub const LEGEND: &str = "\
costs: on one CPU, without the loop around it. light fence: the compiler's; heavy fence: a membarrier. hand-off: from a \
futex wake to the sleeper's first step. transfer: half a round trip of a line between two CPUs that look for it without \
a pause.
wait: half a round trip between the first and the last CPU with so many hints between two looks; its time over that \
without.
crowd N: so many threads, pinned round-robin, each a get and a put of one word, in a loop with nothing between; figures \
are a pair. tasks/CPU: threads over usable CPUs.
lockref RELAX: what its compare-exchange loop does after a lost try; after 100 it takes its lock. until changed: a \
stand-in that reads until the word is another. CAS loop, fetch_add/sub, load + CAS (a thread alone): stand-ins without a \
lock.
slowest: the slowest thread's part of an even share.
time / none, time / mutex: under 1 is faster than the lockref that does not pause, than Mutex<u64>; paired by round.
Linux: throughput without the pause / with it, of lockref in open3 and fstat2 on 96 CPUs (f5fe24ef17b5), beside the same \
of ours: the lockref without a pause / with 1 hint. Compared only at equal tasks per CPU, and theirs within 3 % of 1 says \
nothing.";

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "hint     {}", self.hint)?;
        if !self.costs.is_empty() {
            writeln!(f, "\n{}", self.costs())?;
        }
        match &self.transfer {
            Some(transfer) => writeln!(f, "\n{transfer}")?,
            None if self.head.machine.usable_cpus.len() == 1 => writeln!(f, "\n{ONE_CPU}")?,
            None => {}
        }
        if !self.waits.is_empty() {
            writeln!(f, "\n{}", self.waits())?;
        }
        if !self.lines.is_empty() {
            writeln!(f, "\n{}", self.crowds())?;
            self.beside(f)?;
        }
        write!(f, "\n{LEGEND}{}", self.head.few())?;
        if self.advice.candidates().next().is_some() {
            write!(f, "\n\n{}", self.evidence())?;
        }
        let of = if self.partial { ", of these rows only" } else { "" };
        write!(f, "\n\nfor this machine{of}\n{}\n{SWITCHES}", self.advice)
    }
}

/// Where the answers go.
pub const SWITCHES: &str = "\
to set them: Builder::retry, Lockref::retry or --cfg hornpipe_retry after a lost try; Builder::wait between two looks. Distances between \
CPUs may change from run to run (the transfer's quartiles show it): repeat before you believe.";

/// In place of the rows that take two.
pub const ONE_CPU: &str = "One usable CPU: no line's transfer, no hand-off between CPUs, no waiting reader; nothing can be lost to another CPU.";

impl Report {
    fn costs(&self) -> Table {
        let mut table = new_table(&["cost", "ns", "p25..p75", "switches", ""], &[1, 2, 3]);
        for Price { operation, cost, ns, switches } in &self.costs {
            let note = match *cost {
                Cost::Hints(1) => self.hint.to_owned(),
                Cost::Hints(hints) => format!("{} a hint", figure(ns.median / f64::from(hints))),
                _ => String::new(),
            };
            let switches = switches.map_or("-".into(), figure);
            table.add_row(vec![operation.clone(), figure(ns.median), quartiles(*ns), switches, note]);
        }
        table
    }

    fn waits(&self) -> Table {
        let mut table = new_table(&["wait", "ns", "p25..p75", &self.head.ratio("time / none")], &[1, 2]);
        for wait in &self.waits {
            let ratio = wait.to_none.map_or("-".into(), interval);
            table.add_row(vec![wait.relax.to_string(), figure(wait.ns.median), quartiles(wait.ns), ratio]);
        }
        table
    }

    fn crowds(&self) -> Table {
        let header = [
            "row",
            "tasks/CPU",
            "contender",
            "ns/pair",
            "p25..p75",
            "CPU ns/pair",
            "switches/pair",
            "slowest",
            &self.head.ratio("time / none"),
            &self.head.ratio("time / mutex"),
        ];
        let mut table = new_table(&header, &[1, 3, 4, 5, 6, 7]);
        let mut last = None;
        for line in &self.lines {
            // A row's label once, so that its contenders read as one block.
            let (row, tasks) = match last.replace(line.threads) == Some(line.threads) {
                true => (String::new(), String::new()),
                false => (format!("crowd {}", line.threads), format!("{}x", figure(line.tasks_per_cpu))),
            };
            table.add_row(vec![
                row,
                tasks,
                line.contender.clone(),
                figure(line.ns.median),
                quartiles(line.ns),
                line.cpu_ns.map_or("-".into(), figure),
                line.switches.map_or("-".into(), figure),
                format!("{:.0} %", line.slowest_share * 100.0),
                line.to_none.map_or("-".into(), interval),
                line.to_mutex.map_or("-".into(), interval),
            ]);
        }
        fit(&mut table, self.head.width, QUARTILES);
        table
    }

    fn evidence(&self) -> Table {
        let header = ["evidence", "relax", &self.head.ratio("worst time / none"), "threads", ""];
        let mut table = new_table(&header, &[3]);
        let mut last = "";
        for (question, candidate) in self.advice.candidates() {
            let Candidate { relax, worst, standing } = candidate;
            let label = if last == question { "" } else { question };
            last = question;
            let ratio = interval(worst.ratio);
            table.add_row([
                label.into(),
                relax.to_string(),
                ratio,
                worst.threads.to_string(),
                standing.to_string(),
            ]);
        }
        table
    }

    /// Linux's table; rows that only one side has are dim.
    fn beside(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = [
            "Linux: tasks/CPU",
            "procs",
            "open3",
            "fstat2",
            "threads",
            "ours",
            "against open3",
            "against fstat2",
        ];
        let mut table = new_table(&header, &[0, 1, 2, 3, 4]);
        let known = |value: Option<String>| value.unwrap_or("-".into());
        for row in &self.kernel {
            let Beside { tasks_per_cpu, procs, open3, fstat2, threads, ours, verdicts } = row;
            let [first, second] =
                verdicts.map_or(["-".into(), "-".into()], |both| both.map(|v| v.to_string()));
            table.add_row(vec![
                format!("{}x", figure(*tasks_per_cpu)),
                known(procs.map(|procs| procs.to_string())),
                known(open3.map(figure)),
                known(fstat2.map(figure)),
                known(threads.map(|threads| threads.to_string())),
                known(ours.map(interval)),
                first,
                second,
            ]);
        }
        write_dim(f, &table, self.kernel.iter().map(|row| row.verdicts.is_none()))
    }
}

fn quartiles(ns: Spread) -> String {
    format!("{}..{}", figure(ns.p25), figure(ns.p75))
}

impl fmt::Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpus, ns, min, median, max } = self;
        let [min, median, max] = [min, median, max].map(|ns| figure(*ns));
        write!(f, "transfer between {} CPUs, ns: min {min}, median {median}, max {max}", cpus.len())?;
        if cpus.len() > SHOWN {
            write!(f, "; of the first {SHOWN}:")?;
        }
        let shown = &cpus[..cpus.len().min(SHOWN)];
        let header: Vec<String> = shown.iter().map(|cpu| format!("CPU {cpu}")).collect();
        let header: Vec<&str> = [""].into_iter().chain(header.iter().map(String::as_str)).collect();
        let right: Vec<usize> = (1..=shown.len()).collect();
        let mut table = new_table(&header, &right);
        for (head, line) in header[1..].iter().zip(ns) {
            let cells = line[..shown.len()].iter().map(|ns| ns.map_or("-".into(), figure));
            table.add_row([(*head).to_owned()].into_iter().chain(cells).collect::<Vec<_>>());
        }
        write!(f, "\n{table}")
    }
}

#[cfg(test)]
mod tests {
    use crate::relax::report::tests::{plausible, report};

    #[test]
    fn parts_come_in_their_order() {
        let text = report(2, 5, plausible).to_string();
        let parts = [
            "hint     ",
            "cost ",
            "20.0 a hint",
            "transfer between 2 CPUs, ns: min 10.0",
            "wait ",
            "crowd 1",
            "lockref until changed",
            "Linux: tasks/CPU",
            "same direction",
            "worse than none",
            "for this machine",
            "after a lost try     none: ",
            "a mutex is nowhere faster",
        ];
        let places: Vec<usize> = parts
            .iter()
            .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}")))
            .collect();
        assert!(places.is_sorted(), "{places:?} in\n{text}");
    }

    #[test]
    fn rows_without_a_counterpart_have_dashes() {
        let text = report(2, 5, plausible).to_string();
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let row = |start: &str| lines.iter().find(|line| line.starts_with(start)).expect("a row").as_str();
        assert_eq!(row("0.250x"), "0.250x 24 1.85 2.44 - - - -");
        assert_eq!(row("2.00x - -"), "2.00x - - - 4 1.50 [1.50, 1.50] - -");
        assert!(row("1.00x 96").ends_with("2 1.50 [1.50, 1.50] same direction same direction"));
    }

    #[test]
    fn one_cpu_is_said() {
        let text = report(1, 1, plausible).to_string();
        assert!(text.contains("One usable CPU") && !text.contains("transfer between"), "{text}");
        assert!(text.contains("between two looks    not measured"), "{text}");
    }

    #[test]
    fn many_cpus_are_cut_to_a_terminal() {
        let text = report(12, 1, plausible).to_string();
        assert!(
            text.contains("of the first 8:") && text.contains("CPU 7") && !text.contains("CPU 8"),
            "{text}"
        );
    }
}
