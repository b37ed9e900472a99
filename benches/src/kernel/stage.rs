//! Where rows run: how much work each contender gets, its first run, which is checked and counted, and the measured ones.

use std::{fmt, time::Duration};

use hornpipe::{Mpmc, Mpsc, Relax};
use serde::Serialize;

use super::{
    contender::{Contender, On, Variant},
    crowd::{self, Shape},
    messaging,
    pipe::{self, Os, Pages, Pipe},
    row::{Row, Work},
    throughput, tokens,
    trace::{self, Counts},
    trial::{Seats, Trial},
};
use crate::{
    measure::{Cell, Failure, Reason, WATCHDOG, watched},
    placement::Placement,
    plan::Effort,
    rounds::{self, Heat, Settings},
};

/// What a message that was asked for may take at most, on far more threads than CPUs.
const SLOW: Duration = Duration::from_micros(100);
/// Amounts of work grow at most so much from a look to the next.
const GROWTH: f64 = 16.0;

/// How much a contender does in one measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Amount {
    /// As much as it can in that time.
    Slice(Duration),
    /// So many loops, turns or tokens.
    Work(u32),
}

/// Who runs a row, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entrant {
    /// Who.
    pub contender: Contender,
    /// How much.
    pub amount: Amount,
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.contender.fmt(f)
    }
}

/// What the kernel counted in a run of its own: calls an operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Each {
    /// Futex system calls.
    pub futexes: f64,
    /// Wake-ups: by futexes, by the system's pipe.
    pub wakeups: f64,
}

/// What all rows of a run have in common.
pub struct Stage<'a> {
    settings: &'a Settings,
    loops: Option<u32>,
    seats: Seats,
    slice: Duration,
}

/// What a contender of a row has from here on: its heat's cell.
type Found<T> = Result<T, Failure<Row, Contender>>;

impl<'a> Stage<'a> {
    /// With so many loops of sched-messaging, if it was asked for, and threads on pipes so placed.
    pub fn new(settings: &'a Settings, loops: Option<u32>, placement: Placement) -> Self {
        let seats = Seats { placement, cpus: settings.cpus.clone() };
        let slice = Duration::from_millis(if settings.effort == Effort::Full { 300 } else { 100 });
        Self { settings, loops, seats, slice }
    }

    /// Every contender's amount of work, and what the kernel counted when it first did it: in the order of `heats`.
    #[expect(clippy::type_complexity, reason = "heats, and by heat and contender what was counted")]
    pub fn prepare(
        &self,
        heats: &[Heat<Row, Contender>],
    ) -> Found<(Vec<Heat<Row, Entrant>>, Vec<Vec<Option<Each>>>)> {
        let bar = rounds::progress(heats.iter().map(|heat| heat.contenders.len()).sum());
        bar.set_message("checking answers, counting calls");
        let (mut prepared, mut counts) = (Vec::new(), Vec::new());
        for heat in heats {
            let (mut entrants, mut counted) = (Vec::new(), Vec::new());
            for cell in heat.cells() {
                let Cell { row, contender } = cell;
                let amount = self.amount(cell)?;
                let first = match (row.work, amount) {
                    (Work::Crowd { shape, threads }, _) => {
                        let (on, shape, relax) = crowded(contender, shape);
                        crowd::check(on, shape, relax, threads, &self.settings.cpus).map(|()| None)
                    }
                    (work, Amount::Work(amount)) => self.count(work, contender, amount),
                    (_, Amount::Slice(_)) => unreachable!("{row} has no end of its own"),
                };
                counted.push(first.map_err(|reason| Failure { cell, reason })?);
                entrants.push(Entrant { contender, amount });
                bar.inc(1);
            }
            prepared.push(Heat { row: heat.row, contenders: entrants });
            counts.push(counted);
        }
        bar.finish_and_clear();
        Ok((prepared, counts))
    }

