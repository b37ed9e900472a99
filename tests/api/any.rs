//! What holds for every pipe, also where neither end can be cloned.

use super::{Receiver, Sender, bounded};

mod counting;
mod disconnecting;
mod dropping;
mod items;
mod iterating;
mod receiving;
mod sending;
