//! A stand-in for hornpipe's indexed ring, to see what the order between a publish and the look at the other side's gate
//! costs by itself: the same two positions with each end's copy of the other's, the same look after each publish and
//! release, in three orders. It cannot block: the gates stay empty, and waiting is trying again.

use std::{
    marker::PhantomData,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::*, compiler_fence, fence},
    },
};

use crossbeam_utils::CachePadded;
use serde::{Deserialize, Serialize};

use super::spinning::{Queue, Spinning};

/// What stands between a publish and the look for sleepers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Publish {
    /// A compiler's fence, as in hornpipe: sleepers pay for the order.
    Light,
    /// A full fence.
    Fence,
    /// Nothing: the publish is a SeqCst swap.
    Swap,
}

impl Publish {
    /// As the tables show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Fence => "fence",
            Self::Swap => "swap",
        }
    }
}

/// Makes a position public, ordered before what is loaded next.
pub(super) trait Order: Send + 'static {
    fn publish(position: &AtomicU64, to: u64);
}

pub(super) struct LightOrder;
pub(super) struct FenceOrder;
pub(super) struct SwapOrder;

pub(super) type Light = Spinning<StandIn<LightOrder>>;
pub(super) type Fence = Spinning<StandIn<FenceOrder>>;
pub(super) type Swap = Spinning<StandIn<SwapOrder>>;

impl Order for LightOrder {
    #[inline(always)]
    fn publish(position: &AtomicU64, to: u64) {
        position.store(to, Release);
        compiler_fence(SeqCst);
    }
}

impl Order for FenceOrder {
    #[inline(always)]
    fn publish(position: &AtomicU64, to: u64) {
        position.store(to, Release);
        fence(SeqCst);
    }
}

impl Order for SwapOrder {
    #[inline(always)]
    fn publish(position: &AtomicU64, to: u64) {
        position.swap(to, SeqCst);
    }
}

/// What both ends share.
struct Ring {
    tail: CachePadded<AtomicU64>,
    head: CachePadded<AtomicU64>,
    /// Sleepers a side: nobody, but no compiler knows.
    gates: CachePadded<[AtomicU32; 2]>,
    /// Relaxed words: the positions publish them.
    items: Box<[AtomicU64]>,
}

/// Either end: its own position, and up to where it may go by what it last saw of the other's.
pub(super) struct End {
    ring: Arc<Ring>,
    position: u64,
    limit: u64,
}

impl End {
    #[inline(always)]
    fn item(&self) -> &AtomicU64 {
        // A power of two, see `new`.
        &self.ring.items[self.position as usize & (self.ring.items.len() - 1)]
    }

    /// Whether the other end is gone; what it published can be seen then.
    fn alone(&self) -> bool {
        let alone = Arc::strong_count(&self.ring) == 1;
        fence(Acquire); // pairs with the Arc's Release on drop
        alone
    }
}

#[cold]
fn sleeper() {
    unreachable!("nobody sleeps here");
}

pub(super) struct StandIn<O>(PhantomData<O>);

impl<O: Order> Queue for StandIn<O> {
    type Tx = End;
    type Rx = End;

    fn new(capacity: usize) -> (End, End) {
        assert!(capacity.is_power_of_two(), "the stand-in has no other capacities");
        let ring = Arc::new(Ring {
            tail: CachePadded::default(),
            head: CachePadded::default(),
            gates: CachePadded::default(),
            items: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
        });
        let end = |limit| End { ring: Arc::clone(&ring), position: 0, limit };
        (end(capacity as u64), end(0))
    }

    #[inline(always)]
    fn push(tx: &mut End, item: u64) -> bool {
        if tx.position == tx.limit {
            tx.limit = tx.ring.head.load(Acquire) + tx.ring.items.len() as u64;
            if tx.position == tx.limit {
                return false;
            }
        }
        tx.item().store(item, Relaxed);
        tx.position += 1;
        O::publish(&tx.ring.tail, tx.position);
        if tx.ring.gates[0].load(Relaxed) != 0 {
            sleeper();
        }
        true
    }

    #[inline(always)]
    fn pop(rx: &mut End) -> Option<u64> {
        if rx.position == rx.limit {
            rx.limit = rx.ring.tail.load(Acquire);
            if rx.position == rx.limit {
                return None;
            }
        }
        let item = rx.item().load(Relaxed);
        rx.position += 1;
        O::publish(&rx.ring.head, rx.position);
        if rx.ring.gates[1].load(Relaxed) != 0 {
            sleeper();
        }
        Some(item)
    }

    fn receiver_gone(tx: &End) -> bool {
        tx.alone()
    }

    fn sender_gone(rx: &End) -> bool {
        rx.alone()
    }
}
