//! The report as a page.

use maud::{Markup, html};

use super::{
    report::{Line, Report},
    row::Work,
    text::LEGEND,
};
use crate::{
    bar,
    html::{
        Show,
        page::{Page, Panel, Section, charts, legend},
        series::{Measure, Over, Scale, series},
        table::{Cell, Table},
    },
    report::distinct,
};

const SIZE: Over = Over { axis: "size of a write", scale: Scale::Bytes };

/// What charts show over the size of a write.
const MEASURES: [Measure<Line>; 6] = [
    Measure {
        name: "Throughput",
        axis: "bytes per second",
        scale: Scale::LogCount,
        of: |line| Some(line.mb_per_s.median * 1e6),
    },
    Measure {
        name: "Speed over the system's pipe's",
        axis: "times as fast",
        scale: Scale::Ratio,
        of: |line| Some(line.to_os?.median),
    },
    Measure {
        name: "Time a write",
        axis: "time per write",
        scale: Scale::LogTime,
        of: |line| Some(line.figures.ns.median),
    },
    Measure {
        name: "p99 of a write, sampled",
        axis: "time per write",
        scale: Scale::LogTime,
        of: |line| line.figures.p99_ns,
    },
    Measure {
        name: "CPU time of all threads",
        axis: "time per write",
        scale: Scale::LogTime,
        of: |line| line.figures.cpu_ns,
    },
    Measure {
        name: "Context switches",
        axis: "switches per write",
        scale: Scale::Count,
        of: |line| line.figures.switches,
    },
];

impl Show for Report {
    fn page(&self) -> String {
        let first = if self.bars.is_empty() { Vec::new() } else { vec![bar::sortable(&self.bars)] };
        Page {
            title: "hornpipe: byte pipes against the system's pipe and a memcpy relay",
            runs: vec![self.head.run(&[])],
            first,
            sections: vec![Section {
                id: "sizes",
                title: "Over the size of a write",
                body: html! {
                    (self.over_sizes())
                    (self.figures().markup())
                },
            }],
            words: LEGEND,
        }
        .render()
    }
}

impl Report {
    /// Charts: a group a placement, a row a number of writers, a line a contender.
    fn over_sizes(&self) -> Markup {
        let names = distinct(self.lines.iter().map(|line| line.contender.clone()));
        let streams: Vec<(&Line, usize, usize)> = self
            .lines
            .iter()
            .filter_map(|line| match line.work {
                Work::Stream { writers, size } => Some((line, writers, size)),
                Work::Loop => None,
            })
            .collect();
        let panel = |placement, writers| {
            let at = || {
                let there =
                    streams.iter().filter(move |(line, w, _)| (line.placement, *w) == (placement, writers));
                there.map(|(line, _, size)| (*size as f64, *line))
            };
            let series =
                MEASURES.iter().map(|measure| series(&names, |line| line.contender.clone(), measure, at()));
            let name = if writers == 1 { "1 writer".into() } else { format!("{writers} writers") };
            Panel { name, series: series.collect() }
        };
        let placements = distinct(streams.iter().map(|(line, ..)| line.placement));
        let writers = distinct(streams.iter().map(|(_, writers, _)| *writers));
        html! {
            (legend(&names))
            @for (index, placement) in placements.iter().enumerate() {
                @let panels: Vec<Panel> = writers.iter().map(|&writers| panel(*placement, writers)).collect();
                (charts(&placement.to_string(), &MEASURES, SIZE, &panels, index == 0))
            }
        }
    }

    fn figures(&self) -> Table {
        let columns = vec![
            "row",
            "tasks/CPU",
            "contender",
            "MB/s",
            "p25",
            "p75",
            "ns/write",
            "p25",
            "p75",
            "CPU ns/write",
            "p99 ns",
            "switches/write",
            "migrations/write",
            "slowest",
            "x os pipe",
            "2.5 %",
            "97.5 %",
            "x relay",
            "2.5 %",
            "97.5 %",
        ];
        let row = |line: &Line| {
            let (mb, ns, figures) = (line.mb_per_s, line.figures.ns, &line.figures);
            let mut cells = vec![
                Cell::text(&line.row),
                Cell::Figure(Some(line.tasks_per_cpu)),
                Cell::text(&line.contender),
            ];
            cells.extend(
                [mb.median, mb.p25, mb.p75, ns.median, ns.p25, ns.p75].map(|value| Cell::Figure(Some(value))),
            );
            cells.extend(
                [figures.cpu_ns, figures.p99_ns, figures.switches, figures.migrations].map(Cell::Figure),
            );
            let share = figures.slowest_share;
            cells.push(Cell::Shown(share, format!("{:.0} %", share * 100.0)));
            cells.extend([line.to_os, line.to_relay].into_iter().flat_map(Cell::interval));
            cells
        };
        Table { id: "figures", caption: "All figures", columns, rows: self.lines.iter().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{plausible, report};
    use super::*;

    #[test]
    fn a_page_has_its_charts_and_its_tables() {
        let page = report(5, None, plausible).page();
        for part in [
            "size of a write",
            "bytes per second",
            "64 KiB",
            "1 MiB",
            "4 writers",
            "<summary>apart</summary>",
            "id=\"bars\"",
            "memcpy relay",
            "one-cpu loop 512 B",
        ] {
            assert!(page.contains(part), "{part} is missing");
        }
        // A chart for each measure, placement and number of writers; x relay is a column.
        let charts = page.matches("<figure role=\"img\"").count();
        assert_eq!(charts, MEASURES.len() * 3 * 2);
    }

    #[test]
    fn one_size_has_no_chart_and_no_bars_no_table() {
        let mut report = report(5, None, plausible);
        report.lines.retain(|line| line.work.size() == 64);
        report.bars.clear();
        let page = report.page();
        assert!(
            !page.contains("<figure") && !page.contains("id=\"bars\"") && page.contains("apart 4:1 64 B")
        );
    }
}
