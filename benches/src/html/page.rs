//! The page: what was measured where, charts, all figures.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    Run,
    chart::{self, Frame},
    letters,
    series::{self, Group, MEASURES, Measure, Over, RATIO, Scale, Series, Slice},
    table::{Cell, Table},
};
use crate::{
    placement::Placement,
    report::{Line, figure},
};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Runs to be shown.
pub struct Page<'a> {
    /// What they are.
    pub title: &'a str,
    /// The runs.
    pub runs: Vec<Run<'a>>,
    /// What is to be said first.
    pub first: Vec<Table>,
    /// What a page of its kind alone has.
    pub sections: Vec<Section>,
    /// What the words mean, a line a paragraph.
    pub words: &'a str,
}

/// A part of the page.
pub struct Section {
    /// Names it within the page.
    pub id: &'static str,
    /// Its head.
    pub title: &'static str,
    /// What is in it.
    pub body: Markup,
}

/// A chart's lines in one run (or in all).
pub(crate) struct Panel {
    /// What tells it from the others in its row.
    pub name: String,
    /// By measure.
    pub series: Vec<Vec<Series>>,
}

impl Page<'_> {
    /// The page's text.
    pub fn render(&self) -> String {
        let contenders = series::contenders(&self.runs);
        let (groups, slices) = (Group::all(&self.runs), Slice::all(&self.runs));
        let placements = Placement::ALL.into_iter().filter(|p| groups.iter().any(|g| g.placement == *p));
        let placements: Vec<Placement> = placements.collect();
        let charts = !groups.is_empty() || !slices.is_empty();
        let figures = self.runs.iter().any(|run| !run.lines.is_empty());
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    // The browser itself sees to it that nothing is fetched.
                    meta http-equiv="Content-Security-Policy"
                        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) (PreEscaped(switches())) }
                }
                body {
                    header {
                        h1 { (self.title) }
                        nav aria-label="Contents" {
                            a href="#runs" { "Machines" }
                            @for table in &self.first { a href={ "#" (table.id) } { (table.caption) } }
                            @for section in &self.sections { a href={ "#" (section.id) } { (section.title) } }
                            @if !slices.is_empty() { a href="#cpus" { "Across CPU counts" } }
                            @for placement in &placements { a href={ "#" (placement) } { "Charts: " (placement) } }
                            @if figures { a href="#figures" { "All figures" } }
                            a href="#words" { "What it means" }
                        }
                    }
                    main {
                        section { (self.machines().markup()) }
                        @for table in &self.first { section { (table.markup()) } }
                        @for section in &self.sections {
                            section id=(section.id) {
                                h2 { (section.title) }
                                (section.body)
                            }
                        }
                        @if charts { (legend(&contenders)) }
                        @if !slices.is_empty() {
                            section #cpus {
                                h2 { "Across CPU counts" }
                                p { "The same load on machines of different size; they may differ in more than that, "
                                    "so the last chart, a ratio within each machine, is the safest to compare." }
                                @for (index, slice) in slices.iter().enumerate() {
                                    (self.slice(slice, &contenders, index == 0))
                                }
                            }
                        }
                        @for placement in &placements {
                            section id=(placement) {
                                h2 { "Over the load: " (placement) }
                                p { (placed(*placement)) }
                                @for (index, group) in
                                    groups.iter().filter(|group| group.placement == *placement).enumerate() {
                                    (self.group(group, &contenders, index == 0))
                                }
                            }
                        }
                        @if figures { section { (self.figures().markup()) } }
                        section #words {
                            h2 { "What it means" }
                            @for line in self.words.lines() { p { (line) } }
                        }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        markup.into_string()
    }

    /// A run among several.
    fn name(&self, index: usize) -> String {
        let run = &self.runs[index];
        let (cpu, count) = (&run.machine.cpu, run.cpus());
        format!("{}: {cpu}, {count} CPU{}", letters(index), if count == 1 { "" } else { "s" })
    }

    /// Says in front of which run a row is, if there are several.
    fn mark<T>(&self, row: &mut Vec<T>, name: T) {
        if self.runs.len() > 1 {
            row.insert(0, name);
        }
    }

    fn machines(&self) -> Table {
        let row = |(index, run): (usize, &Run)| {
            let machine = run.machine;
            let guest = if machine.virtual_machine { ", virtual" } else { "" };
            let quota = machine.quota.map_or("none".into(), |cpus| format!("{} CPUs", figure(cpus)));
            let mut row = vec![
                Cell::text(&machine.cpu),
                Cell::text(format!("{}{guest}", machine.arch)),
                Cell::count(run.cpus()),
                Cell::text(quota),
                Cell::text(machine.caches.join(", ")),
                Cell::text(&machine.kernel),
                Cell::text(&machine.rustc),
                Cell::text(&machine.build),
                Cell::text(&run.how),
            ];
            self.mark(&mut row, Cell::text(letters(index)));
            row
        };
        let mut columns = vec![
            "CPU",
            "architecture",
            "usable CPUs",
            "quota",
            "caches",
            "kernel",
            "compiler",
            "build",
            "run",
        ];
        self.mark(&mut columns, "name");
        Table {
            id: "runs",
            caption: "Machines",
            columns,
            rows: self.runs.iter().enumerate().map(row).collect(),
        }
    }

    /// A row of charts for each run that has something to draw.
    fn group(&self, group: &Group, contenders: &[String], open: bool) -> Markup {
        let panel = |(index, run): (usize, &Run)| {
            let lines =
                || run.lines.iter().filter(|line| group.has(line)).map(|line| (line.tasks_per_cpu, line));
            let series = MEASURES
                .iter()
                .map(|measure| series::series(contenders, series::contender, measure, lines()));
            Panel { name: self.name(index), series: series.collect() }
        };
        let panels: Vec<Panel> = self.runs.iter().enumerate().map(panel).collect();
        let title = format!("{}, capacity {}", group.family.name(), group.capacity);
        charts(&title, &MEASURES, Over::LOAD, &panels, open)
    }

    /// One row of charts, of all runs together.
    fn slice(&self, slice: &Slice, contenders: &[String], open: bool) -> Markup {
        let lines = self.runs.iter().flat_map(|run| run.lines.iter().map(|line| (run.cpus() as f64, line)));
        let lines: Vec<(f64, &Line)> = lines.filter(|(_, line)| slice.has(line)).collect();
        let measures: Vec<Measure> = MEASURES.into_iter().chain([RATIO]).collect();
        let series = measures
            .iter()
            .map(|measure| series::series(contenders, series::contender, measure, lines.iter().copied()));
        let panel = Panel { name: String::new(), series: series.collect() };
        let Slice { placement, capacity, load } = slice;
        let title = format!(
            "{placement}, n senders, n receivers, capacity {capacity}, {} tasks per CPU",
            Scale::Count.tick(*load)
        );
        charts(&title, &measures, Over::CPUS, &[panel], open)
    }

    fn figures(&self) -> Table {
        let mut columns = vec![
            "row",
            "tasks/CPU",
            "contender",
            "op/s",
            "ns/op",
            "p25",
            "p75",
            "CPU ns/op",
            "p99 ns",
            "switches/op",
            "migrations/op",
            "slowest",
            "time / mutex",
            "2.5 %",
            "97.5 %",
        ];
        self.mark(&mut columns, "name");
        let row = |index: usize, line: &Line| {
            let speed = 1e9 / line.figures.ns.median;
            let mut row = vec![
                Cell::text(&line.row),
                Cell::Figure(Some(line.tasks_per_cpu)),
                Cell::text(line.settings),
                Cell::Shown(speed, Scale::Count.tick(speed)),
                Cell::Figure(Some(line.figures.ns.median)),
                Cell::Figure(Some(line.figures.ns.p25)),
                Cell::Figure(Some(line.figures.ns.p75)),
                Cell::Figure(line.figures.cpu_ns),
                Cell::Figure(line.figures.p99_ns),
                Cell::Figure(line.figures.switches),
                Cell::Figure(line.figures.migrations),
                Cell::Shown(
                    line.figures.slowest_share,
                    format!("{:.0} %", line.figures.slowest_share * 100.0),
                ),
            ];
            row.extend(Cell::interval(line.ratio));
            self.mark(&mut row, Cell::text(letters(index)));
            row
        };
        let runs = self.runs.iter().enumerate();
        Table {
            id: "figures",
            caption: "All figures",
            columns,
            rows: runs.flat_map(|(index, run)| run.lines.iter().map(move |line| row(index, line))).collect(),
        }
    }
}

