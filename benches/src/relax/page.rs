//! The report as a page.

use maud::{PreEscaped, html};

use super::{
    advice::{Advice, Candidate},
    kernel::Beside,
    report::{Line, Report, Transfer},
    text::{LEGEND, ONE_CPU},
};
use crate::{
    html::{
        Show, heat,
        page::{Page, Panel, Section, charts, legend},
        series::{Measure, Over, Scale, series},
        table::{Cell, Table},
    },
    report::distinct,
    stats::Spread,
};

/// What charts show over the tasks per CPU.
const MEASURES: [Measure<Line>; 4] = [
    Measure {
        name: "Throughput",
        axis: "pairs per second",
        scale: Scale::Count,
        of: |line| Some(1e9 / line.ns.median),
    },
    Measure {
        name: "Time over that of a lockref without a pause",
        axis: "time / none",
        scale: Scale::Ratio,
        of: |line| Some(line.to_none.map_or(1.0, |ratio| ratio.median)),
    },
    Measure {
        name: "CPU time of all threads",
        axis: "time per pair",
        scale: Scale::LogTime,
        of: |line| line.cpu_ns,
    },
    Measure {
        name: "Slowest thread",
        axis: "part of an even share",
        scale: Scale::Share,
        of: |line| Some(line.slowest_share),
    },
];

impl Show for Report {
    fn page(&self) -> String {
        let mut run = self.head.run(&[]);
        run.how += &format!("; a hint is {}", self.hint);
        let section = |id, title, body| Section { id, title, body };
        let mut sections = Vec::new();
        match &self.transfer {
            Some(transfer) => sections.push(section("transfer", "A line between two CPUs", transfer.map())),
            None if self.head.machine.usable_cpus.len() == 1 => {
                sections.push(section("transfer", "A line between two CPUs", html! { p { (ONE_CPU) } }));
            }
            None => {}
        }
        if !self.waits.is_empty() {
            sections.push(section("wait", "Between two looks", waits(self).markup()));
        }
        if !self.lines.is_empty() {
            let crowds = html! {
                (over_load(self))
                (crowds(self).markup())
            };
            sections.push(section("crowds", "One word in a crowd", crowds));
            let beside = html! {
                p { "Rows that only one side has are grey: nothing is compared but at equal tasks per CPU." }
                (beside(&self.kernel).markup())
            };
            sections.push(section("linux", "Linux's table beside ours", beside));
        }
        let title = "hornpipe: should loops pause on this machine?";
        let first = vec![answers(&self.advice), candidates(&self.advice), costs(self)];
        Page { title, runs: vec![run], first, sections, words: LEGEND }.render()
    }
}

fn answers(advice: &Advice) -> Table {
    let rows = advice.answers().map(|(question, answer)| vec![Cell::text(question), Cell::text(answer)]);
    Table {
        id: "advice",
        caption: "For this machine",
        columns: vec!["question", "answer"],
        rows: rows.into(),
    }
}

fn candidates(advice: &Advice) -> Table {
    let rows = advice.candidates().map(|(question, Candidate { relax, worst, standing })| {
        let mut row = vec![Cell::text(question), Cell::text(relax)];
        row.extend(Cell::interval(Some(worst.ratio)));
        row.extend([Cell::count(worst.threads), Cell::text(standing)]);
        row
    });
    let columns = vec!["question", "relax", "worst time / none", "2.5 %", "97.5 %", "threads", "standing"];
    Table { id: "evidence", caption: "The evidence", columns, rows: rows.collect() }
}

impl Transfer {
    fn map(&self) -> maud::Markup {
        let names: Vec<String> = self.cpus.iter().map(usize::to_string).collect();
        html! {
            p { "Half a round trip, in nanoseconds, by the CPUs' numbers; both look without a pause." }
            figure.heat role="img" aria-label="Time of a line between each two CPUs" {
                (PreEscaped(heat::svg(&names, &self.ns, "ns")))
            }
        }
    }
}

/// Median and quartiles.
fn spread(ns: Spread) -> [Cell; 3] {
    [ns.median, ns.p25, ns.p75].map(|ns| Cell::Figure(Some(ns)))
}

fn costs(report: &Report) -> Table {
    let rows = report.costs.iter().map(|price| {
        let mut row = vec![Cell::text(&price.operation)];
        row.extend(spread(price.ns));
        row.push(Cell::Figure(price.switches));
        row
    });
    let columns = vec!["operation", "ns", "p25", "p75", "switches"];
    Table { id: "costs", caption: "What operations cost", columns, rows: rows.collect() }
}

