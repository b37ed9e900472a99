//! F. CPU use and fairness, as far as a test can hold it without hooks. The limits are wide: machines are shared.

use crate::support::{
    Config, Kind, Receives, Sends, WAKES, all_configs, at_most, each, join_all, ms, on_each_ring, once_of,
    peer, sized, watchdog, within,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

/// Two threads on one CPU, where Linux can bind them to it.
#[cfg(all(target_os = "linux", not(miri)))]
mod one_cpu {
    use crate::support::{Config, once_of, peer, sleepy, thread_id, watchdog};
    use hornpipe::WakePolicy;
    use std::process::Command;
    use std::time::{Duration, Instant};

    /// Binds the calling thread to the first CPU; false if that cannot be done here.
    fn bind_to_one_cpu() -> bool {
        let id = thread_id().to_string();
        let allowed = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
        let list = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0");
        let first = list.trim().split([',', '-']).next().unwrap_or("0");
        Command::new("taskset").args(["-cp", first, &id]).output().is_ok_and(|output| output.status.success())
    }

    /// The time for `rounds` of ping-pong over two pipes of capacity 1, both threads on one CPU.
    fn ping_pong_on_one_cpu(config: Config, rounds: usize) -> Option<Duration> {
        peer(move || {
            // A thread started from here stays on the same CPU, and pipes are built knowing it.
            bind_to_one_cpu().then(|| {
                let (ping_tx, ping_rx) = config.pipe(1);
                let (pong_tx, pong_rx) = config.pipe(1);
                let other = peer(move || ping_rx.iter().for_each(|n| pong_tx.send(n).unwrap()));
                let start = Instant::now();
                for n in 0..rounds {
                    ping_tx.send(n).unwrap();
                    assert_eq!(pong_rx.recv(), Ok(n));
                }
                let took = start.elapsed();
                drop(ping_tx);
                other.join();
                took
            })
        })
        .join()
    }

    /// Spinning and yielding made a ping-pong twenty times slower when both threads shared a CPU: with its default budget
    /// it takes at most three times what it takes without any.
    #[test]
    fn scenario_58_one_cpu() {
        watchdog(60, || {
            once_of(3, || {
                let rounds = 5_000;
                let (Some(bare), Some(default)) = (
                    ping_pong_on_one_cpu(sleepy(WakePolicy::default()), rounds),
                    ping_pong_on_one_cpu(Config::default(), rounds),
                ) else {
                    eprintln!("no taskset here: not measured");
                    return Ok(());
                };
                if default < bare * 3 {
                    Ok(())
                } else {
                    Err(format!("{default:?} against {bare:?} without a budget"))
                }
            });
        });
    }
}

/// Items a second with `threads` threads, half of them on each side of a pipe of four.
fn crowd_speed(threads: usize, items: usize) -> f64 {
    let (tx, rx) = Config::default().pipe(4);
    let half = threads / 2;
    let start = Instant::now();
    let receivers: Vec<_> = (0..half)
        .map(|_| {
            let rx = rx.clone();
            peer(move || rx.iter().count())
        })
        .collect();
    let senders: Vec<_> = (0..half)
        .map(|_| {
            let tx = tx.clone();
            peer(move || within(ms(1_000), 0..items / half).map(|n| tx.send(n).unwrap()).count())
        })
        .collect();
    drop((tx, rx));
    let sent: usize = senders.into_iter().map(|sender| sender.join()).sum();
    let received: usize = receivers.into_iter().map(|receiver| receiver.join()).sum();
    assert_eq!(received, sent);
    sent as f64 / start.elapsed().as_secs_f64()
}

/// Four times more threads than CPUs keep at least a third of the speed.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_58_more_threads_than_cpus() {
    watchdog(60, || {
        let cpus = thread::available_parallelism().map_or(2, |n| n.get().max(2)).next_multiple_of(2);
        let items = sized(40_000, 64);
        once_of(4, || {
            let (few, many) = (crowd_speed(cpus, items), crowd_speed(4 * cpus, items));
            if many >= few / 3.0 || cfg!(miri) {
                Ok(())
            } else {
                Err(format!("{many:.0}/s against {few:.0}/s"))
            }
        });
    });
}

/// A pipe on which all sleep uses no CPU: at most 5 ms in a second, its own falling asleep included.
fn scenario_58_idle<K: Kind>() {
    each([Config::default(), all_configs().pop().unwrap()], 20, |config| {
        let (tx, rx) = K::pipe::<u8>(config, 1);
        let (full_tx, full_rx) = K::pipe(config, 1);
        full_tx.send(0).unwrap();
        let receiver = peer(move || rx.recv());
        let sender = peer(move || full_tx.send(1));
        thread::sleep(ms(sized(1_000, 10) as u64));
        let used = (receiver.cpu(), sender.cpu());
        assert!(used.0 < at_most(ms(5)) && used.1 < at_most(ms(5)), "{used:?} while asleep");
        drop(full_rx);
        drop(tx);
        assert!(receiver.join().is_err() && sender.join().is_err());
    });
}

/// A pool of eight tokens for 32 threads: no token is lost, nobody waits longer than a second for one.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_62_token_pool() {
    each(WAKES, 60, |wake| {
        once_of(3, || {
            let (tokens, threads, turns) = (8, sized(32, 6), sized(300, 5));
            let (tx, rx) = Config { wake, ..Config::default() }.pipe(tokens);
            (0..tokens).for_each(|token| tx.send(token).unwrap());
            let longest = Arc::new(AtomicU64::new(0));
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let (tx, rx, longest) = (tx.clone(), rx.clone(), Arc::clone(&longest));
                    peer(move || {
                        for _ in within(ms(1_500), 0..turns) {
                            let start = Instant::now();
                            let token = rx.recv().unwrap();
                            longest.fetch_max(start.elapsed().as_millis() as u64, Relaxed);
                            tx.send(token).unwrap();
                        }
                    })
                })
                .collect();
            workers.into_iter().for_each(|worker| worker.join());
            let mut back: Vec<_> = rx.try_iter().collect();
            back.sort_unstable();
            assert_eq!(back, (0..tokens).collect::<Vec<_>>());
            let longest = longest.load(Relaxed);
            if longest < 1_000 || cfg!(miri) { Ok(()) } else { Err(format!("a thread waited {longest} ms")) }
        });
    });
}

/// Four tokens go round through a pipe of eight: a non-blocking send may be refused while a peer is in the middle of
/// a receive, a blocking one then finishes regardless, and no token is lost.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_64_round_and_round() {
    each(all_configs().into_iter().step_by(5), 30, |config| {
        let (tx, rx) = config.pipe(8);
        (0..4).for_each(|token| tx.send(token).unwrap());
        let threads = [(); 4].map(|()| {
            let (tx, rx) = (tx.clone(), rx.clone());
            peer(move || {
                for _ in 0..sized(5_000, 20) {
                    let Ok(token) = rx.try_recv() else { continue };
                    if let Err(refused) = tx.try_send(token) {
                        assert!(refused.is_full());
                        tx.send(refused.into_inner()).unwrap();
                    }
                }
            })
        });
        join_all(threads);
        let mut back: Vec<_> = rx.try_iter().collect();
        back.sort_unstable();
        assert_eq!(back, [0, 1, 2, 3]);
    });
}

on_each_ring!(scenario_58_idle);
