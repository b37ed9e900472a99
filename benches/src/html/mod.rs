//! Runs as a page for a browser: one file that needs nothing else, with charts and tables that can be sorted.
//!
//! [`series`] makes lines out of runs' figures, [`chart`] draws them, [`heat`] a matrix, [`table`] lists figures, [`page`] puts it together.

pub mod chart;
pub mod heat;
pub mod page;
pub mod reports;
pub mod series;
pub mod table;

use crate::{machine::Machine, report::Line};

/// What can be shown as a page.
pub trait Show {
    /// The page.
    fn page(&self) -> String;
}

/// A run as a page needs it.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Where.
    pub machine: &'a Machine,
    /// Effort, rounds, seed.
    pub how: String,
    /// Its figures.
    pub lines: &'a [Line],
}

impl Run<'_> {
    /// The usable CPUs.
    pub fn cpus(&self) -> usize {
        self.machine.usable_cpus.len()
    }
}

/// Several runs on a page are named A, B, ..., Z, AA, ...
pub fn letters(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8).to_string();
    match index / 26 {
        0 => last,
        more => letters(more - 1) + &last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on() {
        assert_eq!([0, 1, 25, 26, 51, 52, 702].map(letters), ["A", "B", "Z", "AA", "AZ", "BA", "AAA"]);
    }
}
