//! Threads on both ends: what arrives is the same multiset as through the baseline, each item once, in order for each
//! sender and receiver, and every receiver learns of the end; nothing is leaked, also where receivers leave early.

use crate::support::{
    Baseline, Config, End, Item, Kind, MpmcStamped, MpscStamped, RELAXES, Random, Receives, SPINS, Seen,
    Sends, SpmcStamped, SpscIndexed, SpscStamped, Tally, WAKES, sized, watchdog_of,
};
use crate::{CAPS, settings};
use hornpipe::{RecvTimeoutError, Relax, SendTimeoutError, Spin, WakePolicy};
use proptest::prelude::*;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// What a crowd does: how many threads on each side, how many items a sender, and how they call.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    cap: usize,
    senders: usize,
    receivers: usize,
    items: usize,
    /// By calls that give up after a moment and are made again.
    timed: bool,
    /// After how many items each receiver goes.
    leave: Option<usize>,
}

/// What was received, as (sender, number), in all, sorted.
type Received = Vec<(usize, usize)>;

/// One send, in either way; whether a receiver was left.
fn send<S: Sends<Item>>(tx: &S, mut item: Item, timed: bool) -> bool {
    if !timed {
        return tx.send(item).is_ok();
    }
    loop {
        match tx.send_timeout(item, Duration::from_micros(50)) {
            Ok(()) => return true,
            Err(SendTimeoutError::Timeout(back)) => item = back,
            Err(SendTimeoutError::Disconnected(_)) => return false,
        }
    }
}

