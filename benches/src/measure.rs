//! One measurement: one contender's threads through one row, once.

use std::{
    fmt,
    marker::PhantomData,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{
    contender::{Channel, Contender, Task},
    crew::{self, Crew, Limit, Shift, gather},
    latency::Stopwatch,
    placement::{Cpus, Side},
    plan::{self, Row, Work},
    usage::Usage,
    workload::{self, Audit, Record, Shape, Tally},
};

/// A measurement that takes longer hangs: the longest slice is under a second.
pub const WATCHDOG: Duration = Duration::from_secs(20);

/// A row and who runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell<R = Row, C = Contender> {
    /// The row.
    pub row: R,
    /// The contender.
    pub contender: C,
}

impl<R: fmt::Display, C: fmt::Display> fmt::Display for Cell<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.row, self.contender)
    }
}

/// What one measurement found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Operations: items through the pipe, or round trips.
    pub items: u64,
    /// From the first thread's start to the last receiver's end.
    pub span_ns: u64,
    /// All threads together.
    pub usage: Usage,
    /// The slowest thread's count over its side's mean, of the worse side.
    pub slowest_share: f64,
    /// What 99 % of the calls of `send` (of the round trips) took at most, by those that a [`Stopwatch`] timed.
    pub p99_ns: Option<u64>,
}

impl Sample {
    /// `total` an operation.
    pub fn each(&self, total: u64) -> f64 {
        total as f64 / self.items as f64
    }

    /// Time an operation.
    pub fn ns(&self) -> f64 {
        self.each(self.span_ns)
    }

    /// Of those who counted operations (`receivers`) and those who only took part.
    pub(crate) fn of(senders: &[Shift], receivers: &[Shift], watches: Vec<Stopwatch>) -> Self {
        let all = || senders.iter().chain(receivers);
        let begin = all().map(|shift| shift.begin).min().expect("a row has threads");
        let end = receivers.iter().map(|shift| shift.end).max().expect("a row has receivers");
        let mut usage = Usage::ZERO;
        all().for_each(|shift| usage += shift.usage);
        Self {
            items: receivers.iter().map(|shift| shift.count).sum(),
            span_ns: (end - begin).as_nanos() as u64,
            usage,
            slowest_share: crew::slowest_share(senders).min(crew::slowest_share(receivers)),
            p99_ns: Stopwatch::p99(watches),
        }
    }
}

/// A measurement without a figure.
#[derive(Debug)]
pub struct Failure<R = Row, C = Contender> {
    /// Which one.
    pub cell: Cell<R, C>,
    /// Why.
    pub reason: Reason,
}

/// Why a measurement has no figure.
#[derive(Debug)]
pub enum Reason {
    /// It did not end within that time.
    Hung(Duration),
    /// It panicked.
    Died,
    /// Its answers are wrong, or the system refused something.
    Wrong(String),
}

impl<R: fmt::Display, C: fmt::Display> fmt::Display for Failure<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.cell)?;
        match &self.reason {
            Reason::Hung(limit) => write!(f, "did not finish within {} s", limit.as_secs()),
            Reason::Died => f.write_str("panicked"),
            Reason::Wrong(why) => f.write_str(why),
        }
    }
}

/// Runs `cell` for `slice` and checks order, totals and checksum.
pub fn timed(cell: Cell, cpus: &Cpus, slice: Duration) -> Result<Sample, Failure> {
    run::<Tally>(cell, cpus, Limit::Time(slice))
}

/// Runs `cell` with about a thousand items and ticks each off.
pub fn checked(cell: Cell, cpus: &Cpus) -> Result<Sample, Failure> {
    run::<Record>(cell, cpus, Limit::Items(1000 / cell.row.shape().senders as u64 + 10))
}

/// How long `cell` takes for that many items a sender, for criterion.
///
/// # Panics
/// When the measurement fails.
pub fn span(cell: Cell, cpus: &Cpus, items: u64) -> Duration {
    let sample = run::<Tally>(cell, cpus, Limit::Items(items)).unwrap_or_else(|failure| panic!("{failure}"));
    Duration::from_nanos(sample.span_ns)
}

