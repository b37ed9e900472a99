//! One thread, and one that waits: answers, ends of the range, panics, timeouts, CPU time.

use crate::support::{all_asleep, at_most, cpu_time, eventually, ms, peer, sized, watchdog};
use hornpipe::{Token, TokenPool};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The oracle: a semaphore of bytes behind a mutex.
struct Semaphore(Mutex<Vec<u8>>, Condvar);

impl Semaphore {
    fn try_acquire(&self) -> Option<u8> {
        self.0.lock().unwrap().pop()
    }

    fn acquire_timeout(&self, timeout: Duration) -> Option<u8> {
        let (mut idle, _) =
            self.1.wait_timeout_while(self.0.lock().unwrap(), timeout, |idle| idle.is_empty()).unwrap();
        idle.pop()
    }

    fn give(&self, byte: u8) {
        self.0.lock().unwrap().push(byte);
        self.1.notify_one();
    }
}

#[derive(Clone, Copy, Debug)]
enum Call {
    /// Only if it will not wait.
    Acquire,
    TryAcquire,
    AcquireTimeout,
    /// Of the tokens out, this one modulo how many there are.
    Give(usize),
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sized(256, 4) as u32) })]

    /// Any sequence of calls: a token where the oracle has one, none where it has none, and never a byte that is not idle.
    #[test]
    fn calls_answer_as_the_oracle(
        tokens in prop::sample::select(&[1, 2, 8, 62, 63, 64, 130][..]),
        calls in prop::collection::vec(
            prop_oneof![
                Just(Call::Acquire), Just(Call::TryAcquire), Just(Call::AcquireTimeout),
                (0..200usize).prop_map(Call::Give),
            ],
            0..300,
        ),
    ) {
        let bytes: Vec<u8> = (0..tokens).collect();
        let pool = TokenPool::from_bytes(bytes.clone());
        let oracle = Semaphore(Mutex::new(bytes.clone()), Condvar::new());
        let mut out: Vec<(Token, u8)> = Vec::new();
        for call in calls {
            let (ours, theirs) = match call {
                Call::Acquire if pool.is_empty() => continue,
                Call::Acquire => (Some(pool.acquire()), oracle.try_acquire()),
                Call::TryAcquire => (pool.try_acquire(), oracle.try_acquire()),
                Call::AcquireTimeout => {
                    (pool.acquire_timeout(Duration::ZERO), oracle.acquire_timeout(Duration::ZERO))
                }
                Call::Give(_) if out.is_empty() => continue,
                Call::Give(nth) => {
                    let (token, byte) = out.swap_remove(nth % out.len());
                    drop(token);
                    oracle.give(byte);
                    continue;
                }
            };
            prop_assert_eq!(ours.is_some(), theirs.is_some(), "{:?}", call);
            out.extend(ours.zip(theirs));
            prop_assert_eq!(pool.len(), oracle.0.lock().unwrap().len());
            let mut held: Vec<u8> = out.iter().map(|(token, _)| token.byte()).collect();
            held.sort_unstable();
            held.dedup();
            prop_assert_eq!(held.len(), out.len(), "a byte is out twice");
        }
        drop(out);
        prop_assert_eq!(take_all(&pool), bytes);
    }
}

/// The bytes of all idle tokens, in order. (And back.)
pub fn take_all(pool: &TokenPool) -> Vec<u8> {
    let tokens: Vec<Token> = std::iter::from_fn(|| pool.try_acquire()).collect();
    let mut bytes: Vec<u8> = tokens.iter().map(Token::byte).collect();
    bytes.sort_unstable();
    bytes
}

/// Sizes that no pool has are refused with a sentence, at once.
#[test]
fn sizes_out_of_range_are_refused() {
    let refused = |make: fn() -> TokenPool| {
        let panic = catch_unwind(make).unwrap_err();
        panic
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap().to_string())
    };
    assert!(refused(|| TokenPool::new(0)).contains("at least one token"));
    assert!(refused(|| TokenPool::from_bytes([])).contains("at least one token"));
    assert!(refused(|| TokenPool::new(usize::MAX)).contains("at most 65536"));
    assert!(refused(|| TokenPool::from_bytes(std::iter::repeat(1))).contains("at most 65536"));
    let most = TokenPool::new(TokenPool::MAX);
    assert_eq!((most.len(), most.capacity()), (TokenPool::MAX, TokenPool::MAX));
    assert_eq!(most.acquire().byte(), b'+');
}

