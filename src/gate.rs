//! A gate: where the threads of one side sleep. It knows words and wakes; of rings, only what a re-check found.
//!
//! ```text
//! 63        32         6         5           4     3         2      1        0
//! | granted | sleepers | SETTLED | OBSERVERS | SYM | DRAINED | GONE | CLOSED |      the gate word, 0 while all run
//! ```
//!
//! A waiter *announces* itself (sleepers + 1), re-checks, and sleeps on the epoch until it is *granted* a wake
//! or the gate is closed. A waker turns one sleeper into one grant, bumps the epoch and makes the futex call;
//! whichever announced thread comes first takes the grant. So `sleepers + granted` is the number of announced
//! threads at all times, a thread that gives up always finds itself in one of the two, and it takes a grant
//! where there is one: leaving it could strand it with a thread that nobody will wake.
//!
//! Publishers look at the word with one plain load. What makes that enough: see `ring` SETTLE and `fence`. Under SYM
//! they take the cold path each time, which fences; once that is SETTLED a waiter needs no process-wide barrier.

use crate::stats::{Event, Meter};
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::labels::labels;
use crate::sync::point::{Point, at};
use crate::wake::{Call, Wake, WakePolicy, decide};
use crate::{fence, futex};
#[cfg(feature = "std")]
use crate::{fence::Ordered, ring::Found, sync::time::Deadline};
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
    ABANDON: Release, pairs "IS_GONE",
        why "whoever discards after the last receiver's end goes on where that one stopped",
        model "close_receivers_slow";
    IS_GONE: Acquire, pairs "ABANDON",
        why "whoever discards after the last receiver's end goes on where that one stopped",
        model "close_receivers_slow";
    SERVE: Fence, pairs "SERVE, WOKEN, fence::heavy",
        why "of two that look at each other's slot or grant, one sees the other's; SYM pipes' store-load fence",
        model "gate_1p2c, gate_first_sym, gate_1p1c_sym, gate_first_spsc_sym, close_receivers_sym, sym_switch, \
               sym_back";
    WOKEN: Fence, pairs "SERVE",
        why "a publisher that was told `in flight` by our grant has published before we look",
        model "timeout_1p2c";
    RELOOK: Step, pairs "fence::heavy",
        why "the claimer may have published and looked before the heavy fence",
        model "gate_first, gate_first_spsc";
    NUDGE: Step, pairs "-",
        why "should the one in flight never run, the next one is woken by whoever depends on it",
        model "frozen_receiver, frozen_receiver_edge, frozen_sender, frozen_sender_edge";
    INSIST: Step, pairs "BUMP",
        why "a waker suspended between its grant and its futex call holds nobody up but whom it chose",
        model "frozen_waker";
    RECHECK: Step, pairs "SERVE",
        why "what came between the first look and the announcement woke nobody",
        model "gate_first, gate_first_sym, gate_first_spsc";
    SETTLE_SYM: Release, pairs "HEAVY_SYM",
        why "whoever trusts SYM sees all that was published before the barrier that came between",
        model "sym_switch";
    GRANT_FIRST: Step, pairs "-",
        why "a thread that gives up takes the grant whose futex wake it may have had",
        model "gate_1p2c, timeout_1p2c";
}

