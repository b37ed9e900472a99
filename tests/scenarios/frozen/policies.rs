//! What the wake policies do beside a frozen thread, call by call: who is woken, how many futex calls that takes, and that
//! nobody is left behind once it thaws.

use crate::support::{
    Ice, Kind, Receives, Sends, all_asleep, assert_nobody_waits, each, join_all, ms, on_each_ring, peer,
    sleepy, sleepy_policies, thread_cost,
};
use hornpipe::hooks::Point;
use hornpipe::{RecvTimeoutError, SendTimeoutError, WakePolicy};

use WakePolicy::{All, Chain, Each, OnEdge, OnRelease, Proactive};

/// A policy, and the wake calls that the second of two items makes.
type Calls = [(WakePolicy, u64); 6];

/// With the first thread woken, out of its wait and frozen before it looks: no wake is in flight any more, and the item
/// that woke it is still there.
const BESIDE_A_WOKEN_ONE: Calls =
    [(Chain, 1), (Each, 1), (All, 0), (OnEdge, 0), (OnRelease, 0), (Proactive, 1)];

/// scenario_06 with the first of two receivers frozen as it wakes: only the first of two items is an edge, so that under
/// `OnEdge` the second wakes nobody; whom the edge woke hands on, and both get one.
#[test]
fn scenario_06_two_items_one_edge() {
    each(BESIDE_A_WOKEN_ONE, 20, |(wake, calls)| {
        let (tx, rx) = sleepy(wake).pipe(4);
        let ice = Ice::new();
        let receivers = [(); 2].map(|()| {
            let (rx, ice) = (rx.clone(), ice.clone());
            peer(move || {
                let _ice = ice.at(Point::Woken);
                rx.recv().unwrap()
            })
        });
        all_asleep(&receivers);
        let (first, sent) = thread_cost(|| tx.send(1));
        assert_eq!((sent, first.futex_wakes), (Ok(()), 1));
        ice.wait_frozen();
        if wake == All {
            // The other one is awake as well, and takes the first item.
            crate::support::eventually("the first item is taken", || rx.is_empty());
        }
        let (second, sent) = thread_cost(|| tx.send(2));
        assert_eq!((sent, second.futex_wakes), (Ok(()), calls), "for the second item");
        ice.thaw();
        assert_eq!(join_all(receivers).iter().sum::<i32>(), 3);
        assert_nobody_waits(&tx);
    });
}

/// The mirror: two senders at a full pipe of two, the first to wake frozen, two receives, only the first of which is an
/// edge.
#[test]
fn scenario_06_two_slots_one_edge() {
    each(BESIDE_A_WOKEN_ONE, 20, |(wake, calls)| {
        let (tx, rx) = sleepy(wake).pipe(2);
        tx.send(1).unwrap();
        tx.send(2).unwrap();
        let ice = Ice::new();
        let senders = [3, 4].map(|n| {
            let (tx, ice) = (tx.clone(), ice.clone());
            peer(move || {
                let _ice = ice.at(Point::Woken);
                tx.send(n).unwrap();
            })
        });
        all_asleep(&senders);
        let (first, got) = thread_cost(|| rx.recv());
        assert_eq!((got, first.futex_wakes), (Ok(1), 1));
        ice.wait_frozen();
        if wake == All {
            crate::support::eventually("the first slot is taken", || rx.is_full());
        }
        let (second, got) = thread_cost(|| rx.recv());
        assert_eq!((got, second.futex_wakes), (Ok(2), calls), "for the second slot");
        ice.thaw();
        join_all(senders);
        assert_eq!(rx.recv().unwrap() + rx.recv().unwrap(), 7);
        assert_nobody_waits(&tx);
    });
}

/// The waker is frozen before its futex call, and a third thread takes the item it came for; the next item is an edge
/// again. `Chain` counts on the wake in flight, the others wake the second sleeper; in the end both are served.
#[test]
fn an_edge_beside_a_frozen_waker() {
    let calls: Calls = [(Chain, 0), (Each, 1), (All, 0), (OnEdge, 1), (OnRelease, 1), (Proactive, 1)];
    each(calls, 20, |(wake, calls)| {
        let (tx, rx) = sleepy(wake).pipe(4);
        let receivers = [(); 2].map(|()| {
            let rx = rx.clone();
            peer(move || rx.recv().unwrap())
        });
        all_asleep(&receivers);
        let (ice, waker) = {
            let tx = tx.clone();
            Ice::over(Point::BeforeWake, move || tx.send(1).unwrap())
        };
        ice.wait_frozen();
        assert_eq!(rx.try_recv(), Ok(1));
        let (cost, sent) = thread_cost(|| tx.send(2));
        assert_eq!((sent, cost.futex_wakes), (Ok(()), calls));
        if calls == 1 {
            crate::support::eventually("the second item is taken", || rx.is_empty());
        }
        ice.thaw();
        waker.join();
        tx.send(3).unwrap();
        assert_eq!(join_all(receivers).iter().sum::<i32>(), 5);
        assert_nobody_waits(&tx);
    });
}

