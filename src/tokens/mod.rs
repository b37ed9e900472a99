//! A pool of tokens: idle ones are bits of a word, those who wait stand in a line.
//!
//! ```text
//! acquire ─► a bit, by compare-exchange ─► the token            Token's drop ─► the bit, by an addition ─► nobody waits
//!              │ none there, or a line                                            │ a line
//!              └ lock: pass the line while that may be,                           └ lock ─► let go
//!                else join it, look, sleep, look again
//! ```
//!
//! **Let go** is the only way out of the line's lock, and it leaves the line settled: the first was handed a token if it may be
//! passed no more and there was one, and as many waiters are awake, or called, as tokens are idle. So nobody sleeps beside a
//! token that is not another's who has been called. Between the lock and who needs none stands one bit in the tokens' own
//! words: a give that does not see it came before the line's own look, in that word's one order.

mod idle;
mod line;

use crate::lockref::LockrefCell;
use crate::sync::labels::labels;
use crate::sync::point::{Point, at};
use crate::sync::time::Deadline;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::time::Duration;
use idle::{Idle, Number};
use line::{Held, Line};
use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

labels! { "tokens";
    GIVE: Release, pairs "GOT",
        why "all that a token's holder did is before what its next holder does",
        model "tokens_2t1";
    GOT: Acquire, pairs "GIVE",
        why "all that a token's holder did is before what its next holder does",
        model "tokens_2t1";
    HAND: Release, pairs "HANDED",
        why "the same for a token that is handed over",
        model "tokens_handed";
    HANDED: Acquire, pairs "HAND",
        why "the same for a token that is handed over",
        model "tokens_handed";
    LINE_UP: Step, pairs "GIVE",
        why "whoever gives a token back after the newcomer's look sees that somebody waits",
        model "tokens_2t1";
    CALL_LINE: Step, pairs "LINE_UP",
        why "who gives a token back calls a sleeper for it",
        model "tokens_2t1, tokens_3t1, tokens_timeout";
    DUE: Step, pairs "-",
        why "the first in the line is handed a token once it may be passed no more",
        model "tokens_handed";
}

/// The state of a pool.
struct Pool {
    idle: Idle,
    line: LockrefCell<Line>,
    bytes: Box<[u8]>,
}

impl Pool {
    #[inline]
    fn take(&self, deadline: Deadline) -> Option<Number> {
        self.idle.take().or_else(|| self.wait(deadline))
    }

    fn try_take(&self) -> Option<Number> {
        self.idle.take().or_else(|| self.try_pass())
    }

    #[cold]
    fn try_pass(&self) -> Option<Number> {
        // Without a line it was simply not there.
        let mut line = self.idle.has_line().then(|| self.line.try_lock())??;
        let token = self.pass(&mut line);
        self.let_go(line);
        token
    }

    /// Takes a token past those who wait, if they may be passed.
    fn pass(&self, line: &mut Line) -> Option<Number> {
        if line.is_due() {
            return None;
        }
        let token = self.idle.take_past()?;
        line.pass();
        Some(token)
    }

    /// Past the line, or through it.
    #[cold]
    fn wait(&self, deadline: Deadline) -> Option<Number> {
        let mut line = self.line.lock();
        let token = self.pass(&mut line);
        if token.is_some() || deadline.passed() {
            self.let_go(line);
            return token;
        }
        let waiter = Line::join(&mut line);
        self.idle.line_up();
        let mut in_time = true;
        while let Some(nth) = line.find(&waiter) {
            let token = if nth == 0 { self.idle.take_past() } else { self.pass(&mut line) };
            if token.is_some() || !in_time {
                // The last look and the leaving are one step: who gives up leaves no token beside those behind it.
                Line::leave(&mut line, nth);
                self.let_go(line);
                return token;
            }
            let calls = line.rest(nth);
            self.let_go(line);
            at(Point::Announced);
            in_time = waiter.sleep(calls, deadline);
            at(Point::Woken);
            let handed = waiter.handed();
            if handed.is_some() {
                return handed;
            }
            line = self.line.lock();
        }
        // Out of the line: it was handed one meanwhile.
        self.let_go(line);
        waiter.handed()
    }

    #[inline]
    fn give(&self, token: Number) {
        if self.idle.give(token) {
            self.call();
        }
    }

    #[cold]
    fn call(&self) {
        if CALL_LINE.kept() {
            self.let_go(self.line.lock());
        }
    }

