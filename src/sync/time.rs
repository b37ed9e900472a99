//! Deadlines on the monotonic clock that no timeout can overflow.

use std::time::{Duration, Instant};

/// A moment to give up at, or never.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// Waits for ever.
    pub(crate) const NEVER: Self = Self(None);

    /// `timeout` from now; never, where the clock cannot express it.
    pub(crate) fn after(timeout: Duration) -> Self {
        Self(Instant::now().checked_add(timeout))
    }

    /// At `moment`.
    pub(crate) const fn at(moment: Instant) -> Self {
        Self(Some(moment))
    }

    /// `nap` from now, or this deadline if that is sooner.
    pub(crate) fn nap(self, nap: Duration) -> Option<Self> {
        let end = Instant::now().checked_add(nap);
        Some(Self(match (self.0, end) {
            (Some(deadline), Some(end)) => Some(deadline.min(end)),
            (deadline, end) => deadline.or(end),
        }))
    }

    /// Whether it is over; reads the clock only where there is a deadline.
    pub(crate) fn passed(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// What is left: `None` for never, zero when passed.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}