/// One receive, in either way; `None` at the end.
fn receive<R: Receives<Item>>(rx: &R, timed: bool) -> Option<Item> {
    if !timed {
        return rx.recv().ok();
    }
    loop {
        match rx.recv_timeout(Duration::from_micros(50)) {
            Ok(item) => return Some(item),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Runs the crowd on a pipe of this kind and checks all that can be said of it alone.
fn run<K: Kind>(crowd: Crowd, config: Config) -> Received {
    let total = crowd.senders * crowd.items;
    let (tally, seen) = (Tally::new(total), Seen::new(total));
    let (tx, rx) = K::pipe::<Item>(config, crowd.cap);
    let txs = tx.handles(crowd.senders);
    let rxs = rx.handles(crowd.receivers);
    assert_eq!((txs.len(), rxs.len()), (crowd.senders, crowd.receivers), "the kind's own number of ends");
    let sending: Vec<_> = txs
        .into_iter()
        .enumerate()
        .map(|(sender, tx)| {
            let tally = Arc::clone(&tally);
            thread::spawn(move || {
                let mut sent = 0;
                // Also those after a refusal are made, and so have to be dropped.
                for n in 0..crowd.items {
                    sent += usize::from(send(&tx, tally.item(sender * crowd.items + n), crowd.timed));
                }
                sent
            })
        })
        .collect();
    let receiving: Vec<_> = rxs
        .into_iter()
        .map(|rx| {
            let seen = Arc::clone(&seen);
            thread::spawn(move || {
                let mut next = vec![0; crowd.senders];
                let mut got = Vec::new();
                while crowd.leave.is_none_or(|most| got.len() < most) {
                    let Some(item) = receive(&rx, crowd.timed) else { break };
                    seen.note(item.id);
                    let (sender, n) = (item.id / crowd.items, item.id % crowd.items);
                    assert!(n >= next[sender], "item {n} of sender {sender} came late");
                    next[sender] = n + 1;
                    got.push((sender, n));
                }
                got
            })
        })
        .collect();
    let sent: usize = sending.into_iter().map(|thread| thread.join().unwrap()).sum();
    let parts = receiving.into_iter().map(|thread| thread.join().unwrap());
    let mut received: Received = parts.flatten().collect();
    received.sort_unstable();
    if crowd.leave.is_none() {
        assert_eq!((sent, received.len()), (total, total));
    }
    assert!(sent >= received.len(), "{sent} sent, {} received", received.len());
    tally.assert_each_once();
    received
}

/// Runs it on the ring and, where all is received, beside the baseline.
fn compare<K: Kind>(crowd: Crowd, config: Config) {
    let crowd = Crowd {
        senders: if K::MANY.0 { crowd.senders } else { 1 },
        receivers: if K::MANY.1 { crowd.receivers } else { 1 },
        ..crowd
    };
    watchdog_of(30, &format!("{} {crowd:?} {config:?}", K::NAME), move || {
        let ring = run::<K>(crowd, config);
        if crowd.leave.is_none() {
            assert_eq!(ring, run::<Baseline>(crowd, config));
        }
    });
}

/// One point of the product.
type Case = (fn(Crowd, Config), Relax, Spin, WakePolicy, usize);

const KINDS: [fn(Crowd, Config); 5] = if cfg!(hornpipe_small) {
    // A crowd meets ABA in laps of 3 bits, but at single ends.
    [
        compare::<SpscIndexed>,
        compare::<SpscStamped>,
        compare::<SpscIndexed>,
        compare::<SpscStamped>,
        compare::<SpscIndexed>,
    ]
} else {
    [
        compare::<SpscIndexed>,
        compare::<SpscStamped>,
        compare::<MpscStamped>,
        compare::<SpmcStamped>,
        compare::<MpmcStamped>,
    ]
};

/// Points such that each pair of values of two of the dimensions of these sizes is in one of them: the best of some
/// random points, until no pair is left.
fn pairwise<const N: usize>(sizes: [usize; N]) -> Vec<[usize; N]> {
    let pairs = |point: &[usize; N]| {
        let point = *point;
        (0..N).flat_map(move |a| (0..a).map(move |b| (a, point[a], b, point[b]))).collect::<Vec<_>>()
    };
    let mut left: std::collections::HashSet<_> = (0..N)
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .flat_map(|(a, b)| (0..sizes[a]).flat_map(move |x| (0..sizes[b]).map(move |y| (a, x, b, y))))
        .collect();
    let mut random = Random::new(5);
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let points = (0..60).map(|_| sizes.map(|size| random.below(size as u64) as usize));
        let best = points.max_by_key(|point| pairs(point).iter().filter(|pair| left.contains(*pair)).count());
        let best = best.expect("there are sixty");
        for pair in pairs(&best) {
            left.remove(&pair);
        }
        chosen.push(best);
    }
    chosen
}

fn cases() -> Vec<Case> {
    let points = pairwise([KINDS.len(), RELAXES.len(), SPINS.len(), WAKES.len(), CAPS.len()]);
    points.into_iter().map(|[k, r, s, w, c]| (KINDS[k], RELAXES[r], SPINS[s], WAKES[w], CAPS[c])).collect()
}

/// Crowds that send and receive all, blocking and timed, under each pair of settings; then with receivers that leave
/// in the middle.
#[test]
fn each_pair_of_switches_moves_the_same_items() {
    let cases = cases();
    assert!((30..80).contains(&cases.len()), "{} cases", cases.len());
    for (compare, relax, spin, wake, cap) in cases.into_iter().step_by(sized(1, 10)) {
        for (timed, leave) in [(false, None), (true, None), (false, Some(20))] {
            let items = sized(400, 6);
            let crowd = Crowd { cap, senders: 3, receivers: 3, items, timed, leave };
            compare(crowd, Config { relax: Some(relax), spin, wake, yields: None });
        }
        // Asleep at each turn, so that every wake is needed.
        let crowd = Crowd { cap, senders: 2, receivers: 2, items: sized(150, 4), timed: false, leave: None };
        compare(crowd, Config { relax: Some(relax), spin: Spin::None, wake, yields: Some(0) });
    }
}

proptest! {
    #![proptest_config(settings(sized(60, 3)))]

    /// Crowds of any shape, drawn at random.
    #[test]
    fn any_crowd_moves_the_same_items(
        case in proptest::sample::select(cases()), cap in 1..5usize, senders in 1..4usize, receivers in 1..4usize,
        items in 1..sized(100, 6), timed in any::<bool>(), leave in proptest::option::weighted(0.3, 0..50usize),
    ) {
        let (compare, relax, spin, wake, _) = case;
        let crowd = Crowd { cap, senders, receivers, items, timed, leave };
        compare(crowd, Config { relax: Some(relax), spin, wake, yields: None });
    }
}
