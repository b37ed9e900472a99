//! Reports on made-up figures.

use super::*;
use crate::kernel::{pipe::Wakes, row};
use crate::placement::Cpus;
use crate::plan::Effort;

/// A run on so many made-up CPUs in which each operation takes as long as `ns` says.
pub fn report(cpus: usize, rounds: usize, ns: impl Fn(Row, Contender) -> u64) -> Report {
    let settings = Settings { rounds, ..Settings::new(Effort::Quick, Cpus::first(cpus)) };
    let entrant = |contender| Entrant { contender, amount: Amount::Work(10) };
    let heats: Vec<Heat<Row, Entrant>> = row::heats(&Experiment::ALL, &[], &settings)
        .into_iter()
        .map(|heat| Heat { row: heat.row, contenders: heat.contenders.into_iter().map(entrant).collect() })
        .collect();
    let trial = |row, contender: Contender| Trial {
        sample: Sample {
            items: 10,
            span_ns: ns(row, contender) * 10,
            usage: Usage { cpu_ns: Some(ns(row, contender) * 5), ..Usage::ZERO },
            slowest_share: 1.0,
            p99_ns: None,
        },
        wakes: (contender.on == On::Pages).then_some(Wakes { calls: 20, locked: 10, woken: 5, contended: 1 }),
    };
    let each = |heat: &Heat<Row, Entrant>| {
        let counted = |_: &Entrant| Some(Each { futexes: 0.5, wakeups: 0.25 });
        heat.contenders.iter().map(counted).collect::<Vec<_>>()
    };
    let counts: Vec<_> = heats.iter().map(each).collect();
    let rounds = |heat: &Heat<Row, Entrant>| {
        let cell = |entrant: &Entrant| {
            let mut trials = vec![trial(heat.row, entrant.contender); rounds];
            // Where there are several the first is unlike the others.
            if let [first, _, _, ..] = &mut trials[..] {
                first.wakes = first.wakes.map(|_| Wakes::default());
            }
            trials
        };
        heat.contenders.iter().map(cell).collect::<Vec<_>>()
    };
    let results: Vec<_> = heats.iter().map(rounds).collect();
    let machine = Machine::new(&settings.cpus);
    Report::new(machine, &settings, Placement::Free, &heats, &counts, &results, &mut settings.rng())
}

/// The thread's variant takes half as long as the base, `was_full` twice as long.
pub fn plausible(_: Row, contender: Contender) -> u64 {
    match contender.variant {
        Variant::Proactive | Variant::OneLock | Variant::NoPause | Variant::Spin(5) => 500,
        Variant::WasFull => 2000,
        _ => 1000,
    }
}

fn part(report: &Report, experiment: Experiment) -> &Part {
    report.parts.iter().find(|part| part.experiment == experiment).expect("a part")
}

#[test]
fn ratios_are_over_the_base_on_the_same() {
    let report = report(2, 5, plausible);
    let k2 = part(&report, Experiment::K2);
    let ratio = |on, variant| {
        let line = k2.lines.iter().find(|line| line.contender == Contender { on, variant }).expect("a line");
        line.to_base.map(|ratio| ratio.median)
    };
    for on in [On::Pages, On::Ring] {
        assert_eq!(ratio(on, Variant::Mainline), None);
        assert_eq!((ratio(on, Variant::WasFull), ratio(on, Variant::Proactive)), (Some(2.0), Some(0.5)));
    }
    let k4 = part(&report, Experiment::K4);
    let ring = k4.lines.iter().find(|line| line.contender.on == On::Ring).expect("the ring");
    assert_eq!(ring.to_base.map(|ratio| ratio.median), Some(1.0), "over pages with two locks");
    assert_eq!(k4.stages().len(), 1);
    assert_eq!(k2.stages().len(), 2);
    let line = &k2.lines[0];
    assert_eq!((line.cpu_ns, line.idle), (Some(500.0), Some(0.75)));
    assert_eq!(line.wakes.map(|wakes| (wakes.calls, wakes.woken)), Some((2.0, 0.5)));
    assert_eq!(line.cv, 0.0);
    let wider = self::report(4, 5, plausible);
    assert_eq!(part(&wider, Experiment::K2).lines[0].idle, Some(0.875), "of four CPUs");
}

#[test]
fn only_equal_loads_have_a_verdict() {
    let report = report(2, 5, plausible);
    let verdicts = |experiment| {
        let all = part(&report, experiment).beside.iter();
        let decided = all.filter(|beside| !beside.ours.is_empty());
        decided
            .map(|Beside { told, ours }| {
                let verdicts: Vec<Verdict> = ours.iter().map(|ours| ours.verdict).collect();
                (told.row.as_str(), told.variant, verdicts)
            })
            .collect::<Vec<_>>()
    };
    use Variant::{NoPause, OneLock, Proactive, Spin, WasFull};
    use Verdict::{Opposite, Same, Undecided};
    assert_eq!(
        verdicts(Experiment::K2),
        [("16 groups", WasFull, vec![Opposite; 2]), ("16 groups", Proactive, vec![Same; 2])]
    );
    assert_eq!(verdicts(Experiment::K4), [("throughput", OneLock, vec![Same])]);
    assert_eq!(
        verdicts(Experiment::K1),
        [
            ("open3, 48 procs", NoPause, vec![Same]),
            ("fstat2, 48 procs", NoPause, vec![Same]),
            ("open3, 96 procs", NoPause, vec![Same]),
            ("fstat2, 96 procs", NoPause, vec![Same]),
        ]
    );
    assert_eq!(
        verdicts(Experiment::K5),
        [
            ("2 groups", Spin(10), vec![Undecided; 2]),
            ("4 groups", Spin(10), vec![Undecided; 2]),
            ("1 groups", Spin(5), vec![Same; 2]),
            ("16 groups", Spin(10), vec![Undecided; 2]),
            ("4 groups", Spin(5), vec![Same; 2]),
            ("1 groups", Spin(5), vec![Same; 2]),
        ]
    );
}

#[test]
fn every_told_figure_stands_beside_and_in_order() {
    let report = report(4, 5, plausible);
    for part in &report.parts {
        let told = told::all().into_iter().filter(|told| told.experiment == part.experiment);
        assert_eq!(part.beside.len(), told.count());
        let loads: Vec<f64> = part
            .beside
            .iter()
            .filter_map(|beside| if let Load::At(load) = beside.told.load { Some(load) } else { None })
            .collect();
        assert!(loads.is_sorted(), "{loads:?}");
    }
}
