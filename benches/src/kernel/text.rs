//! The report as tables for people.

use std::fmt;

use comfy_table::Table;
use console::style;

use super::{
    contender::Contender,
    report::{Beside, Line, Ours, Part, Report},
    row::Experiment,
    told::Load,
};
use crate::report::{distinct, figure, interval, new_table, write_dim};

/// What the words mean, a line each.
pub const LEGEND: &str = "\
k1: so many threads, pinned round-robin, get and put one lockref (tight: also send and receive on one ring), with about as \
much work between as will-it-scale's system calls have: open3 1.2 us, fstat2 and access2 0.3 us, tight none. pause: a hint \
after a lost compare-exchange. access2: a second shared word is counted up and down; patched: it is gone.
k2, k3, k5: sched-messaging, G x S:R: groups of senders and receivers, a pipe a receiver, 100 bytes a message. Threads on pipes \
are not pinned (free), or with --pinned senders from the first CPU on, receivers from the last back (apart). An operation is \
a message. k4 throughput: one thread writes 512 bytes and reads them back; tokens: threads share one pipe, an operation is \
an int that was read.
pages: the kernel's pipe in user space (16 pages); shared: hornpipe::bytes::shared of as many bytes; ring: hornpipe's, of as many \
messages as those pages hold. Threads on the last two neither spin nor yield unless that is the variant; ring default: as a user \
gets it.
mainline: a read wakes a writer if it freed a buffer of a full pipe. was_full: if it began at a full pipe. was_full, looks: \
the same, but asks whether anybody sleeps before it takes the queue's lock. proactive: whenever there is room and one \
sleeps. whole: a small write joins the last page if all of it fits there; what fits: as much as fits; packets: each on a page of \
its own.
Times are over the first column's, paired by round, and under 1 is faster; in parentheses the coefficient of variation in \
percent; ~ where the ratio's 95 % interval has 1 in it.
beside the thread: compared only at equal tasks per CPU (within 2 %); a figure of theirs within its own noise says nothing.
futexes, wake-ups: calls an operation that the kernel counted in a run of its own. locks to wake, contended: a page pipe's \
own counts. idle: CPU time that no thread used. slowest: the slowest thread's part of an even share.";

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, pipes' threads {}", self.head, self.placement)?;
        for part in &self.parts {
            writeln!(f, "\n{}", style(part.experiment.question()).bold())?;
            for stage in part.stages() {
                writeln!(f, "\n{}", part.normalised(&stage))?;
            }
            part.fmt_beside(f)?;
            writeln!(f, "\n{}", part.costs())?;
        }
        if let Some(why) = &self.uncounted {
            writeln!(f, "\n{why}")?;
        }
        write!(f, "\n{LEGEND}{}", self.head.few())
    }
}

/// `1.26 (2.7)`.
fn normal(ratio: f64, cv: Option<f64>) -> String {
    let cv = cv.map_or(String::new(), |cv| format!(" ({cv:.1})"));
    format!("{ratio:.2}{cv}")
}

impl Part {
    /// A row a load, a column a variant: normalised time.
    fn normalised(&self, lines: &[&Line]) -> Table {
        let contenders = distinct(lines.iter().map(|line| line.contender));
        let on = lines.first().map_or(String::new(), |line| match self.experiment.one_base() {
            true => self.experiment.to_string(),
            false => format!("{} on {}", self.experiment, line.contender.on),
        });
        let names: Vec<String> = contenders.iter().map(|&contender| self.name(contender)).collect();
        let mut header = vec![on.as_str(), "tasks/CPU", "ns/op"];
        header.extend(names.iter().map(String::as_str));
        let right: Vec<usize> = (1..header.len()).collect();
        let mut table = new_table(&header, &right);
        for first in lines.iter().filter(|line| line.to_base.is_none()) {
            let of = |contender: &Contender| {
                lines.iter().find(|line| line.row == first.row && line.contender == *contender)
            };
            let cell = |contender| of(contender).map_or("-".into(), |line| line.normal());
            let mut row = vec![first.row.clone(), load(first.tasks_per_cpu), figure(first.ns.median)];
            row.extend(contenders.iter().map(cell));
            table.add_row(row);
        }
        table
    }

    /// The thread's table on the same axis; what only it has is dim.
    fn fmt_beside(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.beside.is_empty() {
            return Ok(());
        }
        let ons = self.experiment.compared();
        let mut header = vec![
            "beside the thread".to_owned(),
            "row".into(),
            "on".into(),
            "variant".into(),
            "theirs".into(),
        ];
        for on in ons {
            header.extend([format!("{on} [95 %]"), "verdict".into()]);
        }
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut table = new_table(&header, &[0, 4]);
        for Beside { told, ours } in &self.beside {
            let at = match told.load {
                Load::At(at) => load(at),
                Load::Alone => "one task".into(),
                Load::Unknown => "unknown".into(),
            };
            let mut row = vec![
                at,
                told.row.clone(),
                told.machine.into(),
                told.variant.to_string(),
                normal(told.ratio, told.cv),
            ];
            for on in ons {
                match ours.iter().find(|ours| ours.on == *on) {
                    Some(Ours { ratio, verdict, .. }) => row.extend([interval(*ratio), verdict.to_string()]),
                    None => row.extend(["-".into(), "-".into()]),
                }
            }
            table.add_row(row);
        }
        write_dim(f, &table, self.beside.iter().map(|beside| beside.ours.is_empty()))
    }

