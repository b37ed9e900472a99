//! K1's workloads: threads that contend for one lockref in the shapes of will-it-scale's open3, fstat2 and access2,
//! pinned round-robin; and the same question on the ring.
//!
//! A turn takes, works, gives and works. On a lockref that is a get and a put; on the ring a thread sends an item of
//! its own and receives whatever is next: who receives has sent before, so there is always one for each.

mod member;
pub(crate) mod work;

use std::{fmt, marker::PhantomData, time::Duration};

use crossbeam_utils::CachePadded;
use hornpipe::{Mpmc, Relax};
use serde::Serialize;

use self::{
    member::{Ends, Shaped},
    work::Work,
};
use crate::{
    contender::{Channel, Ring},
    crew::Limit,
    measure::{self, Reason, Sample, WATCHDOG},
    placement::Cpus,
    plan::Effort,
    relax::{
        crowd::{CHECKED, Crowd, Member, count},
        kernel, lockref, row,
        standin::FetchAdd,
        word::Word,
    },
    workload::{self, Audit, Record, Tally},
};

/// What a thread does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Takes, works, gives, works: in all as long as one process alone took to open and close a file.
    Open3,
    /// The same with what fstat took.
    Fstat2,
    /// access as it was: fstat's work, and between take and give one more and one less in a second word that all share,
    /// as in the credentials' count.
    Access2,
    /// access patched: without the second word, which leaves fstat's shape.
    Access2Patched,
    /// Takes and gives, and nothing between.
    Tight,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Open3, Self::Fstat2, Self::Access2, Self::Access2Patched, Self::Tight];

    /// What a turn's work takes: what one process alone took, stock, in the kernel's thread. What is contended for comes
    /// on top: some ns.
    pub fn work(self) -> Duration {
        let [alone, ..] = kernel::ROWS;
        let calls = match self {
            Self::Open3 => alone.open3,
            Self::Fstat2 | Self::Access2 | Self::Access2Patched => alone.fstat2,
            Self::Tight => return Duration::ZERO,
        };
        Duration::from_secs_f64(1.0 / calls.stock())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Open3 => "open3",
            Self::Fstat2 => "fstat2",
            Self::Access2 => "access2",
            Self::Access2Patched => "access2 patched",
            Self::Tight => "tight",
        })
    }
}

/// What a crowd contends for: of all that experiments run [`on`](super::contender::On), where a crowd can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// hornpipe's lockref.
    Lockref,
    /// hornpipe's mpmc ring of [`CAPACITY`].
    Ring,
}

impl On {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Lockref, Self::Ring];

    /// What each thread takes in a check before it gives: in the ring all of it is in at once.
    fn checked(self, threads: usize) -> u64 {
        match self {
            Self::Lockref => CHECKED,
            Self::Ring => (capacity(threads) / threads) as u64,
        }
    }
}

/// The ring's, for up to as many threads.
pub const CAPACITY: usize = 1024;

/// Room for an item of each thread.
fn capacity(threads: usize) -> usize {
    CAPACITY.max(threads)
}

/// How many threads a crowd has, in one row each.
pub fn threads(effort: Effort, cpus: &Cpus) -> Vec<usize> {
    row::crowds(effort, cpus.count())
}

/// So many threads take turns for `slice`, with `relax` after a lost try. Then every count must have come back, and
/// every item have come out once, by order, number and checksum.
pub fn timed(
    on: On,
    shape: Shape,
    relax: Relax,
    threads: usize,
    cpus: &Cpus,
    slice: Duration,
) -> Result<Sample, Reason> {
    run::<Tally>(on, shape, relax, Crowd { threads, cpus: cpus.clone(), limit: Limit::Time(slice) })
}

/// So many threads take, give when all have, and then take turns: the counts in between must be exact, and each item
/// is ticked off.
pub fn check(on: On, shape: Shape, relax: Relax, threads: usize, cpus: &Cpus) -> Result<(), Reason> {
    let limit = Limit::Items(on.checked(threads));
    run::<Record>(on, shape, relax, Crowd { threads, cpus: cpus.clone(), limit }).map(drop)
}

fn run<A: Audit>(on: On, shape: Shape, relax: Relax, crowd: Crowd) -> Result<Sample, Reason> {
    let job = Job { crowd, shape, second: FetchAdd::new(), audit: PhantomData::<fn() -> A> };
    measure::watched(WATCHDOG, move || match on {
        On::Lockref => job.word(lockref::new(relax)),
        On::Ring => job.ring(Ring::<Mpmc>::with(move |builder| builder.retry(relax))),
    })
}

/// A crowd's turns, on whatever it gets.
struct Job<W, A> {
    crowd: Crowd,
    shape: Shape,
    /// The word that access had, too.
    second: W,
    audit: PhantomData<fn() -> A>,
}

impl<W: Word, A: Audit> Job<W, A> {
    fn word(self, word: impl Word) -> Result<Sample, String> {
        let word = &*CachePadded::new(word);
        let members = (0..self.crowd.threads).map(|_| move || word);
        Ok(self.play(members, |taken| count(word, taken))?.0)
    }

    fn ring<C: Channel>(self, channel: C) -> Result<Sample, String> {
        let threads = self.crowd.threads;
        let shape = workload::Shape { senders: threads, receivers: threads };
        let (txs, rxs) = channel.open(capacity(threads), shape);
        let ends = txs.into_iter().zip(rxs).enumerate();
        let members = ends.map(|(id, (tx, rx))| move || Ends::<C, A>::new(id, threads, tx, rx));
        // A ring shows nothing of its count: the items do.
        let (sample, ends) = self.play(members, |_| Ok(()))?;
        Ends::settle(ends)?;
        Ok(sample)
    }

    /// Gives the members' turns their shape.
    fn play<M: Member>(
        self,
        members: impl Iterator<Item = impl FnOnce() -> M + Send>,
        exact: impl Fn(u64) -> Result<(), String> + Sync,
    ) -> Result<(Sample, Vec<M>), String> {
        let half = &Work::lasting(self.shape.work() / 2);
        let second = CachePadded::new(self.second);
        let second = (self.shape == Shape::Access2).then_some(&*second);
        let members = members.map(|member| move || Shaped { member: member(), second, half: half.clone() });
        let (sample, members) = self.crowd.play(members, |taken| {
            exact(taken)?;
            let second = second.map_or(Ok(()), |second| count(second, taken));
            second.map_err(|why| format!("the second word: {why}"))
        })?;
        Ok((sample, members.into_iter().map(|shaped| shaped.member).collect()))
    }
}

#[cfg(test)]
mod tests;
