//! What carries messages of N bytes in the experiments: the kernel's pipe in user space, hornpipe's byte pipe and its ring, the
//! system's pipe.

use std::{
    io::{self, PipeReader, PipeWriter, Read, Write},
    ops::AddAssign,
    sync::Arc,
};

use hornpipe::{
    Builder, Mpmc, Receiver, Sender, Topology,
    baseline::pages::{self, Options, PageReader, PageWriter},
    bytes,
};
use serde::Serialize;

/// Page buffers of a byte pipe: the kernel's default.
const PAGES: usize = 16;
/// The same in bytes.
pub const BYTES: usize = PAGES * pages::PAGE;

/// So many messages of that length fit into a byte pipe, since none is split: a ring's capacity for a fair comparison.
pub const fn capacity(length: usize) -> usize {
    pages::PAGE / length * PAGES
}

/// A pipe to be opened. Its functions are generic code's way in: nothing is called through `dyn`.
pub trait Pipe<const N: usize> {
    /// The end that messages go into.
    type Tx: Clone + Send;
    /// The end that they come out of.
    type Rx: Send;

    /// One pipe.
    fn open(&self) -> Result<(Self::Tx, Self::Rx), String>;

    /// All of `messages`: in one write, where there are bytes.
    fn send(tx: &Self::Tx, messages: &[[u8; N]]) -> Result<(), String>;

    /// The next one.
    fn recv(rx: &Self::Rx, into: &mut [u8; N]) -> Result<(), String>;

    /// How its calls waited and woke so far, where it counts that.
    fn wakes(_rx: &Self::Rx) -> Option<Wakes> {
        None
    }
}

/// What page pipes count of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wakes {
    /// Wakes asked for, looks included.
    pub calls: u64,
    /// Of them those that took a queue's lock.
    pub locked: u64,
    /// Threads that they took off a queue.
    pub woken: u64,
    /// Times that a queue's lock was held by somebody else.
    pub contended: u64,
}

impl AddAssign for Wakes {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.locked += other.locked;
        self.woken += other.woken;
        self.contended += other.contended;
    }
}

/// The kernel's pipe in user space, with these switches.
pub struct Pages(pub Options);

/// The system's.
pub struct Os;

/// Writes and reads bytes; `recv` by whole messages, which none of these pipes splits.
macro_rules! bytes {
    ($writer:ty, $reader:ty) => {
        type Rx = Arc<$reader>;
        type Tx = Arc<$writer>;

        fn send(tx: &Self::Tx, messages: &[[u8; N]]) -> Result<(), String> {
            (&**tx).write_all(messages.as_flattened()).map_err(told)
        }

        fn recv(rx: &Self::Rx, into: &mut [u8; N]) -> Result<(), String> {
            (&**rx).read_exact(into).map_err(told)
        }
    };
}

impl<const N: usize> Pipe<N> for Pages {
    bytes!(PageWriter, PageReader);

    fn open(&self) -> Result<(Self::Tx, Self::Rx), String> {
        shared(pages::pipe(PAGES, self.0))
    }

    fn wakes(rx: &Self::Rx) -> Option<Wakes> {
        let counts = rx.counts();
        let mut sum = Wakes::default();
        for side in [counts.readers, counts.writers] {
            let pages::Waits { wake_calls, locked, woken, contended, .. } = side;
            sum += Wakes { calls: wake_calls, locked, woken, contended };
        }
        Some(sum)
    }
}

impl<const N: usize> Pipe<N> for Os {
    bytes!(PipeWriter, PipeReader);

    fn open(&self) -> Result<(Self::Tx, Self::Rx), String> {
        shared(io::pipe().map(|(rx, tx)| (tx, rx)))
    }
}

impl<const N: usize> Pipe<N> for bytes::Builder<Mpmc> {
    bytes!(bytes::PipeWriter<Mpmc>, bytes::PipeReader<Mpmc>);

    fn open(&self) -> Result<(Self::Tx, Self::Rx), String> {
        shared(self.build())
    }
}

