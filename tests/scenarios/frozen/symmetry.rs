//! Gates that go SYM and back, by themselves and by a pest: whose the fence is changes, and no wake is lost by it.
//!
//! What a gate is shows where the process-wide barrier is made to fail: a receiver that needs it naps a millisecond at a
//! time, one on a SYM gate sleeps until it is woken. Where there is no barrier at all, as in Miri, pipes are born SYM and
//! nothing of this happens.

#![cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]

use crate::support::{
    Config, Ice, Kind, MpmcStamped, MpscStamped, Peer, Random, Sends, each, ms, peer, sleepy_policies,
    thread_cost, within,
};
use hornpipe::hooks::Point;
use hornpipe::{Mpmc, Mpsc, Receiver, RingKind, Sender, Spmc, Spsc, Topology, hooks};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Futex waits of one timed receive on an empty pipe while barriers fail: dozens of naps, or one sleep or two.
fn waits<K: Topology>(rx: &Receiver<u64, K>) -> u64 {
    hooks::fail_barriers(true);
    let (cost, got) = thread_cost(|| rx.recv_timeout(ms(30)));
    hooks::fail_barriers(false);
    assert!(got.is_err());
    cost.futex_waits
}

/// Whether the receiver's fence is with the senders: no nap in any of three tries. (On a busy machine one try may be too
/// short for a second nap.)
fn is_sym<K: Topology>(rx: &Receiver<u64, K>) -> bool {
    (0..3).all(|_| (1..=3).contains(&waits(rx)))
}

/// The rings of single senders: their receivers need the barrier.
fn single_senders(config: Config) -> [Box<dyn Pair>; 3] {
    let spsc = |ring| Box::new(config.builder::<Spsc>(1_024).ring(ring).build().unwrap());
    let spmc = Box::new(config.builder::<Spmc>(1_024).build().unwrap());
    [spsc(RingKind::Indexed), spsc(RingKind::Stamped), spmc]
}

/// Both ends in one hand.
trait Pair {
    fn send(&self, n: u64);
    fn recv(&self) -> u64;
    fn is_sym(&self) -> bool;
    fn nap(&self);
    fn symmetric(&self, sym: bool);
    fn to_and_fro(self: Box<Self>, rounds: u64) -> Box<dyn Pair>;
}

impl<K: Topology> Pair for (Sender<u64, K>, Receiver<u64, K>) {
    fn send(&self, n: u64) {
        self.0.send(n).unwrap();
    }

    fn recv(&self) -> u64 {
        self.1.recv().unwrap()
    }

    fn is_sym(&self) -> bool {
        is_sym(&self.1)
    }

    fn nap(&self) {
        assert!(self.1.recv_timeout(Duration::from_micros(100)).is_err());
    }

    fn symmetric(&self, sym: bool) {
        self.0.symmetric(sym);
    }

    /// The receiver asleep before each send, and no barrier to help it.
    fn to_and_fro(self: Box<Self>, rounds: u64) -> Box<dyn Pair> {
        let (tx, rx) = *self;
        let receiver = peer(move || {
            hooks::fail_barriers(true);
            let (cost, ()) = thread_cost(|| (0..rounds).for_each(|n| assert_eq!(rx.recv(), Ok(n))));
            hooks::fail_barriers(false);
            (cost, rx)
        });
        for n in 0..rounds {
            receiver.asleep();
            tx.send(n).unwrap();
        }
        let (cost, rx) = receiver.join();
        assert!(
            (rounds..3 * rounds).contains(&cost.futex_waits),
            "{cost:?} in {rounds} rounds: naps, or no sleep"
        );
        Box::new((tx, rx))
    }
}

/// A gate whose receiver parks often goes SYM; wakes arrive there without a barrier; after a stream in which nobody
/// sleeps it goes back; traffic is right all along, and once more from the start.
#[test]
fn a_gate_goes_sym_and_back() {
    each(sleepy_policies(), 30, |config| {
        for mut pair in single_senders(config) {
            for round in 0..2 {
                assert!(!pair.is_sym(), "SYM at the start of round {round}");
                for n in 0..20 {
                    pair.nap();
                    pair.send(n);
                    assert_eq!(pair.recv(), n);
                }
                assert!(pair.is_sym(), "the receiver parked before each of twenty items");
                pair = pair.to_and_fro(10);
                assert!(pair.is_sym());
                for n in 0..600 {
                    pair.send(n);
                    assert_eq!(pair.recv(), n);
                }
                // The next sleeper is the first for long.
                assert!(!pair.is_sym(), "600 items without a sleeper");
            }
        }
    });
}

/// Coming to an idle pipe again and again is no habit, however often: nothing is sent that could pay for a fence.
#[test]
fn an_idle_gate_stays_light() {
    each(sleepy_policies(), 30, |config| {
        for pair in single_senders(config) {
            (0..40).for_each(|_| pair.nap());
            assert!(!pair.is_sym(), "nothing was ever sent");
        }
    });
}

