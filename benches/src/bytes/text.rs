//! The report as tables for people.

use std::fmt;

use comfy_table::Table;

use super::report::{Line, Report};
use crate::{
    bar,
    report::{figure, fit, interval, new_table},
};

/// What the words mean, a line each.
pub const LEGEND: &str = "\
W:1 SIZE: so many writers, each as fast as it can in writes of that size, and one reader with room for 64 KiB. loop: one thread \
writes 512 bytes and reads them back (UnixBench's pipe throughput). Each contender holds 64 KiB at most. An operation is a write \
(in the loop with its read); MB are 10^6 bytes.
one-cpu: all threads pinned to one CPU. apart: pinned to different CPUs, writers from the first on, the reader to the last. \
free: not pinned.
tasks/CPU: threads of both sides over the CPUs they share.
spsc: hornpipe::bytes::pipe, of one writer and one reader. shared: hornpipe::bytes::shared. os pipe: std::io::pipe. memcpy relay: two \
threads and one buffer of 64 KiB that a flag hands over; who waits spins briefly (unless there is one CPU), then yields. With the feature peers: tokio \
duplex and piper, driven call by call by futures-lite's block_on; ringbuf's ring of bytes, which spins likewise. Who has one \
writer only is not in rows of several.
Before anything is measured every byte of a run is looked at: whose it is, that none is lost, doubled or out of order, that \
writes up to 4096 bytes are whole, that the stream ends. In measured rounds bytes are counted, and looked at now and then.
p99 ns: 99 % of the writes took at most so long, by those that were timed: one in 20 us or so.
slowest: the slowest writer's part of an even share.
x os pipe, x relay: so many times as fast as that, paired by round; over 1 is faster.";

/// The first column to go where the table is too broad.
const P99: usize = 7;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        write!(f, "{}\n{LEGEND}{}", self.table(), self.head.few())?;
        if !self.bars.is_empty() {
            write!(f, "\n\n{}", bar::verdicts(&self.bars))?;
        }
        Ok(())
    }
}

impl Report {
    fn table(&self) -> Table {
        let header = [
            "row",
            "tasks/CPU",
            "contender",
            "MB/s",
            "ns/write",
            "p25..p75",
            "CPU ns/write",
            "p99 ns",
            "switches/write",
            "slowest",
            &self.head.ratio("x os pipe"),
            &self.head.ratio("x relay"),
        ];
        let mut table = new_table(&header, &[1, 3, 4, 5, 6, P99, 8, 9]);
        let unknown = |value: Option<f64>| value.map_or("-".into(), figure);
        let mut last = "";
        for Line { row, tasks_per_cpu, contender, mb_per_s, figures, to_os, to_relay, .. } in &self.lines {
            // A row's label once, so that its contenders read as one block.
            let (label, tasks) = match last == row {
                true => (String::new(), String::new()),
                false => (row.clone(), format!("{}x", figure(*tasks_per_cpu))),
            };
            last = row;
            table.add_row(vec![
                label,
                tasks,
                contender.clone(),
                figure(mb_per_s.median),
                figure(figures.ns.median),
                format!("{}..{}", figure(figures.ns.p25), figure(figures.ns.p75)),
                unknown(figures.cpu_ns),
                unknown(figures.p99_ns),
                unknown(figures.switches),
                format!("{:.0} %", figures.slowest_share * 100.0),
                to_os.map_or("-".into(), interval),
                to_relay.map_or("-".into(), interval),
            ]);
        }
        fit(&mut table, self.head.width, P99);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{plausible, report};

    fn lines(rounds: usize, width: Option<u16>) -> Vec<String> {
        let text = report(rounds, width, plausible).to_string();
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[track_caller]
    fn has(lines: &[String], line: &str) {
        assert!(lines.iter().any(|there| there == line), "{line} is not in\n{}", lines.join("\n"));
    }

    #[test]
    fn a_row_is_a_block_and_speeds_are_ratios() {
        let lines = lines(5, None);
        has(
            &lines,
            "apart 1:1 64 B 1.00x spsc 3556 18.0 18.0..18.0 50.0 70.0 0.500 75 % 56.0 [56.0, 56.0] 1.56 [1.56, 1.56]",
        );
        has(&lines, "os pipe 63.5 1008 1008..1008 50.0 70.0 0.500 75 % - 0.028 [0.028, 0.028]");
        has(
            &lines,
            "one-cpu 4:1 100 B 5.00x shared 4545 22.0 22.0..22.0 50.0 70.0 0.500 75 % 46.0 [46.0, 46.0] -",
        );
        assert_eq!(lines.last().map(String::as_str), Some("met 7"));
    }

    #[test]
    fn few_rounds_decide_nothing() {
        let lines = lines(2, None);
        has(&lines, "apart 1:1 64 B 1.00x spsc 3556 18.0 18.0..18.0 50.0 70.0 0.500 75 % 56.0 1.56");
        assert_eq!(lines.last().map(String::as_str), Some("undecided 7"));
        assert!(lines.iter().any(|line| line.contains("Too few rounds")));
    }

    #[test]
    fn a_narrow_terminal_has_no_p99() {
        for (width, there) in [(None, true), (Some(300), true), (Some(100), false)] {
            let lines = lines(5, width);
            assert_eq!(lines.iter().any(|line| line.contains("CPU ns/write p99 ns")), there, "{width:?}");
        }
    }
}