    /// One measurement.
    pub fn measure(&self, Cell { row, contender }: Cell<Row, Entrant>) -> Found<Trial> {
        let Entrant { contender, amount } = contender;
        self.once(Cell { row, contender }, amount)
    }

    fn amount(&self, cell: Cell<Row, Contender>) -> Found<Amount> {
        match (cell.row.work, self.loops) {
            (Work::Crowd { threads, .. }, _) => Ok(Amount::Slice(self.crowd_slice(threads))),
            (Work::Messaging(_), Some(loops)) => Ok(Amount::Work(loops)),
            _ => self.fill(cell).map(Amount::Work),
        }
    }

    /// In a crowd each thread should have several turns.
    fn crowd_slice(&self, threads: usize) -> Duration {
        let load = threads as f64 / self.settings.cpus.count() as f64;
        (self.slice / 5).mul_f64(load.max(1.0))
    }

    /// How much fills a slice.
    fn fill(&self, cell: Cell<Row, Contender>) -> Found<u32> {
        let (mut work, slice) = (1u32, self.slice.as_secs_f64());
        loop {
            let look = || {
                let span = self.once(cell, Amount::Work(work))?.sample.span_ns as f64 / 1e9;
                Found::Ok(slice / span)
            };
            let mut growth = look()?;
            if growth < GROWTH / 4.0 {
                // Work that another program held up looks like more than it is.
                growth = growth.max(look()?);
            }
            // `as` stays within the bounds of u32.
            let next = (f64::from(work) * growth.min(GROWTH)).ceil().max(1.0) as u32;
            if growth < GROWTH / 4.0 || next == work {
                return Ok(next);
            }
            work = next;
        }
    }

    /// Does it once, untimed: counting slows system calls.
    fn count(&self, work: Work, contender: Contender, amount: u32) -> Result<Option<Each>, Reason> {
        let seats = self.seats.clone();
        watched(self.patience(work), move || {
            let (trial, counts) = trace::counted(|| piped(work, contender, amount, &seats));
            let sample = trial?.sample;
            let each = |Counts { futexes, wakeups }| Each {
                futexes: sample.each(futexes),
                wakeups: sample.each(wakeups),
            };
            Ok(counts.ok().map(each))
        })
    }

    fn once(&self, cell: Cell<Row, Contender>, amount: Amount) -> Found<Trial> {
        let Cell { row, contender } = cell;
        let found = match (row.work, amount) {
            (Work::Crowd { shape, threads }, Amount::Slice(slice)) => {
                let (on, shape, relax) = crowded(contender, shape);
                crowd::timed(on, shape, relax, threads, &self.settings.cpus, slice).map(Trial::from)
            }
            (work, Amount::Work(amount)) => {
                let seats = self.seats.clone();
                watched(self.patience(work), move || piped(work, contender, amount, &seats))
            }
            (_, Amount::Slice(_)) => unreachable!("{row} has no end of its own"),
        };
        found.map_err(|reason| Failure { cell, reason })
    }

    /// How long may pass before it hangs.
    fn patience(&self, work: Work) -> Duration {
        match (work, self.loops) {
            (Work::Messaging(groups), loops) => {
                WATCHDOG + SLOW.mul_f64(groups.messages() as f64 * f64::from(loops.unwrap_or(1)))
            }
            _ => WATCHDOG,
        }
    }
}

/// On what, what is between, and what its loop does after a lost try.
fn crowded(Contender { on, variant }: Contender, shape: Shape) -> (crowd::On, Shape, Relax) {
    let on = if on == On::Ring { crowd::On::Ring } else { crowd::On::Lockref };
    let patched = matches!(variant, Variant::Patched | Variant::PatchedNoPause);
    (on, if patched { Shape::Access2Patched } else { shape }, variant.relax())
}