/// What this gate's sleepers wait for will never come.
pub(crate) const CLOSED: u64 = 1 << 0;
/// Nobody will ever sleep here: whoever published here may have to discard.
pub(crate) const GONE: u64 = 1 << 1;
/// A discarder has seen everything (close-and-drain, a later issue).
#[allow(dead_code)]
pub(crate) const DRAINED: u64 = 1 << 2;
/// Whoever looks has to fence: there is no process-wide barrier, or this gate's waiters would need it too often.
const SYM: u64 = 1 << 3;
/// Others than threads want to be told (wakers, select: later issues).
pub(crate) const OBSERVERS: u64 = 1 << 4;
/// A barrier has come between SYM and now: whoever looked before it without a fence has published before it.
const SETTLED: u64 = 1 << 5;
const SLEEPER: u64 = 1 << 6;
const GRANT: u64 = 1 << 32;
const COUNT: u64 = (1 << 26) - 1;
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
    /// Whose sleepers wait for peers with an `exclusive` cursor, or for others.
    pub(crate) fn new(exclusive: bool) -> Self {
        let word = if fence::born_sym(exclusive) { SYM | SETTLED } else { 0 };
        Self { word: AtomicU64::new(word), epoch: futex::Word::new() }
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

    /// Nobody will sleep here any more: whoever publishes and does not see that has published before this call returns,
    /// where the system has a barrier, as it had promised.
    pub(crate) fn abandon(&self) {
        let word = self.word.fetch_or(GONE, ABANDON.order());
        let _ = fence::heavy(word & SETTLED != 0);
    }

    /// Whether nobody will ever sleep here.
    pub(crate) fn is_gone(&self) -> bool {
        self.word.load(IS_GONE.order()) & GONE != 0
    }

    /// Before serving: whatever this thread did is seen by whom it does not see asleep.
    pub(crate) fn before_serving() {
        SERVE.fence();
    }

    /// Wakes whom the policy says, if the slot at their cursor is `ready`; after [`before_serving`](Self::before_serving).
    pub(crate) fn serve(&self, policy: WakePolicy, call: Call, ready: impl Fn() -> bool, meter: &Meter) {
        let mut word = self.look();
        loop {
            let wake = decide(policy, call, sleepers(word), granted(word), &ready);
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
                    let woken = if wake == Wake::All { self.epoch.wake_all() } else { self.epoch.wake_one() };
                    meter.count(Event::Wake);
                    if !woken {
                        meter.count(Event::MissedWake);
                    }
                    return;
                }
            }
        }
    }

    /// A peer can go on no more: wakes one sleeper whatever is in flight, so that nobody depends on that one.
    pub(crate) fn nudge(&self, ready: impl Fn() -> bool, meter: &Meter) {
        if NUDGE.kept() && self.look() & CALLS != 0 {
            Self::before_serving();
            self.serve(WakePolicy::Each, Call::Stuck, ready, meter);
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

/// Until when a thread may sleep.
#[cfg(feature = "std")]
struct Rest(Deadline);

#[cfg(feature = "std")]
impl Rest {
    /// As long as it likes: whoever brings something sees its announcement.
    fn until(deadline: Deadline, _: Ordered) -> Self {
        Self(deadline)
    }
}

/// The sleepers' half.
#[cfg(feature = "std")]
impl Gate {
    /// Sleeps until a grant or the closing, unless `find` finds something after the announcement. False: the
    /// deadline passed. Whatever the answer, the caller looks at the ring once more; it may hold a grant.
    pub(crate) fn wait(&self, deadline: Deadline, find: impl Fn() -> Found, meter: &Meter) -> bool {
        // Relaxed: SETTLE or the heavy fence in the re-check shows it to publishers.
        self.word.fetch_add(SLEEPER, Relaxed);
        at(Point::Announced);
        let in_time = self.sleep(deadline, &find, meter);
        let woken = self.leave();
        WOKEN.fence();
        at(Point::Woken);
        if meter.counts() && woken && find() != Found::Ready {
            meter.count(Event::FutileWake);
        }
        in_time
    }

    /// The re-check: until when this thread may sleep, having seen `word`. Until the deadline, if nothing is there and
    /// whoever brings it will see the announcement; not at all, if something is there.
    fn rest(&self, word: u64, deadline: Deadline, find: impl Fn() -> Found) -> Option<Rest> {
        if !RECHECK.kept() {
            return Some(Rest(deadline));
        }
        match find() {
            Found::Ready => None,
            Found::Nothing(ordered) => Some(Rest::until(deadline, ordered)),
            Found::Unseen => match fence::heavy(word & SETTLED != 0) {
                // The peer may have looked already, with what it published still on its way.
                Some(ordered) => {
                    (find() != Found::Ready || !RELOOK.kept()).then(|| Rest::until(deadline, ordered))
                }
                // No barrier, though the system had promised one: look again now and then.
                None => deadline.nap(NAP).map(Rest),
            },
        }
    }

    /// Sleeps until there is a reason to leave. Each turn re-checks: a thread whose grant was taken by another is
    /// announced anew, and whoever published meanwhile may have counted on that grant.
    fn sleep(&self, deadline: Deadline, find: impl Fn() -> Found, meter: &Meter) -> bool {
        loop {
            let epoch = self.epoch.load(EPOCH.order());
            let word = self.look();
            if granted(word) > 0 || word & CLOSED != 0 {
                return true;
            }
            if deadline.passed() {
                return false;
            }
            let Some(Rest(until)) = self.rest(word, deadline, &find) else {
                return true;
            };
            meter.count(Event::Park);
            self.epoch.wait(epoch, until);
        }
    }

    /// Takes the announcement back: as a grant, if there is one. Whether there was.
    fn leave(&self) -> bool {
        let grant = |word| granted(word) > 0 && (GRANT_FIRST.kept() || sleepers(word) == 0);
        let left = |word| Some(word - if grant(word) { GRANT } else { SLEEPER });
        // Relaxed: counts; WOKEN orders what follows.
        self.word.fetch_update(Relaxed, Relaxed, left).is_ok_and(grant)
    }

    /// Takes this gate's fences from its waiters, who park too often for a barrier each time, to its publishers. Should
    /// the barrier fail nothing changes; nor does anything if another thread is about it.
    pub(crate) fn go_sym(&self) {
        // Relaxed: a publisher that sees it fences; for one that does not there is the barrier. Only who set SYM goes on:
        // another might settle what has been cleared meanwhile.
        if self.look() & SYM != 0 || self.word.fetch_or(SYM, Relaxed) & SYM != 0 {
            return;
        }
        if fence::barrier() {
            self.word.fetch_or(SETTLED, SETTLE_SYM.order());
        } else {
            self.word.fetch_and(!SYM, Relaxed); // Relaxed: nobody trusted it yet
        }
    }

    /// And back, both bits at once: who announces from here on pays for the barrier again, and who announced before is
    /// seen in this very word.
    pub(crate) fn go_light(&self) {
        let light = |word| (word & (SYM | SETTLED) == SYM | SETTLED).then_some(word & !(SYM | SETTLED));
        // Relaxed: see there.
        let _ = self.word.fetch_update(Relaxed, Relaxed, light);
    }

    /// Whether this gate went SYM, and may go back.
    pub(crate) fn fences_for_a_while(&self) -> bool {
        self.look() & SETTLED != 0 && !fence::born_sym(true)
    }
}
