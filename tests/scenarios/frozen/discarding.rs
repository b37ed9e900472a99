//! After the last receiver: who was in the middle of a send drops what is left, one thread at a time, whatever the items'
//! drops do.

use crate::support::{
    End, Ice, Kind, MpmcStamped, MpscStamped, Peer, Sends, Tally, eventually, ms, on_each_ring, peer,
    watchdog,
};
use hornpipe::hooks::Point;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

/// An item that counts its drop and does what it is told to in it.
struct Item {
    drops: Arc<AtomicUsize>,
    on_drop: Option<Box<dyn FnOnce() + Send>>,
}

impl Item {
    fn quiet(drops: &Arc<AtomicUsize>) -> Self {
        Self { drops: Arc::clone(drops), on_drop: None }
    }

    fn that(drops: &Arc<AtomicUsize>, on_drop: impl FnOnce() + Send + 'static) -> Self {
        Self { drops: Arc::clone(drops), on_drop: Some(Box::new(on_drop)) }
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.drops.fetch_add(1, SeqCst);
        if let Some(on_drop) = self.on_drop.take() {
            on_drop();
        }
    }
}

/// A sender frozen with a claimed slot, and what its send came to: Err for a panic.
fn frozen<S: Sends<Item>>(tx: S, item: Item) -> (Ice, Peer<Result<bool, ()>>) {
    let (ice, sender) = Ice::over(Point::Claimed, move || {
        catch_unwind(AssertUnwindSafe(|| tx.send(item).is_ok())).map_err(|_| ())
    });
    ice.wait_frozen();
    (ice, sender)
}

/// The only sender is frozen before it publishes, the receiver goes: the drop waits for nobody, and the sender's own item
/// is dropped before its send returns.
fn the_sender_discards<K: Kind>() {
    watchdog(20, || {
        for queued in 0..3 {
            let tally = Tally::new(4);
            let (tx, rx) = K::pipe(Default::default(), 3);
            (0..queued).for_each(|id| tx.send(tally.item(id)).ok().unwrap());
            let item = tally.item(queued);
            let (ice, sender) = Ice::over(Point::Claimed, move || (tx.send(item).is_ok(), tx));
            ice.wait_frozen();
            drop(rx);
            assert_eq!(tally.dropped(), queued, "what was queued is dropped at once, and no more");
            ice.thaw();
            let (sent, tx) = sender.join();
            assert!(sent, "the item was taken over");
            assert_eq!((tally.dropped(), tally.drops_of(queued), tx.len()), (queued + 1, 1, 0));
            assert!(tx.send(tally.item(3)).is_err());
        }
    });
}

thread_local! {
    /// The way for an item's drop to the sender that is just dropping it.
    static MINE: RefCell<Option<Box<dyn Fn() -> bool>>> = const { RefCell::new(None) };
}

/// An item whose drop sends on the very end that discards it, in the middle of that one's send: refused, no deadlock.
fn a_discarded_item_uses_the_discarding_sender<K: Kind>() {
    watchdog(20, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let refused = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = K::pipe(Default::default(), 2);
        let (item, spare) = {
            let (refused, drops) = (Arc::clone(&refused), Arc::clone(&drops));
            let spare = Item::quiet(&drops);
            let meddle = move || {
                MINE.with_borrow(|send| {
                    let refusals = usize::from(!send.as_ref().expect("its sender is there")());
                    refused.fetch_add(refusals, SeqCst);
                });
            };
            (Item::that(&drops, meddle), Mutex::new(Some(spare)))
        };
        let (ice, sender) = Ice::over(Point::Claimed, move || {
            // Shared within the thread: the item's drop runs below `send`, with the same end.
            let tx = std::rc::Rc::new(tx);
            let again = std::rc::Rc::clone(&tx);
            MINE.set(Some(Box::new(move || {
                assert!(again.is_disconnected() && again.len() <= 1);
                again.try_send(spare.lock().unwrap().take().expect("once")).is_ok()
            })));
            let sent = tx.send(item).is_ok();
            MINE.set(None);
            sent
        });
        ice.wait_frozen();
        drop(rx);
        ice.thaw();
        assert!(sender.join());
        assert_eq!((drops.load(SeqCst), refused.load(SeqCst)), (2, 1));
        assert_eq!(Arc::strong_count(&drops), 1, "an item was leaked");
    });
}

/// A panic in the discarded item's drop comes out of the send that discards; the pipe is freed all the same.
fn a_panic_comes_out_of_the_discarding_send<K: Kind>() {
    watchdog(20, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = K::pipe(Default::default(), 2);
        let (ice, sender) = frozen(tx, Item::that(&drops, || panic!("an item's drop panics")));
        drop(rx);
        assert_eq!(drops.load(SeqCst), 0);
        ice.thaw();
        assert_eq!(sender.join(), Err(()), "the panic was swallowed");
        assert_eq!(drops.load(SeqCst), 1);
        assert_eq!(Arc::strong_count(&drops), 1, "the pipe was leaked");
    });
}

on_each_ring!(
    the_sender_discards,
    a_discarded_item_uses_the_discarding_sender,
    a_panic_comes_out_of_the_discarding_send,
);

