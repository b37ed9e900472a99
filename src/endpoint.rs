//! What both endpoints are: a counted handle on a shared pipe.

/// Implements, for an endpoint over `NonNull<Shared<T, K>>`, what a handle of either side can do.
macro_rules! endpoint {
    ($name:ident, $many:ident, $side:ident, $put:ident, $gone:ident, $example:literal) => {
        impl<T, K: Topology> $name<T, K> {
            /// The side's first handle: `shared` counts it already.
            pub(crate) fn first(shared: NonNull<Shared<T, K>>) -> Self {
                // SAFETY: alive, as this handle is counted.
                let meter = unsafe { shared.as_ref() }.meters.join();
                Self { shared, meter }
            }

            #[inline(always)]
            fn shared(&self) -> &Shared<T, K> {
                // SAFETY: freed only once every handle is put, and this one is put in its Drop.
                unsafe { self.shared.as_ref() }
            }

            /// Items sent and not yet received, always in `0 ..= capacity`: exact if nothing moves during the call,
            /// near it under traffic. A send counts from its claim of a slot on, a receive from its claim of the item.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded(2);
            /// tx.try_send('a').unwrap();
            /// assert_eq!((tx.len(), rx.len()), (1, 1));
            /// ```
            pub fn len(&self) -> usize {
                self.shared().len()
            }

            /// Whether [`len`](Self::len) is 0; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded(2);
            /// assert!(tx.is_empty() && rx.is_empty());
            /// tx.try_send('a').unwrap();
            /// assert!(!tx.is_empty() && !rx.is_empty());
            /// ```
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether [`len`](Self::len) is the capacity; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded(1);
            /// assert!(!tx.is_full() && !rx.is_full());
            /// tx.try_send('a').unwrap();
            /// assert!(tx.is_full() && rx.is_full());
            /// ```
            pub fn is_full(&self) -> bool {
                self.len() == self.shared().capacity()
            }

            /// How many items the pipe holds at most, exactly as asked for; `None` would mean no bound.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(3);
            /// assert_eq!((tx.capacity(), rx.capacity()), (Some(3), Some(3)));
            /// ```
            pub fn capacity(&self) -> Option<usize> {
                Some(self.shared().capacity())
            }

            /// Whether both handles belong to one pipe.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// let (other_tx, other_rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// assert!(tx.same_channel(&tx.clone()) && rx.same_channel(&rx.clone()));
            /// assert!(!tx.same_channel(&other_tx) && !rx.same_channel(&other_rx));
            /// ```
            pub fn same_channel(&self, other: &Self) -> bool {
                self.shared == other.shared
            }

            #[doc = $example]
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// assert!(!tx.is_disconnected() && !rx.is_disconnected());
            /// drop(rx);
            /// assert!(tx.is_disconnected());
            ///
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// drop(tx);
            /// assert!(rx.is_disconnected());
            /// ```
            pub fn is_disconnected(&self) -> bool {
                self.shared().$gone()
            }

            /// How many handles the sending side has; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// let more = tx.clone();
            /// assert_eq!((tx.sender_count(), rx.sender_count()), (2, 2));
            /// drop((tx, more));
            /// assert_eq!(rx.sender_count(), 0);
            /// ```
            pub fn sender_count(&self) -> usize {
                self.shared().senders.count() as usize
            }

            /// How many handles the receiving side has; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// let more = rx.clone();
            /// assert_eq!((tx.receiver_count(), rx.receiver_count()), (2, 2));
            /// drop((rx, more));
            /// assert_eq!(tx.receiver_count(), 0);
            /// ```
            pub fn receiver_count(&self) -> usize {
                self.shared().receivers.count() as usize
            }

            /// What the pipe's handles did so far, on both sides.
            ///
            /// # Progress
            /// Takes a lock that handles take when they come or go, and no other call.
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded::<u8>(1);
            /// assert!(rx.try_recv().is_err());
            /// assert_eq!(tx.stats().empty, 1);
            /// ```
            #[cfg(feature = "stats")]
            pub fn stats(&self) -> crate::Stats {
                self.shared().meters.sum()
            }

            /// Takes both gates' fences from the sleepers to their peers, or back, as their habits do.
            #[cfg(any(hornpipe_hooks, hornpipe_loom))]
            pub fn symmetric(&self, sym: bool) {
                self.shared().symmetric(sym);
            }

            /// Wakes every sleeper for no reason, as a signal or a model's clock does.
            #[cfg(any(hornpipe_hooks, hornpipe_loom))]
            pub fn disturb(&self) {
                self.shared().disturb();
            }
        }

        impl<T, K: Topology> Drop for $name<T, K> {
            fn drop(&mut self) {
                self.shared().meters.leave(&self.meter);
                // SAFETY: counted since `first` or `clone`, and gone after this.
                unsafe { Shared::$put(self.shared) }
            }
        }

        impl<T, K: Topology> fmt::Debug for $name<T, K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (receivers_asleep, senders_asleep) = self.shared().waiting();
                f.debug_struct(stringify!($name))
                    .field("name", &self.shared().name())
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

        impl<T, K: $many> Clone for $name<T, K> {
            /// One more handle on the same pipe.
            ///
            /// # Panics
            /// At 2^31 - 1 handles a side.
            ///
            /// # Progress
            /// Lock-free; allocates nothing. (With feature `stats`: takes a lock, allocates.)
            ///
            /// ```
            /// let (tx, rx) = hornpipe::mpmc::bounded(2);
            /// let (tx2, rx2) = (tx.clone(), rx.clone());
            /// tx.try_send(1).unwrap();
            /// tx2.try_send(2).unwrap();
            /// assert_eq!((rx2.try_recv(), rx.try_recv()), (Ok(1), Ok(2))); // one queue, each item once
            /// ```
            fn clone(&self) -> Self {
                self.shared().$side.get();
                Self { shared: self.shared, meter: self.shared().meters.join() }
            }
        }

        // SAFETY: a handle is counted (`first`, `clone`) and the last put of all frees (`Shared::put_*`), so it may
        // be used and dropped on any thread. Of `T` it moves items only: the ring's claims, stamps and positions give
        // each one owner at a time, hence `T: Send`. What a single end alone may touch (`ring::indexed`) moves with it:
        // it is neither Clone nor Sync. The rest of `Shared` is atomic words, the locks that parking and counting may
        // need, and plain data that nobody changes after `Shared::new`.
        unsafe impl<T: Send, K: Topology> Send for $name<T, K> {}
        // SAFETY: as above, and calls at one time on one handle are as calls on two: this side's cursor is
        // `cursor::Shared`, which many threads claim from by compare-exchange. No method gives out a `&T`, hence no
        // `T: Sync`.
        unsafe impl<T: Send, K: $many> Sync for $name<T, K> {}
        // No user code runs between a claim and its end, so no panic can leave a broken pipe to see.
        impl<T, K: Topology> UnwindSafe for $name<T, K> {}
        impl<T, K: Topology> RefUnwindSafe for $name<T, K> {}
    };
}
pub(crate) use endpoint;