/// Charts behind a title that opens them: a column a measure, a row a panel, the same frame for all of a column.
pub(crate) fn charts<L>(
    title: &str,
    measures: &[Measure<L>],
    over: Over,
    panels: &[Panel],
    open: bool,
) -> Markup {
    let frame =
        |index: usize| Frame::around(&measures[index], panels.iter().flat_map(|panel| &panel.series[index]));
    let frames: Vec<Option<Frame>> = (0..measures.len()).map(frame).collect();
    let panels = panels.iter().filter(|panel| panel.series.iter().any(|series| !series.is_empty()));
    let several = panels.clone().count() > 1;
    html! {
        details open[open] {
            summary { (title) }
            @for panel in panels {
                @if several { h3 { (panel.name) } }
                div.charts {
                    @for ((measure, frame), series) in measures.iter().zip(&frames).zip(&panel.series) {
                        @if let (Some(frame), false) = (frame, series.is_empty()) {
                            figure role="img" aria-label={ (measure.name) " over " (over.axis) ", " (title) } {
                                figcaption { (measure.name) }
                                (PreEscaped(chart::svg(measure, over, frame, series)))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Names with their colours; pressing one hides its lines.
pub(crate) fn legend(contenders: &[String]) -> Markup {
    html! {
        div.legend role="group" aria-label="Lines shown" {
            @for (index, contender) in contenders.iter().enumerate() {
                button type="button" aria-pressed="true" data-line=(index) data-mark=(chart::mark(index))
                    style={ "--line:" (chart::hex(chart::colour(index))) } { (contender) }
            }
        }
    }
}

/// Rules by which the page's script hides a line.
fn switches() -> String {
    let rule = |index| {
        let colour = chart::hex(chart::colour(index));
        format!(
            ".hide{index} svg [stroke=\"{colour}\"],.hide{index} svg [fill=\"{colour}\"]{{display:none}}\n"
        )
    };
    (0..chart::PALETTE.len()).map(rule).collect()
}

fn placed(placement: Placement) -> &'static str {
    match placement {
        Placement::OneCpu => "All threads pinned to one CPU.",
        Placement::Apart => {
            "Threads pinned to different CPUs, senders from the first on, receivers from the last back."
        }
        Placement::Free => "Threads not pinned.",
    }
}
