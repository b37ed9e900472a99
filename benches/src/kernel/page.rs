//! The report as a page.

use maud::{Markup, html};

use super::{
    report::{Beside, Line, Part, Report},
    row::{Experiment, Work},
    text::{LEGEND, percent},
    told::Load,
};
use crate::{
    html::{
        Show,
        page::{Page, Panel, Section, charts, legend},
        series::{Measure, Over, Scale, series},
        table::{Cell, Table},
    },
    report::distinct,
};

/// What charts show over the tasks per CPU.
const MEASURES: [Measure<Line>; 5] = [
    Measure {
        name: "Normalised time",
        axis: "time / base",
        scale: Scale::Count,
        of: |line| Some(line.to_base.map_or(1.0, |ratio| ratio.median)),
    },
    Measure {
        name: "Time",
        axis: "time per operation",
        scale: Scale::LogTime,
        of: |line| Some(line.ns.median),
    },
    Measure {
        name: "Futex calls",
        axis: "calls per operation",
        scale: Scale::Count,
        of: |line| Some(line.calls?.futexes),
    },
    Measure {
        name: "Context switches",
        axis: "switches per operation",
        scale: Scale::Count,
        of: |line| line.switches,
    },
    Measure { name: "Idle", axis: "CPU time that no thread used", scale: Scale::Share, of: |line| line.idle },
];

impl Show for Report {
    fn page(&self) -> String {
        let counted = self.uncounted.as_ref().map_or(String::new(), |why| format!("; {why}"));
        let mut run = self.head.run(&[]);
        run.how += &format!(", pipes' threads {}{counted}", self.placement);
        let section = |part: &Part| Section {
            id: part.experiment.ids()[0],
            title: part.experiment.question(),
            body: part.body(),
        };
        let sections = self.parts.iter().map(section).collect();
        let title = "hornpipe: the kernel's pipe threads, rerun";
        Page { title, runs: vec![run], first: Vec::new(), sections, words: LEGEND }.render()
    }
}

impl Experiment {
    /// Names its section and both of its tables within the page.
    fn ids(self) -> [&'static str; 3] {
        match self {
            Self::K1 => ["k1", "k1-beside", "k1-figures"],
            Self::K2 => ["k2", "k2-beside", "k2-figures"],
            Self::K3 => ["k3", "k3-beside", "k3-figures"],
            Self::K4 => ["k4", "k4-beside", "k4-figures"],
            Self::K5 => ["k5", "k5-beside", "k5-figures"],
            Self::Messaging => ["messaging", "messaging-beside", "messaging-figures"],
        }
    }
}

impl Part {
    fn body(&self) -> Markup {
        html! {
            (self.over_load())
            @if !self.beside.is_empty() {
                p { "Rows that only the thread has are grey: nothing is compared but at equal tasks per CPU." }
                (self.beside_table().markup())
            }
            (self.figures().markup())
        }
    }

    /// The charts: a row for each workload and for what it runs on, a line a variant.
    fn over_load(&self) -> Markup {
        let names = self.names();
        let mut works: Vec<Work> = Vec::new();
        for line in &self.lines {
            if !works.iter().any(|work| work.is_like(line.work)) {
                works.push(line.work);
            }
        }
        let panels: Vec<Panel> = works
            .iter()
            .flat_map(|work| {
                let stages = self.stages().into_iter();
                stages.map(move |stage| stage.into_iter().filter(|line| line.work.is_like(*work)).collect())
            })
            .filter_map(|lines: Vec<&Line>| {
                let first = lines.first()?;
                let name = format!(
                    "{}, {}",
                    kind(first.work),
                    if self.experiment.one_base() { "all".into() } else { first.contender.on.to_string() }
                );
                let at = || lines.iter().map(|line| (line.tasks_per_cpu, *line));
                let name_of = |line: &Line| self.name(line.contender);
                let series = |measure: &Measure<Line>| series(&names, name_of, measure, at());
                Some(Panel { name, series: MEASURES.iter().map(series).collect() })
            })
            .collect();
        html! {
            (legend(&names))
            (charts("Over the tasks per CPU", &MEASURES, Over::LOAD, &panels, true))
        }
    }

    /// Variants, each once.
    fn names(&self) -> Vec<String> {
        distinct(self.lines.iter().map(|line| self.name(line.contender)))
    }

