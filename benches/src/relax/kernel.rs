//! The table of Linux's lockref thread (f5fe24ef17b5, January 2023), beside ours: what taking the pause out is worth.
//!
//! will-it-scale on Cascade Lake, 2 x 24 cores x 2 threads, operations a second. Only rows of equal tasks per CPU are
//! compared, and only as ratios.

use serde::Serialize;

use crate::{
    kernel::{shape::equal, verdict::Verdict},
    stats::Estimate,
};

/// The CPUs of that machine.
const CPUS: usize = 96;
/// "Some variance in re-runs": a smaller change has no direction.
const NOISE: f64 = 0.03;

/// Operations a second, with the pause and without.
#[derive(Clone, Copy, Debug)]
pub struct Gain(f64, f64);

impl Gain {
    /// As it was, with the pause.
    pub fn stock(self) -> f64 {
        self.0
    }

    /// Without.
    pub fn no_pause(self) -> f64 {
        self.1
    }

    /// What taking the pause out is worth.
    pub fn ratio(self) -> f64 {
        self.no_pause() / self.stock()
    }
}

/// One row of it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Processes.
    pub procs: usize,
    /// Opening and closing one file.
    pub open3: Gain,
    /// fstat of one file.
    pub fstat2: Gain,
}

/// All of it.
pub const ROWS: [Row; 6] = [
    Row { procs: 1, open3: Gain(805_603.0, 814_942.0), fstat2: Gain(3_013_872.0, 3_047_636.0) },
    Row { procs: 2, open3: Gain(1_054_980.0, 1_054_781.0), fstat2: Gain(4_284_687.0, 4_400_421.0) },
    Row { procs: 8, open3: Gain(1_544_802.0, 1_822_858.0), fstat2: Gain(3_257_721.0, 5_530_156.0) },
    Row { procs: 24, open3: Gain(1_191_064.0, 2_199_665.0), fstat2: Gain(2_239_819.0, 5_466_127.0) },
    Row { procs: 48, open3: Gain(851_582.0, 1_469_860.0), fstat2: Gain(1_701_072.0, 5_256_609.0) },
    Row { procs: 96, open3: Gain(609_481.0, 1_427_170.0), fstat2: Gain(1_269_157.0, 6_649_326.0) },
];

impl Row {
    /// Of the machine's CPUs.
    pub fn tasks_per_cpu(&self) -> f64 {
        self.procs as f64 / CPUS as f64
    }

    /// How many threads are as many tasks per CPU on so many CPUs, if a whole number is.
    pub fn threads_on(&self, cpus: usize) -> Option<usize> {
        let threads = self.procs * cpus;
        threads.is_multiple_of(CPUS).then_some(threads / CPUS)
    }
}

/// Theirs, ours, or both, at some tasks per CPU. Ratios of throughput: no pause / pause.
#[derive(Clone, Debug, Serialize)]
pub struct Beside {
    /// Where.
    pub tasks_per_cpu: f64,
    /// Their processes.
    pub procs: Option<usize>,
    /// Their ratio, opening and closing one file.
    pub open3: Option<f64>,
    /// Their ratio, fstat of one file.
    pub fstat2: Option<f64>,
    /// Our threads.
    pub threads: Option<usize>,
    /// Our ratio.
    pub ours: Option<Estimate>,
    /// Ours against theirs, where both are there.
    pub verdicts: Option<[Verdict; 2]>,
}

/// Both tables in the order of tasks per CPU; `ours` is threads and ratio.
pub fn beside(ours: &[(usize, Estimate)], cpus: usize) -> Vec<Beside> {
    let load = |threads: usize| threads as f64 / cpus as f64;
    let theirs = ROWS.iter().map(|row| {
        let tasks_per_cpu = row.tasks_per_cpu();
        let counterpart = ours.iter().find(|(threads, _)| equal(load(*threads), tasks_per_cpu));
        let (open3, fstat2) = (row.open3.ratio(), row.fstat2.ratio());
        let verdicts = |ours| [open3, fstat2].map(|theirs| Verdict::of(theirs, NOISE, ours));
        Beside {
            tasks_per_cpu,
            procs: Some(row.procs),
            open3: Some(open3),
            fstat2: Some(fstat2),
            threads: counterpart.map(|(threads, _)| *threads),
            ours: counterpart.map(|(_, ratio)| *ratio),
            verdicts: counterpart.map(|(_, ratio)| verdicts(ratio)),
        }
    });
    let mut rows: Vec<Beside> = theirs.collect();
    for &(threads, ratio) in ours {
        if rows.iter().all(|row| row.threads != Some(threads)) {
            rows.push(Beside {
                tasks_per_cpu: load(threads),
                procs: None,
                open3: None,
                fstat2: None,
                threads: Some(threads),
                ours: Some(ratio),
                verdicts: None,
            });
        }
    }
    rows.sort_by(|a, b| a.tasks_per_cpu.total_cmp(&b.tasks_per_cpu));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate { median: (low + high) / 2.0, low, high, rounds: 5 }
    }

    #[test]
    fn the_gains_are_the_threads() {
        let near = |gain: Gain, percent: f64| ((gain.ratio() - 1.0) * 100.0 - percent).abs() < 1.0;
        let told = [(1.0, 1.0), (0.0, 2.0), (18.0, 69.0), (84.0, 144.0), (72.0, 209.0), (134.0, 423.0)];
        for (row, (open3, fstat2)) in ROWS.iter().zip(told) {
            assert!(near(row.open3, open3) && near(row.fstat2, fstat2), "{row:?}");
        }
    }

    #[test]
    fn only_equal_loads_are_compared() {
        let ours: Vec<(usize, Estimate)> = (1..=4).map(|threads| (threads, ratio(1.1, 1.2))).collect();
        let rows = beside(&ours, 2);
        let loads: Vec<f64> = rows.iter().map(|row| row.tasks_per_cpu).collect();
        assert_eq!(loads[3..], [0.25, 0.5, 1.0, 1.5, 2.0]);
        let both: Vec<_> = rows.iter().filter(|row| row.verdicts.is_some()).collect();
        assert_eq!(
            both.iter().map(|row| (row.procs, row.threads)).collect::<Vec<_>>(),
            [(Some(48), Some(1)), (Some(96), Some(2)),]
        );
        assert!(both.iter().all(|row| row.verdicts == Some([Verdict::Same; 2])));
        assert_eq!(rows.len(), 8, "each row of either table once");
        // 1 of 3 CPUs is near no row of theirs.
        assert!(beside(&ours[..1], 3).iter().all(|row| row.verdicts.is_none()));
    }

    #[test]
    fn other_machines_have_their_rows() {
        let threads = |cpus| ROWS.map(|row| row.threads_on(cpus));
        assert_eq!(threads(96), [1, 2, 8, 24, 48, 96].map(Some));
        assert_eq!(threads(4), [None, None, None, Some(1), Some(2), Some(4)]);
    }
}
