//! An end of a channel, either side, as a thread of a hold plays it.

use std::task::Poll::{self, Pending, Ready};

use crate::{
    contender::Channel,
    workload::{Audit, Shape, Tally, pack},
};

/// With what it has sent or got.
pub enum End<C: Channel> {
    Tx { tx: C::Tx, sender: usize, count: u64 },
    Rx { rx: C::Rx, audit: Tally },
}

/// What is left of it for the audit.
pub enum Receipt {
    Sent { sender: usize, count: u64 },
    Got(Tally),
}

impl<C: Channel> End<C> {
    pub fn tx(sender: usize, tx: C::Tx) -> Self {
        Self::Tx { tx, sender, count: 0 }
    }

    pub fn rx(rx: C::Rx, shape: Shape) -> Self {
        Self::Rx { rx, audit: Tally::new(shape.senders) }
    }

    /// Sends the next item, or receives one; false when the other side is gone.
    pub fn call(&mut self) -> bool {
        match self {
            Self::Tx { tx, sender, count } => {
                let sent = C::send(tx, pack(*sender, *count));
                *count += u64::from(sent);
                sent
            }
            Self::Rx { rx, audit } => C::recv(rx).map(|item| audit.note(item)).is_some(),
        }
    }

    /// The same without waiting.
    pub fn try_call(&mut self) -> Poll<bool> {
        match self {
            Self::Tx { tx, sender, count } => {
                let answer = C::try_send(tx, pack(*sender, *count));
                *count += u64::from(answer == Ready(true));
                answer
            }
            Self::Rx { rx, audit } => match C::try_recv(rx) {
                Ready(item) => Ready(item.map(|item| audit.note(item)).is_some()),
                Pending => Pending,
            },
        }
    }

    /// Receives what is left, until the senders are gone.
    pub fn finish(mut self) -> Receipt {
        while matches!(self, Self::Rx { .. }) && self.call() {}
        match self {
            Self::Tx { sender, count, .. } => Receipt::Sent { sender, count },
            Self::Rx { audit, .. } => Receipt::Got(audit),
        }
    }
}