fn run<A: Audit>(cell: Cell, cpus: &Cpus, limit: Limit) -> Result<Sample, Failure> {
    let job = Job { row: cell.row, cpus: cpus.clone(), limit, audit: PhantomData::<fn() -> A> };
    watched(WATCHDOG, move || cell.contender.run(job)).map_err(|reason| Failure { cell, reason })
}

/// On a thread of its own: the placement dies with it, and one that hangs can be left behind (it owns all it uses).
/// After a [`Reason::Hung`] its threads still run, so nothing timed in this process counts any more.
pub(crate) fn watched<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, Reason> {
    let (done, result) = mpsc::channel();
    let builder = thread::Builder::new().name("builder".into()).spawn(move || done.send(work()));
    let builder = builder.map_err(|e| Reason::Wrong(format!("cannot start a thread: {e}")))?;
    let result = result.recv_timeout(limit).map_err(|e| match e {
        RecvTimeoutError::Timeout => Reason::Hung(limit),
        RecvTimeoutError::Disconnected => Reason::Died,
    })?;
    // Nothing of this measurement may run into the next.
    let _ = builder.join();
    result.map_err(Reason::Wrong)
}

/// A row to be run by whatever channel it gets.
struct Job<A> {
    row: Row,
    cpus: Cpus,
    limit: Limit,
    audit: PhantomData<fn() -> A>,
}

impl<A: Audit> Task for Job<A> {
    type Output = Result<Sample, String>;

    fn run<C: Channel>(self, channel: C) -> Self::Output {
        self.row.placement.settle_builder(&self.cpus)?;
        match self.row.work {
            Work::Stream { shape, capacity } => self.stream(channel, shape, capacity),
            Work::Solo => self.solo(channel),
            Work::PingPong => self.ping_pong(channel),
        }
    }
}

impl<A: Audit> Job<A> {
    fn crew(&self, threads: usize) -> Crew<'_> {
        Crew::new(self.row.placement, &self.cpus, self.limit, threads)
    }

    fn stream<C: Channel>(&self, channel: C, shape: Shape, capacity: usize) -> Result<Sample, String> {
        let (txs, rxs) = channel.open(capacity, shape);
        let crew = &self.crew(shape.threads());
        let (senders, receivers) = thread::scope(|scope| {
            let senders = txs.into_iter().enumerate().map(|(id, tx)| {
                crew.spawn(scope, move || {
                    let mut watch = Stopwatch::new();
                    let send = || Ok(workload::send_all::<C>(tx, id, crew.quota(), crew.stop(), &mut watch));
                    crew.shift(Side::Sender, id, send).map(|shift| (shift, watch))
                })
            });
            let senders: Vec<_> = senders.collect();
            let receivers = rxs.into_iter().enumerate().map(|(id, rx)| {
                crew.spawn(scope, move || {
                    let mut audit = A::new(shape.senders);
                    let recv = || Ok(workload::recv_all::<C, A>(rx, &mut audit));
                    crew.shift(Side::Receiver, id, recv).map(|shift| (shift, audit))
                })
            });
            let receivers: Vec<_> = receivers.collect();
            crew.conduct();
            (gather(senders), gather(receivers))
        });
        let (senders, watches): (Vec<_>, Vec<_>) = senders?.into_iter().unzip();
        let (receivers, audits): (Vec<_>, Vec<_>) = receivers?.into_iter().unzip();
        let sent: Vec<u64> = senders.iter().map(|shift| shift.count).collect();
        A::settle(audits, &sent)?;
        Ok(Sample::of(&senders, &receivers, watches))
    }

    fn solo<C: Channel>(&self, channel: C) -> Result<Sample, String> {
        let ends = pair(&channel, plan::SOLO);
        let crew = &self.crew(1);
        let alone = thread::scope(|scope| {
            let solo = move || workload::solo::<C>(ends, crew.quota(), crew.stop());
            let alone = crew.spawn(scope, move || crew.shift(Side::Receiver, 0, solo));
            crew.conduct();
            gather([alone])
        });
        Ok(Sample::of(&[], &alone?, Vec::new()))
    }

    fn ping_pong<C: Channel>(&self, channel: C) -> Result<Sample, String> {
        let ((there, far), (back, near)) = (pair(&channel, 1), pair(&channel, 1));
        let crew = &self.crew(Shape::PAIR.threads());
        let (ping, pong) = thread::scope(|scope| {
            let ping = crew.spawn(scope, move || {
                let mut watch = Stopwatch::new();
                let ping = || workload::ping::<C>((there, near), crew.quota(), crew.stop(), &mut watch);
                crew.shift(Side::Sender, 0, ping).map(|shift| (shift, watch))
            });
            let pong = move || Ok(workload::pong::<C>((back, far)));
            let pong = crew.spawn(scope, move || crew.shift(Side::Receiver, 0, pong));
            crew.conduct();
            (gather([ping]), gather([pong]))
        });
        let (ping, watches): (Vec<_>, Vec<_>) = ping?.into_iter().unzip();
        let pong = pong?;
        match (ping[0].count, pong[0].count) {
            (trips, returned) if trips == returned => Ok(Sample::of(&ping, &pong, watches)),
            (trips, returned) => Err(format!("{trips} items came back and {returned} were sent back")),
        }
    }
}