fn waits(report: &Report) -> Table {
    let rows = report.waits.iter().map(|wait| {
        let mut row = vec![Cell::text(wait.relax)];
        row.extend(spread(wait.ns));
        row.extend(Cell::interval(wait.to_none));
        row
    });
    let columns = vec!["relax", "ns", "p25", "p75", "time / none", "2.5 %", "97.5 %"];
    Table { id: "waits", caption: "Half a round trip of a waiting reader", columns, rows: rows.collect() }
}

fn over_load(report: &Report) -> maud::Markup {
    let name_of = |line: &Line| line.contender.clone();
    let names = distinct(report.lines.iter().map(name_of));
    let at = || report.lines.iter().map(|line| (line.tasks_per_cpu, line));
    let series = |measure: &Measure<Line>| series(&names, name_of, measure, at());
    let panel = Panel { name: String::new(), series: MEASURES.iter().map(series).collect() };
    html! {
        (legend(&names))
        (charts("Over the tasks per CPU", &MEASURES, Over::LOAD, &[panel], true))
    }
}

fn crowds(report: &Report) -> Table {
    let rows = report.lines.iter().map(|line| {
        let mut row = vec![
            Cell::text(&line.contender),
            Cell::count(line.threads),
            Cell::Figure(Some(line.tasks_per_cpu)),
        ];
        row.extend(spread(line.ns));
        row.extend([line.cpu_ns, line.switches].map(Cell::Figure));
        row.push(Cell::Shown(line.slowest_share, format!("{:.0} %", line.slowest_share * 100.0)));
        row.extend(Cell::interval(line.to_none));
        row.extend(Cell::interval(line.to_mutex));
        row
    });
    let columns = vec![
        "contender",
        "threads",
        "tasks/CPU",
        "ns/pair",
        "p25",
        "p75",
        "CPU ns/pair",
        "switches/pair",
        "slowest",
        "time / none",
        "2.5 %",
        "97.5 %",
        "time / mutex",
        "2.5 %",
        "97.5 %",
    ];
    Table { id: "figures", caption: "All figures", columns, rows: rows.collect() }
}

fn beside(rows: &[Beside]) -> Table {
    let figure = |value: Option<f64>| value.map_or(Cell::Missing, |value| Cell::Figure(Some(value)));
    let count = |value: Option<usize>| value.map_or(Cell::Missing, Cell::count);
    let row = |row: &Beside| {
        let mut cells = vec![
            Cell::Figure(Some(row.tasks_per_cpu)),
            count(row.procs),
            figure(row.open3),
            figure(row.fstat2),
            count(row.threads),
        ];
        match row.ours {
            Some(_) => cells.extend(Cell::interval(row.ours)),
            None => cells.extend([const { Cell::Missing }; 3]),
        }
        match row.verdicts {
            Some(both) => cells.extend(both.map(Cell::text)),
            None => cells.extend([const { Cell::Missing }; 2]),
        }
        cells
    };
    let columns = vec![
        "tasks/CPU",
        "procs",
        "open3",
        "fstat2",
        "threads",
        "ours",
        "2.5 %",
        "97.5 %",
        "against open3",
        "against fstat2",
    ];
    Table {
        id: "beside",
        caption: "Throughput: no pause / pause",
        columns,
        rows: rows.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relax::report::tests::{plausible, report};

    #[test]
    fn a_page_has_its_map_its_charts_and_grey_rows() {
        let page = report(4, 5, plausible).page();
        for part in [
            "For this machine",
            "class=\"heat\"",
            "pairs per second",
            "Over the tasks per CPU",
            "lockref until changed",
            "same direction",
            "after a lost try",
        ] {
            assert!(page.contains(part), "{part} is missing");
        }
        let table = page.split_once("id=\"beside\"").expect("the table").1;
        let table = table.split_once("</tbody>").expect("its end").0;
        let grey = table.split("<tr>").filter(|row| row.contains("class=\"figure missing\"")).count();
        // 1/96, 2/96 and 8/96 are theirs alone; 0.75 and 1.25 to 2 are ours.
        assert_eq!(grey, 3 + 5, "{table}");
    }

    #[test]
    fn one_cpu_has_no_map_but_a_sentence() {
        let page = report(1, 1, plausible).page();
        assert!(page.contains(ONE_CPU) && !page.contains("class=\"heat\""));
    }
}
