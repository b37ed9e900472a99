//! The page of `compare`, of one run or several.

use super::{
    Show, letters,
    page::Page,
    table::{Cell, Table},
};
use crate::{
    placement::Placement,
    report::{LEGEND, Report},
};

impl Show for Report {
    fn page(&self) -> String {
        page(std::slice::from_ref(self))
    }
}

/// The page of these runs.
pub fn page(reports: &[Report]) -> String {
    let runs = reports.iter().map(|report| report.head.run(&report.lines));
    let title = "hornpipe: the ring's switches against a mutex pipe and std's channel";
    Page { title, runs: runs.collect(), first: vec![summary(reports)], sections: Vec::new(), words: LEGEND }
        .render()
}

/// How the default ring did against the mutex baseline.
fn summary(reports: &[Report]) -> Table {
    let mut rows = Vec::new();
    for (index, report) in reports.iter().enumerate() {
        for placement in Placement::ALL {
            let ranking = report.ranking(placement);
            // Of two in the middle the worse.
            let middle = ranking.get(ranking.len() / 2);
            let (Some(best), Some(middle), Some(worst)) = (ranking.first(), middle, ranking.last()) else {
                continue;
            };
            let mut row = vec![Cell::text(placement), Cell::count(ranking.len())];
            row.extend(
                [best, middle, worst]
                    .into_iter()
                    .flat_map(|(ratio, work)| [Cell::Figure(Some(*ratio)), Cell::text(work)]),
            );
            if reports.len() > 1 {
                row.insert(0, Cell::text(letters(index)));
            }
            rows.push(row);
        }
    }
    let mut columns = vec!["placement", "rows", "best", "in", "median", "in", "worst", "in"];
    if reports.len() > 1 {
        columns.insert(0, "name");
    }
    Table { id: "summary", caption: "Time: default ring / mutex", columns, rows }
}