/// The two ends of a pipe.
fn pair<C: Channel>(channel: &C, capacity: usize) -> (C::Tx, C::Rx) {
    let (mut txs, mut rxs) = channel.open(capacity, Shape::PAIR);
    txs.pop().zip(rxs.pop()).expect("a pair has two ends")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Placement;

    #[test]
    fn the_watchdog_tells_how_it_ended() {
        let watch = |millis, work: fn() -> Result<u8, String>| watched(Duration::from_millis(millis), work);
        assert!(matches!(watch(10_000, || Ok(1)), Ok(1)));
        assert!(matches!(watch(10_000, || Err("no".into())), Err(Reason::Wrong(why)) if why == "no"));
        assert!(matches!(watch(10_000, || panic!("on purpose")), Err(Reason::Died)));
        let sleep = || {
            thread::sleep(Duration::from_secs(3600));
            Ok(1)
        };
        assert!(matches!(watch(10, sleep), Err(Reason::Hung(_))));
    }

    #[test]
    fn every_contender_gives_right_answers() {
        let cpus = Cpus::usable();
        let contenders = Contender::all();
        for (senders, receivers) in [(1, 1), (3, 1), (1, 3), (2, 3)] {
            let shape = Shape { senders, receivers };
            let works = [1, 2, 64].map(|capacity| Work::Stream { shape, capacity });
            for work in works.into_iter().chain([Work::PingPong, Work::Solo]) {
                let row = Row { placement: Placement::Free, work };
                for &contender in contenders.iter().filter(|c| c.serves(row.shape())) {
                    let cell = Cell { row, contender };
                    let sample =
                        run::<Record>(cell, &cpus, Limit::Items(200)).unwrap_or_else(|e| panic!("{e}"));
                    assert_eq!(sample.items, 200 * row.shape().senders as u64, "{cell}");
                }
            }
        }
    }

    #[test]
    fn time_is_a_limit_too() {
        let row =
            Row { placement: Placement::OneCpu, work: Work::Stream { shape: Shape::PAIR, capacity: 16 } };
        let cell = Cell { row, contender: Contender::Mutex };
        let sample =
            timed(cell, &Cpus::usable(), Duration::from_millis(20)).unwrap_or_else(|e| panic!("{e}"));
        assert!(sample.items > 0 && sample.slowest_share == 1.0 && sample.p99_ns > Some(0), "{sample:?}");
    }
}
