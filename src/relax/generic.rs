//! Every other architecture: what `spin_loop` is there, RISC-V's `pause`, LoongArch's `ibar`, or nothing.

use super::Relax;

/// As lockref, which lost its cpu_relax for every architecture.
pub(super) const RETRY: Relax = Relax::None;

/// One hint a look.
pub(super) const WAIT: Relax = Relax::Hint;
