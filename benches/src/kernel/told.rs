//! What the kernel's threads told: their tables as ratios of time, each over the thread's own base.

use serde::Serialize;

use super::{
    contender::Variant,
    crowd::Shape,
    row::{Experiment, Work},
    shape::{FAN, Groups},
    tokens,
};
use crate::relax::kernel;

/// How many tasks a CPU had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// So many.
    At(f64),
    /// There is one task: its CPU has no other.
    Alone,
    /// Not told.
    Unknown,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    /// Whose.
    pub experiment: Experiment,
    /// Its row there, such as "16 groups".
    pub row: String,
    /// Where.
    pub machine: &'static str,
    /// How many tasks a CPU had.
    pub load: Load,
    /// What they did; the number of threads is the machine's.
    #[serde(skip)]
    pub work: Work,
    /// Of what.
    pub variant: Variant,
    /// Its time over the base's: under 1 is faster.
    pub ratio: f64,
    /// Its coefficient of variation, percent.
    pub cv: Option<f64>,
    /// A ratio that is nearer to 1 has no direction.
    pub noise: f64,
}

/// Where the thread tells no spread.
const NOISE: f64 = 0.03;
/// Of one thread's loop.
const QUIET: f64 = 0.01;

/// All of it, each experiment's in the order of its own table.
pub fn all() -> Vec<Told> {
    [k1(), k2(), k3(), k4(), k5()].concat()
}

fn k1() -> Vec<Told> {
    let told = |row: String, load, shape, variant, ratio| Told {
        experiment: Experiment::K1,
        row,
        machine: "96 threads",
        load: Load::At(load),
        work: Work::Crowd { shape, threads: 1 },
        variant,
        ratio,
        cv: None,
        noise: NOISE,
    };
    let mut all = Vec::new();
    for row in kernel::ROWS {
        // Theirs are operations a second.
        for (shape, gain) in [(Shape::Open3, row.open3), (Shape::Fstat2, row.fstat2)] {
            let label = format!("{shape}, {} procs", row.procs);
            all.push(told(label, row.tasks_per_cpu(), shape, Variant::NoPause, 1.0 / gain.ratio()));
        }
    }
    let access = |variant, ops: f64| {
        told("access2, 24 procs".into(), 24.0 / 96.0, Shape::Access2, variant, 2_378_041.0 / ops)
    };
    all.extend([access(Variant::Patched, 2_005_501.0), access(Variant::PatchedNoPause, 5_370_335.0)]);
    all
}

fn messaging(groups: usize) -> Work {
    Work::Messaging(Groups { groups, fan: FAN })
}

/// Normalised time and its coefficient of variation by groups: mainline, `was_full`, proactive.
const K2: [(usize, [(f64, f64); 3]); 5] = [
    (1, [(1.00, 12.3), (1.26, 2.7), (0.96, 1.6)]),
    (2, [(1.00, 3.6), (1.39, 0.9), (1.05, 0.9)]),
    (4, [(1.00, 3.3), (1.41, 1.2), (1.04, 1.4)]),
    (8, [(1.00, 2.9), (1.10, 1.0), (0.84, 1.6)]),
    (16, [(1.00, 1.5), (0.66, 1.6), (0.50, 1.9)]),
];

fn k2() -> Vec<Told> {
    let row = |(groups, [base, was_full, proactive]): (usize, [(f64, f64); 3])| {
        let told = move |variant, (ratio, cv): (f64, f64)| Told {
            experiment: Experiment::K2,
            row: format!("{groups} groups"),
            machine: "256 CPUs",
            load: Load::At(messaging(groups).load(256)),
            work: messaging(groups),
            variant,
            ratio,
            cv: Some(cv),
            // Twice the spread of a difference.
            noise: (2.0 * base.1.hypot(cv) / 100.0).max(NOISE),
        };
        [told(Variant::WasFull, was_full), told(Variant::Proactive, proactive)]
    };
    K2.into_iter().flat_map(row).collect()
}

/// Normalised time by groups. Its machine is not told.
const K3: [(usize, f64); 5] = [(1, 1.08), (2, 0.97), (4, 1.00), (8, 1.03), (16, 1.01)];
/// "Noise up to 12 %."
const K3_NOISE: f64 = 0.12;

fn k3() -> Vec<Told> {
    let told = |(groups, ratio)| Told {
        experiment: Experiment::K3,
        row: format!("{groups} groups"),
        machine: "a box",
        load: Load::Unknown,
        work: messaging(groups),
        variant: Variant::MergeFits,
        ratio,
        cv: None,
        noise: K3_NOISE,
    };
    K3.map(told).to_vec()
}

