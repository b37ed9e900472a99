//! Bars between contenders: who takes at most how long against whom, and in which rows.

use fastrand::Rng;

use crate::{
    bar::Bar,
    contender::{Contender, Kind, Peer, Publish},
    measure::Sample,
    placement::Placement,
    plan::{self, Row, Work},
    report::figure,
    rounds::{Heat, Settings},
    stats::median,
    workload::Shape,
};

/// `ours` takes at most `limit` times as long as the best of `theirs`, in the rows where it is claimed.
pub(super) struct Claim {
    ours: Contender,
    theirs: &'static [Contender],
    limit: f64,
    at: fn(&Row) -> bool,
    /// Measured and shown beside, for nothing.
    beside: &'static [Contender],
}

impl Claim {
    const fn new(ours: Contender, theirs: &'static [Contender], limit: f64, at: fn(&Row) -> bool) -> Self {
        Self { ours, theirs, limit, at, beside: &[] }
    }

    const fn beside(self, beside: &'static [Contender]) -> Self {
        Self { beside, ..self }
    }
}

/// Where waiting is trying again.
const SPINNING: &[Contender] = &[Contender::Peer(Peer::Rtrb), Contender::Peer(Peer::Ringbuf)];
/// One sender to one receiver, waiting asleep.
const BLOCKING: &[Contender] = &[
    Contender::Peer(Peer::CrossfireSpsc),
    Contender::Peer(Peer::Kanal),
    Contender::Std,
    Contender::Peer(Peer::Crossbeam),
    Contender::Peer(Peer::Flume),
];
const INDEXED: Contender = Contender::Spsc(Some(Kind::Indexed));
const RINGS: &[Contender] = Contender::narrowest(Shape::PAIR);
const LIGHT: Contender = Contender::Standin(Publish::Light);

pub(super) const CLAIMS: &[Claim] = &[
    Claim::new(Contender::Hornpipe, &[Contender::Peer(Peer::Crossbeam)], 1.0, named),
    Claim::new(Contender::Hornpipe, &[Contender::Peer(Peer::Crossfire)], 1.0, crowd),
    Claim::new(Contender::Hornpipe, &[Contender::Mutex], 1.0, core),
    Claim::new(
        Contender::Mutex,
        &[Contender::Peer(Peer::StdCondvar), Contender::Peer(Peer::ParkingLot)],
        1.1,
        core,
    ),
    Claim::new(Contender::SPSC, &[Contender::Peer(Peer::Rtrb)], 1.2, solo).beside(RINGS),
    Claim::new(Contender::SPSC, SPINNING, 1.1, pair).beside(RINGS),
    Claim::new(Contender::SPSC, BLOCKING, 1.0, pair),
    Claim::new(Contender::Hornpipe, &[Contender::Peer(Peer::Crossbeam)], 1.0, solo),
    Claim::new(Contender::Mpsc, &[Contender::Peer(Peer::Crossbeam)], 1.0, solo),
    Claim::new(Contender::Spmc, &[Contender::Peer(Peer::Crossbeam)], 1.0, solo),
    // What the asymmetric fence is for: in the library, and by itself.
    Claim::new(INDEXED, &[Contender::Symmetric], 1.0, fence),
    Claim::new(LIGHT, &[Contender::Standin(Publish::Fence)], 1.0, fence),
    Claim::new(LIGHT, &[Contender::Standin(Publish::Swap)], 1.0, fence),
];

/// Where the core's bars name a shape: crossbeam-channel in all of these, crossfire in the last.
const SHAPES: [Shape; 3] =
    [Shape::PAIR, Shape { senders: 2, receivers: 2 }, Shape { senders: 8, receivers: 8 }];
const CAPACITIES: [usize; 3] = [1, 16, 1024];
/// Where the bars name capacities for one sender and one receiver.
const LONG: [usize; 2] = [1024, 65536];

/// Pinned, and as in `compare`.
fn core(row: &Row) -> bool {
    let known = match row.work {
        Work::Solo => false,
        Work::PingPong => true,
        Work::Stream { capacity, .. } => CAPACITIES.contains(&capacity),
    };
    known && row.placement != Placement::Free
}

