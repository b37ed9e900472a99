//! The byte pipes from outside: `bytes::pipe`, a stream between one writer and one reader, and `bytes::shared`, pieces
//! between any number of each.
//!
//! | file | shows |
//! |---|---|
//! | `bytes/sequences.rs` | one thread, any sequence of calls: both are queues of bytes (`model.rs`, `machine.rs`, `own.rs`) |
//! | `bytes/wraps.rs` | the ring's end is passed from every offset, by every way in and out |

mod support;

#[path = "bytes/machine.rs"]
mod machine;
#[path = "bytes/model.rs"]
mod model;
#[path = "bytes/own.rs"]
mod own;
#[path = "bytes/sequences.rs"]
mod sequences;
#[path = "bytes/wraps.rs"]
mod wraps;
