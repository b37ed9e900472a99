//! `compare`: what each of the ring's switches does here, against the mutex baseline and std's `sync_channel`.

use crate::{
    cli::{self, Exit},
    contender::Contender,
    measure::{self, Sample},
    placement::Placement,
    plan,
    report::{Line, Report},
    rounds::{self, Heat, Settings},
    stats::Estimate,
};

/// The rows that `settings` ask for, with their contenders.
fn heats(settings: &Settings) -> Vec<Heat> {
    let rows = settings.select(plan::rows(settings.effort, &Placement::ALL, &settings.cpus));
    let heat = |row: plan::Row| {
        let serves = |contender: &Contender| contender.serves(row.shape().receivers);
        Heat { row, contenders: Contender::COMPARED.into_iter().filter(serves).collect() }
    };
    rows.into_iter().map(heat).collect()
}

/// Checks every cell, then measures them in rounds.
pub fn run(settings: &Settings) -> Result<Report, Exit> {
    let heats = heats(settings);
    if heats.is_empty() {
        return Err(Exit::no_row());
    }
    let machine = cli::introduce(settings)?;
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
        plan::{Effort, QUICK},
    };
    use std::time::Duration;

    #[test]
    fn quick_fits_its_time_on_two_cpus_with_threads_to_start() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let slice = |heat: &Heat| {
            settings.effort.slice(&heat.row, &settings.cpus)
                * heat.contenders.len() as u32
                * settings.rounds as u32
        };
        let slices: Duration = heats(&settings).iter().map(slice).sum();
        assert!(slices < QUICK * 3 / 5, "{slices:?}");
    }

    #[test]
    fn std_runs_where_one_thread_receives() {
        for heat in heats(&Settings::new(Effort::Full, Cpus::first(4))) {
            assert_eq!(
                heat.contenders.contains(&Contender::Std),
                heat.row.shape().receivers == 1,
                "{}",
                heat.row
            );
        }
    }
}
