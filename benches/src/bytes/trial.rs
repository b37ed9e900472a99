//! One measurement: one contender's threads through one row, once.

use std::{
    io::{ErrorKind::Interrupted, Read, Write},
    thread,
    time::Duration,
};

use super::{
    audit::Audit,
    contender::{Contender, Task},
    content::Content,
    row::{Row, Work},
};
use crate::{
    crew::{Crew, Limit, gather},
    kernel::throughput::{self, Block},
    latency::Stopwatch,
    measure::{Cell, Failure, Sample, WATCHDOG, watched},
    placement::{Cpus, Side},
};

/// What a reader has room for.
pub const ROOM: usize = 64 << 10;
/// A check fills and drains every pipe several times.
const CHECKED: usize = 192 << 10;

/// Runs `cell` for `slice`; bytes are counted, and some of them looked at.
pub fn timed(
    cell: Cell<Row, Contender>,
    cpus: &Cpus,
    slice: Duration,
) -> Result<Sample, Failure<Row, Contender>> {
    run(cell, cpus, Limit::Time(slice), false)
}

/// Runs `cell` with some hundred KiB a writer and looks at every byte.
pub fn checked(cell: Cell<Row, Contender>, cpus: &Cpus) -> Result<Sample, Failure<Row, Contender>> {
    run(cell, cpus, Limit::Items((CHECKED / cell.row.work.size()).max(3) as u64), true)
}

fn run(
    cell: Cell<Row, Contender>,
    cpus: &Cpus,
    limit: Limit,
    every: bool,
) -> Result<Sample, Failure<Row, Contender>> {
    let Cell { row, contender } = cell;
    let job = Job { row, cpus: cpus.clone(), limit, every };
    let work = move || {
        row.placement.settle_builder(&job.cpus)?;
        contender.run(row.work.writers(), job).map_err(|e| format!("cannot open it: {e}"))?
    };
    watched(WATCHDOG, work).map_err(|reason| Failure { cell, reason })
}

/// A row to be run by whatever pipe it gets.
struct Job {
    row: Row,
    cpus: Cpus,
    limit: Limit,
    /// Whether every byte is looked at.
    every: bool,
}

impl Task for Job {
    type Output = Result<Sample, String>;

    fn run<W: Write + Send, R: Read + Send>(self, writers: Vec<W>, reader: R) -> Self::Output {
        match self.row.work {
            Work::Loop => self.turns(writers, reader),
            Work::Stream { size, .. } => {
                let content = Content::new(writers.len(), size);
                self.stream(writers, reader, &content)
            }
        }
    }
}

impl Job {
    fn crew(&self, threads: usize) -> Crew<'_> {
        Crew::new(self.row.placement, &self.cpus, self.limit, threads)
    }

    fn stream(
        &self,
        writers: Vec<impl Write + Send>,
        reader: impl Read + Send,
        content: &Content,
    ) -> Result<Sample, String> {
        let crew = &self.crew(writers.len() + 1);
        let (writers, reader) = thread::scope(|scope| {
            let writers = writers.into_iter().enumerate().map(|(id, writer)| {
                crew.spawn(scope, move || {
                    let mut watch = Stopwatch::new();
                    let write = || write_all(writer, id, content, crew, &mut watch);
                    crew.shift(Side::Sender, id, write).map(|shift| (shift, watch))
                })
            });
            let writers: Vec<_> = writers.collect();
            let reader = crew.spawn(scope, move || {
                let mut audit = Audit::new(content, self.every);
                let read = || read_all(reader, &mut audit);
                crew.shift(Side::Receiver, 0, read).map(|shift| (shift, audit))
            });
            crew.conduct();
            (gather(writers), gather([reader]))
        });
        // The reader tells better than a writer what was wrong.
        let (reader, audits): (Vec<_>, Vec<_>) = reader?.into_iter().unzip();
        let (writers, watches): (Vec<_>, Vec<_>) = writers?.into_iter().unzip();
        let written: Vec<u64> = writers.iter().map(|shift| shift.count).collect();
        audits.into_iter().try_for_each(|audit| audit.settle(&written))?;
        Ok(Sample::of(&writers, &reader, watches))
    }

    fn turns(
        &self,
        mut writers: Vec<impl Write + Send>,
        mut reader: impl Read + Send,
    ) -> Result<Sample, String> {
        let mut writer = writers.pop().expect("a writer");
        let crew = &self.crew(1);
        // Half of a measured turn would be the comparison.
        let same = |one: &Block, other: &Block| match self.every {
            true => one == other,
            false => one[..8] == other[..8] && one[throughput::LENGTH - 1] == other[throughput::LENGTH - 1],
        };
        let alone = thread::scope(|scope| {
            let turns = move || {
                let turn = |block: &Block, back: &mut Block| {
                    writer.write_all(block).map_err(told)?;
                    reader.read_exact(back).map_err(told)
                };
                let turns = throughput::turn_all(crew.quota(), crew.stop(), same, turn)?;
                drop(writer);
                match reader.read(&mut [0]).map_err(told)? {
                    0 => Ok(turns),
                    _ => Err("more was read than was written".into()),
                }
            };
            let alone = crew.spawn(scope, move || crew.shift(Side::Receiver, 0, turns));
            crew.conduct();
            gather([alone])
        });
        Ok(Sample::of(&[], &alone?, Vec::new()))
    }
}

