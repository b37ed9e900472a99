//! Many threads on one pipe, under every switch: each item arrives exactly once and is dropped exactly once, and the
//! items of one sender stay in order for each receiver.

// Eight laps wrap in microseconds there: a thread preempted between two loads could see its own position again.
#![cfg(not(hornpipe_small))]

mod support;

use hornpipe::{Receiver, Sender, TryRecvError, TrySendError};
use std::sync::Arc;
use std::thread;
use support::{Config, Item, Random, Seen, Tally, all_configs, each, ms, sized, sleepy_policies, within};

const CROWDS: [(usize, usize); 5] = [(1, 1), (2, 2), (4, 1), (1, 4), (8, 8)];
const CAPS: [usize; 4] = [1, 2, 3, 16];

/// How the threads of a run call the pipe.
type SendBy = fn(&Sender<Item>, Item, &mut Random);
type RecvBy = fn(&Receiver<Item>, &mut Random) -> Option<Item>;

fn send_blocking(tx: &Sender<Item>, item: Item, _: &mut Random) {
    tx.send(item).ok().unwrap();
}

fn recv_blocking(rx: &Receiver<Item>, _: &mut Random) -> Option<Item> {
    rx.recv().ok()
}

/// Any of the sends, with little time to wait, until one succeeds.
fn send_anyhow(tx: &Sender<Item>, mut item: Item, random: &mut Random) {
    loop {
        item = match random.below(3) {
            0 => return tx.send(item).ok().unwrap(),
            1 => match tx.try_send(item) {
                Ok(()) => return,
                Err(TrySendError::Full(item)) => item,
                Err(TrySendError::Disconnected(_)) => panic!("the receivers live"),
            },
            _ => match tx.send_timeout(item, ms(random.below(2))) {
                Ok(()) => return,
                Err(late) if late.is_timeout() => late.into_inner(),
                Err(_) => panic!("the receivers live"),
            },
        }
    }
}

/// Any of the receives, with little time to wait, until one succeeds or no sender is left.
fn recv_anyhow(rx: &Receiver<Item>, random: &mut Random) -> Option<Item> {
    loop {
        match random.below(3) {
            0 => return rx.recv().ok(),
            1 => match rx.try_recv() {
                Ok(item) => return Some(item),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return None,
            },
            _ => match rx.recv_timeout(ms(random.below(2))) {
                Ok(item) => return Some(item),
                Err(late) if late.is_timeout() => {}
                Err(_) => return None,
            },
        }
    }
}

/// One run: `senders` threads send `each_sends` items apiece, `receivers` threads take them until the disconnect.
fn run(
    config: Config,
    cap: usize,
    (senders, receivers): (usize, usize),
    each_sends: usize,
    send: SendBy,
    recv: RecvBy,
) {
    let total = senders * each_sends;
    let (tally, seen) = (Tally::new(total), Seen::new(total));
    let (tx, rx) = config.pipe(cap);
    let sending = (0..senders).map(|sender| {
        let (tx, tally) = (tx.clone(), Arc::clone(&tally));
        thread::spawn(move || {
            let mut random = Random::new(sender as u64 + 1);
            for n in 0..each_sends {
                send(&tx, tally.item(sender * each_sends + n), &mut random);
            }
        })
    });
    let receiving = (0..receivers).map(|receiver| {
        let (rx, seen) = (rx.clone(), Arc::clone(&seen));
        thread::spawn(move || {
            let mut random = Random::new(receiver as u64 + 1_001);
            let mut next = vec![0; senders];
            while let Some(item) = recv(&rx, &mut random) {
                seen.note(item.id);
                let (sender, n) = (item.id / each_sends, item.id % each_sends);
                assert!(n >= next[sender], "item {n} of sender {sender} came after {}", next[sender] - 1);
                next[sender] = n + 1;
            }
        })
    });
    let threads: Vec<_> = sending.chain(receiving).collect();
    drop((tx, rx));
    for thread in threads {
        thread.join().unwrap();
    }
    seen.assert_all();
    tally.assert_each_once();
}

/// Every crowd with every capacity, in an order of its own for each call: where time runs out, each configuration has
/// tried others.
fn mixes(crowds: &[(usize, usize)], caps: &[usize], seed: u64) -> Vec<((usize, usize), usize)> {
    let mut random = Random::new(seed);
    let mut all: Vec<_> =
        crowds.iter().flat_map(|crowd| caps.iter().map(move |cap| (*crowd, *cap))).collect();
    for last in (1..all.len()).rev() {
        all.swap(last, random.below(last as u64 + 1) as usize);
    }
    all
}

/// Blocking calls, under every relax x spin x wake policy, crowd and capacity.
#[test]
fn blocking_calls_under_every_switch() {
    each(all_configs().into_iter().enumerate(), 30, |(nth, config)| {
        for (crowd, cap) in within(ms(1_000), mixes(&CROWDS, &CAPS, nth as u64 + 1)) {
            run(config, cap, crowd, sized(400, 16) / crowd.0, send_blocking, recv_blocking);
        }
    });
}

/// Blocking, non-blocking and timed calls mixed at random.
#[test]
fn mixed_calls_under_every_switch() {
    each(all_configs().into_iter().enumerate(), 30, |(nth, config)| {
        for (crowd, cap) in within(ms(1_000), mixes(&[(2, 2), (8, 8)], &[1, 3], nth as u64 + 1)) {
            run(config, cap, crowd, sized(320, 16) / crowd.0, send_anyhow, recv_anyhow);
        }
    });
}

/// Longer runs of threads that sleep at every turn: where a lost wake-up would show as a hang.
#[test]
fn sleepers_are_always_woken() {
    each(sleepy_policies(), 30, |config| {
        for (crowd, cap) in within(ms(4_000), mixes(&CROWDS, &[1, 2, 4], 1)) {
            let (send, recv): (SendBy, RecvBy) = match cap {
                1 => (send_blocking, recv_blocking),
                2 => (send_blocking, recv_anyhow),
                _ => (send_anyhow, recv_blocking),
            };
            run(config, cap, crowd, sized(4_000, 16) / crowd.0, send, recv);
        }
    });
}
