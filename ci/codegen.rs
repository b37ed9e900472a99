//! What ci/codegen.sh disassembles: the shortest ways to the loops in question. Linked as a C library, so that every
//! address is final and nothing else is in it.

use hornpipe::{Receiver, RecvError, Sender};

/// A handle's count goes up in one compare-exchange loop; what the build does after a lost one stands in it.
// SAFETY: nothing else is called so.
#[unsafe(no_mangle)]
pub fn hornpipe_retry(tx: &Sender<u64>) -> Sender<u64> {
    tx.clone()
}

/// A receive waits awake before it sleeps.
// SAFETY: nothing else is called so.
#[unsafe(no_mangle)]
pub fn hornpipe_wait(rx: &Receiver<u64>) -> Result<u64, RecvError> {
    rx.recv()
}
