//! aarch64 and arm: `spin_loop` is ISB (some tens of cycles) or YIELD (nothing, mostly).

use super::Relax;

/// As lockref, which lost its cpu_relax for every architecture.
pub(super) const RETRY: Relax = Relax::None;

/// One ISB a look.
pub(super) const WAIT: Relax = Relax::Hint;