/// Tokens and handles may go in any order, and the last of them takes the pool along; a handle sees what others give back.
#[test]
fn pools_and_tokens_go_in_any_order() {
    let pool = TokenPool::from_bytes(*b"xy");
    let (clone, token) = (pool.clone(), pool.acquire());
    drop(pool);
    let other = clone.acquire();
    assert!(clone.try_acquire().is_none() && clone.is_empty());
    drop(token);
    assert_eq!(clone.len(), 1);
    drop(clone);
    let byte = other.byte();
    assert!(b"xy".contains(&byte), "the token still knows its byte");
    drop(other);
}

/// A forgotten token lowers what is there, and nothing else.
#[test]
fn a_forgotten_token_is_one_less() {
    let pool = TokenPool::from_bytes(*b"abc");
    std::mem::forget(pool.acquire());
    assert_eq!((pool.len(), pool.capacity()), (2, 3));
    assert_eq!(take_all(&pool).len(), 2);
}

/// A holder that panics gives its token back.
#[test]
fn a_panic_gives_the_token_back() {
    let pool = TokenPool::new(1);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _token = pool.acquire();
        panic!("with a token");
    }));
    assert!(panic.is_err());
    assert_eq!(pool.len(), 1);
}

/// A timed call ends when it said, without a token, and takes one that is there whatever the time; a very long one waits.
#[test]
fn timeouts() {
    watchdog(60, || {
        let pool = TokenPool::new(1);
        assert!(pool.acquire_timeout(Duration::ZERO).is_some(), "it is there");
        let token = pool.acquire();
        assert!(pool.acquire_timeout(Duration::ZERO).is_none());
        let start = Instant::now();
        assert!(pool.acquire_timeout(ms(30)).is_none());
        assert!(start.elapsed() >= ms(30));
        assert!(format!("{pool:?}").contains("waiting: 0"), "it left the line: {pool:?}");
        for long in [Duration::MAX, Duration::from_secs(u64::MAX / 2), Duration::from_secs(1 << 62)] {
            let waiter = {
                let pool = pool.clone();
                peer(move || pool.acquire_timeout(long).is_some())
            };
            waiter.asleep();
            drop(waiter); // it goes on by itself
        }
        drop(token);
        eventually("all three are served", || pool.len() == 1);
    });
}

/// Who waits uses no CPU, and is there in the line.
#[test]
fn waiters_sleep() {
    watchdog(60, || {
        let pool = TokenPool::new(1);
        let token = pool.acquire();
        let waiters = [(); 4].map(|()| {
            let pool = pool.clone();
            peer(move || {
                let before = cpu_time();
                drop(pool.acquire());
                cpu_time() - before
            })
        });
        all_asleep(&waiters);
        assert!(format!("{pool:?}").contains("len: 0, capacity: 1, waiting: 4"), "{pool:?}");
        thread::sleep(ms(200));
        drop(token);
        let used = waiters.map(|waiter| waiter.join());
        assert!(used.iter().all(|used| *used < at_most(ms(20))), "asleep for 200 ms, {used:?} of CPU");
        assert_eq!(pool.len(), 1);
    });
}

/// Those in the line are served in the order in which they came, as long as nobody passes them.
#[test]
fn the_line_is_first_in_first_out() {
    watchdog(60, || {
        let pool = TokenPool::new(1);
        let token = pool.acquire();
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiters: Vec<_> = (0..5)
            .map(|nth| {
                let (pool, order) = (pool.clone(), order.clone());
                let waiter = peer(move || {
                    let _token = pool.acquire();
                    order.lock().unwrap().push(nth);
                });
                waiter.asleep();
                waiter
            })
            .collect();
        drop(token);
        waiters.into_iter().for_each(|waiter| waiter.join());
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
    });
}

/// What is shown says what there is.
#[test]
fn they_can_be_shown() {
    let pool = TokenPool::from_bytes(*b"q");
    let token = pool.acquire();
    assert_eq!(
        format!("{pool:?} {token:?}"),
        "TokenPool { len: 0, capacity: 1, waiting: 0, .. } Token { byte: 'q', .. }"
    );
}
