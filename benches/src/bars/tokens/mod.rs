//! The bars of a pool of tokens: its time against a mutex's and the system's pipe's, and how long a crowd's threads wait.

pub(crate) mod pool;
pub(crate) mod trial;

use fastrand::Rng;

use self::{
    pool::Kind,
    trial::{CROWD, Found, Row, WAIT},
};
use crate::{
    bar::Bar,
    child,
    cli::Exit,
    measure::{Sample, WATCHDOG},
    report::figure,
    rounds::{self, Heat, Settings},
    stats::median,
};

/// What of the mutex pool's time hornpipe's may take. In a crowd nothing is promised: nobody may be passed for ever, which
/// the mutex allows and which saves it switches of threads; with a job most of the time is the job's.
fn limit(row: Row) -> Option<f64> {
    (row.micros == 0 && row.threads < CROWD).then_some(1.0)
}

/// The rows that `settings` want.
pub(super) fn heats(settings: &Settings) -> Vec<Heat<Row, Kind>> {
    let rows = Row::ALL.into_iter().filter(|row| settings.wants(row));
    rows.map(|row| Heat { row, contenders: Kind::ALL.into() }).collect()
}

/// Measures `heats` and judges.
pub(super) fn bars(heats: &[Heat<Row, Kind>], settings: &Settings, rng: &mut Rng) -> Result<Vec<Bar>, Exit> {
    let results = rounds::play(heats, settings, rng, |cell| {
        child::tokens(cell, cell.row.slice(settings.effort, &settings.cpus))
    })?;
    Ok(heats.iter().zip(&results).flat_map(|(heat, results)| judge(heat.row, results, rng)).collect())
}

/// The bars of a row, by what each kind found; `None` is a time-out.
fn judge(row: Row, results: &[Vec<Option<Found>>], rng: &mut Rng) -> Vec<Bar> {
    let samples = |found: &[Option<Found>]| -> Vec<Option<Sample>> {
        found.iter().map(|found| found.map(|found| found.sample)).collect()
    };
    let [ours, mutex, pipe] = results else { unreachable!("a row has all kinds") };
    let [us, them, beside] = Kind::ALL;
    let bar = format!("{row}: {us} / {them}");
    let mut bar = Bar::of_ratio(bar, [(&us, &samples(ours)), (&them, &samples(mutex))], limit(row), rng);
    let ns = median(&over(pipe, |found| found.sample.ns()));
    bar.note += &format!("; {beside} {}; slowest thread's share, longest wait: ", figure(ns));
    bar.note += &[ours, mutex, pipe].map(|found| fairness(found)).join(", ");
    let wait = (row.threads == CROWD).then(|| wait(row, ours, rng));
    [bar].into_iter().chain(wait).collect()
}

fn over(found: &[Option<Found>], figure: fn(&Found) -> f64) -> Vec<f64> {
    found.iter().flatten().map(figure).collect()
}

/// The median share, the longest wait of all rounds.
fn fairness(found: &[Option<Found>]) -> String {
    let share = median(&over(found, |found| found.sample.slowest_share));
    format!("{:.0} % {} ms", share * 100.0, figure(longest(found)))
}

/// In milliseconds. Who timed out waited as long as it was let.
fn longest(found: &[Option<Found>]) -> f64 {
    let waits = found.iter().map(|found| found.map_or(WATCHDOG.as_nanos() as u64, |found| found.longest_ns));
    waits.max().unwrap_or(0) as f64 / 1e6
}

/// Not one wait of any round may be too long.
fn wait(row: Row, found: &[Option<Found>], rng: &mut Rng) -> Bar {
    let bar = format!("{row}: longest wait for a {}", Kind::TokenPool);
    Bar::cost(bar, "ms", &[longest(found)], WAIT.as_secs_f64() * 1e3, rng).by_median()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{placement::Cpus, plan::Effort, stats::Verdict, usage::Usage};
    use regex_lite::Regex;

    fn found(span_ns: u64, share: f64, millis: u64) -> Option<Found> {
        let sample = Sample { items: 1, span_ns, usage: Usage::ZERO, slowest_share: share, p99_ns: None };
        Some(Found { sample, longest_ns: millis * 1_000_000 })
    }

    /// Five rounds, in the last of which ours is `last`.
    fn judged(row: Row, last: Option<Found>) -> Vec<Bar> {
        let mut ours = vec![found(100, 0.9, 20); 4];
        ours.push(last);
        let results = [ours, vec![found(200, 0.5, 1200); 5], vec![found(400, 0.8, 50); 5]];
        judge(row, &results, &mut Rng::with_seed(1))
    }

    fn verdicts(bars: &[Bar]) -> Vec<(&str, Option<f64>, Option<Verdict>)> {
        bars.iter().map(|bar| (bar.bar.as_str(), bar.limit, bar.verdict)).collect()
    }

    #[test]
    fn each_row_has_its_bars() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let bars = heats(&settings).into_iter().flat_map(|heat| judged(heat.row, found(100, 0.9, 30)));
        let bars: Vec<Bar> = bars.collect();
        let met = Some(Verdict::Met);
        assert_eq!(
            verdicts(&bars),
            [
                ("tokens 2 threads: TokenPool / mutex pool", Some(1.0), met),
                ("tokens 8 threads: TokenPool / mutex pool", Some(1.0), met),
                ("tokens 32 threads: TokenPool / mutex pool", None, None),
                ("tokens 32 threads: longest wait for a TokenPool", Some(1000.0), met),
                ("tokens 2 threads 1 us: TokenPool / mutex pool", None, None),
                ("tokens 8 threads 1 us: TokenPool / mutex pool", None, None),
                ("tokens 32 threads 1 us: TokenPool / mutex pool", None, None),
                ("tokens 32 threads 1 us: longest wait for a TokenPool", Some(1000.0), met),
            ]
        );
        assert_eq!(
            bars[0].note,
            "100 against 200 ns; os pipe 400; slowest thread's share, longest wait: 90 % 30.0 ms, 50 % 1200 ms, 80 % 50.0 ms"
        );
        let only = Settings { only: Regex::new("^tokens 8 threads$").ok(), ..settings };
        assert_eq!(heats(&only).len(), 1);
    }

    #[test]
    fn one_wait_in_one_round_misses() {
        let crowd = Row { threads: CROWD, micros: 0 };
        let verdict = |last| judged(crowd, last)[1].verdict;
        assert_eq!(verdict(found(100, 0.9, 999)), Some(Verdict::Met));
        assert_eq!(verdict(found(100, 0.9, 1000)), Some(Verdict::Missed));
        assert_eq!(verdict(None), Some(Verdict::Missed), "a time-out");
    }

    #[test]
    fn slower_than_the_mutex_misses_where_speed_is_promised() {
        let row = Row { threads: 2, micros: 0 };
        let results =
            [vec![found(201, 0.9, 20); 5], vec![found(200, 0.5, 9); 5], vec![found(400, 0.8, 5); 5]];
        let bars = judge(row, &results, &mut Rng::with_seed(1));
        assert_eq!(bars[0].verdict, Some(Verdict::Missed));
        assert_eq!(judged(row, None)[0].verdict, Some(Verdict::Missed), "a time-out");
    }
}
