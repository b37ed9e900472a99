//! How a pipe comes to be, how each side ends, and who frees it.

#[cfg(feature = "std")]
use super::Habits;
use super::{Config, Gates, Meters, Shared, TURN};
use crate::error::BuildError;
use crate::gate::Gate;
use crate::lockref::Handles;
use crate::ring::{Ring, RingKind, cursor::Cursor};
use crate::sync::atomic::AtomicU32;
use crate::topology::Topology;
use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::ptr::NonNull;
use crossbeam_utils::CachePadded;

impl<T, K: Topology> Shared<T, K> {
    /// One sender's and one receiver's share of a new pipe, on the heap.
    pub(crate) fn new(capacity: usize, kind: RingKind, config: Config) -> Result<NonNull<Self>, BuildError> {
        let ring = Ring::new(capacity, kind)?;
        // SAFETY: the size is not zero.
        let place = NonNull::new(unsafe { alloc(Layout::new::<Self>()) }.cast::<Self>())
            .ok_or(BuildError::OutOfMemory { requested: capacity })?;
        let shared = Self {
            ring,
            gates: CachePadded::new(Gates {
                items: Gate::new(K::Tx::ALONE),
                space: Gate::new(K::Rx::ALONE),
                config,
            }),
            senders: Handles::new(1),
            receivers: Handles::new(1),
            sides: Handles::new(2),
            discards: AtomicU32::new(0),
            meters: Meters::new(),
            #[cfg(feature = "std")]
            habits: Habits::new(),
        };
        // SAFETY: fresh memory of that layout.
        unsafe { place.write(shared) };
        Ok(place)
    }

    /// One sender's handle is gone.
    ///
    /// # Safety
    /// The handle was counted, and is not used after.
    pub(crate) unsafe fn put_sender(this: NonNull<Self>) {
        // SAFETY: the caller's handle keeps it alive until its count is put.
        let shared = unsafe { this.as_ref() };
        if shared.senders.put() {
            shared.gates.items.close();
            // SAFETY: the last sender's side ends here, once.
            unsafe { Self::put_side(this) };
        }
    }

    /// One receiver's handle is gone. The last one's drops what is queued, waiting for nobody.
    ///
    /// # Safety
    /// The handle was counted, and is not used after.
    pub(crate) unsafe fn put_receiver(this: NonNull<Self>) {
        struct End<T, K: Topology>(NonNull<Shared<T, K>>);
        impl<T, K: Topology> Drop for End<T, K> {
            fn drop(&mut self) {
                // SAFETY: the last receiver's side ends here, once, also when an item's drop panicked.
                unsafe { Shared::put_side(self.0) };
            }
        }
        // SAFETY: the caller's handle keeps it alive until its count is put.
        let shared = unsafe { this.as_ref() };
        if shared.receivers.put() {
            let _end = End(this);
            shared.end_receivers();
        }
    }

    /// No send starts from here on; senders asleep leave; what is published is dropped now, what is claimed is
    /// dropped by its sender. (Should the barrier fail, though the system had promised one, an item published in
    /// that very moment may stay until the last sender goes.)
    fn end_receivers(&self) {
        self.ring.close();
        self.gates.space.close();
        // Without senders no send is in flight: most pipes end so, and owe nobody a system call.
        if !self.gates.items.is_closed() {
            self.gates.items.abandon();
        }
        self.discard();
    }

    /// Drops what is receivable, after the last receiver's end. One thread at a time, as a single end's cursor needs it:
    /// who finds another at it leaves its own item to that one, and waits for nobody.
    pub(super) fn discard(&self) {
        /// The turn, and for how many who came. Ends it, also while a panic unwinds.
        struct Turn<'a, T, K: Topology>(&'a Shared<T, K>, u32);
        impl<T, K: Topology> Drop for Turn<'_, T, K> {
            fn drop(&mut self) {
                let Turn(shared, served) = *self;
                let came = shared.discards.fetch_sub(served, TURN.order()) - served;
                if came > 0 {
                    // Once more, for all who came meanwhile.
                    let _turn = Turn(shared, came);
                    // SAFETY: the turn is this thread's.
                    unsafe { shared.ring.drain() };
                }
            }
        }
        if self.discards.fetch_add(1, TURN.order()) == 0 {
            let _turn = Turn(self, 1);
            // SAFETY: no receiver is left, and the turn is this thread's.
            unsafe { self.ring.drain() };
        }
    }

    /// # Safety
    /// Once a side, with nothing of that side using `this` any more.
    unsafe fn put_side(this: NonNull<Self>) {
        // SAFETY: this side is not put yet.
        if unsafe { this.as_ref() }.sides.put() {
            // SAFETY: neither side has a handle: this is the only reference, to memory that `new` allocated.
            unsafe {
                this.drop_in_place();
                dealloc(this.as_ptr().cast(), Layout::new::<Self>());
            }
        }
    }
}

impl<T, K: Topology> Drop for Shared<T, K> {
    /// Drops what was published and not received.
    fn drop(&mut self) {
        // SAFETY: nobody else has a reference.
        unsafe { self.ring.drain() };
    }
}
