//! Either end of any pipe, the baseline's included, so that one test body runs on all of them.

#[cfg(feature = "baseline")]
use hornpipe::baseline::typed;
use hornpipe::{
    Mpmc, Mpsc, Receiver, RecvError, RecvTimeoutError, SendError, SendTimeoutError, Sender, Spmc, Spsc,
    TryRecvError, TrySendError,
};
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// What there is to see of a pipe from one of its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Looks {
    pub len: usize,
    pub is_empty: bool,
    pub is_full: bool,
    pub is_disconnected: bool,
    pub capacity: Option<usize>,
    pub senders: usize,
    pub receivers: usize,
}

/// An end of either side.
pub trait End: Debug + Send + Sized + 'static {
    /// One more on the same pipe, where there may be more.
    fn another(&self) -> Option<Self>;
    /// This one and its clones, as many as wanted; a single end is one whatever is wanted.
    fn handles(self, wanted: usize) -> Vec<Self> {
        let more: Vec<_> = (1..wanted).map_while(|_| self.another()).collect();
        [self].into_iter().chain(more).collect()
    }
    fn look(&self) -> Looks;
    fn len(&self) -> usize {
        self.look().len
    }
    fn is_empty(&self) -> bool {
        self.look().is_empty
    }
    fn is_full(&self) -> bool {
        self.look().is_full
    }
    fn is_disconnected(&self) -> bool {
        self.look().is_disconnected
    }
}

/// A sending end.
pub trait Sends<T>: End {
    fn send(&self, item: T) -> Result<(), SendError<T>>;
    fn try_send(&self, item: T) -> Result<(), TrySendError<T>>;
    fn send_timeout(&self, item: T, timeout: Duration) -> Result<(), SendTimeoutError<T>>;
    fn send_deadline(&self, item: T, deadline: Instant) -> Result<(), SendTimeoutError<T>>;
}

/// A receiving end.
pub trait Receives<T>: End {
    fn recv(&self) -> Result<T, RecvError>;
    fn try_recv(&self) -> Result<T, TryRecvError>;
    fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError>;
    fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError>;
    fn iter(&self) -> impl Iterator<Item = T>;
    fn try_iter(&self) -> impl Iterator<Item = T>;
}

/// Has the trait's methods call the type's own.
macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        $(fn $method(&self $(, $argument: $type)*) -> $result {
            Self::$method(self $(, $argument)*)
        })+
    };
    (look) => {
        fn look(&self) -> Looks {
            Looks {
                len: self.len(),
                is_empty: self.is_empty(),
                is_full: self.is_full(),
                is_disconnected: self.is_disconnected(),
                capacity: self.capacity(),
                senders: self.sender_count(),
                receivers: self.receiver_count(),
            }
        }
    };
    (one) => {
        fn another(&self) -> Option<Self> {
            None
        }
    };
    (many) => {
        fn another(&self) -> Option<Self> {
            Some(self.clone())
        }
    };
}

macro_rules! ends {
    ($($how_many_tx:ident $tx:ty, $how_many_rx:ident $rx:ty;)+) => {
        $(impl<T: Send + 'static> End for $tx {
            forward!($how_many_tx);
            forward!(look);
        }

        impl<T: Send + 'static> End for $rx {
            forward!($how_many_rx);
            forward!(look);
        }

        impl<T: Send + 'static> Sends<T> for $tx {
            forward! {
                send(item: T) -> Result<(), SendError<T>>;
                try_send(item: T) -> Result<(), TrySendError<T>>;
                send_timeout(item: T, timeout: Duration) -> Result<(), SendTimeoutError<T>>;
                send_deadline(item: T, deadline: Instant) -> Result<(), SendTimeoutError<T>>;
            }
        }

        impl<T: Send + 'static> Receives<T> for $rx {
            forward! {
                recv() -> Result<T, RecvError>;
                try_recv() -> Result<T, TryRecvError>;
                recv_timeout(timeout: Duration) -> Result<T, RecvTimeoutError>;
                recv_deadline(deadline: Instant) -> Result<T, RecvTimeoutError>;
                iter() -> impl Iterator<Item = T>;
                try_iter() -> impl Iterator<Item = T>;
            }
        })+
    };
}

ends! {
    one Sender<T, Spsc>, one Receiver<T, Spsc>;
    many Sender<T, Mpsc>, one Receiver<T, Mpsc>;
    one Sender<T, Spmc>, many Receiver<T, Spmc>;
    many Sender<T, Mpmc>, many Receiver<T, Mpmc>;
}
#[cfg(feature = "baseline")]
ends! {
    many typed::Sender<T>, many typed::Receiver<T>;
}