fn k4() -> Vec<Told> {
    let told = |row: &str, machine, load, work, ratio, noise| Told {
        experiment: Experiment::K4,
        row: row.into(),
        machine,
        load,
        work,
        variant: Variant::OneLock,
        ratio,
        cv: None,
        noise,
    };
    let tokens = Work::Tokens { threads: tokens::THREADS };
    vec![
        // Operations a second there, seconds in the others.
        told("throughput", "one task", Load::Alone, Work::Throughput, 493_023.0 / 507_551.0, QUIET),
        told("tokens", "a box", Load::Unknown, tokens, 2.995 / 3.395, NOISE),
        told("tokens", "another box", Load::Unknown, tokens, 7.192 / 7.389, NOISE),
    ]
}

/// A machine, its CPUs, its spin in microseconds, and seconds by groups without and with it.
type Spinning = (&'static str, usize, u8, &'static [(usize, f64, f64)]);

const K5: [Spinning; 4] = [
    (
        "72 threads",
        72,
        10,
        &[
            (1, 0.603, 0.614),
            (2, 0.673, 0.527),
            (4, 0.765, 0.638),
            (8, 1.935, 1.114),
            (16, 7.314, 2.007),
            (32, 6.215, 3.585),
        ],
    ),
    (
        "VM, 32 threads",
        32,
        10,
        &[(1, 1.314, 0.747), (2, 1.454, 0.754), (4, 3.409, 1.343), (8, 6.879, 2.559), (16, 9.82, 4.951)],
    ),
    ("VM, 8 threads", 8, 5, &[(1, 2.827, 1.455), (2, 6.201, 2.805), (4, 9.514, 5.008), (8, 14.571, 8.422)]),
    ("VM, 2 threads", 2, 5, &[(1, 3.365, 2.948), (2, 6.82, 6.535), (4, 13.18, 13.025)]),
];

fn k5() -> Vec<Told> {
    let machine = |(machine, cpus, micros, rows): Spinning| {
        rows.iter().map(move |&(groups, base, spinning)| Told {
            experiment: Experiment::K5,
            row: format!("{groups} groups"),
            machine,
            load: Load::At(messaging(groups).load(cpus)),
            work: messaging(groups),
            variant: Variant::Spin(micros),
            ratio: spinning / base,
            cv: None,
            noise: NOISE,
        })
    };
    K5.into_iter().flat_map(machine).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(experiment: Experiment) -> impl Iterator<Item = Told> {
        all().into_iter().filter(move |told| told.experiment == experiment)
    }

    #[test]
    fn gains_are_those_that_the_threads_name() {
        let percent = |told: &Told| ((1.0 / told.ratio - 1.0) * 100.0).round();
        let k1: Vec<f64> = of(Experiment::K1).map(|told| percent(&told)).collect();
        let expected = [1.0, 1.0, 0.0, 3.0, 18.0, 70.0, 85.0, 144.0, 73.0, 209.0, 134.0, 424.0, -16.0, 126.0];
        assert_eq!(k1, expected, "the threads round down now and then");
        let saved: Vec<f64> = of(Experiment::K5).map(|told| ((1.0 - told.ratio) * 100.0).round()).collect();
        let expected = [
            -2.0, 22.0, 17.0, 42.0, 73.0, 42.0, 43.0, 48.0, 61.0, 63.0, 50.0, 49.0, 55.0, 47.0, 42.0, 12.0,
            4.0, 1.0,
        ];
        assert_eq!(saved, expected);
        assert_eq!(of(Experiment::K4).map(|told| percent(&told)).collect::<Vec<_>>(), [3.0, 13.0, 3.0]);
    }

    #[test]
    fn loads_are_those_that_the_threads_have() {
        let loads = |experiment| {
            let mut loads: Vec<f64> = of(experiment)
                .filter_map(|told| if let Load::At(load) = told.load { Some(load) } else { None })
                .collect();
            loads.sort_by(f64::total_cmp);
            loads.dedup();
            loads
        };
        assert_eq!(loads(Experiment::K2), [0.15625, 0.3125, 0.625, 1.25, 2.5]);
        let k5 = loads(Experiment::K5);
        assert_eq!((k5.first(), k5.last()), (Some(&(40.0 / 72.0)), Some(&80.0)));
        assert!(loads(Experiment::K3).is_empty() && loads(Experiment::K4).is_empty());
    }

    /// As the thread says: between mainline and proactive there is none up to 4 groups.
    #[test]
    fn what_is_within_noise_has_no_direction() {
        let directions = |variant| {
            let all = all().into_iter().filter(move |told| told.variant == variant);
            all.map(|told| (told.ratio - 1.0).abs() > told.noise).collect::<Vec<_>>()
        };
        assert_eq!(directions(Variant::Proactive), [false, false, false, true, true]);
        assert_eq!(directions(Variant::WasFull), [true; 5]);
        assert_eq!(directions(Variant::MergeFits), [false; 5]);
    }
}
