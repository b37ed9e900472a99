//! What both endpoints are: a counted handle on a shared pipe.

/// Implements, for an endpoint over `NonNull<Shared<T, K>>`, what a handle of either side can do.
macro_rules! endpoint {
    ($name:ident, $side:ident, $put:ident, $gone:ident, $example:literal) => {
        impl<T, K: Topology> $name<T, K> {
            /// The side's first handle: `shared` counts it already.
            pub(crate) fn first(shared: NonNull<Shared<T, K>>) -> Self {
                Self { shared }
            }

            #[inline(always)]
            fn shared(&self) -> &Shared<T, K> {
                // SAFETY: freed only once every handle is put, and this one is put in its Drop.
                unsafe { self.shared.as_ref() }
            }

            /// Items sent and not yet received, `0 ..= capacity`: of some moment during the call, while others
            /// send and receive.
            ///
            /// # Progress
            /// Wait-free.
            pub fn len(&self) -> usize {
                self.shared().len()
            }

            /// Whether [`len`](Self::len) is 0.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether [`len`](Self::len) is the capacity.
            pub fn is_full(&self) -> bool {
                self.len() == self.shared().capacity()
            }

            /// How many items the pipe holds, exactly as asked for; `None` would mean no bound.
            pub fn capacity(&self) -> Option<usize> {
                Some(self.shared().capacity())
            }

            /// Whether both handles belong to one pipe.
            pub fn same_channel(&self, other: &Self) -> bool {
                self.shared == other.shared
            }

            #[doc = $example]
            ///
            /// # Progress
            /// Wait-free.
            pub fn is_disconnected(&self) -> bool {
                self.shared().$gone()
            }

            /// Senders' handles now.
            pub fn sender_count(&self) -> usize {
                self.shared().senders.count() as usize
            }

            /// Receivers' handles now.
            pub fn receiver_count(&self) -> usize {
                self.shared().receivers.count() as usize
            }

            /// Wakes every sleeper for no reason, as a signal or a model's clock does.
            #[cfg(any(hornpipe_hooks, hornpipe_loom))]
            pub fn disturb(&self) {
                self.shared().disturb();
            }
        }

        impl<T, K: Topology> Drop for $name<T, K> {
            fn drop(&mut self) {
                // SAFETY: counted since `first` or `clone`, and gone after this.
                unsafe { Shared::$put(self.shared) }
            }
        }

        impl<T, K: Topology> fmt::Debug for $name<T, K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (receivers_asleep, senders_asleep) = self.shared().waiting();
                f.debug_struct(stringify!($name))
                    .field("name", &self.shared().config.name)
                    .field("len", &self.len())
                    .field("capacity", &self.shared().capacity())
                    .field("senders", &self.sender_count())
                    .field("receivers", &self.receiver_count())
                    .field("senders_asleep", &senders_asleep)
                    .field("receivers_asleep", &receivers_asleep)
                    .field("disconnected", &self.is_disconnected())
                    .finish()
            }
        }

        impl<T> Clone for $name<T, Mpmc> {
            /// One more handle on the same pipe.
            ///
            /// # Panics
            /// At 2^31 - 1 handles a side.
            fn clone(&self) -> Self {
                self.shared().$side.get();
                Self { shared: self.shared }
            }
        }

        // SAFETY: a handle moves items between threads and nothing else of T.
        unsafe impl<T: Send, K: Topology> Send for $name<T, K> {}
        // SAFETY: every method of a shared end may be called by many threads at a time.
        unsafe impl<T: Send> Sync for $name<T, Mpmc> {}
        // No user code runs between a claim and its end, so no panic can leave a broken pipe to see.
        impl<T, K: Topology> UnwindSafe for $name<T, K> {}
        impl<T, K: Topology> RefUnwindSafe for $name<T, K> {}
    };
}
pub(crate) use endpoint;
