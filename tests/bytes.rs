//! The byte pipes from outside: `bytes::pipe`, a stream between one writer and one reader, and `bytes::shared`, pieces
//! between any number of each.
//!
//! | file | shows |
//! |---|---|
//! | `bytes/sequences.rs` | one thread, any sequence of calls: both are queues of bytes (`model.rs`, `machine.rs`, `own.rs`) |
//! | `bytes/wraps.rs` | the ring's end is passed from every offset, by every way in and out |
//! | `bytes/waiting.rs` | who waits gets room, bytes, the end of the stream or a broken pipe, whichever comes first |
//! | `bytes/resizing.rs` | another capacity |
//! | `bytes/building.rs` | what is refused, with a kind and a sentence |
//! | `bytes/lines.rs` | several on one side: writers of unequal needs stand in line, readers share |
//! | `bytes/crowds.rs` | threads on both ends of a shared pipe: nothing torn, lost, doubled or out of order |
//! | `bytes/oracle.rs` | the shared pipe beside the page pipe and the system's: the same answers, the same bytes |
//! | `bytes/panics.rs` | code of the user's that panics or fails in the middle of a call |
//! | `bytes/types.rs` | marker traits |

mod support;

#[path = "bytes/building.rs"]
mod building;
#[path = "bytes/crowds.rs"]
mod crowds;
#[path = "bytes/lines.rs"]
mod lines;
#[path = "bytes/machine.rs"]
mod machine;
#[path = "bytes/model.rs"]
mod model;
#[path = "bytes/oracle.rs"]
mod oracle;
#[path = "bytes/own.rs"]
mod own;
#[path = "bytes/panics.rs"]
mod panics;
#[path = "bytes/resizing.rs"]
mod resizing;
#[path = "bytes/sequences.rs"]
mod sequences;
#[path = "bytes/types.rs"]
mod types;
#[path = "bytes/waiting.rs"]
mod waiting;
#[path = "bytes/wraps.rs"]
mod wraps;

use hornpipe::bytes::{PipeReader, PipeWriter};
use own::Subject;
use support::Config;

/// A pipe of exactly `capacity` bytes, of either kind, whose threads wait as `config` says.
fn pipe<K: Subject>(config: Config, capacity: usize) -> (PipeWriter<K>, PipeReader<K>) {
    config.bytes(K::builder(capacity)).build().expect("a small pipe can be built")
}

/// The pipe of this end has no thread asleep, or counted as one that is.
#[track_caller]
fn assert_nobody_waits(end: &impl std::fmt::Debug) {
    let shown = format!("{end:?}");
    let nobody = shown.contains("writers_asleep: 0,") && shown.contains("readers_asleep: 0 }");
    assert!(nobody, "a waiter is still counted: {shown}");
}

/// Makes a test of each function for each kind: a stream, and pieces of a byte.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {
        mod stream {
            $(#[test] fn $test() { super::$test::<hornpipe::Spsc>() })+
        }
        mod pieces {
            $(#[test] fn $test() { super::$test::<hornpipe::Mpmc>() })+
        }
    };
}
use on_both;
