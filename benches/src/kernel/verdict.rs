//! What a ratio of the kernel's threads and the same ratio here say about each other.

use std::fmt;

use serde::Serialize;

use crate::stats::Estimate;

/// Which way two ratios point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Both are above 1, or both below.
    Same,
    /// One is above and one below.
    Opposite,
    /// Ours has no direction by its interval or changes nothing, or theirs is within its noise.
    Undecided,
}

/// A median of ours that is nearer to 1 is no change, however sure.
const NOTHING: f64 = 0.01;

impl Verdict {
    /// Of `theirs`, which says nothing within `noise` of 1, and `ours`; above 1 must mean the same in both.
    pub fn of(theirs: f64, noise: f64, ours: &Estimate) -> Self {
        let above = match ours.bounds() {
            _ if (ours.median - 1.0).abs() <= NOTHING => return Self::Undecided,
            Some((low, _)) if low > 1.0 => true,
            Some((_, high)) if high < 1.0 => false,
            _ => return Self::Undecided,
        };
        match theirs {
            theirs if (theirs - 1.0).abs() <= noise => Self::Undecided,
            theirs if (theirs > 1.0) == above => Self::Same,
            _ => Self::Opposite,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Same => "same direction",
            Self::Opposite => "opposite",
            Self::Undecided => "undecided",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate { median: (low + high) / 2.0, low, high, rounds: 5 }
    }

    #[test]
    fn verdicts_go_by_the_interval() {
        let verdict = |theirs, ours| Verdict::of(theirs, 0.03, &ours);
        assert_eq!(verdict(1.5, ratio(1.01, 1.2)), Verdict::Same);
        assert_eq!(verdict(1.5, ratio(0.8, 0.9)), Verdict::Opposite);
        assert_eq!(verdict(0.9, ratio(0.8, 0.9)), Verdict::Same);
        assert_eq!(verdict(0.9, ratio(1.1, 1.2)), Verdict::Opposite);
        assert_eq!(verdict(1.5, ratio(0.9, 1.2)), Verdict::Undecided);
        assert_eq!(verdict(1.5, ratio(1.001, 1.009)), Verdict::Undecided, "half a percent");
        let few = Estimate { rounds: 4, ..ratio(1.1, 1.2) };
        assert_eq!(verdict(1.5, few), Verdict::Undecided);
    }

    #[test]
    fn noise_has_no_direction() {
        for theirs in [0.98, 1.02] {
            let verdict = |noise| Verdict::of(theirs, noise, &ratio(1.1, 1.2));
            assert_eq!(verdict(0.03), Verdict::Undecided);
            assert_ne!(verdict(0.01), Verdict::Undecided);
        }
    }

    #[test]
    fn files_name_them_as_ever() {
        let names = serde_json::to_string(&[Verdict::Same, Verdict::Opposite, Verdict::Undecided]);
        assert_eq!(names.expect("text"), r#"["same","opposite","undecided"]"#);
    }
}
