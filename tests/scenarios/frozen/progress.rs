//! Peers frozen in the middle of an operation: what goes on, what may wait, and that all is well once they thaw.

use crate::support::{
    Config, Ice, all_asleep, all_configs, cpu_time, each, join_all, ms, peer, sleepy_policies, thread_cost,
};
use hornpipe::hooks::{self, Point};
use hornpipe::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, TryRecvError, TrySendError};
use std::thread;

/// A thread frozen between the claim of a slot and its publication or release.
fn frozen_sender(tx: &Sender<u32>, item: u32) -> (Ice, crate::support::Peer<()>) {
    let (ice, tx) = (Ice::new(), tx.clone());
    let sender = {
        let ice = ice.clone();
        peer(move || {
            let _ice = ice.at(Point::Claimed);
            tx.send(item).unwrap();
        })
    };
    ice.wait_frozen();
    (ice, sender)
}

fn frozen_receiver(rx: &Receiver<u32>) -> (Ice, crate::support::Peer<u32>) {
    let (ice, rx) = (Ice::new(), rx.clone());
    let receiver = {
        let ice = ice.clone();
        peer(move || {
            let _ice = ice.at(Point::Claimed);
            rx.recv().unwrap()
        })
    };
    ice.wait_frozen();
    (ice, receiver)
}

/// Non-blocking calls blocked on a stalled peer: beside a sender frozen before it publishes, `try_recv` says Empty in
/// a bounded number of steps, with no sleep; sends go on; after the thaw the items come in the order of their claims.
#[test]
fn scenario_64_try_recv_beside_a_frozen_sender() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe(3);
        let (ice, sender) = frozen_sender(&tx, 1);
        let (cost, answer) = thread_cost(|| rx.try_recv());
        assert_eq!(answer, Err(TryRecvError::Empty));
        assert!(cost.futex_waits == 0 && cost.retries <= 1, "{cost:?}");
        let (cost, answers) = thread_cost(|| (tx.try_send(2), tx.try_send(3), tx.try_send(4)));
        assert_eq!(answers, (Ok(()), Ok(()), Err(TrySendError::Full(4))));
        assert!(cost.futex_waits == 0 && cost.retries <= 1, "{cost:?}");
        // The item behind the frozen one is not receivable before it.
        let (cost, answer) = thread_cost(|| rx.try_recv());
        assert_eq!(answer, Err(TryRecvError::Empty));
        assert!(cost.futex_waits == 0 && cost.retries <= 1, "{cost:?}");
        assert!((2..=3).contains(&rx.len()));
        ice.thaw();
        sender.join();
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), [1, 2, 3]);
    });
}

/// The same beside a receiver frozen before it releases its slot: `try_send` says Full, receives go on.
#[test]
fn scenario_64_try_send_beside_a_frozen_receiver() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe(3);
        (1..=3).for_each(|n| tx.send(n).unwrap());
        let (ice, receiver) = frozen_receiver(&rx);
        let (cost, answer) = thread_cost(|| tx.try_send(4));
        assert_eq!(answer, Err(TrySendError::Full(4)));
        assert!(cost.futex_waits == 0 && cost.retries <= 1, "{cost:?}");
        let (cost, answers) = thread_cost(|| (rx.try_recv(), rx.try_recv(), rx.try_recv()));
        assert_eq!(answers, (Ok(2), Ok(3), Err(TryRecvError::Empty)));
        assert!(cost.futex_waits == 0 && cost.retries <= 1, "{cost:?}");
        // The free slots come after the frozen one in the ring.
        assert_eq!(tx.try_send(5), Err(TrySendError::Full(5)));
        ice.thaw();
        assert_eq!(receiver.join(), 1);
        assert_eq!((tx.try_send(6), rx.try_recv()), (Ok(()), Ok(6)));
    });
}

/// A slot that is held makes others spin for ever: beside a frozen receiver a blocking send sleeps, uses no CPU, times
/// out in time, and goes through after the thaw.
#[test]
fn scenario_26_senders_sleep_beside_a_held_slot() {
    each(all_configs().into_iter().chain(sleepy_policies()), 20, |config| {
        let (tx, rx) = config.pipe(2);
        (1..=2).for_each(|n| tx.send(n).unwrap());
        let (ice, receiver) = frozen_receiver(&rx);
        assert_eq!(tx.try_send(3), Err(TrySendError::Full(3)));
        assert_eq!(tx.send_timeout(4, ms(50)), Err(SendTimeoutError::Timeout(4)));
        let blocked = {
            let tx = tx.clone();
            peer(move || {
                let before = cpu_time();
                tx.send(5).unwrap();
                cpu_time() - before
            })
        };
        blocked.asleep();
        thread::sleep(ms(50));
        ice.thaw();
        assert_eq!(receiver.join(), 1);
        let used = blocked.join();
        assert!(used < ms(5), "{used:?} of CPU beside a frozen receiver");
        assert_eq!((rx.recv(), rx.recv()), (Ok(2), Ok(5)));
    });
}

/// The same for receivers beside a sender that has claimed and not published, with items published behind it.
#[test]
fn scenario_26_receivers_sleep_beside_a_held_slot() {
    each(all_configs().into_iter().chain(sleepy_policies()), 20, |config| {
        let (tx, rx) = config.pipe(4);
        let (ice, sender) = frozen_sender(&tx, 1);
        tx.send(2).unwrap();
        assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(rx.recv_timeout(ms(50)), Err(RecvTimeoutError::Timeout));
        let blocked = [(); 2].map(|()| {
            let rx = rx.clone();
            peer(move || {
                let before = cpu_time();
                (rx.recv().unwrap(), cpu_time() - before)
            })
        });
        all_asleep(&blocked);
        thread::sleep(ms(50));
        ice.thaw();
        sender.join();
        let got = join_all(blocked);
        assert_eq!(got[0].0 + got[1].0, 3);
        for (_, used) in got {
            assert!(used < ms(5), "{used:?} of CPU beside a frozen sender");
        }
    });
}

