//! Medians, quantiles, intervals.

use std::fmt;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// The `q`-quantile of `values`, linear between neighbours; NaN of nothing.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * (at - low as f64)
}

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The coefficient of variation: the standard deviation over the mean, percent; 0 of one value.
pub fn variation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (n - 1.0).max(1.0)).sqrt() / mean * 100.0
}

/// A median with the quartiles around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the rounds were below.
    pub median: f64,
    /// A quarter was below.
    pub p25: f64,
    /// A quarter was above.
    pub p75: f64,
}

impl Spread {
    /// Of one value a round.
    pub fn of(values: &[f64]) -> Self {
        Self { median: median(values), p25: quantile(values, 0.25), p75: quantile(values, 0.75) }
    }
}

/// A median with its 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate itself.
    pub median: f64,
    /// 2.5 % of the resampled medians are below.
    pub low: f64,
    /// 2.5 % are above.
    pub high: f64,
    /// How many rounds it rests on.
    pub rounds: usize,
}

const RESAMPLES: usize = 2000;

/// With fewer rounds the interval is narrower than the truth: it is not shown, and nothing is decided by it.
pub const ENOUGH: usize = 5;

impl Estimate {
    /// Of the median of one value a round.
    pub fn of(values: &[f64], rng: &mut Rng) -> Self {
        let mut sample = vec![0.0; values.len()];
        let medians: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                sample.fill_with(|| values[rng.usize(..values.len())]);
                median(&sample)
            })
            .collect();
        Self {
            median: median(values),
            low: quantile(&medians, 0.025),
            high: quantile(&medians, 0.975),
            rounds: values.len(),
        }
    }

    /// Of the ratio of two contenders' times, paired by round, since rounds differ more than contenders do.
    pub fn of_ratio(ours: &[f64], theirs: &[f64], rng: &mut Rng) -> Self {
        let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        Self::of(&ratios, rng)
    }

    /// The interval, if the rounds are enough for one.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        (self.rounds >= ENOUGH).then_some((self.low, self.high))
    }

    /// Whether it stays at or below `limit`.
    pub fn verdict(&self, limit: f64) -> Verdict {
        match self.bounds() {
            Some((_, high)) if high <= limit => Verdict::Met,
            Some((low, _)) if low > limit => Verdict::Missed,
            _ => Verdict::Undecided,
        }
    }
}

/// What an interval says about a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All of it is at or below.
    Met,
    /// All of it is above.
    Missed,
    /// The limit is inside, or the rounds are too few.
    Undecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Met => "met",
            Self::Missed => "MISSED",
            Self::Undecided => "undecided",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.75), 1.75);
        assert_eq!(quantile(&[7.0], 0.975), 7.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn variation_is_that_of_a_sample() {
        assert_eq!(variation(&[5.0]), 0.0);
        assert!((variation(&[9.0, 11.0]) - 14.142_135).abs() < 1e-5);
    }

    #[test]
    fn the_interval_holds_the_median_and_narrows() {
        let mut rng = Rng::with_seed(1);
        let mut width = |n: usize| {
            let values: Vec<f64> = (0..n).map(|_| rng.f64()).collect();
            let estimate = Estimate::of(&values, &mut rng);
            assert!(estimate.low <= estimate.median && estimate.median <= estimate.high);
            estimate.high - estimate.low
        };
        assert!(width(1000) < width(20) / 2.0);
    }

    #[test]
    fn pairs_cancel_what_a_round_has_in_common() {
        let theirs = [10.0, 100.0, 40.0, 7.0, 3.0];
        let ours = theirs.map(|x| x / 2.0);
        let ratio = Estimate::of_ratio(&ours, &theirs, &mut Rng::with_seed(1));
        assert_eq!(ratio, Estimate { median: 0.5, low: 0.5, high: 0.5, rounds: 5 });
    }

    #[test]
    fn verdicts() {
        let verdict = |low, high, rounds| Estimate { median: low, low, high, rounds }.verdict(1.0);
        assert_eq!(verdict(0.8, 1.0, 5), Verdict::Met);
        assert_eq!(verdict(1.1, 1.2, 5), Verdict::Missed);
        assert_eq!(verdict(0.9, 1.1, 5), Verdict::Undecided);
        assert_eq!(verdict(0.1, 0.1, 4), Verdict::Undecided);
    }
}
