//! B. Disconnects: nobody sleeps through one, and nothing is lost to one.

use crate::support::{
    End, Kind, Random, Receives, Sends, Tally, all_asleep, all_configs, each, join_all, ms, on_each_ring,
    peer, sized, sleepy_policies, watchdog, within,
};
use hornpipe::{RecvError, RecvTimeoutError, SendError, Sender, TryRecvError};
use std::sync::mpsc;
use std::sync::{Arc, Barrier};

/// Wake-one as the rule also at the end: only one of four sleeping receivers learned that the last sender had gone.
#[test]
fn scenario_04_all_sleeping_receivers_are_told() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe::<u8>(4);
        let receivers = [(); 4].map(|()| {
            let rx = rx.clone();
            peer(move || rx.recv())
        });
        all_asleep(&receivers);
        drop(tx);
        assert_eq!(join_all(receivers), [Err(RecvError); 4]);
    });
}

/// The same for senders: each gets an error with its own item.
#[test]
fn scenario_04_all_sleeping_senders_are_told() {
    each(all_configs(), 20, |config| {
        let (tx, rx) = config.pipe(1);
        tx.send(9).unwrap();
        let senders = [0, 1, 2, 3].map(|n| {
            let tx = tx.clone();
            peer(move || tx.send(n))
        });
        all_asleep(&senders);
        drop(rx);
        assert_eq!(join_all(senders), [0, 1, 2, 3].map(|n| Err(SendError(n))));
    });
}

/// Both sides' disconnects against threads that are anywhere on their way to sleep.
#[test]
fn scenario_04_nobody_falls_asleep_after_the_end() {
    each(sleepy_policies(), 60, |config| {
        for round in within(ms(700), 0..sized(800, 8)) {
            let mut random = Random::new(round as u64 + 1);
            let start = Arc::new(Barrier::new(3));
            let (tx, rx) = config.pipe::<usize>(1);
            let full = round % 2 == 0;
            if full {
                tx.send(9).unwrap();
            }
            let others = [1, 2].map(|n| {
                let (tx, rx, start) =
                    (full.then(|| tx.clone()), (!full).then(|| rx.clone()), Arc::clone(&start));
                peer(move || {
                    start.wait();
                    match (tx, rx) {
                        (Some(tx), _) => assert_eq!(tx.send(n), Err(SendError(n))),
                        (_, Some(rx)) => assert_eq!(rx.recv(), Err(RecvError)),
                        _ => unreachable!(),
                    }
                })
            });
            start.wait();
            random.dawdle();
            // The last handle of the side that the others wait for.
            if full {
                drop(rx)
            } else {
                drop(tx)
            }
            join_all(others);
        }
    });
}

/// A receiver saw "no senders" and said Disconnected though the last send had returned Ok: after seeing the end, the
/// queue has to be looked at once more.
fn scenario_17_the_last_item_comes_before_the_end<K: Kind>() {
    type Take<R> = fn(&R) -> Result<usize, RecvTimeoutError>;
    fn trying(rx: &impl Receives<usize>) -> Result<usize, RecvTimeoutError> {
        loop {
            match rx.try_recv() {
                Ok(n) => return Ok(n),
                Err(TryRecvError::Empty) => std::thread::yield_now(),
                Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            }
        }
    }
    let takes: [Take<K::Rx<usize>>; 3] =
        [|rx| rx.recv().map_err(RecvTimeoutError::from), trying, |rx| rx.recv_timeout(ms(100_000))];
    each(takes, 60, |take| {
        let (give, given) = mpsc::channel::<K::Tx<usize>>();
        let sender = peer(move || {
            let mut random = Random::new(17);
            for (n, tx) in given.into_iter().enumerate() {
                random.dawdle();
                tx.send(n).unwrap();
            }
        });
        for n in within(ms(400), 0..sized(4_000, 20)) {
            let (tx, rx) = K::bounded(1);
            give.send(tx).unwrap();
            assert_eq!(take(&rx), Ok(n));
            assert_eq!(take(&rx), Err(RecvTimeoutError::Disconnected));
        }
        drop(give);
        sender.join();
    });
}

