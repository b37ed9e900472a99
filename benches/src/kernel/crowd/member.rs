//! Who takes turns: a thread's ends of a ring, and whoever it is with the turn's work around.

use std::task::Poll::Ready;

use super::work::Work;
use crate::{
    contender::Channel,
    relax::{crowd::Member, word::Word},
    workload::{Audit, pack},
};

/// A member whose turns have a shape.
pub struct Shaped<'a, M, W> {
    pub member: M,
    /// Held as long as it holds what its crowd contends for.
    pub second: Option<&'a W>,
    /// Done while it holds, and once more before the next turn.
    pub half: Work,
}

impl<M: Member, W: Word> Member for Shaped<'_, M, W> {
    #[inline]
    fn take(&mut self) -> bool {
        let took = self.member.take() && self.second.is_none_or(W::get);
        self.half.run();
        took
    }

    #[inline]
    fn give(&mut self) -> bool {
        let gave = self.second.is_none_or(W::put) && self.member.give();
        self.half.run();
        gave
    }
}

/// A thread's ends of a ring: it takes a place there with an item of its own, and gives one back with whatever comes.
pub struct Ends<C: Channel, A> {
    id: usize,
    tx: C::Tx,
    rx: C::Rx,
    sent: u64,
    audit: A,
}

impl<C: Channel, A: Audit> Ends<C, A> {
    pub fn new(id: usize, threads: usize, tx: C::Tx, rx: C::Rx) -> Self {
        Self { id, tx, rx, sent: 0, audit: A::new(threads) }
    }

    /// Whether all that all sent was received, exactly once, and nothing is left.
    pub fn settle(all: Vec<Self>) -> Result<(), String> {
        if let Some(Ready(Some(item))) = all.first().map(|ends| C::try_recv(&ends.rx)) {
            return Err(format!("item {item:#x} was still there at the end"));
        }
        let (audits, sent): (Vec<A>, Vec<u64>) = all.into_iter().map(|ends| (ends.audit, ends.sent)).unzip();
        A::settle(audits, &sent)
    }
}

impl<C: Channel, A: Audit> Member for Ends<C, A> {
    #[inline]
    fn take(&mut self) -> bool {
        let sent = C::send(&self.tx, pack(self.id, self.sent));
        self.sent += u64::from(sent);
        sent
    }

    #[inline]
    fn give(&mut self) -> bool {
        let got = C::recv(&self.rx);
        got.map(|item| self.audit.note(item)).is_some()
    }
}
