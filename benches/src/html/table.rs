//! Tables that a reader can sort by any column.

use maud::{Markup, html};

use crate::{report::figure, stats::Estimate};

/// What stands in a table's cell.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Words, sorted as people do: 2 before 10.
    Text(String),
    /// A figure, shown with three digits and sorted by all of them; `None` is unknown and always last.
    Figure(Option<f64>),
    /// The same, shown in a way of its own.
    Shown(f64, String),
    /// A figure that another table has and this one cannot have: greys the row.
    Missing,
}

impl Cell {
    /// Words.
    pub fn text(words: impl ToString) -> Self {
        Self::Text(words.to_string())
    }

    /// A whole number.
    pub fn count(number: usize) -> Self {
        Self::Shown(number as f64, number.to_string())
    }

    /// An estimate with both ends of its interval, as far as they are known.
    pub fn interval(estimate: Option<Estimate>) -> [Self; 3] {
        let bounds = estimate.and_then(|estimate| estimate.bounds());
        let (low, high) = bounds.unzip();
        [estimate.map(|estimate| estimate.median), low, high].map(Self::Figure)
    }

    fn markup(&self) -> Markup {
        let number = |value: f64, words: &str| html! { td.figure data-value=(value) { (words) } };
        match self {
            Self::Text(words) => html! { td { (words) } },
            Self::Shown(value, words) if value.is_finite() => number(*value, words),
            Self::Figure(Some(value)) if value.is_finite() => number(*value, &figure(*value)),
            Self::Missing => html! { td.figure.missing data-value="" { "-" } },
            _ => html! { td.figure data-value="" { "-" } },
        }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names it within the page, also in the address after `#sort=`.
    pub id: &'static str,
    /// What it shows.
    pub caption: &'static str,
    /// Its columns' heads.
    pub columns: Vec<&'static str>,
    /// Its rows, the first cell of each being the row's head.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// As it stands in the page.
    pub fn markup(&self) -> Markup {
        html! {
            div.wide {
                table id=(self.id) {
                    caption { (self.caption) }
                    thead {
                        tr {
                            @for column in &self.columns {
                                th scope="col" aria-sort="none" { button type="button" { (column) } }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (column, cell) in row.iter().enumerate() {
                                    @match (column, cell) {
                                        (0, Cell::Text(words)) => th scope="row" { (words) },
                                        _ => (cell.markup()),
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_carry_what_they_are_sorted_by_and_no_markup_of_their_own() {
        let shown = |cell: Cell| cell.markup().into_string();
        assert_eq!(shown(Cell::text("<b> & \"c\"")), "<td>&lt;b&gt; &amp; &quot;c&quot;</td>");
        assert_eq!(
            shown(Cell::Figure(Some(1234.56))),
            "<td class=\"figure\" data-value=\"1234.56\">1235</td>"
        );
        let unknown = "<td class=\"figure\" data-value=\"\">-</td>";
        assert_eq!(shown(Cell::Figure(None)), unknown);
        assert_eq!(shown(Cell::Figure(Some(f64::INFINITY))), unknown);
        assert_eq!(
            shown(Cell::Shown(0.5, "50 %".into())),
            "<td class=\"figure\" data-value=\"0.5\">50 %</td>"
        );
    }

    #[test]
    fn few_rounds_have_no_interval() {
        let shown = |rounds| {
            let cells = Cell::interval(Some(Estimate { median: 2.0, low: 1.0, high: 3.0, rounds }));
            cells.map(|cell| matches!(cell, Cell::Figure(Some(_))))
        };
        assert_eq!((shown(4), shown(5)), ([true, false, false], [true; 3]));
    }

    #[test]
    fn heads_can_be_pressed() {
        let table = Table {
            id: "t",
            caption: "All",
            columns: vec!["a", "b"],
            rows: vec![vec![Cell::text("<x>"), Cell::text("y")]],
        };
        let markup = table.markup().into_string();
        assert!(markup.contains("<tr><th scope=\"row\">&lt;x&gt;</th><td>y</td></tr>"), "{markup}");
        assert_eq!(
            markup.matches("<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">").count(),
            2
        );
    }
}