/// Where senders claim by compare-exchange their receivers need no barrier, and so no gate goes SYM for them: beside a
/// claimed slot, which does need one, the receiver naps as it did before.
#[test]
fn shared_senders_keep_their_gate_light() {
    fn parks_often<K: Kind<Rx<u64> = Receiver<u64, T>>, T: Topology>() {
        each(sleepy_policies(), 30, |config| {
            let (tx, rx) = K::pipe::<u64>(config, 4);
            for n in 0..20 {
                assert!(rx.recv_timeout(Duration::from_micros(100)).is_err());
                tx.send(n).unwrap();
                assert_eq!(rx.recv(), Ok(n));
            }
            let (ice, sender) = Ice::over(Point::Claimed, move || tx.send(1).unwrap());
            ice.wait_frozen();
            assert!(!is_sym(&rx));
            ice.thaw();
            sender.join();
        });
    }
    parks_often::<MpscStamped, Mpsc>();
    parks_often::<MpmcStamped, Mpmc>();
}

/// The switch by hand does the same, at once, however often.
#[test]
fn a_gate_is_switched_by_hand() {
    each(sleepy_policies(), 30, |config| {
        for pair in single_senders(config) {
            for sym in [true, false, false, true, true, false] {
                pair.symmetric(sym);
                assert_eq!(pair.is_sym(), sym);
                pair.send(1);
                assert_eq!(pair.recv(), 1);
            }
        }
    });
}

/// A gate cannot go SYM while the barrier fails: it stays as it was, and nobody sleeps beside an item.
#[test]
fn a_failing_barrier_keeps_a_gate_light() {
    each(sleepy_policies(), 30, |config| {
        for pair in single_senders(config) {
            hooks::fail_barriers(true);
            pair.symmetric(true);
            hooks::fail_barriers(false);
            assert!(!pair.is_sym());
            pair.send(1);
            assert_eq!(pair.recv(), 1);
            pair.symmetric(true);
            assert!(pair.is_sym());
        }
    });
}

/// Traffic for some time in which both sides sleep at every turn, while their gates are switched at random: by both
/// threads themselves and, where a clone can be had, by a pest that does nothing else. A lost wake is a hang.
fn pestered<K: Topology>(
    (tx, rx): (Sender<u64, K>, Receiver<u64, K>),
    pest: Option<Box<dyn Fn(bool) + Send>>,
) {
    let end = Arc::new(AtomicBool::new(false));
    let pest = pest.map(|switch| {
        let end = Arc::clone(&end);
        peer(move || {
            let mut random = Random::new(3);
            while !end.load(Relaxed) {
                switch(random.below(2) == 0);
                random.dawdle();
            }
        })
    });
    let sender = peer(move || {
        let mut random = Random::new(1);
        let numbers = within(ms(40), 0..u64::MAX).inspect(|n| {
            tx.send(*n).unwrap();
            meddle(&mut random, |sym| tx.symmetric(sym));
        });
        let sent = numbers.count();
        // The pest may hold a sender.
        end.store(true, Relaxed);
        sent
    });
    let mut random = Random::new(2);
    let received = rx.iter().zip(0..).inspect(|(got, n)| {
        assert_eq!(got, n);
        meddle(&mut random, |sym| rx.symmetric(sym));
    });
    let received = received.count();
    assert_eq!(sender.join(), received);
    assert!(received > 0);
    pest.map(Peer::join);
}

/// Now and then switches the gates, now and then takes its time.
fn meddle(random: &mut Random, switch: impl Fn(bool)) {
    match random.below(8) {
        0 => switch(random.below(2) == 0),
        1 => random.dawdle(),
        _ => {}
    }
}

/// See [`pestered`]: every ring and policy at some capacities, asleep at once or after a yield.
#[test]
fn a_pest_switches_gates_in_traffic() {
    let cases = sleepy_policies().into_iter().flat_map(|config| {
        [(1, 0), (2, 0), (3, 1), (64, 0)]
            .map(|(cap, yields)| (cap, Config { yields: Some(yields), ..config }))
    });
    each(cases, 30, |(cap, config)| {
        pestered::<Spsc>(config.builder(cap).ring(RingKind::Indexed).build().unwrap(), None);
        pestered::<Spsc>(config.builder(cap).ring(RingKind::Stamped).build().unwrap(), None);
        let (tx, rx) = config.builder::<Mpsc>(cap).build().unwrap();
        let other = tx.clone();
        pestered((tx, rx), Some(Box::new(move |sym| other.symmetric(sym))));
        let (tx, rx) = config.builder::<Spmc>(cap).build().unwrap();
        let other = rx.clone();
        pestered((tx, rx), Some(Box::new(move |sym| other.symmetric(sym))));
        let (tx, rx) = config.builder::<Mpmc>(cap).build().unwrap();
        let other = rx.clone();
        pestered((tx, rx), Some(Box::new(move |sym| other.symmetric(sym))));
    });
}
