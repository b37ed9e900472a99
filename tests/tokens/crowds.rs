//! Many threads: no more tokens out than there are, all back at the end, nobody passed too often or for too long.

use super::calls::take_all;
use crate::support::{Random, eventually, ms, peer, sized, watchdog};
use hornpipe::TokenPool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// As often as who waits may be passed.
const PASSES: u64 = 64;

/// Each byte has one holder at a time, whichever calls they came by, also when holders panic or hand their tokens to other
/// threads; at the end all bytes are back.
#[test]
fn no_token_is_lost_or_doubled() {
    watchdog(120, || {
        for (tokens, threads) in [(1, 2), (1, 6), (3, 6), (8, 32), (70, 80)] {
            let bytes: Vec<u8> = (0..tokens).collect();
            let pool = TokenPool::from_bytes(bytes.clone());
            let held: Arc<[AtomicBool]> = bytes.iter().map(|_| AtomicBool::new(false)).collect();
            let crowd: Vec<_> = (0..threads)
                .map(|seed| {
                    let (pool, held) = (pool.clone(), held.clone());
                    thread::spawn(move || {
                        let mut random = Random::new(seed);
                        for _ in 0..sized(8_000 / threads as usize, 4) {
                            let token = match random.below(4) {
                                0 => pool.try_acquire(),
                                1 => pool.acquire_timeout(Duration::from_micros(random.below(300))),
                                _ => Some(pool.acquire()),
                            };
                            let Some(token) = token else { continue };
                            let byte = usize::from(token.byte());
                            assert!(!held[byte].swap(true, SeqCst), "token {byte} was given twice");
                            random.dawdle();
                            assert!(held[byte].swap(false, SeqCst));
                            match random.below(20) {
                                0 => thread::spawn(move || drop(token)).join().unwrap(),
                                1 => assert!(
                                    catch_unwind(AssertUnwindSafe(|| {
                                        let _token = token;
                                        std::panic::resume_unwind(Box::new("a holder"));
                                    }))
                                    .is_err()
                                ),
                                _ => drop(token),
                            }
                        }
                    })
                })
                .collect();
            crowd.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(take_all(&pool), bytes);
            assert!(format!("{pool:?}").contains("waiting: 0"), "{pool:?}");
        }
    });
}

/// One waits; then others take the only token and give it back without end, by all calls: it is passed 64 times at most. (With
/// one token it is known who had it before whom.)
#[test]
fn nobody_is_passed_more_than_64_times() {
    watchdog(120, || {
        let mut most = 0;
        for (turn, others) in (0..sized(100, 2)).flat_map(|turn| [1, 2, 6].map(|others| (turn, others))) {
            let pool = TokenPool::new(1);
            let token = pool.acquire();
            let (got, passed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
            let waiter = {
                let (pool, got) = (pool.clone(), got.clone());
                peer(move || {
                    let _token = pool.acquire();
                    got.store(true, SeqCst);
                })
            };
            eventually("it is in the line", || format!("{pool:?}").contains("waiting: 1"));
            let crowd: Vec<_> = (0..others)
                .map(|own| {
                    let (pool, got, passed) = (pool.clone(), got.clone(), passed.clone());
                    thread::spawn(move || {
                        while !got.load(SeqCst) {
                            let token = match (turn + own) % 3 {
                                0 => pool.try_acquire(),
                                1 => pool.acquire_timeout(Duration::from_micros(50)),
                                _ => Some(pool.acquire()),
                            };
                            // With the token in our hands.
                            if token.is_some() && !got.load(SeqCst) {
                                passed.fetch_add(1, SeqCst);
                            }
                        }
                    })
                })
                .collect();
            drop(token);
            waiter.join();
            crowd.into_iter().for_each(|thread| thread.join().unwrap());
            let passed = passed.load(SeqCst);
            assert!(passed <= PASSES, "passed {passed} times by {others}");
            most = most.max(passed);
        }
        println!("passed {most} times at most");
    });
}

/// scenario_62's pool: 8 tokens and 32 threads for some seconds. No wait of a second, never more than 8 out, and all back.
#[test]
fn scenario_62_eight_tokens_for_thirty_two() {
    watchdog(60, || {
        let (tokens, threads) = (8, 32);
        let pool = TokenPool::new(tokens);
        let out = Arc::new(AtomicUsize::new(0));
        let start = Instant::now();
        let waits = Arc::new(Mutex::new(Vec::new()));
        let crowd: Vec<_> = (0..threads)
            .map(|seed| {
                let (pool, out, waits) = (pool.clone(), out.clone(), waits.clone());
                thread::spawn(move || {
                    let mut random = Random::new(seed);
                    let (mut longest, mut jobs) = (Duration::ZERO, 0u64);
                    while start.elapsed() < ms(sized(3_000, 50) as u64) {
                        let before = Instant::now();
                        let token = pool.acquire();
                        longest = longest.max(before.elapsed());
                        assert!(out.fetch_add(1, SeqCst) < tokens);
                        random.dawdle();
                        out.fetch_sub(1, SeqCst);
                        drop(token);
                        jobs += 1;
                    }
                    waits.lock().unwrap().push((longest, jobs));
                })
            })
            .collect();
        crowd.into_iter().for_each(|thread| thread.join().unwrap());
        let waits = waits.lock().unwrap();
        let longest = waits.iter().map(|wait| wait.0).max().unwrap();
        println!("longest wait {longest:?}, fewest jobs {:?}", waits.iter().map(|wait| wait.1).min());
        assert!(cfg!(miri) || longest < Duration::from_secs(1), "a wait of {longest:?}");
        assert_eq!((pool.len(), waits.len()), (tokens, 32));
    });
}

/// scenario_63: two threads, one token. There is no call that says "ready"; who looks first (`len`) and then asks without
/// waiting gets on, though the other may take the token in between.
#[test]
fn scenario_63_readiness_is_a_hint() {
    watchdog(60, || {
        let pool = TokenPool::new(1);
        let threads = [(); 2].map(|()| {
            let pool = pool.clone();
            peer(move || {
                let (mut taken, mut missed) = (0, 0);
                while taken < sized(2_000, 20) {
                    if pool.is_empty() {
                        thread::yield_now();
                    } else if let Some(_token) = pool.try_acquire() {
                        taken += 1;
                    } else {
                        missed += 1;
                    }
                }
                missed
            })
        });
        let missed = threads.map(|thread| thread.join());
        println!("ready, and then taken by the other: {missed:?}");
        assert_eq!(pool.len(), 1);
    });
}
