//! The bars of byte pipes: against the system's pipe, and against the least that a stream can do.

use fastrand::Rng;

use crate::{
    bar::Bar,
    bytes::{
        Asked, claims,
        contender::Contender,
        row::{self, Row},
    },
    child,
    cli::Exit,
    rounds::{self, Heat, Settings},
};

/// The rows about which something is promised, with all that some bar needs there.
pub(super) fn heats(settings: &Settings) -> Vec<Heat<Row, Contender>> {
    let rows = row::all(&Asked::default(), &settings.cpus).into_iter();
    let rows = rows.filter(|row| settings.wants(&format!("bytes {row}")));
    let heats = rows.map(|row| Heat { row, contenders: claims::contenders(&row) });
    heats.filter(|heat| !heat.contenders.is_empty()).collect()
}

/// Measures `heats` and judges.
pub(super) fn bars(
    heats: &[Heat<Row, Contender>],
    settings: &Settings,
    rng: &mut Rng,
) -> Result<Vec<Bar>, Exit> {
    let results = rounds::play(heats, settings, rng, |cell| {
        child::bytes(cell, cell.row.slice(settings.effort, &settings.cpus))
    })?;
    Ok(claims::judge(heats, &results, rng))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{placement::Cpus, plan::Effort};

    #[test]
    fn each_promise_has_its_rows_where_threads_are_pinned() {
        let rows = |cpus| {
            let heats = heats(&Settings::new(Effort::Quick, Cpus::first(cpus)));
            let names = |heat: &Heat<Row, Contender>| {
                let names: Vec<String> = heat.contenders.iter().map(Contender::to_string).collect();
                format!("{}: {}", heat.row, names.join(", "))
            };
            heats.iter().map(names).collect::<Vec<String>>()
        };
        let one = [
            "one-cpu loop 512 B: spsc, os pipe, shared",
            "one-cpu 1:1 1 B: spsc, os pipe, shared",
            "one-cpu 1:1 64 KiB: spsc, memcpy relay, shared",
            "one-cpu 4:1 100 B: shared, os pipe",
        ];
        assert_eq!(rows(1), one);
        let apart = [
            "apart 1:1 1 B: spsc, os pipe, shared",
            "apart 1:1 64 KiB: spsc, memcpy relay, shared",
            "apart 4:1 100 B: shared, os pipe",
        ];
        assert_eq!(rows(2), [&one[..], &apart].concat());
    }
}
