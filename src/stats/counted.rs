//! The counters.

use super::Event;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

/// Declares [`Stats`] and how events become its fields, in the order of [`Event`].
macro_rules! stats {
    ($($(#[$doc:meta])* $field:ident: $event:ident,)+) => {
        /// What a pipe's handles did since it was built, those that are gone included: [`Sender::stats`], [`Receiver::stats`].
        ///
        /// None of it is on the path of a call that finds space (an item), loses no race and sees nobody asleep: such
        /// calls count nothing. Read while others run it is near the truth: each number is right by itself.
        ///
        /// [`Sender::stats`]: crate::Sender::stats
        /// [`Receiver::stats`]: crate::Receiver::stats
        ///
        /// ```
        /// let (tx, rx) = hornpipe::mpmc::bounded(1);
        /// tx.try_send(1).unwrap();
        /// assert!(tx.try_send(2).is_err());
        /// assert_eq!((rx.stats().full, rx.stats().wakes), (1, 0));
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $field: u64,)+
        }

        impl Stats {
            fn add(&mut self, counts: &Counts) {
                // Relaxed: numbers, near the truth.
                $(self.$field += counts[Event::$event as usize].load(Relaxed);)+
            }
        }

        const EVENTS: usize = [$(Event::$event),+].len();
    };
}

stats! {
    /// Turns of a claim's loop after a lost compare-exchange.
    retries: Retry,
    /// Times that a blocking call gave its CPU up after a lost compare-exchange.
    escapes: Escape,
    /// Times that a sender found no space.
    full: Full,
    /// Times that a receiver found no item.
    empty: Empty,
    /// Looks while waiting awake.
    spins: Spin,
    /// Times that a waiting call gave its CPU up before it slept.
    yields: Yield,
    /// Calls that put a thread to sleep, also where the kernel found that it need not.
    parks: Park,
    /// Threads that were woken and found nothing.
    futile_wakes: FutileWake,
    /// Calls that wake a sleeper, or all. (Not counted: the closing of a side, and calls made again for a waker that may be
    /// suspended.)
    wakes: Wake,
    /// Those of them that found nobody asleep: who was about to sleep saw the change itself.
    missed_wakes: MissedWake,
}

type Counts = [AtomicU64; EVENTS];

/// A handle's counters, on lines of their own: threads that share the handle share them.
#[derive(Debug)]
pub(crate) struct Meter(Arc<CachePadded<Counts>>);

impl Meter {
    #[inline]
    pub(crate) fn add(&self, event: Event, times: u32) {
        // Relaxed: a counter.
        self.0[event as usize].fetch_add(times.into(), Relaxed);
    }

    #[inline]
    pub(crate) fn count(&self, event: Event) {
        self.add(event, 1);
    }

    /// Whether what only counting needs is worth finding out.
    #[inline(always)]
    pub(crate) const fn counts(&self) -> bool {
        true
    }
}

/// A pipe's handles' counters. Locked when a handle comes or goes and when somebody asks, by no other call.
#[derive(Debug)]
pub(crate) struct Meters(Mutex<Handles>);

#[derive(Debug)]
struct Handles {
    live: Vec<Arc<CachePadded<Counts>>>,
    gone: Stats,
}

impl Meters {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Handles { live: Vec::new(), gone: Stats::default() }))
    }

    /// A new handle's.
    pub(crate) fn join(&self) -> Meter {
        let counts: Arc<CachePadded<Counts>> = Arc::default();
        self.lock().live.push(Arc::clone(&counts));
        Meter(counts)
    }

    /// That handle is gone; what it counted stays.
    pub(crate) fn leave(&self, meter: &Meter) {
        let mut handles = self.lock();
        handles.gone.add(&meter.0);
        handles.live.retain(|counts| !Arc::ptr_eq(counts, &meter.0));
    }

    pub(crate) fn sum(&self) -> Stats {
        let handles = self.lock();
        let mut sum = handles.gone;
        handles.live.iter().for_each(|counts| sum.add(counts));
        sum
    }

    fn lock(&self) -> MutexGuard<'_, Handles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
