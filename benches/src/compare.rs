//! `compare`: what the ring's switches and topologies do here, against the mutex baseline and std's `sync_channel`.

use clap::ValueEnum;

use crate::{
    cli::{self, Exit},
    contender::{Budget, Contender, Retry, Wake},
    measure::{self, Sample},
    placement::Placement,
    plan::{self, Row},
    report::{Line, Report},
    rounds::{self, Heat, Settings},
    stats::Estimate,
};

/// What a pipe can be told when it is built; one is varied at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Switch {
    /// What a thread does after a lost compare-exchange: nothing, a pause, a back-off.
    Retry,
    /// How long it spins before it parks: not at all, 5 us, adaptively.
    Spin,
    /// Whom a call wakes: one who hands on, and the other five policies.
    Wake,
    /// What carries the items: the narrowest topology that a row allows, spsc with both of its rings.
    Ring,
}

impl Switch {
    /// Those that fit into `--quick`.
    pub const DEFAULT: [Self; 3] = [Self::Retry, Self::Spin, Self::Ring];

    /// Its other values' columns in `row`.
    fn columns(self, row: Row) -> Vec<Contender> {
        let ring = |retry, spin| Contender::Ring { retry, spin };
        match self {
            Self::Retry => [Retry::Hint, Retry::Backoff].map(|retry| ring(retry, Budget::Adaptive)).into(),
            Self::Spin => [Budget::None, Budget::Fixed].map(|spin| ring(Retry::None, spin)).into(),
            Self::Wake => {
                let others = Wake::ALL.iter().copied().filter(|&wake| wake != Wake::Chain);
                others.map(Contender::Wake).collect()
            }
            Self::Ring => Contender::narrowest(row.shape()).to_vec(),
        }
    }
}

/// The columns of `row`: the default ring, each switch's other values, the two that are none of it.
pub(crate) fn contenders(switches: &[Switch], row: Row) -> Vec<Contender> {
    let varied = switches.iter().flat_map(|switch| switch.columns(row));
    let all = [Contender::DEFAULT].into_iter().chain(varied).chain([Contender::Mutex, Contender::Std]);
    all.filter(|contender| contender.serves(row.shape())).collect()
}

/// The rows that `settings` ask for, with their contenders.
fn heats(settings: &Settings, switches: &[Switch]) -> Vec<Heat> {
    let rows = settings.select(plan::rows(settings.effort, &Placement::ALL, &settings.cpus));
    rows.into_iter().map(|row| Heat { row, contenders: contenders(switches, row) }).collect()
}

/// Checks every cell, then measures them in rounds.
pub fn run(settings: &Settings, switches: &[Switch]) -> Result<Report, Exit> {
    let heats = heats(settings, switches);
    if heats.is_empty() {
        return Err(Exit::no_row());
    }
    let machine = cli::introduce(&settings.cpus)?;
    let mut rng = settings.rng();
    let cells: Vec<_> = heats.iter().flat_map(Heat::cells).collect();
    let bar = rounds::progress(cells.len()).with_message("checking answers");
    for &cell in &cells {
        measure::checked(cell, &settings.cpus)?;
        bar.inc(1);
    }
    bar.finish_and_clear();

    let results = rounds::play(&heats, settings, &mut rng, |cell| {
        Ok::<_, Exit>(measure::timed(cell, &settings.cpus, settings.effort.slice(&cell.row, &settings.cpus))?)
    })?;
    let mut lines = Vec::new();
    for (heat, results) in heats.iter().zip(results) {
        let times: Vec<Vec<f64>> =
            results.iter().map(|samples| samples.iter().map(Sample::ns).collect()).collect();
        let baseline = heat.contenders.iter().position(|&contender| contender == Contender::Mutex);
        for (index, (cell, samples)) in heat.cells().zip(results).enumerate() {
            let others = baseline.filter(|&baseline| baseline != index);
            let ratio = others.map(|baseline| Estimate::of_ratio(&times[index], &times[baseline], &mut rng));
            lines.push(Line::new(cell, &settings.cpus, samples, ratio));
        }
    }
    Ok(Report::new(machine, settings, lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        placement::Cpus,
        plan::{Effort, QUICK, Work},
        workload::Shape,
    };
    use std::time::Duration;

    #[test]
    fn a_switch_is_varied_alone_and_where_its_values_serve() {
        let labels = |switches: &[Switch], senders, receivers| {
            let work = Work::Stream { shape: Shape { senders, receivers }, capacity: 1 };
            let contenders = contenders(switches, Row { placement: Placement::Free, work });
            contenders.iter().map(Contender::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            labels(&Switch::DEFAULT, 1, 1),
            [
                "ring none/adaptive",
                "ring hint/adaptive",
                "ring backoff/adaptive",
                "ring none/none",
                "ring none/5us",
                "spsc indexed",
                "spsc stamped",
                "mutex",
                "std",
            ]
        );
        assert_eq!(labels(&[Switch::Ring], 4, 1), ["ring none/adaptive", "mpsc", "mutex", "std"]);
        assert_eq!(labels(&[Switch::Ring], 1, 4), ["ring none/adaptive", "spmc", "mutex"]);
        assert_eq!(
            labels(&[Switch::Wake], 2, 2),
            [
                "ring none/adaptive",
                "wake each",
                "wake all",
                "wake on-edge",
                "wake on-release",
                "wake proactive",
                "mutex",
            ]
        );
    }

    #[test]
    fn quick_fits_its_time_on_two_cpus_with_threads_to_start() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let slice = |heat: &Heat| {
            settings.effort.slice(&heat.row, &settings.cpus)
                * heat.contenders.len() as u32
                * settings.rounds as u32
        };
        let slices: Duration = heats(&settings, &Switch::DEFAULT).iter().map(slice).sum();
        assert!(slices < QUICK * 3 / 5, "{slices:?}");
    }

    #[test]
    fn std_runs_where_one_thread_receives() {
        for heat in heats(&Settings::new(Effort::Full, Cpus::first(4)), &[]) {
            assert_eq!(
                heat.contenders.contains(&Contender::Std),
                heat.row.shape().receivers == 1,
                "{}",
                heat.row
            );
        }
    }
}
