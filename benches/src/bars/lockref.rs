//! The bars of a lockref: what it may cost alone and beside others, and that its loop is right not to pause.

use fastrand::Rng;

use crate::{
    bar::Bar,
    child,
    cli::Exit,
    measure::Sample,
    relax::{
        row::{self, Row},
        word::Kind,
    },
    report::figure,
    rounds::{self, Heat, Settings},
    stats::median,
};

/// Against whom a lockref that does not pause has bars, with so many threads, and what it may take of their time.
fn claims(threads: usize, cpus: usize) -> Vec<(Kind, f64)> {
    let own = match threads {
        1 => Some((Kind::LoadCas, 1.1)),
        2 if cpus > 1 => Some((Kind::Mutex, 0.5)),
        _ => None,
    };
    own.into_iter().chain([(Kind::HINT, 1.0)]).collect()
}

fn threads(row: Row) -> usize {
    let Row::Crowd(threads) = row else { unreachable!("{row} is no crowd") };
    threads
}

fn label(threads: usize) -> String {
    match threads {
        1 => "lockref solo".into(),
        _ => format!("lockref {threads} threads"),
    }
}

/// The crowds that `settings` want, with all that some bar needs there.
pub(super) fn heats(settings: &Settings) -> Vec<Heat<Row, Kind>> {
    let cpus = settings.cpus.count();
    let crowds = row::crowds(settings.effort, cpus).into_iter();
    let heat = |threads| {
        let theirs = claims(threads, cpus).into_iter().map(|(kind, _)| kind);
        // Shown beside, for nothing.
        let beside = (threads == 1).then_some(Kind::FetchAdd);
        let contenders = [Kind::NONE].into_iter().chain(theirs).chain(beside).collect();
        Heat { row: Row::Crowd(threads), contenders }
    };
    crowds.filter(|&threads| settings.wants(&label(threads))).map(heat).collect()
}

/// Measures `heats` and judges.
pub(super) fn bars(heats: &[Heat<Row, Kind>], settings: &Settings, rng: &mut Rng) -> Result<Vec<Bar>, Exit> {
    let results = rounds::play(heats, settings, rng, |cell| {
        child::crowd(threads(cell.row), cell.contender, cell.row.slice(settings))
    })?;
    let judged = heats.iter().zip(&results).flat_map(|(heat, results)| judge(heat, results, settings, rng));
    Ok(judged.collect())
}

fn judge(
    heat: &Heat<Row, Kind>,
    results: &[Vec<Option<Sample>>],
    settings: &Settings,
    rng: &mut Rng,
) -> Vec<Bar> {
    let threads = threads(heat.row);
    let find = |kind| heat.contenders.iter().position(|&there| there == kind).map(|index| &*results[index]);
    let ours = find(Kind::NONE).expect("it is in each row");
    let mut bars: Vec<Bar> = Vec::new();
    for (kind, limit) in claims(threads, settings.cpus.count()) {
        let theirs = find(kind).expect("whom a claim names is in its row");
        let bar = format!("{}: {} / {kind}", label(threads), Kind::NONE);
        bars.push(Bar::of_ratio(bar, [(&Kind::NONE, ours), (&kind, theirs)], limit, rng));
    }
    if let (Some(beside), [bar, ..]) = (find(Kind::FetchAdd), &mut *bars) {
        let ns: Vec<f64> = beside.iter().flatten().map(Sample::ns).collect();
        let pairs = ours
            .iter()
            .zip(beside)
            .filter_map(|(ours, beside)| Some(ours.as_ref()?.ns() / beside.as_ref()?.ns()));
        let ratio = median(&pairs.collect::<Vec<f64>>());
        bar.note += &format!("; {} {}: {} times that", Kind::FetchAdd, figure(median(&ns)), figure(ratio));
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{placement::Cpus, plan::Effort, stats::Verdict, usage::Usage};

    fn settings(cpus: usize) -> Settings {
        Settings::new(Effort::Quick, Cpus::first(cpus))
    }

    /// A run in which every kind takes so many nanoseconds a pair.
    fn run(cpus: usize, ns: fn(Kind) -> u64) -> Vec<Bar> {
        let settings = settings(cpus);
        let sample = |kind| Sample {
            items: 1,
            span_ns: ns(kind),
            usage: Usage::ZERO,
            slowest_share: 1.0,
            p99_ns: None,
        };
        let bars = heats(&settings).into_iter().flat_map(|heat| {
            let results: Vec<_> = heat.contenders.iter().map(|&kind| vec![Some(sample(kind)); 5]).collect();
            judge(&heat, &results, &settings, &mut Rng::with_seed(1))
        });
        bars.collect()
    }

    fn fast(kind: Kind) -> u64 {
        match kind {
            Kind::NONE => 50,
            Kind::Mutex => 110,
            _ => 49,
        }
    }

    #[test]
    fn each_crowd_has_its_bars() {
        let bars = run(2, fast);
        let shown = bars.iter().map(|bar| (bar.bar.as_str(), bar.limit, bar.verdict)).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [
                ("lockref solo: lockref none / load + CAS", Some(1.1), Some(Verdict::Met)),
                ("lockref solo: lockref none / lockref 1 hint", Some(1.0), Some(Verdict::Missed)),
                ("lockref 2 threads: lockref none / Mutex<u64>", Some(0.5), Some(Verdict::Met)),
                ("lockref 2 threads: lockref none / lockref 1 hint", Some(1.0), Some(Verdict::Missed)),
                ("lockref 3 threads: lockref none / lockref 1 hint", Some(1.0), Some(Verdict::Missed)),
                ("lockref 4 threads: lockref none / lockref 1 hint", Some(1.0), Some(Verdict::Missed)),
            ]
        );
        assert_eq!(bars[0].note, "50.0 against 49.0 ns; fetch_add/sub 49.0: 1.02 times that");
    }

    #[test]
    fn on_one_cpu_the_mutex_has_no_bar() {
        assert!(run(1, fast).iter().all(|bar| !bar.bar.contains("Mutex")));
    }
}
