//! x86 and x86-64: `spin_loop` is PAUSE.

use super::Relax;
use core::num::NonZeroU8;

/// A failing cmpxchg still brings the line in exclusively: pausing hands it away for nothing (Linux f5fe24ef17b5).
pub(super) const RETRY: Relax = Relax::None;

/// Two PAUSEs a look: measured against none, one and four (arch-notes/measurements/waiting.md).
pub(super) const WAIT: Relax = Relax::Hints(NonZeroU8::new(2).unwrap());