/// Several senders in flight when the receiver goes, published in every order: each item is dropped once, by whoever can
/// reach it, and the last of their sends leaves nothing behind.
fn any_order<K: Kind>() {
    watchdog(20, || {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let drops = Arc::new(AtomicUsize::new(0));
            let (tx, rx) = K::pipe(Default::default(), 4);
            let mut senders = [(); 3].map(|()| Some(frozen(tx.another().unwrap(), Item::quiet(&drops))));
            drop(rx);
            let mut thawed = [false; 3];
            for nth in order {
                let (ice, sender) = senders[nth].take().unwrap();
                ice.thaw();
                assert_eq!(sender.join(), Ok(true));
                thawed[nth] = true;
                // Slots in front that are still claimed hold up those behind.
                let reachable = thawed.iter().take_while(|thawed| **thawed).count();
                assert_eq!(drops.load(SeqCst), reachable, "{order:?}");
            }
            assert_eq!(tx.len(), 0);
        }
    });
}

#[test]
fn senders_discard_in_any_order() {
    any_order::<MpscStamped>();
    any_order::<MpmcStamped>();
}

/// A pipe whose last receiver is just dropping an item that does not come back before it is told to, and then does
/// `last`; behind it one sender is in flight.
struct Stuck<S> {
    tx: S,
    drops: Arc<AtomicUsize>,
    receiver: Peer<Result<(), ()>>,
    go_on: Sender<()>,
    in_flight: (Ice, Peer<Result<bool, ()>>),
}

fn stuck<K: Kind>(last: fn()) -> Stuck<K::Tx<Item>> {
    let drops = Arc::new(AtomicUsize::new(0));
    let (tx, rx) = K::pipe(Default::default(), 4);
    let (stands, is_there) = mpsc::channel();
    let (go_on, may_go_on): (_, Receiver<()>) = mpsc::channel();
    let stopper = Item::that(&drops, move || {
        stands.send(()).unwrap();
        may_go_on.recv().unwrap();
        last();
    });
    tx.send(stopper).ok().unwrap();
    let in_flight = frozen(tx.another().unwrap(), Item::quiet(&drops));
    let receiver = peer(move || catch_unwind(AssertUnwindSafe(|| drop(rx))).map_err(|_| ()));
    is_there.recv().unwrap();
    Stuck { tx, drops, receiver, go_on, in_flight }
}

/// One discarder at a time, and nobody waits for it: a send that ends while another thread's item takes its time over
/// being dropped returns at once; its own item is dropped by that thread afterwards.
fn nobody_waits<K: Kind>() {
    watchdog(20, || {
        let Stuck { tx, drops, receiver, go_on, in_flight: (ice, sender) } = stuck::<K>(|| {});
        ice.thaw();
        eventually("a send ends beside a discard that takes its time", || sender.is_done());
        assert_eq!(sender.join(), Ok(true));
        thread::sleep(ms(10));
        assert_eq!((drops.load(SeqCst), receiver.is_done()), (1, false), "two threads discard at once");
        go_on.send(()).unwrap();
        assert_eq!(receiver.join(), Ok(()));
        assert_eq!((drops.load(SeqCst), tx.len()), (2, 0));
    });
}

/// The same, and the item that takes its time panics at last: those left to its thread are dropped all the same.
fn a_panic_keeps_nobody<K: Kind>() {
    watchdog(20, || {
        let stuck = stuck::<K>(|| panic!("an item's drop panics"));
        let Stuck { tx, drops, receiver, go_on, in_flight: (ice, sender) } = stuck;
        ice.thaw();
        assert_eq!(sender.join(), Ok(true));
        go_on.send(()).unwrap();
        assert_eq!(receiver.join(), Err(()), "the panic was swallowed");
        assert_eq!((drops.load(SeqCst), tx.len()), (2, 0));
        drop(tx);
        assert_eq!(Arc::strong_count(&drops), 1, "the pipe was leaked");
    });
}

/// Two senders in flight, and the first one's item panics: the second discards its own later.
fn a_panic_leaves_the_next_in_order<K: Kind>() {
    watchdog(20, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let (tx, rx) = K::pipe(Default::default(), 4);
        let bad = Item::that(&drops, || panic!("an item's drop panics"));
        let (first_ice, first) = frozen(tx.another().unwrap(), bad);
        let (second_ice, second) = frozen(tx.another().unwrap(), Item::quiet(&drops));
        drop(rx);
        first_ice.thaw();
        assert_eq!(first.join(), Err(()));
        assert_eq!(drops.load(SeqCst), 1);
        second_ice.thaw();
        assert_eq!(second.join(), Ok(true));
        assert_eq!((drops.load(SeqCst), tx.len()), (2, 0));
        drop(tx);
        assert_eq!(Arc::strong_count(&drops), 1, "the pipe was leaked");
    });
}

#[test]
fn one_discards_and_nobody_waits() {
    nobody_waits::<MpscStamped>();
    nobody_waits::<MpmcStamped>();
}

#[test]
fn a_panicking_discarder_keeps_nobody() {
    a_panic_keeps_nobody::<MpscStamped>();
    a_panic_keeps_nobody::<MpmcStamped>();
    a_panic_leaves_the_next_in_order::<MpscStamped>();
    a_panic_leaves_the_next_in_order::<MpmcStamped>();
}
