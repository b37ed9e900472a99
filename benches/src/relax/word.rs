//! Words that can be got and put: hornpipe's `Lockref` with each relax, and what it is measured against.

use std::{fmt, num::NonZeroU8, sync::Mutex};

use hornpipe::Relax;
use serde::{Deserialize, Serialize};

use super::{
    lockref,
    standin::{FetchAdd, LoadCas, Loop, UntilChanged},
};
use crate::contender::BACKOFF;

/// A count that threads add to and take from. The methods are generic code's way in: nothing is called through `dyn`.
pub trait Word: Send + Sync + 'static {
    /// One more; false: refused, which nobody here may be.
    fn get(&self) -> bool;

    /// One less; false: refused, or the last.
    fn put(&self) -> bool;

    /// The count, when nobody changes it.
    fn count(&self) -> u64;
}

/// What every word starts with: the object's own count, so that no put is the last.
pub const START: u64 = 1;

/// Work that wants a [`Word`] type; see [`Kind::run`].
pub trait Task {
    /// What it gives back.
    type Output;

    /// Runs with the word that the kind stands for.
    fn run<W: Word>(self, word: W) -> Self::Output;
}

/// What a loop does after a lost compare-exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retry {
    /// Tries again at once.
    None,
    /// So many hints first.
    Hints(u8),
    /// Twice as many hints each time, up to [`BACKOFF`].
    Backoff,
    /// Reads until the word is another than the one it lost against: no value of `hornpipe::Relax`, a stand-in.
    UntilChanged,
}

/// A kind of word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A lockref.
    Lockref(Retry),
    /// `Mutex<u64>`.
    Mutex,
    /// A compare-exchange loop without a bound and without a lock.
    Loop,
    /// `fetch_add` and `fetch_sub`.
    FetchAdd,
    /// A load and a compare-exchange that must not be lost: one thread's.
    LoadCas,
}

impl Retry {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Hints(1),
        Self::Hints(2),
        Self::Hints(4),
        Self::Hints(8),
        Self::Backoff,
        Self::UntilChanged,
    ];

    /// What the library calls it, if it has it.
    fn library(self) -> Option<Relax> {
        match self {
            Self::None => Some(Relax::None),
            Self::Hints(hints) => NonZeroU8::new(hints).map(Relax::Hints),
            Self::Backoff => Some(Relax::Backoff { max: BACKOFF }),
            Self::UntilChanged => None,
        }
    }

    /// What the library's is called here.
    pub fn of(relax: Relax) -> Option<Self> {
        match relax {
            Relax::None => Some(Self::None),
            Relax::Hint => Some(Self::Hints(1)),
            Relax::Hints(hints) => Some(Self::Hints(hints.get())),
            Relax::Backoff { .. } => Some(Self::Backoff),
            _ => None,
        }
    }
}

impl fmt::Display for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Hints(1) => "1 hint",
            Self::Hints(hints) => return write!(f, "{hints} hints"),
            Self::Backoff => "back-off",
            Self::UntilChanged => "until changed",
        })
    }
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::NONE,
        Self::HINT,
        Self::Lockref(Retry::Hints(2)),
        Self::Lockref(Retry::Hints(4)),
        Self::Lockref(Retry::Hints(8)),
        Self::Lockref(Retry::Backoff),
        Self::Lockref(Retry::UntilChanged),
        Self::Mutex,
        Self::Loop,
        Self::FetchAdd,
        Self::LoadCas,
    ];
    /// A lockref that does not pause.
    pub const NONE: Self = Self::Lockref(Retry::None);
    /// A lockref that pauses as Linux's did.
    pub const HINT: Self = Self::Lockref(Retry::Hints(1));

    /// Whether it works with so many threads.
    pub fn serves(self, threads: usize) -> bool {
        self != Self::LoadCas || threads == 1
    }

    /// Gives `task` a new word of this kind.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Lockref(retry) => match retry.library() {
                Some(relax) => task.run(lockref::new(relax)),
                None => task.run(UntilChanged::new()),
            },
            Self::Mutex => task.run(Mutex::new(START)),
            Self::Loop => task.run(Loop::new()),
            Self::FetchAdd => task.run(FetchAdd::new()),
            Self::LoadCas => task.run(LoadCas::new()),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Lockref(retry) => return f.pad(&format!("lockref {retry}")),
            Self::Mutex => "Mutex<u64>",
            Self::Loop => "CAS loop",
            Self::FetchAdd => "fetch_add/sub",
            Self::LoadCas => "load + CAS",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct UpAndDown;

    impl Task for UpAndDown {
        type Output = [u64; 3];

        fn run<W: Word>(self, word: W) -> [u64; 3] {
            let start = word.count();
            assert!(word.get() && word.get());
            let up = word.count();
            assert!(word.put() && word.put());
            [start, up, word.count()]
        }
    }

    #[test]
    fn every_kind_counts() {
        for kind in Kind::ALL {
            assert_eq!(kind.run(UpAndDown), [1, 3, 1], "{kind}");
        }
    }

    #[test]
    fn the_librarys_relaxes_have_names_here() {
        for retry in Retry::ALL.into_iter().filter(|&retry| retry != Retry::UntilChanged) {
            assert_eq!(retry.library().and_then(Retry::of), Some(retry));
        }
        assert!(Retry::of(Relax::RETRY).is_some() && Retry::of(Relax::WAIT).is_some());
    }

    #[test]
    fn every_relax_has_a_lockref() {
        assert!(Retry::ALL.iter().all(|&retry| Kind::ALL.contains(&Kind::Lockref(retry))));
    }
}
