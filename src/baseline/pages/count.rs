//! What happened: counted on lines that threads do not share, as far as that goes, and summed when asked.

use super::pipe::Side;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread_local;

/// What a page pipe's calls did besides moving bytes. Read while others run it is near the truth.
///
/// ```
/// use hornpipe::baseline::pages::{self, Options};
/// let (writer, _reader) = pages::pipe(16, Options::new())?;
/// writer.write(b"into an empty pipe, so a reader may sleep")?;
/// writer.write(b"into one that is not")?;
/// let readers = writer.counts().readers;
/// assert_eq!((readers.wake_calls, readers.locked, readers.woken), (1, 1, 0), "a call, and a lock, for nobody");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Of the readers' queue: how readers waited, how they were woken.
    pub readers: Waits,
    /// Of the writers' queue.
    pub writers: Waits,
}

macro_rules! waits {
    ($($(#[$doc:meta])* $field:ident: $event:ident,)+) => {
        /// One side's part of [`Counts`].
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Waits {
            $($(#[$doc])* pub $field: u64,)+
        }

        /// What is counted, a side.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Event {
            $($event,)+
        }

        const EVENTS: usize = [$(Event::$event),+].len();

        impl Waits {
            fn add(&mut self, counts: &[AtomicU64; EVENTS]) {
                $(self.$field += counts[Event::$event as usize].load(Relaxed);)+
            }
        }
    };
}

waits! {
    /// Times that a call found the pipe full (empty) and had to wait.
    waits: Wait,
    /// Of them those that looked for a while, and found what they waited for.
    spins_paid: SpinPaid,
    /// Times that a thread went to sleep.
    sleeps: Sleep,
    /// Wakes asked for by the rules, for whoever may sleep; `Proactive`'s looks and the closing of a side too.
    wake_calls: WakeCall,
    /// Of them those that took the queue's lock.
    locked: Locked,
    /// Threads that they took off the queue.
    woken: Woken,
    /// Times that the queue's lock was taken, by whomever, and somebody else held it.
    contended: Contended,
}

/// Blocks of counters; a thread keeps to one.
const BLOCKS: usize = 16;

type Block = [[AtomicU64; EVENTS]; 2];

/// A pipe's counters.
#[derive(Default)]
pub(super) struct Counters([CachePadded<Block>; BLOCKS]);

impl Counters {
    pub(super) fn count(&self, side: Side, event: Event) {
        self.add(side, event, 1);
    }

    pub(super) fn add(&self, side: Side, event: Event, times: u64) {
        // Relaxed: numbers.
        self.0[block()][side as usize][event as usize].fetch_add(times, Relaxed);
    }

    pub(super) fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        for block in &self.0 {
            sum.readers.add(&block[Side::Readers as usize]);
            sum.writers.add(&block[Side::Writers as usize]);
        }
        sum
    }
}

/// The calling thread's block: they are dealt in turn.
fn block() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static BLOCK: usize = NEXT.fetch_add(1, Relaxed) % BLOCKS;
    }
    // A thread that is ending has lost its own; any does.
    BLOCK.try_with(|block| *block).unwrap_or(0)
}
