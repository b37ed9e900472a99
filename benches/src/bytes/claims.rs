//! What the project promises about bytes, where threads are pinned.

use fastrand::Rng;

use super::{
    contender::Contender,
    row::{MESSAGES, Row, Work},
};
use crate::{bar::Bar, measure::Sample, placement::Placement, report::figure, rounds::Heat, stats::median};

/// `ours` is at least `speed` times as fast as `theirs`.
pub struct Claim {
    work: Work,
    ours: Contender,
    theirs: Contender,
    speed: f64,
}

impl Claim {
    const fn new(work: Work, ours: Contender, theirs: Contender, speed: f64) -> Self {
        Self { work, ours, theirs, speed }
    }
}

const fn alone(size: usize) -> Work {
    Work::Stream { writers: 1, size }
}

/// All of them.
pub const CLAIMS: [Claim; 4] = [
    Claim::new(Work::Loop, Contender::Spsc, Contender::Os, 10.0),
    Claim::new(alone(1), Contender::Spsc, Contender::Os, 50.0),
    Claim::new(alone(64 << 10), Contender::Spsc, Contender::Relay, 0.7),
    Claim::new(MESSAGES, Contender::Shared, Contender::Os, 3.0),
];

impl Claim {
    fn at(&self, row: &Row) -> bool {
        row.work == self.work && row.placement != Placement::Free
    }

    /// Shown beside, for nothing: hornpipe's other pipe.
    fn beside(&self) -> Option<Contender> {
        let other = if self.ours == Contender::Spsc { Contender::Shared } else { Contender::Spsc };
        other.serves(self.work.writers()).then_some(other)
    }

    /// Its bar in this row, if it is claimed there and was measured; `None` among the samples is a time-out.
    fn judge(
        &self,
        heat: &Heat<Row, Contender>,
        results: &[Vec<Option<Sample>>],
        rng: &mut Rng,
    ) -> Option<Bar> {
        let Self { ours, theirs, speed, .. } = self;
        let find = |contender: Contender| {
            heat.contenders.iter().position(|&c| c == contender).map(|index| &results[index])
        };
        let (our, their) = (find(*ours)?, find(*theirs)?);
        if !self.at(&heat.row) {
            return None;
        }
        let bar = format!("bytes {}: {ours} / {theirs}", heat.row);
        let mut bar = Bar::of_ratio(bar, [(ours, our), (theirs, their)], 1.0 / speed, rng);
        if let Some((beside, samples)) = self.beside().and_then(|beside| Some((beside, find(beside)?))) {
            let ns: Vec<f64> = samples.iter().flatten().map(Sample::ns).collect();
            bar.note += &format!("; {beside} {}", figure(median(&ns)));
        }
        bar.note += &format!("; at least {speed} times as fast");
        Some(bar)
    }
}

/// Who is needed in `row` for what is claimed there.
#[cfg(feature = "peers")]
pub fn contenders(row: &Row) -> Vec<Contender> {
    let claims = CLAIMS.iter().filter(|claim| claim.at(row));
    claims.flat_map(|claim| [claim.ours, claim.theirs].into_iter().chain(claim.beside())).collect()
}

/// The bars of all claims that were measured.
pub fn judge(
    heats: &[Heat<Row, Contender>],
    results: &[Vec<Vec<Option<Sample>>>],
    rng: &mut Rng,
) -> Vec<Bar> {
    let mut bars = Vec::new();
    for (heat, results) in heats.iter().zip(results) {
        bars.extend(CLAIMS.iter().filter_map(|claim| claim.judge(heat, results, rng)));
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{stats::Verdict, usage::Usage};

    /// Rounds of so many nanoseconds a write.
    fn samples(span_ns: u64) -> Vec<Option<Sample>> {
        let sample = Sample { items: 1, span_ns, usage: Usage::ZERO, slowest_share: 1.0, p99_ns: None };
        vec![Some(sample); 5]
    }

    fn bar(placement: Placement, work: Work, ns: &[(Contender, u64)]) -> Option<Bar> {
        let (contenders, results) = ns.iter().map(|&(contender, ns)| (contender, samples(ns))).unzip();
        let heat = Heat { row: Row { placement, work }, contenders };
        judge(&[heat], &[results], &mut Rng::with_seed(1)).pop()
    }

    #[test]
    fn a_speed_is_promised_and_a_time_is_judged() {
        use Contender::{Os, Relay, Shared, Spsc};
        let loops = |ours| bar(Placement::OneCpu, Work::Loop, &[(Spsc, ours), (Shared, 60), (Os, 500)]);
        let met = loops(50).expect("a bar");
        assert_eq!(
            (met.bar.as_str(), met.verdict),
            ("bytes one-cpu loop 512 B: spsc / os pipe", Some(Verdict::Met))
        );
        assert_eq!(
            (met.limit, met.note.as_str()),
            (Some(0.1), "50.0 against 500 ns; shared 60.0; at least 10 times as fast")
        );
        assert_eq!(loops(51).expect("a bar").verdict, Some(Verdict::Missed));

        let long = |ours| {
            bar(Placement::Apart, alone(64 << 10), &[(Spsc, ours), (Relay, 70)]).expect("a bar").verdict
        };
        assert_eq!([long(100), long(101)], [Verdict::Met, Verdict::Missed].map(Some));
        let byte = |ours| bar(Placement::Apart, alone(1), &[(Spsc, ours), (Os, 500)]).expect("a bar").verdict;
        assert_eq!([byte(10), byte(11)], [Verdict::Met, Verdict::Missed].map(Some));
        let four = |ours| bar(Placement::OneCpu, MESSAGES, &[(Shared, ours), (Os, 300)]).expect("a bar");
        assert_eq!([four(100).verdict, four(101).verdict], [Verdict::Met, Verdict::Missed].map(Some));
        assert_eq!(four(100).note, "100 against 300 ns; at least 3 times as fast");
    }

    #[test]
    fn nothing_is_promised_of_threads_that_wander_or_of_who_was_not_measured() {
        use Contender::{Os, Relay, Spsc};
        assert!(bar(Placement::Free, alone(1), &[(Spsc, 1), (Os, 500)]).is_none());
        assert!(bar(Placement::Apart, alone(8), &[(Spsc, 1), (Os, 500)]).is_none());
        assert!(bar(Placement::Apart, alone(1), &[(Spsc, 1), (Relay, 500)]).is_none());
    }
}