/// Where the process-wide barrier fails, though the system had promised one, a receiver beside a claimed slot naps: it
/// burns no CPU, times out in time, and gets the item.
#[test]
fn a_failing_barrier_burns_no_cpu() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(4);
        let (ice, sender) = frozen_sender(&tx, 1);
        let blocked = peer(move || {
            hooks::fail_barriers(true);
            assert_eq!(rx.recv_timeout(ms(50)), Err(RecvTimeoutError::Timeout));
            let before = cpu_time();
            (rx.recv(), cpu_time() - before)
        });
        thread::sleep(ms(350));
        ice.thaw();
        sender.join();
        let (got, used) = blocked.join();
        assert_eq!(got, Ok(1));
        assert!(used < ms(60), "{used:?} of CPU in 300 ms beside a frozen sender");
    });
}

/// A head slot that stalls, with receivers asleep for it and behind it: when it is published at last, every one of
/// them gets its item, whichever of them announced which position.
#[test]
fn a_stalled_head_wakes_all_it_holds_up() {
    stalled_head(5, |tx, ice, sender| {
        // Published while the receivers sleep already.
        (2..=5).for_each(|n| tx.send(n).unwrap());
        ice.thaw();
        sender.join();
    });
    stalled_head(5, |tx, ice, sender| {
        // The wakes of the stalled one and of the others mix.
        ice.thaw();
        (2..=5).for_each(|n| tx.send(n).unwrap());
        sender.join();
    });
}

fn stalled_head(receivers: u32, traffic: fn(&Sender<u32>, Ice, crate::support::Peer<()>)) {
    each(sleepy_policies(), 20, move |config: Config| {
        let (tx, rx) = config.pipe(8);
        let (ice, sender) = frozen_sender(&tx, 1);
        let sleepers: Vec<_> = (0..receivers)
            .map(|_| {
                let rx = rx.clone();
                peer(move || rx.recv().unwrap())
            })
            .collect();
        all_asleep(&sleepers);
        traffic(&tx, ice, sender);
        let sum: u32 = sleepers.into_iter().map(|sleeper| sleeper.join()).sum();
        assert_eq!(sum, (1..=receivers).sum());
    });
}

/// The mirror: a receiver stalls with the slot of the next lap, senders sleep for it and for the slots behind it.
#[test]
fn a_stalled_slot_wakes_all_it_holds_up() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(3);
        (1..=3).for_each(|n| tx.send(n).unwrap());
        let (ice, receiver) = frozen_receiver(&rx);
        let senders = [4, 5, 6].map(|n| {
            let tx = tx.clone();
            peer(move || tx.send(n).unwrap())
        });
        all_asleep(&senders);
        assert_eq!((rx.recv(), rx.recv()), (Ok(2), Ok(3)));
        ice.thaw();
        assert_eq!(receiver.join(), 1);
        join_all(senders);
        let mut rest: Vec<_> = rx.try_iter().collect();
        rest.sort_unstable();
        assert_eq!(rest, [4, 5, 6]);
    });
}

/// Calls thought not to block did wait: beside frozen peers and registered waiters, none of them makes a futex wait.
#[test]
fn scenario_70_no_hidden_waits() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(2);
        let (sender_ice, sender) = frozen_sender(&tx, 1);
        let waiter = {
            let rx = rx.clone();
            peer(move || rx.recv().unwrap())
        };
        waiter.asleep();
        let (cost, ()) = thread_cost(|| {
            for _ in 0..50 {
                assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
                let _ = tx.try_send(2);
                std::hint::black_box((tx.len(), rx.len(), tx.is_full(), rx.is_empty(), tx.capacity()));
                std::hint::black_box((tx.sender_count(), rx.receiver_count(), tx.is_disconnected()));
                drop((tx.clone(), rx.clone()));
            }
        });
        assert_eq!(cost.futex_waits, 0);
        sender_ice.thaw();
        sender.join();
        assert_eq!(waiter.join() + rx.recv().unwrap(), 3);
    });
}

/// `try_*` is lock-free: every extra turn of a call is another thread's completed claim. (A weak compare-exchange may
/// also fail for nothing, except on x86.)
#[test]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn scenario_64_each_turn_is_anothers_claim() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe::<u64>(4);
        let threads = [(); 4].map(|()| {
            let (tx, rx) = (tx.clone(), rx.clone());
            peer(move || {
                let (cost, claims) = thread_cost(|| {
                    let calls = (0..3_000).map(|n| (tx.try_send(n).is_ok(), rx.try_recv().is_ok()));
                    calls.map(|(sent, received)| u64::from(sent) + u64::from(received)).sum::<u64>()
                });
                (cost, claims)
            })
        });
        let results = join_all(threads);
        let all: u64 = results.iter().map(|(_, claims)| claims).sum();
        assert!(all > 0);
        for (cost, own) in results {
            assert!(cost.retries <= all - own, "{cost:?} beside {} claims of others", all - own);
            assert_eq!(cost.futex_waits, 0);
        }
    });
}