fn named(row: &Row) -> bool {
    core(row) && matches!(row.work, Work::Stream { shape, .. } if SHAPES.contains(&shape))
}

fn crowd(row: &Row) -> bool {
    named(row) && row.shape() == SHAPES[2]
}

fn solo(row: &Row) -> bool {
    row.work == Work::Solo
}

fn pair(row: &Row) -> bool {
    let long =
        |work| matches!(work, Work::Stream { shape: Shape::PAIR, capacity } if LONG.contains(&capacity));
    row.placement != Placement::OneCpu && long(row.work)
}

fn fence(row: &Row) -> bool {
    let short = Work::Stream { shape: Shape::PAIR, capacity: 1024 };
    solo(row) || (row.placement == Placement::Apart && row.work == short)
}

/// The rows of `compare` and those that a bar names, with all that some claim needs there.
pub(super) fn heats(settings: &Settings) -> Vec<Heat> {
    let mut rows = plan::rows(settings.effort, &Placement::ALL, &settings.cpus);
    for placement in plan::distinct(&Placement::ALL, &settings.cpus) {
        let named =
            SHAPES.into_iter().flat_map(|shape| CAPACITIES.map(|capacity| Work::Stream { shape, capacity }));
        let long = LONG.map(|capacity| Work::Stream { shape: Shape::PAIR, capacity });
        rows.extend(named.chain(long).map(|work| Row { placement, work }));
    }
    rows.sort();
    rows.dedup();
    let heats = settings.select(rows).into_iter().map(|row| Heat { row, contenders: contenders(&row) });
    heats.filter(|heat| !heat.contenders.is_empty()).collect()
}

fn contenders(row: &Row) -> Vec<Contender> {
    let mut contenders = Vec::new();
    for claim in CLAIMS.iter().filter(|claim| (claim.at)(row)) {
        for &contender in [claim.ours].iter().chain(claim.theirs).chain(claim.beside) {
            if !contenders.contains(&contender) {
                contenders.push(contender);
            }
        }
    }
    contenders
}