/// Message after message, until the crew's time or number is up; counts them.
fn write_all(
    mut writer: impl Write,
    id: usize,
    content: &Content,
    crew: &Crew,
    watch: &mut Stopwatch,
) -> Result<u64, String> {
    let mut fault = None;
    let count = watch.drive(crew.quota(), crew.stop(), |number| {
        let written = writer.write_all(content.message(id, number));
        fault = written.err();
        fault.is_none()
    });
    fault.map_or(Ok(count), |error| Err(format!("write {count} of writer {id}: {error}")))
}

/// Until the stream's end; counts messages.
fn read_all(mut reader: impl Read, audit: &mut Audit) -> Result<u64, String> {
    let mut into = vec![0; ROOM];
    loop {
        match reader.read(&mut into) {
            Ok(0) => return Ok(audit.messages()),
            Ok(count) => audit.note(&into[..count]),
            Err(e) if e.kind() == Interrupted => {}
            Err(e) => return Err(format!("a read: {e}")),
        }
    }
}

fn told(error: std::io::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Placement;

    fn row(work: Work) -> Row {
        Row { placement: Placement::Free, work }
    }

    #[test]
    fn every_contender_gives_right_answers() {
        let cpus = Cpus::usable();
        let sizes = [1, 100, 4096, LARGE];
        let streams = [1, 4].into_iter().flat_map(|writers| sizes.map(|size| Work::Stream { writers, size }));
        for work in streams.chain([Work::Loop]) {
            for &contender in Contender::ALL.iter().filter(|contender| contender.serves(work.writers())) {
                let cell = Cell { row: row(work), contender };
                let sample = checked(cell, &cpus).unwrap_or_else(|e| panic!("{e}"));
                let each = (CHECKED / work.size()).max(3) * work.writers();
                assert_eq!(sample.items, each as u64, "{cell}");
                let sample = timed(cell, &cpus, Duration::from_millis(2)).unwrap_or_else(|e| panic!("{e}"));
                assert!(sample.items >= work.writers() as u64, "{cell}: {sample:?}");
            }
        }
    }

    /// Larger than any pipe.
    const LARGE: usize = 200_000;

    /// Ends that keep what they are given, and give something else.
    struct Fake<'a>(&'a [u8]);

    impl Read for Fake<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            // Reads end within messages.
            let most = into.len().min(70);
            self.0.read(&mut into[..most])
        }
    }

    fn faked(work: Work, limit: u64, every: bool, answer: &[u8]) -> Result<u64, String> {
        let job = Job { row: row(work), cpus: Cpus::usable(), limit: Limit::Items(limit), every };
        let writers = (0..work.writers()).map(|_| std::io::sink()).collect();
        job.run(writers, Fake(answer)).map(|sample| sample.items)
    }

    #[test]
    fn wrong_answers_are_no_figure() {
        let work = Work::Stream { writers: 1, size: 100 };
        let content = Content::new(1, 100);
        let all = [content.message(0, 0), content.message(0, 1)].concat();
        for every in [true, false] {
            assert_eq!(faked(work, 2, every, &all), Ok(2));
            let why = |answer: &[u8]| faked(work, 2, every, answer).expect_err("a wrong answer");
            assert!(why(&all[..199]).contains("200 bytes were written and 199 read"));
            assert!(why(&all[1..]).contains("byte 0 of writer 0 arrived as"));
            assert!(why(&[&all[..100], &all[..100]].concat()).contains("of writer 0 arrived as"));
        }
    }

    #[test]
    fn a_loop_sees_its_blocks_and_the_end() {
        let blocks = |count: u64| {
            let block = |number: u64| {
                let mut block = [0; throughput::LENGTH];
                block[..8].copy_from_slice(&number.to_le_bytes());
                block[throughput::LENGTH - 1] = number as u8;
                block
            };
            (0..count).flat_map(block).collect::<Vec<u8>>()
        };
        let mut middle = blocks(2);
        middle[700] = 1;
        for every in [true, false] {
            assert_eq!(faked(Work::Loop, 2, every, &blocks(2)), Ok(2));
            assert!(faked(Work::Loop, 2, every, &blocks(3)).is_err_and(|why| why.contains("more was read")));
            assert!(faked(Work::Loop, 2, every, &blocks(1)).is_err(), "one was lost");
            assert_eq!(faked(Work::Loop, 2, every, &middle).is_err(), every);
        }
    }
}
