//! What crossbeam-channel's documentation says of a bounded channel, and where hornpipe differs by intent: each test
//! runs on every topology and ring and, with the feature, on the baseline, so that the oracle is held to the same words.

// The same bodies are compiled once a subject.
#![allow(clippy::duplicate_mod)]

mod support;

/// Single ends in the ring that `bounded` takes for small pipes: the stamped one.
#[path = "api"]
mod spsc {
    use hornpipe::spsc::{Receiver, Sender, bounded};

    mod any;
}

/// The same in the other ring.
#[path = "api"]
mod indexed {
    use hornpipe::spsc::{Receiver, Sender};
    use hornpipe::{Builder, RingKind, Spsc};

    fn bounded<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
        Builder::<Spsc>::new(cap).ring(RingKind::Indexed).build().unwrap_or_else(|error| panic!("{error}"))
    }

    mod any;
}

#[path = "api"]
mod mpsc {
    use hornpipe::mpsc::{Receiver, Sender, bounded};

    mod any;
    mod many_senders;
}

#[path = "api"]
mod spmc {
    use hornpipe::spmc::{Receiver, Sender, bounded};

    mod any;
    mod many_receivers;
}

#[path = "api"]
mod mpmc {
    use hornpipe::{Receiver, Sender, bounded};

    mod any;
    mod many_both;
    mod many_receivers;
    mod many_senders;
}

#[cfg(feature = "baseline")]
#[path = "api"]
mod baseline {
    use hornpipe::baseline::typed::{Receiver, Sender, bounded};

    mod any;
    mod many_both;
    mod many_receivers;
    mod many_senders;
}