impl Claim {
    /// Its bar in this row, if it is claimed there.
    pub(super) fn judge(&self, heat: &Heat, results: &[Vec<Option<Sample>>], rng: &mut Rng) -> Option<Bar> {
        if !(self.at)(&heat.row) {
            return None;
        }
        let find =
            |contender| heat.contenders.iter().position(|&c| c == contender).map(|index| &results[index]);
        let ours = find(self.ours)?;
        let times =
            |samples: &[Option<Sample>]| samples.iter().flatten().map(Sample::ns).collect::<Vec<f64>>();
        // A contender that never finished has no median: it is the slowest.
        let rank =
            |contender: &Contender| find(*contender).map_or(f64::NAN, |samples| median(&times(samples)));
        let best = *self.theirs.iter().min_by(|a, b| rank(a).total_cmp(&rank(b)))?;
        let theirs = find(best)?;

        let bar = format!("{}: {} / {best}", heat.row, self.ours);
        let mut bar = Bar::of_ratio(bar, [(&self.ours, ours), (&best, theirs)], self.limit, rng);
        for beside in self.beside {
            bar.note += &format!("; {beside} {}", figure(rank(beside)));
        }
        Some(bar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{placement::Cpus, plan::Effort, stats::Verdict, usage::Usage};

    fn heats_on(cpus: usize) -> Vec<Heat> {
        heats(&Settings::new(Effort::Full, Cpus::first(cpus)))
    }

    fn labels(heats: &[Heat], row: &str) -> Vec<String> {
        let heat = heats.iter().find(|heat| heat.row.to_string() == row).expect("a row of the bars");
        heat.contenders.iter().map(Contender::to_string).collect()
    }

    #[test]
    fn each_row_has_who_is_claimed_about_there() {
        let heats = heats_on(2);
        assert_eq!(
            labels(&heats, "apart 8:8 cap 16"),
            ["hornpipe", "crossbeam-channel", "crossfire", "mutex", "std condvar", "parking_lot"]
        );
        assert_eq!(
            labels(&heats, "free 1:1 cap 65536"),
            [
                "spsc",
                "rtrb (spins)",
                "ringbuf (spins)",
                "spsc indexed",
                "spsc stamped",
                "crossfire spsc",
                "kanal",
                "std",
                "crossbeam-channel",
                "flume",
            ]
        );
        let solo = labels(&heats, "one-cpu solo");
        for contender in ["spsc", "rtrb (spins)", "mpsc", "spmc", "spsc symmetric", "stand-in swap"] {
            assert!(solo.iter().any(|there| there == contender), "{contender} in {solo:?}");
        }
        assert!(heats.iter().all(|heat| heat.row.placement != Placement::Free || pair(&heat.row)));
    }

    /// With six that are not about speed these are the 106 of arch-notes/measurements.
    #[test]
    fn the_core_keeps_its_bars() {
        let heats = heats_on(2);
        let bars = heats.iter().filter(|heat| core(&heat.row));
        let bars = bars.flat_map(|heat| {
            CLAIMS[..4].iter().filter(|claim| (claim.at)(&heat.row)).map(|claim| (heat.row, claim.ours))
        });
        assert_eq!(bars.count(), 100);
    }

    #[test]
    fn every_claim_is_judged_somewhere_and_whom_it_names_can_serve() {
        let heats = heats_on(2);
        for claim in CLAIMS {
            let rows: Vec<&Row> = heats.iter().map(|heat| &heat.row).filter(|row| (claim.at)(row)).collect();
            assert!(!rows.is_empty(), "{} against {:?}", claim.ours, claim.theirs);
        }
        for heat in &heats {
            assert!(heat.contenders.iter().all(|contender| contender.serves(heat.row.shape())), "{heat:?}");
        }
        assert!(heats_on(1).iter().all(|heat| heat.row.placement == Placement::OneCpu));
    }

    /// Rounds of so many nanoseconds an operation.
    fn samples(ns: &[u64]) -> Vec<Option<Sample>> {
        let sample = |&span_ns: &u64| Sample {
            items: 1,
            span_ns,
            usage: Usage::ZERO,
            slowest_share: 1.0,
            p99_ns: None,
        };
        ns.iter().map(sample).map(Some).collect()
    }

    #[test]
    fn against_the_best_of_them() {
        const CLAIM: Claim =
            Claim::new(Contender::SPSC, SPINNING, 1.1, pair).beside(&[Contender::Spsc(Some(Kind::Stamped))]);
        let work = Work::Stream { shape: Shape::PAIR, capacity: 1024 };
        let contenders = vec![CLAIM.ours, SPINNING[0], SPINNING[1], CLAIM.beside[0]];
        let heat = Heat { row: Row { placement: Placement::Apart, work }, contenders };
        let judge = |heat: &Heat, ours: &[u64]| {
            let results = [samples(ours), samples(&[20; 5]), samples(&[10; 5]), samples(&[30; 5])];
            CLAIM.judge(heat, &results, &mut Rng::with_seed(1))
        };
        let bar = judge(&heat, &[11; 5]).expect("a bar");
        assert_eq!(bar.bar, "apart 1:1 cap 1024: spsc / ringbuf (spins)");
        assert_eq!(bar.note, "11.0 against 10.0 ns; spsc stamped 30.0");
        assert_eq!(bar.verdict, Some(Verdict::Met));
        assert_eq!(judge(&heat, &[12; 5]).expect("a bar").verdict, Some(Verdict::Missed));
        assert_eq!(judge(&heat, &[10, 10, 11, 12, 12]).expect("a bar").verdict, Some(Verdict::Undecided));

        let elsewhere = Heat { row: Row { placement: Placement::OneCpu, work }, ..heat };
        assert!(judge(&elsewhere, &[11; 5]).is_none(), "claimed on different CPUs only");
    }
}
