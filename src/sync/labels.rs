//! Orderings as code: each module states its orderings, fences and order-critical steps in one `labels!` table.
//!
//! In a normal build a label is a constant and costs nothing. Under loom it reads a run-time switch, so that
//! one build runs every mutant. `arch-notes/orderings.md` is generated from the tables (see the test below).

use core::sync::atomic::Ordering;

/// What a label stands for, and so what its mutant takes away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An atomic access; its mutant is Relaxed.
    Access(Ordering),
    /// A full fence; its mutant is none.
    Fence,
    /// A step of the algorithm (a re-check, a hand-on); its mutant leaves it out.
    Step,
}

/// One decision about order: who it pairs with, why it is needed and which model shows that it is.
#[derive(Debug)]
#[cfg_attr(not(any(test, hornpipe_loom)), allow(dead_code))] // read by the table and the mutants only
pub struct Label {
    /// The module's name and the label's own.
    pub module: &'static str,
    /// The name used at the access.
    pub name: &'static str,
    /// Access, fence or step.
    pub kind: Kind,
    /// The labels at the other end.
    pub partner: &'static str,
    /// Why it is needed, in a sentence.
    pub why: &'static str,
    /// The model that fails when it is taken away, or `equivalent: ` and the reason.
    pub model: &'static str,
}

impl Label {
    /// The ordering to access with.
    #[inline(always)]
    pub(crate) fn order(&self) -> Ordering {
        match self.kind {
            Kind::Access(order) if self.kept() => order,
            Kind::Access(_) => Ordering::Relaxed,
            Kind::Fence | Kind::Step => unreachable!(),
        }
    }

    /// Whether the label stands: always, but for the one whose mutant a model runs.
    #[inline(always)]
    pub(crate) fn kept(&self) -> bool {
        !super::mutated(self.name)
    }

    /// The full fence.
    #[inline(always)]
    pub(crate) fn fence(&self) {
        if self.kept() {
            super::atomic::fence(Ordering::SeqCst);
        }
    }
}

/// States a module's orderings: `NAME: Release, pairs "NAME", why "..", model "..";`
macro_rules! labels {
    ($module:literal; $($name:ident: $kind:ident, pairs $partner:literal, why $why:literal, model $model:literal;)+) => {
        $(
            #[doc = $why]
            pub(crate) const $name: $crate::sync::labels::Label = $crate::sync::labels::Label {
                module: $module,
                name: stringify!($name),
                kind: labels!(@kind $kind),
                partner: $partner,
                why: $why,
                model: $model,
            };
        )+
        /// This module's table.
        #[allow(dead_code)]
        pub(crate) const LABELS: &[&$crate::sync::labels::Label] = &[$(&$name),+];
    };
    (@kind Fence) => { $crate::sync::labels::Kind::Fence };
    (@kind Step) => { $crate::sync::labels::Kind::Step };
    (@kind $order:ident) => { $crate::sync::labels::Kind::Access(core::sync::atomic::Ordering::$order) };
}
pub(crate) use labels;

/// Every table of the crate, in the order of a message's way.
#[cfg(any(test, hornpipe_loom))]
pub fn tables() -> impl Iterator<Item = &'static Label> {
    [crate::ring::labels::LABELS, crate::gate::LABELS, crate::pipe::LABELS, crate::lockref::LABELS]
        .into_iter()
        .flatten()
        .copied()
}