    /// What it costs the system.
    fn costs(&self) -> Table {
        let crowds = self.experiment == Experiment::K1;
        let mut header = vec!["costs an op", "contender", "ns", "CPU ns", "switches", "idle", "slowest"];
        if !crowds {
            header.extend(["futexes", "wake-ups", "migrations", "locks to wake", "contended"]);
        }
        let right: Vec<usize> = (2..header.len()).collect();
        let mut table = new_table(&header, &right);
        let known = |value: Option<f64>| value.map_or("-".into(), figure);
        let mut last = "";
        for line in &self.lines {
            // A row's label once, so that its contenders read as one block.
            let row = if last == line.row { String::new() } else { line.row.clone() };
            last = &line.row;
            let mut cells = vec![
                row,
                line.contender.to_string(),
                figure(line.ns.median),
                known(line.cpu_ns),
                known(line.switches),
                line.idle.map_or("-".into(), percent),
                percent(line.slowest_share),
            ];
            if !crowds {
                cells.extend([
                    known(line.calls.map(|calls| calls.futexes)),
                    known(line.calls.map(|calls| calls.wakeups)),
                    known(line.migrations),
                    known(line.wakes.map(|wakes| wakes.locked)),
                    known(line.wakes.map(|wakes| wakes.contended)),
                ]);
            }
            table.add_row(cells);
        }
        table
    }
}

impl Line {
    /// Its time over the base's.
    pub fn normal(&self) -> String {
        let Some(ratio) = self.to_base else { return normal(1.0, Some(self.cv)) };
        let open = ratio.bounds().is_none_or(|(low, high)| low <= 1.0 && 1.0 <= high);
        format!("{}{}", normal(ratio.median, Some(self.cv)), if open { "~" } else { "" })
    }
}

/// As tables have it.
fn load(tasks_per_cpu: f64) -> String {
    format!("{}x", figure(tasks_per_cpu))
}

/// A share.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{plausible, report};

    fn lines(cpus: usize, rounds: usize) -> Vec<String> {
        let text = report(cpus, rounds, plausible).to_string();
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[track_caller]
    fn has(lines: &[String], line: &str) {
        assert!(lines.iter().any(|there| there == line), "{line} is not in\n{}", lines.join("\n"));
    }

    #[test]
    fn variants_are_columns_and_loads_are_rows() {
        let lines = lines(2, 5);
        has(&lines, "k2 on pages tasks/CPU ns/op mainline was_full was_full, looks proactive");
        has(&lines, "1 x 3:2 2.50x 1000 1.00 (0.0) 2.00 (0.0) 1.00 (0.0)~ 0.50 (0.0)");
        has(&lines, "k2 on ring tasks/CPU ns/op mainline was_full proactive chain default");
        has(&lines, "k4 tasks/CPU ns/op pages two locks pages one lock ring os pipe");
        has(&lines, "throughput 0.500x 1000 1.00 (0.0) 0.50 (0.0) 1.00 (0.0)~ 1.00 (0.0)~");
        has(&lines, "open3 2 1.00x 1000 1.00 (0.0) 0.50 (0.0) - -");
        has(&lines, "1 x 3:2 pages mainline 1000 500 0 75 % 100 % 0.500 0.250 0 1.00 0.100");
    }

    #[test]
    fn the_thread_stands_beside() {
        let lines = lines(2, 5);
        has(
            &lines,
            "2.50x 16 groups 256 CPUs was_full 0.66 (1.6) 2.00 [2.00, 2.00] opposite 2.00 [2.00, 2.00] opposite",
        );
        has(&lines, "1.25x 8 groups 256 CPUs was_full 1.10 (1.0) - - - -");
        has(&lines, "one task throughput one task one lock 0.97 0.500 [0.500, 0.500] same direction");
        has(&lines, "unknown tokens another box one lock 0.97 - -");
    }

    #[test]
    fn few_rounds_decide_nothing() {
        let lines = lines(2, 2);
        has(&lines, "1 x 3:2 2.50x 1000 1.00 (0.0) 2.00 (0.0)~ 1.00 (0.0)~ 0.50 (0.0)~");
        has(&lines, "2.50x 16 groups 256 CPUs was_full 0.66 (1.6) 2.00 undecided 2.00 undecided");
        assert!(lines.iter().any(|line| line.contains("Too few rounds")));
    }
}
