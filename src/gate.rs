//! A gate: where the threads of one side sleep. It knows words and wakes; of rings, only what a re-check found.
//!
//! ```text
//! 63        36           8      3       2     1       0
//! | granted | sleepers | ... | OBSERVERS | SYM | DRAINED | CLOSED |      the gate word, 0 while all run
//! ```
//!
//! A waiter *announces* itself (sleepers + 1), re-checks, and sleeps on the epoch until it is *granted* a wake
//! or the gate is closed. A waker turns one sleeper into one grant, bumps the epoch and makes the futex call;
//! whichever announced thread comes first takes the grant. So `sleepers + granted` is the number of announced
//! threads at all times, a thread that gives up always finds itself in one of the two, and it takes a grant
//! where there is one: leaving it could strand it with a thread that nobody will wake.
//!
//! Publishers look at the word with one plain load. What makes that enough: see `ring` SETTLE and `fence`.

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::labels::labels;
use crate::sync::point::{Point, at};
use crate::wake::{Wake, WakePolicy, decide};
use crate::{fence, futex};
#[cfg(feature = "std")]
use crate::{ring::stamped::Found, sync::time::Deadline};
#[cfg(feature = "std")]
use core::time::Duration;

labels! { "gate";
    BUMP: Release, pairs "EPOCH",
        why "whoever sees the new epoch sees the grant or the closing before it",
        model "close_empty, gate_taken_back";
    EPOCH: Acquire, pairs "BUMP",
        why "a sleeper that has read the new epoch must not miss the grant",
        model "close_empty, gate_taken_back";
    CLOSE: Release, pairs "IS_CLOSED",
        why "all that the last peer did is seen by whoever sees that it is gone",
        model "close_senders";
    IS_CLOSED: Acquire, pairs "CLOSE",
        why "the last look at the ring finds every item that was sent",
        model "close_senders";
    SERVE: Fence, pairs "SERVE, WOKEN, fence::heavy",
        why "of two that look at each other's slot or grant, one sees the other's; SYM pipes' store-load fence",
        model "gate_1p2c, gate_first_sym, gate_1p1c_sym, close_receivers_sym";
    WOKEN: Fence, pairs "SERVE",
        why "a publisher that was told `in flight` by our grant has published before we look",
        model "timeout_1p2c";
    RELOOK: Step, pairs "fence::heavy",
        why "the claimer may have published and looked before the heavy fence",
        model "gate_first";
    NUDGE: Step, pairs "-",
        why "should the one in flight never run, the next one is woken by whoever depends on it",
        model "equivalent: no loss while the woken thread runs; tests/hooks.rs scenario_11";
    INSIST: Step, pairs "BUMP",
        why "a waker suspended between its grant and its futex call holds nobody up but whom it chose",
        model "equivalent: no loss, only a delay as long as the suspension; tests/hooks.rs scenario_01_a_frozen_waker";
    RECHECK: Step, pairs "SERVE",
        why "what came between the first look and the announcement woke nobody",
        model "gate_first, gate_first_sym";
    GRANT_FIRST: Step, pairs "-",
        why "a thread that gives up takes the grant whose futex wake it may have had",
        model "gate_1p2c, timeout_1p2c";
}

/// What this gate's sleepers wait for will never come.
pub(crate) const CLOSED: u64 = 1 << 0;
/// A discarder has seen everything (close-and-drain, a later issue).
#[allow(dead_code)]
pub(crate) const DRAINED: u64 = 1 << 1;
/// Whoever looks has to fence: there is no process-wide barrier.
pub(crate) const SYM: u64 = 1 << 2;
/// Others than threads want to be told (wakers, select: later issues).
pub(crate) const OBSERVERS: u64 = 1 << 3;
const SLEEPER: u64 = 1 << 8;
const GRANT: u64 = 1 << 36;
const COUNT: u64 = (1 << 28) - 1;
/// What a running peer has to act on.
pub(crate) const CALLS: u64 = (COUNT * SLEEPER) | SYM | OBSERVERS;

/// How long a thread sleeps beside a claimed slot where the barrier fails: rare, and no reason to burn a CPU.
#[cfg(feature = "std")]
const NAP: Duration = Duration::from_millis(1);

const fn sleepers(word: u64) -> u32 {
    ((word / SLEEPER) & COUNT) as u32
}

const fn granted(word: u64) -> u32 {
    ((word / GRANT) & COUNT) as u32
}