impl<K: Topology, const N: usize> Pipe<N> for Builder<K>
where
    Sender<[u8; N], K>: Clone,
{
    type Rx = Receiver<[u8; N], K>;
    type Tx = Sender<[u8; N], K>;

    fn open(&self) -> Result<(Self::Tx, Self::Rx), String> {
        self.build().map_err(told)
    }

    fn send(tx: &Self::Tx, messages: &[[u8; N]]) -> Result<(), String> {
        messages.iter().try_for_each(|message| tx.send(*message)).map_err(told)
    }

    fn recv(rx: &Self::Rx, into: &mut [u8; N]) -> Result<(), String> {
        *into = rx.recv().map_err(told)?;
        Ok(())
    }
}

fn shared<W, R>(ends: io::Result<(W, R)>) -> Result<(Arc<W>, Arc<R>), String> {
    ends.map(|(writer, reader)| (Arc::new(writer), Arc::new(reader))).map_err(told)
}

fn told(why: impl ToString) -> String {
    why.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hornpipe::Mpsc;

    /// As many as it should hold, and in order.
    fn holds<const N: usize>(pipe: &impl Pipe<N>) {
        let (tx, rx) = ends(pipe);
        for round in 0..3u32 {
            let messages: Vec<[u8; N]> = (0..capacity(N) as u32).map(|n| message(n + round)).collect();
            let (first, rest) = messages.split_at(2);
            send(pipe, &tx, first);
            rest.iter().for_each(|message| send(pipe, &tx, &[*message]));
            for message in messages {
                let mut into = [0; N];
                recv(pipe, &rx, &mut into);
                assert_eq!(into, message);
            }
        }
    }

    fn message<const N: usize>(number: u32) -> [u8; N] {
        let mut message = [number as u8; N];
        message[..4].copy_from_slice(&number.to_le_bytes());
        message
    }

    fn ends<const N: usize, P: Pipe<N>>(pipe: &P) -> (P::Tx, P::Rx) {
        pipe.open().expect("a pipe")
    }

    fn send<const N: usize, P: Pipe<N>>(_: &P, tx: &P::Tx, messages: &[[u8; N]]) {
        P::send(tx, messages).expect("a reader");
    }

    fn recv<const N: usize, P: Pipe<N>>(_: &P, rx: &P::Rx, into: &mut [u8; N]) {
        P::recv(rx, into).expect("a message");
    }

    #[test]
    fn all_hold_what_they_should_and_keep_its_order() {
        holds::<100>(&Pages(Options::new()));
        holds::<100>(&Builder::<Mpsc>::new(capacity(100)));
        holds::<4>(&Pages(Options::new()));
        holds::<4>(&Builder::<Mpmc>::new(capacity(4)));
        holds::<512>(&Pages(Options::new()));
        let shared = bytes::Builder::<Mpmc>::new(BYTES);
        holds::<4>(&shared);
        holds::<100>(&shared);
        holds::<512>(&shared);
        #[cfg(target_os = "linux")]
        {
            holds::<4>(&Os);
            holds::<100>(&Os);
            holds::<512>(&Os);
        }
    }

    #[test]
    fn the_other_ends_end_is_told() {
        let (tx, rx) = ends::<4, _>(&Pages(Options::new()));
        drop(tx);
        assert!(<Pages as Pipe<4>>::recv(&rx, &mut [0; 4]).is_err());
        let (tx, rx) = ends::<4, _>(&Builder::<Mpmc>::new(1));
        drop(rx);
        assert!(<Builder<Mpmc> as Pipe<4>>::send(&tx, &[[0; 4]]).is_err());
    }

    #[test]
    fn page_pipes_count() {
        let pages = Pages(Options::new());
        let (tx, rx) = ends::<4, _>(&pages);
        send(&pages, &tx, &[[1; 4], [2; 4]]);
        let wakes = <Pages as Pipe<4>>::wakes(&rx);
        assert_eq!(wakes, Some(Wakes { calls: 1, locked: 1, woken: 0, contended: 0 }));
    }
}