/// The receiver goes between the sender's look at a full pipe and its falling asleep: the sender sleeps for ever.
fn scenario_19_receiver_goes_while_sender_falls_asleep<K: Kind>() {
    each(sleepy_policies(), 60, |config| {
        let (give, given) = mpsc::channel::<K::Tx<usize>>();
        let sender = peer(move || {
            let mut random = Random::new(19);
            for (n, tx) in given.into_iter().enumerate() {
                random.dawdle();
                // The pipe was full as long as it had a receiver.
                assert_eq!(tx.send(n), Err(SendError(n)));
            }
        });
        let mut random = Random::new(91);
        for _ in within(ms(250), 0..sized(1_000, 15)) {
            let (tx, rx) = K::pipe(config, 1);
            tx.send(usize::MAX).unwrap();
            give.send(tx).unwrap();
            random.dawdle();
            drop(rx);
        }
        drop(give);
        sender.join();
    });
}

/// Dropping the last receiver during the very first sends freed a block twice, or leaked it.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_21_receiver_goes_during_the_first_sends() {
    watchdog(60, || {
        let (give, given): (Vec<_>, Vec<_>) = (0..2).map(|_| mpsc::channel()).unzip();
        let mut id = 0;
        let senders: Vec<_> = given
            .into_iter()
            .map(|given| {
                id += 1;
                let mut random = Random::new(id);
                peer(move || {
                    for (tx, item) in given {
                        let tx: Sender<_> = tx;
                        random.dawdle();
                        // Taken over by the pipe or given back: dropped once in either case.
                        drop(tx.send(item));
                    }
                })
            })
            .collect();
        let rounds = sized(8_000, 40);
        let tally = Tally::new(2 * rounds);
        let mut random = Random::new(12);
        let mut ids = 0..2 * rounds;
        for round in within(ms(3_000), 0..rounds) {
            let (tx, rx) = hornpipe::mpmc::bounded(1 + round % 2);
            give[0].send((tx.clone(), tally.item(ids.next().unwrap()))).unwrap();
            give[1].send((tx, tally.item(ids.next().unwrap()))).unwrap();
            random.dawdle();
            drop(rx);
        }
        drop(give);
        senders.into_iter().for_each(|sender| sender.join());
        // Those there was no time for.
        ids.for_each(|id| drop(tally.item(id)));
        tally.assert_each_once();
    });
}

/// Items sent on the way to the end are all dropped when the last sending call has returned, though senders live on. As
/// many senders as there may be; what they leave behind is discarded by one at a time, whoever comes.
fn scenario_21_nothing_stays_in_a_pipe_without_receivers<K: Kind>() {
    // Elsewhere a crowd meets ABA in laps of 3 bits.
    let senders = if K::MANY.0 && !cfg!(hornpipe_small) { 3 } else { 1 };
    each(all_configs().into_iter().step_by(5), 60, move |config| {
        for round in within(ms(100), 0..sized(60, 4)) {
            let cap = [1, 2, 3, 64][round % 4];
            let tally = Tally::new(64 * senders);
            let (tx, rx) = K::pipe(config, cap);
            let sending: Vec<_> = tx
                .handles(senders)
                .into_iter()
                .enumerate()
                .map(|(sender, tx)| {
                    let tally = Arc::clone(&tally);
                    peer(move || {
                        let items = 64 * sender..64 * (sender + 1);
                        (items.take_while(|id| tx.send(tally.item(*id)).is_ok()).count(), tx)
                    })
                })
                .collect();
            let mut random = Random::new(round as u64 + 1);
            let received = random.below(6) as usize;
            for _ in 0..received {
                drop(rx.recv());
            }
            random.dawdle();
            drop(rx);
            let (sent, txs): (Vec<_>, Vec<_>) = sending.into_iter().map(|sender| sender.join()).unzip();
            // Those sent, and the one that came back to each.
            let gone = sent.iter().map(|sent| (sent + 1).min(64)).sum::<usize>();
            assert_eq!((tally.dropped(), txs[0].len()), (gone, 0), "{sent:?} sent, {received} received");
            (0..64 * senders).for_each(|id| assert!(tally.drops_of(id) <= 1, "item {id} was dropped twice"));
        }
    });
}

on_each_ring!(
    scenario_17_the_last_item_comes_before_the_end,
    scenario_19_receiver_goes_while_sender_falls_asleep,
    scenario_21_nothing_stays_in_a_pipe_without_receivers,
);