/// Through pipes.
fn piped(
    work: Work,
    Contender { on, variant }: Contender,
    amount: u32,
    seats: &Seats,
) -> Result<Trial, String> {
    match (on, work) {
        (On::Pages, _) => bytes(&Pages(variant.pages()), work, amount, seats),
        (On::Shared, _) => bytes(&variant.bytes(pipe::BYTES), work, amount, seats),
        (On::Os, _) => bytes(&Os, work, amount, seats),
        (On::Ring, Work::Messaging(groups)) => {
            let ring = variant.ring::<Mpsc>(pipe::capacity(messaging::LENGTH));
            messaging::run(&ring, groups, amount, seats)
        }
        (On::Ring, Work::Throughput) => {
            let ring = variant.ring::<Mpmc>(pipe::capacity(throughput::LENGTH));
            throughput::run(&ring, amount.into(), &seats.cpus)
        }
        (On::Ring, Work::Tokens { threads }) => {
            let ring = variant.ring::<Mpmc>(pipe::capacity(tokens::LENGTH));
            tokens::run(&ring, threads, amount, seats)
        }
        (On::Ring | On::Lockref, _) => unreachable!("{work} on {on} has no pipe"),
    }
}

/// Through pipes of bytes, which take messages of any length.
fn bytes<P>(pipe: &P, work: Work, amount: u32, seats: &Seats) -> Result<Trial, String>
where
    P: Pipe<{ messaging::LENGTH }> + Pipe<{ throughput::LENGTH }> + Pipe<{ tokens::LENGTH }, Rx: Clone>,
{
    match work {
        Work::Messaging(groups) => messaging::run(pipe, groups, amount, seats),
        Work::Throughput => throughput::run(pipe, amount.into(), &seats.cpus),
        Work::Tokens { threads } => tokens::run(pipe, threads, amount, seats),
        Work::Crowd { .. } => unreachable!("a crowd has no pipe of bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::shape::{FAN, Groups},
        *,
    };
    use crate::placement::Cpus;

    #[test]
    fn patience_grows_with_the_loops_that_were_asked_for() {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let messaging = Work::Messaging(Groups { groups: 1, fan: FAN });
        let patience = |loops, work| Stage::new(&settings, loops, Placement::Free).patience(work);
        assert_eq!(patience(None, messaging), WATCHDOG + Duration::from_millis(40));
        assert_eq!(patience(Some(100_000), Work::Throughput), WATCHDOG);
        assert_eq!(patience(Some(100), messaging), WATCHDOG + Duration::from_secs(4));
        let most = Groups { groups: 1000, fan: "1000".parse().expect("a fan") };
        assert!(patience(Some(u32::MAX), Work::Messaging(most)) > Duration::from_secs(1 << 32));
    }

    #[test]
    fn each_contender_runs_on_what_it_names() {
        let work = Work::Messaging(Groups { groups: 1, fan: "1".parse().expect("a fan") });
        for work in [work, Work::Throughput, Work::Tokens { threads: 2 }] {
            for on in [On::Pages, On::Shared, On::Ring] {
                let contender = Contender { on, variant: Variant::Default };
                let trial = piped(work, contender, 10, &Seats::free()).expect("a trial");
                assert_eq!(trial.wakes.is_some(), on == On::Pages, "only pages count: {work} on {on}");
            }
            #[cfg(target_os = "linux")]
            {
                let contender = Contender { on: On::Os, variant: Variant::Default };
                let trial = piped(work, contender, 10, &Seats::free()).expect("a trial");
                assert_eq!(trial.wakes, None, "{work}");
            }
        }
        let crowd = |on, variant| crowded(Contender { on, variant }, Shape::Access2);
        use Variant::{NoPause, Patched, PatchedNoPause, Pause};
        let (stock, patched) = (Shape::Access2, Shape::Access2Patched);
        for (variant, shape, relax) in [
            (Pause, stock, Relax::Hint),
            (NoPause, stock, Relax::None),
            (Patched, patched, Relax::Hint),
            (PatchedNoPause, patched, Relax::None),
        ] {
            assert_eq!(crowd(On::Lockref, variant), (crowd::On::Lockref, shape, relax));
            assert_eq!(crowd(On::Ring, variant), (crowd::On::Ring, shape, relax));
        }
    }
}