    /// The only way out of the lock: see the module's head.
    fn let_go(&self, mut line: Held<'_>) {
        let mut to_rouse = Vec::new();
        while line.is_due() {
            let Some(token) = self.idle.take_past() else { break };
            to_rouse.push(Line::hand_over(&mut line, token));
        }
        if line.is_empty() {
            self.idle.break_up();
        } else {
            line.call(self.idle.len(), &mut to_rouse);
        }
        drop(line);
        to_rouse.iter().for_each(|waiter| waiter.rouse());
    }
}

/// A pool of tokens, as make's jobserver has one: who wants to run a job takes a token, and gives it back when the job is done.
///
/// A handle; clones are handles of the same pool. Each token carries a byte, which means something to its users only.
///
/// # Who waits
///
/// Who finds no token idle joins a line. A thread that comes while others wait may still take a token past them, since one that
/// runs already wastes no switch of threads; but **nobody who waits is passed more than 64 times**: then the first in the
/// line is handed the next token, and until it is, nobody else gets one. (A call that began before the waiter joined passes
/// nobody.) No thread sleeps while a token is idle, unless another thread has been woken for that token and has not run yet (or
/// is about to be, by one that is suspended just before the system call);
/// of such a thread the rest of the line waits for 64 takes at most. It costs them one token then, the one in its hands.
///
/// There is no call that waits until a token is *ready*: another thread may take it in between, so that readiness would be a
/// hint, and who trusts it and then waits for a token waits for ever when it was the last (GNU make has had that bug).
/// `try_acquire` asks and takes in one step; `acquire_timeout` waits and takes in one.
///
/// # Progress
///
/// | call | class |
/// |---|---|
/// | `try_acquire` | lock-free: each extra turn is another thread's take or give; with a line its lock is tried once |
/// | `acquire`, `acquire_timeout`, with a token idle and no line | the same |
/// | the same, otherwise | may wait for a token, asleep, and for the line's lock, which is held for some instructions, and one for each 63 tokens |
/// | a token's drop | wait-free (one instruction, where the machine has it) while nobody waits; with a line takes its lock |
/// | `len`, `capacity`, `clone` | wait-free |
///
/// ```
/// use hornpipe::TokenPool;
/// use std::thread;
/// let pool = TokenPool::new(2); // two jobs at once
/// let jobs: Vec<_> = (0..8)
///     .map(|job| {
///         let pool = pool.clone();
///         thread::spawn(move || {
///             let _token = pool.acquire();
///             job * job
///         })
///     })
///     .collect();
/// assert_eq!(jobs.into_iter().map(|job| job.join().unwrap()).sum::<i32>(), 140);
/// assert_eq!(pool.len(), 2); // all are back
/// ```
#[derive(Clone)]
pub struct TokenPool(Arc<Pool>);

impl TokenPool {
    /// As many tokens as a pool may have: the bytes that Linux's pipes hold, unless told otherwise.
    pub const MAX: usize = 65_536;

    /// A pool of so many tokens, each with the byte `+`, as make's are.
    ///
    /// # Panics
    /// `tokens` is 0 or above [`MAX`](Self::MAX).
    ///
    /// ```
    /// let pool = hornpipe::TokenPool::new(3);
    /// assert_eq!((pool.len(), pool.capacity()), (3, 3));
    /// assert_eq!(pool.acquire().byte(), b'+');
    /// ```
    #[track_caller]
    pub fn new(tokens: usize) -> Self {
        Self::of(core::iter::repeat_n(b'+', tokens.min(Self::MAX + 1)).collect())
    }

    /// A pool of one token for each byte. Which of the idle tokens comes next is not said.
    ///
    /// # Panics
    /// There are no bytes, or more than [`MAX`](Self::MAX).
    ///
    /// ```
    /// let pool = hornpipe::TokenPool::from_bytes(*b"ab");
    /// let mut bytes = [pool.acquire(), pool.acquire()].map(|token| token.byte());
    /// bytes.sort();
    /// assert_eq!(bytes, *b"ab");
    /// ```
    #[track_caller]
    pub fn from_bytes(bytes: impl IntoIterator<Item = u8>) -> Self {
        Self::of(bytes.into_iter().take(Self::MAX + 1).collect())
    }

