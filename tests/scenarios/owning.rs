//! B. Who owns the item, and what is never made out of nothing.

use crate::support::{
    Item, Kind, Random, Receives, Seen, Sends, Tally, all_configs, each, join_all, ms, on_each_ring, peer,
    sized, sleepy_policies, watchdog, within,
};
use hornpipe::mpmc::bounded;
use hornpipe::{Receiver, RecvTimeoutError, Sender};
use std::fmt::Debug;
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The pipe that [`Meddler`]s meddle with.
struct Playground {
    tx: Mutex<Option<Sender<Meddler>>>,
    rx: Mutex<Option<Receiver<Meddler>>>,
    drops: AtomicUsize,
}

/// An item whose drop sends, receives and looks on the pipe it came from.
struct Meddler(Arc<Playground>, usize);

impl Drop for Meddler {
    fn drop(&mut self) {
        self.0.drops.fetch_add(1, SeqCst);
        let tx = self.0.tx.lock().unwrap().clone();
        let rx = self.0.rx.lock().unwrap().clone();
        if let Some(tx) = tx {
            assert!(tx.len() <= 4);
            if self.1 > 0 {
                drop(tx.try_send(Meddler(Arc::clone(&self.0), self.1 - 1)));
                drop(tx.send_timeout(Meddler(Arc::clone(&self.0), self.1 - 1), Duration::ZERO));
            }
        }
        if let Some(rx) = rx {
            drop(rx.try_recv());
        }
    }
}

/// User code run while a lock is held calls back into the same pipe and waits for itself. Here items are dropped by a
/// receiver, after failed sends and with the last receiver, and meddle each time.
#[test]
fn scenario_28_drops_call_back() {
    watchdog(20, || {
        let (tx, rx) = bounded(4);
        let ground =
            Arc::new(Playground { tx: Mutex::new(None), rx: Mutex::new(None), drops: AtomicUsize::new(0) });
        let meddler = || Meddler(Arc::clone(&ground), 2);
        *ground.tx.lock().unwrap() = Some(tx.clone());
        *ground.rx.lock().unwrap() = Some(rx.clone());
        // Received, then dropped.
        (0..4).for_each(|_| tx.send(meddler()).ok().unwrap());
        drop(rx.recv());
        // Refused by a full pipe, then dropped.
        while let Ok(()) = tx.try_send(Meddler(Arc::clone(&ground), 0)) {}
        // With the last receiver.
        *ground.rx.lock().unwrap() = None;
        while let Ok(()) = tx.try_send(meddler()) {}
        assert_eq!(tx.len(), 4);
        let before = ground.drops.load(SeqCst);
        drop(rx);
        // Each of those that can still meddle is refused twice.
        assert!(ground.drops.load(SeqCst) >= before + 4, "the queue was not dropped");
        assert!(tx.is_empty());
        // Refused by a pipe without receivers, then dropped.
        assert!(tx.send(meddler()).is_err());
        *ground.tx.lock().unwrap() = None;
        assert_eq!(Arc::strong_count(&ground), 1, "an item was leaked");
    });
}

/// A value of an arbitrary type made of zeros, or read from a slot never written: items for which zero is no value,
/// through every path. Under Miri each wrong byte is an error.
fn scenario_29_items_without_a_zero<K: Kind>() {
    #[derive(Clone, PartialEq, Debug)]
    #[repr(u8)]
    enum FromOne {
        One = 1,
        Two = 2,
    }
    fn walk<K: Kind, T: PartialEq + Clone + Debug + Send + 'static>(a: T, b: T) {
        watchdog(10, move || {
            let (tx, rx) = K::bounded::<T>(2);
            assert!(rx.try_recv().is_err());
            assert_eq!(rx.recv_timeout(ms(1)), Err(RecvTimeoutError::Timeout));
            tx.send(a.clone()).unwrap();
            tx.send(b.clone()).unwrap();
            assert_eq!(tx.try_send(a.clone()).unwrap_err().into_inner(), a);
            assert_eq!(tx.send_timeout(b.clone(), ms(1)).unwrap_err().into_inner(), b);
            assert_eq!(rx.recv(), Ok(a.clone()));
            tx.send(a.clone()).unwrap();
            assert_eq!((rx.recv().as_ref(), rx.recv().as_ref()), (Ok(&b), Ok(&a)));
            tx.send(a.clone()).unwrap();
            drop(rx);
            assert_eq!(tx.send(a.clone()).unwrap_err().into_inner(), a);
        });
    }
    walk::<K, _>("a", "bc");
    walk::<K, _>(Box::new(1u8), Box::new(2));
    walk::<K, _>(NonZeroU8::MIN, NonZeroU8::MAX);
    walk::<K, _>(true, false);
    walk::<K, _>(FromOne::One, FromOne::Two);
    walk::<K, _>(Some(Box::new(1)), None);
    walk::<K, _>(String::from("a"), String::new());
}

/// A race lets one item be taken twice and another be lost: boxed integers between two senders and four receivers.
#[test]
#[cfg_attr(hornpipe_small, ignore = "a crowd meets ABA in laps of 3 bits")]
fn scenario_32_each_box_once() {
    each(all_configs().into_iter().step_by(7), 60, |config| {
        let items = sized(40_000, 24);
        let (tx, rx) = config.pipe(8);
        let seen = Seen::new(items);
        let senders = [0, 1].map(|half| {
            let tx = tx.clone();
            let part = half * items / 2..(half + 1) * items / 2;
            peer(move || within(ms(1_500), part).map(|n| tx.send(Box::new(n)).unwrap()).count())
        });
        let receivers = [(); 4].map(|()| {
            let (rx, seen) = (rx.clone(), Arc::clone(&seen));
            peer(move || rx.iter().for_each(|n| seen.note(*n)))
        });
        drop((tx, rx));
        let sent: usize = join_all(senders).iter().sum();
        join_all(receivers);
        assert_eq!(seen.count(), sent);
    });
}

/// A hand-off into a waiter that is just giving up destroyed the item after `send` had said Ok. A receive that is
/// about to time out meets a send, and the same the other way round.
fn scenario_33_timeouts_lose_nothing<K: Kind>() {
    each(sleepy_policies(), 60, |config| {
        let rounds = sized(600, 12);
        let tally = Tally::new(2 * rounds);
        let (tx, rx) = K::pipe::<Item>(config, 1);
        let sender = {
            let tally = Arc::clone(&tally);
            peer(move || {
                let mut random = Random::new(33);
                let mut sent = Vec::new();
                for id in 0..2 * rounds {
                    thread::sleep(Duration::from_micros(random.below(80)));
                    match tx.send_timeout(tally.item(id), Duration::from_micros(random.below(120))) {
                        Ok(()) => sent.push(id),
                        Err(error) => assert!(error.is_timeout() && error.into_inner().id == id),
                    }
                }
                sent
            })
        };
        let mut random = Random::new(3);
        let mut got = Vec::new();
        loop {
            match rx.recv_timeout(Duration::from_micros(random.below(160))) {
                Ok(item) => got.push(item.id),
                Err(RecvTimeoutError::Timeout) if random.below(4) == 0 => thread::sleep(ms(random.below(2))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        assert_eq!(sender.join(), got, "what send called Ok, and what came out");
        tally.assert_each_once();
    });
}

on_each_ring!(scenario_29_items_without_a_zero, scenario_33_timeouts_lose_nothing);