    fn beside_table(&self) -> Table {
        let ons = self.experiment.compared();
        let row = |Beside { told, ours }: &Beside| {
            let at = match told.load {
                Load::At(load) => Cell::Figure(Some(load)),
                Load::Alone => Cell::text("one task"),
                Load::Unknown => Cell::text("unknown"),
            };
            let mut cells = vec![
                at,
                Cell::text(&told.row),
                Cell::text(told.machine),
                Cell::text(told.variant),
                Cell::Figure(Some(told.ratio)),
                Cell::Figure(told.cv),
            ];
            for on in ons {
                match ours.iter().find(|ours| ours.on == *on) {
                    Some(ours) => {
                        cells.extend(Cell::interval(Some(ours.ratio)));
                        cells.push(Cell::text(ours.verdict));
                    }
                    None => cells.extend([const { Cell::Missing }; 4]),
                }
            }
            cells
        };
        let mut columns = vec!["tasks/CPU", "row", "machine", "variant", "theirs", "CV %"];
        for on in ons {
            columns.extend([on.name(), "2.5 %", "97.5 %", "verdict"]);
        }
        Table {
            id: self.experiment.ids()[1],
            caption: "Beside the thread: time over the base's",
            columns,
            rows: self.beside.iter().map(row).collect(),
        }
    }

    fn figures(&self) -> Table {
        let row = |line: &Line| {
            let share = |share: f64| Cell::Shown(share, percent(share));
            let mut cells = vec![
                Cell::text(&line.row),
                Cell::Figure(Some(line.tasks_per_cpu)),
                Cell::text(line.contender),
                Cell::Figure(Some(line.ns.median)),
                Cell::Figure(Some(line.ns.p25)),
                Cell::Figure(Some(line.ns.p75)),
                Cell::Figure(Some(line.cv)),
            ];
            cells.extend(Cell::interval(line.to_base));
            cells.extend([line.cpu_ns, line.switches, line.migrations].map(Cell::Figure));
            cells.push(line.idle.map_or(Cell::Figure(None), share));
            cells.push(share(line.slowest_share));
            cells.extend([
                Cell::Figure(line.calls.map(|calls| calls.futexes)),
                Cell::Figure(line.calls.map(|calls| calls.wakeups)),
                Cell::Figure(line.wakes.map(|wakes| wakes.locked)),
                Cell::Figure(line.wakes.map(|wakes| wakes.woken)),
                Cell::Figure(line.wakes.map(|wakes| wakes.contended)),
            ]);
            cells
        };
        let columns = vec![
            "row",
            "tasks/CPU",
            "contender",
            "ns/op",
            "p25",
            "p75",
            "CV %",
            "time / base",
            "2.5 %",
            "97.5 %",
            "CPU ns/op",
            "switches/op",
            "migrations/op",
            "idle",
            "slowest",
            "futexes/op",
            "wake-ups/op",
            "locks to wake/op",
            "woken/op",
            "contended/op",
        ];
        Table {
            id: self.experiment.ids()[2],
            caption: "All figures",
            columns,
            rows: self.lines.iter().map(row).collect(),
        }
    }
}

/// One workload at all its loads.
fn kind(work: Work) -> String {
    match work {
        Work::Crowd { shape, .. } => shape.to_string(),
        Work::Messaging(_) => "sched-messaging".into(),
        Work::Throughput => "throughput".into(),
        Work::Tokens { .. } => "tokens".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{plausible, report};
    use super::*;

    #[test]
    fn a_page_has_its_charts_its_tables_and_grey_rows() {
        let page = report(2, 5, plausible).page();
        for part in [
            "K2 (January 2025)",
            "sched-messaging, pages",
            "sched-messaging, ring",
            "open3, lockref",
            "tight, ring",
            "time / base",
            "calls per operation",
            "was_full, looks",
            "same direction",
            "opposite",
        ] {
            assert!(page.contains(part), "{part} is missing");
        }
        let table = page.split_once("id=\"k2-beside\"").expect("the table").1;
        let table = table.split_once("</tbody>").expect("its end").0;
        let grey = table.split("<tr>").filter(|row| row.contains("class=\"figure missing\"")).count();
        assert_eq!(grey, 2 * 4, "all but 16 groups: {table}");
    }

    #[test]
    fn a_workload_at_one_load_stands_beside_the_others() {
        let page = report(2, 5, plausible).page();
        let k4 = page.split_once("<section id=\"k4\"").expect("k4").1;
        let k4 = k4.split_once("</section>").expect("its end").0;
        for part in ["throughput, all", "tokens, all", "id=\"k4-figures\"", "os pipe"] {
            assert!(k4.contains(part), "{part}: {k4}");
        }
    }
}