/// Where one side sleeps.
pub(crate) struct Gate {
    word: AtomicU64,
    epoch: futex::Word,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self { word: AtomicU64::new(if fence::born_sym() { SYM } else { 0 }), epoch: futex::Word::new() }
    }

    /// The publisher's look. Relaxed: the claim or the fence before it makes it see an announcement in time.
    #[inline(always)]
    pub(crate) fn look(&self) -> u64 {
        self.word.load(Relaxed)
    }

    /// Whether what is waited for here will never come.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.word.load(IS_CLOSED.order()) & CLOSED != 0
    }

    /// Threads announced here.
    pub(crate) fn waiting(&self) -> u32 {
        let word = self.look();
        sleepers(word) + granted(word)
    }

    /// Closes the gate; everybody leaves.
    pub(crate) fn close(&self) {
        let word = self.word.fetch_or(CLOSED, CLOSE.order());
        if sleepers(word) + granted(word) > 0 {
            self.epoch.bump(BUMP.order());
            at(Point::BeforeWake);
            self.epoch.wake_all();
        }
    }

    /// Orders what this thread stored before against what it loads next, with every peer's look.
    pub(crate) fn heavy(&self) -> bool {
        fence::heavy(self.look() & SYM != 0)
    }

    /// Before serving: whatever this thread did is seen by whom it does not see asleep.
    pub(crate) fn before_serving() {
        SERVE.fence();
    }

    /// Wakes whom the policy says, if the slot at their cursor is `ready`; after [`before_serving`](Self::before_serving).
    pub(crate) fn serve(&self, policy: WakePolicy, ready: impl Fn() -> bool) {
        let mut word = self.look();
        loop {
            let wake = decide(policy, sleepers(word), granted(word), &ready);
            let chosen = match wake {
                Wake::None => return,
                Wake::One => 1,
                Wake::All => u64::from(sleepers(word)),
            };
            // Relaxed: the epoch publishes the grant to sleepers, the fence before orders it for wakers.
            let next = word - chosen * SLEEPER + chosen * GRANT;
            match self.word.compare_exchange_weak(word, next, Relaxed, Relaxed) {
                Err(now) => word = now,
                Ok(_) => {
                    self.epoch.bump(BUMP.order());
                    at(Point::BeforeWake);
                    return if wake == Wake::All { self.epoch.wake_all() } else { self.epoch.wake_one() };
                }
            }
        }
    }

    /// A peer can go on no more: wakes one sleeper whatever is in flight, so that nobody depends on that one.
    pub(crate) fn nudge(&self, ready: impl Fn() -> bool) {
        if NUDGE.kept() && self.look() & CALLS != 0 {
            Self::before_serving();
            self.serve(WakePolicy::Each, ready);
        }
    }

    /// Makes the futex call again for a grant whose waker may be suspended before its own.
    #[cfg(feature = "std")]
    pub(crate) fn insist(&self) {
        if INSIST.kept() && granted(self.look()) > 0 {
            self.epoch.wake_one();
        }
    }

    /// Wakes all for no reason, as a signal may: they look at their grants and deadlines and sleep on.
    #[allow(dead_code)] // tests with hooks and models only
    pub(crate) fn disturb(&self) {
        self.epoch.wake_all();
    }
}

/// The sleepers' half.
#[cfg(feature = "std")]
impl Gate {
    /// Sleeps until a grant or the closing, unless `find` finds something after the announcement. False: the
    /// deadline passed. Whatever the answer, the caller looks at the ring once more; it may hold a grant.
    pub(crate) fn wait(&self, deadline: Deadline, find: impl Fn() -> Found) -> bool {
        // Relaxed: SETTLE or the heavy fence in the re-check shows it to publishers.
        self.word.fetch_add(SLEEPER, Relaxed);
        at(Point::Announced);
        let in_time = self.sleep(deadline, find);
        self.leave();
        WOKEN.fence();
        at(Point::Woken);
        in_time
    }

    /// The re-check: until when this thread may sleep. Until the deadline, if nothing is there and whoever brings
    /// it will see the announcement; not at all, if something is there.
    fn sleep_until(&self, deadline: Deadline, find: impl Fn() -> Found) -> Option<Deadline> {
        if !RECHECK.kept() {
            return Some(deadline);
        }
        match find() {
            Found::Ready => None,
            Found::Nothing => Some(deadline),
            // Its claimer may have looked already, with the stamp still on its way.
            Found::Claimed if self.heavy() => (find() != Found::Ready || !RELOOK.kept()).then_some(deadline),
            // No barrier, though the system had promised one: look again now and then.
            Found::Claimed => deadline.nap(NAP),
        }
    }

    /// Sleeps until there is a reason to leave. Each turn re-checks: a thread whose grant was taken by another is
    /// announced anew, and whoever published meanwhile may have counted on that grant.
    fn sleep(&self, deadline: Deadline, find: impl Fn() -> Found) -> bool {
        loop {
            let epoch = self.epoch.load(EPOCH.order());
            let word = self.look();
            if granted(word) > 0 || word & CLOSED != 0 {
                return true;
            }
            if deadline.passed() {
                return false;
            }
            let Some(until) = self.sleep_until(deadline, &find) else {
                return true;
            };
            self.epoch.wait(epoch, until);
        }
    }

    /// Takes the announcement back: as a grant, if there is one.
    fn leave(&self) {
        // Relaxed: counts; WOKEN orders what follows.
        let _ = self.word.fetch_update(Relaxed, Relaxed, |word| {
            let grant = granted(word) > 0 && (GRANT_FIRST.kept() || sleepers(word) == 0);
            Some(word - if grant { GRANT } else { SLEEPER })
        });
    }
}
