//! What crossbeam-channel's documentation says of a bounded channel, and where hornpipe differs by intent: each test
//! runs on the ring and, with the feature, on the baseline, so that the oracle is held to the same words.

// The same bodies are compiled once a subject.
#![allow(clippy::duplicate_mod)]

mod support;

#[path = "api"]
mod ring {
    use hornpipe::mpmc::bounded;
    use hornpipe::{Receiver, Sender};

    mod counting;
    mod disconnecting;
    mod dropping;
    mod items;
    mod iterating;
    mod receiving;
    mod sending;
}

#[cfg(feature = "baseline")]
#[path = "api"]
mod baseline {
    use hornpipe::baseline::typed::bounded;
    use hornpipe::baseline::typed::{Receiver, Sender};

    mod counting;
    mod disconnecting;
    mod dropping;
    mod items;
    mod iterating;
    mod receiving;
    mod sending;
}