/// A receiver's time runs out while the wake that it was granted is still on its way, its waker frozen: it takes the
/// grant and, looking once more, the item. Nothing is left over when the waker goes on.
fn a_receiver_times_out_with_a_grant<K: Kind>() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = K::pipe(config, 2);
        let receiver = peer(move || (rx.recv_timeout(ms(60)), rx));
        receiver.asleep();
        let (ice, waker) = Ice::over(Point::BeforeWake, move || (tx.send(1).unwrap(), tx).1);
        ice.wait_frozen();
        // Before the thaw: by itself.
        let (got, rx) = receiver.join();
        assert_eq!(got, Ok(1));
        assert_nobody_waits(&rx);
        ice.thaw();
        let tx = waker.join();
        let receiver = peer(move || rx.recv());
        receiver.asleep();
        tx.send(2).unwrap();
        assert_eq!(receiver.join(), Ok(2));
        assert_nobody_waits(&tx);
    });
}

/// The same for a sender.
fn a_sender_times_out_with_a_grant<K: Kind>() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = K::pipe(config, 1);
        tx.send(1).unwrap();
        let sender = peer(move || (tx.send_timeout(2, ms(60)), tx));
        sender.asleep();
        let (ice, waker) = Ice::over(Point::BeforeWake, move || (rx.recv(), rx));
        ice.wait_frozen();
        let (sent, tx) = sender.join();
        assert_eq!(sent, Ok(()));
        assert_nobody_waits(&tx);
        ice.thaw();
        let (got, rx) = waker.join();
        assert_eq!(got, Ok(1));
        let sender = peer(move || (tx.send(3), tx));
        sender.asleep();
        assert_eq!(rx.recv(), Ok(2));
        assert_eq!((sender.join().0, rx.recv()), (Ok(()), Ok(3)));
        assert_nobody_waits(&rx);
    });
}

/// The same with the item gone before it looks: it times out with the grant, which goes with it, and the one that still
/// sleeps is woken by the next item.
#[test]
fn a_grant_goes_with_the_one_that_times_out() {
    each(sleepy_policies(), 20, |config| {
        let (tx, rx) = config.pipe(2);
        let hasty = {
            let rx = rx.clone();
            peer(move || rx.recv_timeout(ms(60)))
        };
        hasty.asleep();
        let (ice, waker) = {
            let tx = tx.clone();
            Ice::over(Point::BeforeWake, move || tx.send(1).unwrap())
        };
        ice.wait_frozen();
        assert_eq!(rx.try_recv(), Ok(1));
        let patient = {
            let rx = rx.clone();
            peer(move || rx.recv())
        };
        // Whichever of the two takes the grant finds nothing.
        assert_eq!(hasty.join(), Err(RecvTimeoutError::Timeout));
        ice.thaw();
        waker.join();
        patient.asleep();
        tx.send(2).unwrap();
        assert_eq!(patient.join(), Ok(2));
        assert_nobody_waits(&tx);

        // And the other side.
        tx.send(3).unwrap();
        tx.send(4).unwrap();
        let hasty = {
            let tx = tx.clone();
            peer(move || tx.send_timeout(5, ms(60)))
        };
        hasty.asleep();
        let (ice, waker) = {
            let rx = rx.clone();
            Ice::over(Point::BeforeWake, move || rx.recv())
        };
        ice.wait_frozen();
        assert_eq!(tx.try_send(6), Ok(()));
        assert_eq!(hasty.join(), Err(SendTimeoutError::Timeout(5)));
        ice.thaw();
        assert_eq!(waker.join(), Ok(3));
        assert_nobody_waits(&tx);
    });
}

on_each_ring!(a_receiver_times_out_with_a_grant, a_sender_times_out_with_a_grant);
