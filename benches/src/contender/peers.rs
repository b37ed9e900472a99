//! Other crates' channels.

use std::{
    sync::Once,
    task::Poll::{self, Pending, Ready},
};

use super::{Channel, deal, ends};
use crate::workload::Shape;

/// crossbeam-channel's bounded channel.
pub(super) struct Crossbeam;

impl Channel for Crossbeam {
    ends!(crossbeam_channel::Sender<u64>, crossbeam_channel::Receiver<u64>, crossbeam_channel);

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        deal(crossbeam_channel::bounded(capacity), shape)
    }
}

/// crossfire's blocking mpmc array, set up for this machine as its documentation asks.
pub(super) struct Crossfire;

impl Channel for Crossfire {
    ends!(
        crossfire::MTx<crossfire::mpmc::Array<u64>>,
        crossfire::MRx<crossfire::mpmc::Array<u64>>,
        crossfire
    );

    fn open(&self, capacity: usize, shape: Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        static DETECTED: Once = Once::new();
        DETECTED.call_once(crossfire::detect_backoff_cfg);
        deal(crossfire::mpmc::bounded_blocking(capacity), shape)
    }
}