    #[track_caller]
    fn of(bytes: Box<[u8]>) -> Self {
        assert!(!bytes.is_empty(), "a token pool has at least one token");
        assert!(bytes.len() <= Self::MAX, "a token pool has at most {} tokens", Self::MAX);
        Self(Arc::new(Pool { idle: Idle::new(bytes.len()), line: Line::new(), bytes }))
    }

    /// Takes a token; waits for one.
    ///
    /// Waits for ever where none will be given back: who has all tokens itself waits for itself.
    ///
    /// ```
    /// let pool = hornpipe::TokenPool::new(1);
    /// let token = pool.acquire();
    /// assert!(pool.try_acquire().is_none());
    /// drop(token);
    /// assert!(pool.try_acquire().is_some());
    /// ```
    #[inline]
    pub fn acquire(&self) -> Token {
        let token = self.0.take(Deadline::NEVER);
        self.token(token.expect("it never gives up"))
    }

    /// Takes a token if one is idle, and nobody who waits for it was passed 64 times; never waits.
    ///
    /// While others wait it may also answer `None` because the line's lock was held at that moment. (In a pool of more than
    /// 63 tokens it looks at 63 at a time: `None` says that each was in use when it was looked at.)
    ///
    /// ```
    /// let pool = hornpipe::TokenPool::new(1);
    /// let token = pool.try_acquire().expect("it is idle");
    /// assert!(pool.try_acquire().is_none());
    /// # drop(token);
    /// ```
    #[inline]
    pub fn try_acquire(&self) -> Option<Token> {
        self.0.try_take().map(|token| self.token(token))
    }

    /// Takes a token; waits for one, but no longer than `timeout`. Zero never sleeps, and may wait for the
    /// line's lock, which `try_acquire` does not. (A duration that the clock cannot express is for ever.)
    ///
    /// ```
    /// use std::time::Duration;
    /// let pool = hornpipe::TokenPool::new(1);
    /// let token = pool.acquire();
    /// assert!(pool.acquire_timeout(Duration::from_millis(1)).is_none());
    /// # drop(token);
    /// ```
    #[inline]
    pub fn acquire_timeout(&self, timeout: Duration) -> Option<Token> {
        // The clock is read only where there is something to wait for.
        let token = self.0.idle.take().or_else(|| self.0.wait(Deadline::after(timeout)));
        token.map(|token| self.token(token))
    }

    /// Tokens that are idle. It may be old when it is returned.
    pub fn len(&self) -> usize {
        self.0.idle.len()
    }

    /// Whether no token is idle. It may be old when it is returned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tokens that it was made with.
    pub fn capacity(&self) -> usize {
        self.0.bytes.len()
    }

    #[inline]
    fn token(&self, number: Number) -> Token {
        Token { pool: self.clone(), number }
    }

    /// Wakes those who wait for no reason, as a signal may: they look at their calls and deadlines and sleep on.
    #[cfg(any(hornpipe_hooks, hornpipe_loom))]
    #[doc(hidden)]
    pub fn disturb(&self) {
        self.0.line.lock().disturb();
    }
}

impl fmt::Debug for TokenPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenPool")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("waiting", &self.0.line.refs().count())
            .finish_non_exhaustive()
    }
}

/// A token of a [`TokenPool`], which goes back when this is dropped, by whichever thread, also by one that panics.
///
/// It keeps its pool alive, whatever becomes of the handles. Forgotten (`mem::forget`), it is one token less for good.
///
/// ```
/// let pool = hornpipe::TokenPool::new(1);
/// let token = pool.acquire();
/// std::thread::spawn(move || drop(token)).join().unwrap();
/// assert_eq!(pool.len(), 1);
/// ```
#[must_use = "the token goes back when it is dropped: keep it, `let _token = ..` (`let _ = ..` drops it at once)"]
pub struct Token {
    pool: TokenPool,
    number: Number,
}

impl Token {
    /// The byte that it carries.
    pub fn byte(&self) -> u8 {
        self.pool.0.bytes[self.number as usize]
    }
}

impl Drop for Token {
    #[inline]
    fn drop(&mut self) {
        self.pool.0.give(self.number);
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("byte", &char::from(self.byte())).finish_non_exhaustive()
    }
}

// A pool holds no user's value, and its own state is whole whenever something could panic.
impl UnwindSafe for TokenPool {}
impl RefUnwindSafe for TokenPool {}
impl UnwindSafe for Token {}
impl RefUnwindSafe for Token {}
