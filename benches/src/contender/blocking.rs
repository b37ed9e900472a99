//! Other crates' channels that block.

use std::{
    sync::Once,
    task::Poll::{self, Pending, Ready},
};

use super::{Channel, deal, ends, many, single};
use crate::workload::Shape;

/// crossbeam-channel's bounded channel.
pub(super) struct Crossbeam;

impl Channel for Crossbeam {
    ends!(crossbeam_channel::Sender<u64>, crossbeam_channel::Receiver<u64>, crossbeam_channel);

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        deal(crossbeam_channel::bounded(capacity), shape)
    }
}

/// Declares crossfire's blocking array of a topology, set up for this machine as its documentation asks.
macro_rules! crossfire {
    ($(#[$doc:meta])* $name:ident: $module:ident, $tx:ident $many_tx:ident, $rx:ident $many_rx:ident) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl Channel for $name {
            ends!(
                crossfire::$tx<crossfire::$module::Array<u64>>,
                crossfire::$rx<crossfire::$module::Array<u64>>,
                crossfire
            );

            fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
                static DETECTED: Once = Once::new();
                DETECTED.call_once(crossfire::detect_backoff_cfg);
                let (tx, rx) = crossfire::$module::bounded_blocking(capacity);
                ($many_tx(tx, shape.senders), $many_rx(rx, shape.receivers))
            }
        }
    };
}

crossfire! {
    /// Many to many.
    Crossfire: mpmc, MTx many, MRx many
}
crossfire! {
    /// Many to one.
    CrossfireMpsc: mpsc, MTx many, Rx single
}
crossfire! {
    /// One to one.
    CrossfireSpsc: spsc, Tx single, Rx single
}

/// flume's bounded channel.
pub(super) struct Flume;

impl Channel for Flume {
    ends!(flume::Sender<u64>, flume::Receiver<u64>, flume);

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        deal(flume::bounded(capacity), shape)
    }
}

/// kanal's bounded channel.
pub(super) struct Kanal;

impl Channel for Kanal {
    type Tx = kanal::Sender<u64>;
    type Rx = kanal::Receiver<u64>;

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        deal(kanal::bounded(capacity), shape)
    }

    #[inline(always)]
    fn send(tx: &Self::Tx, item: u64) -> bool {
        tx.send(item).is_ok()
    }

    #[inline(always)]
    fn recv(rx: &Self::Rx) -> Option<u64> {
        rx.recv().ok()
    }

    #[inline(always)]
    fn try_send(tx: &Self::Tx, item: u64) -> Poll<bool> {
        match tx.try_send(item) {
            Ok(false) => Pending,
            answer => Ready(answer.is_ok()),
        }
    }

    #[inline(always)]
    fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>> {
        match rx.try_recv() {
            Ok(None) => Pending,
            answer => Ready(answer.ok().flatten()),
        }
    }
}
