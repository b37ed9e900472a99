//! What both ends are: a counted handle on a shared byte pipe.

/// Implements, for an end over `Arc<Shared<K::Bytes>>`, what a handle of either side can do.
macro_rules! end {
    ($(#[$doc:meta])* $name:ident, $side:ident, $put:ident) => {
        $(#[$doc])*
        pub struct $name<K: Kind = Spsc> {
            pub(super) shared: Arc<Shared<K::Bytes>>,
            pub(super) meter: Meter,
        }

        impl<K: Kind> $name<K> {
            /// The side's first handle: `shared` counts it already.
            pub(super) fn first(shared: Arc<Shared<K::Bytes>>) -> Self {
                Self { meter: shared.meters.join(), shared }
            }

            /// Bytes written and not yet read; may be out of date when it returns, and is never more than the capacity.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
            /// writer.write(b"abc")?;
            /// assert_eq!((writer.len(), reader.len()), (3, 3));
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn len(&self) -> usize {
                self.shared.ring.len()
            }

            /// Whether there is nothing to read; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
            /// assert!(writer.is_empty() && reader.is_empty());
            /// writer.write(b"a")?;
            /// assert!(!writer.is_empty() && !reader.is_empty());
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                !self.shared.ring.has_bytes()
            }

            /// How many bytes the pipe holds at most: as asked for, or for [`Mpmc`](crate::Mpmc) that as whole pieces.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// use hornpipe::bytes;
            /// assert_eq!(bytes::pipe(5000)?.0.capacity(), 5000);
            /// assert_eq!(bytes::shared(5000)?.0.capacity(), 8192);
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn capacity(&self) -> usize {
                self.shared.ring.capacity()
            }

            /// How many handles the writing side has; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (writer, reader) = hornpipe::bytes::shared(8)?;
            /// let more = writer.clone();
            /// assert_eq!((writer.writer_count(), reader.writer_count()), (2, 2));
            /// drop((writer, more));
            /// assert_eq!(reader.writer_count(), 0);
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn writer_count(&self) -> usize {
                self.shared.writers.count() as usize
            }

            /// How many handles the reading side has; may be out of date when it returns.
            ///
            /// # Progress
            /// Wait-free.
            ///
            /// ```
            /// let (writer, reader) = hornpipe::bytes::shared(8)?;
            /// let more = reader.clone();
            /// assert_eq!((writer.reader_count(), reader.reader_count()), (2, 2));
            /// drop((reader, more));
            /// assert_eq!(writer.reader_count(), 0);
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn reader_count(&self) -> usize {
                self.shared.readers.count() as usize
            }

            /// What the pipe's handles did so far, on both sides.
            ///
            /// # Progress
            /// Takes a lock that handles take when they come or go, and no other call.
            ///
            /// ```
            /// let (writer, reader) = hornpipe::bytes::pipe(8)?;
            /// assert!(reader.try_read(&mut [0; 8]).is_err());
            /// assert_eq!(writer.stats().empty, 1);
            /// # Ok::<(), std::io::Error>(())
            /// ```
            #[cfg(feature = "stats")]
            pub fn stats(&self) -> crate::Stats {
                self.shared.meters.sum()
            }

            /// Wakes every sleeper for no reason, as a signal or a model's clock does.
            #[cfg(any(hornpipe_hooks, hornpipe_loom))]
            pub fn disturb(&self) {
                self.shared.disturb();
            }
        }

        impl Clone for $name<Mpmc> {
            /// One more handle on the same pipe.
            ///
            /// # Panics
            /// At 2^31 - 1 handles a side.
            ///
            /// # Progress
            /// Lock-free. (With feature `stats`: takes a lock, allocates.)
            ///
            /// ```
            /// let (writer, reader) = hornpipe::bytes::shared(8)?;
            /// let (other_writer, other_reader) = (writer.clone(), reader.clone());
            /// writer.write(b"a")?;
            /// other_writer.write(b"b")?;
            /// let mut both = [0; 2]; // one pipe, each byte once
            /// assert_eq!((other_reader.read(&mut both)?, both, reader.len()), (2, *b"ab", 0));
            /// # Ok::<(), std::io::Error>(())
            /// ```
            fn clone(&self) -> Self {
                self.shared.$side.get();
                Self { meter: self.shared.meters.join(), shared: Arc::clone(&self.shared) }
            }
        }

        impl<K: Kind> Drop for $name<K> {
            fn drop(&mut self) {
                self.shared.meters.leave(&self.meter);
                self.shared.$put();
            }
        }

        impl<K: Kind> fmt::Debug for $name<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (readers_asleep, writers_asleep) = self.shared.waiting();
                f.debug_struct(stringify!($name))
                    .field("name", &self.shared.name())
                    .field("len", &self.len())
                    .field("capacity", &self.capacity())
                    .field("writers", &self.writer_count())
                    .field("readers", &self.reader_count())
                    .field("writers_asleep", &writers_asleep)
                    .field("readers_asleep", &readers_asleep)
                    .finish()
            }
        }

        // SAFETY: what a stream's end alone may touch moves with it: it is neither Clone nor Sync. The pieces are Sync by
        // themselves. The rest of `Shared` is atomic words, the locks that parking and counting may need, and plain data
        // that nobody changes.
        unsafe impl<K: Kind> Send for $name<K> {}
        // SAFETY: the pieces' locks give each side's part to one thread at a time, whatever handle it comes by.
        unsafe impl Sync for $name<Mpmc> {}
        // Code of the user's runs before anything is claimed, so no panic leaves a half-done write.
        impl<K: Kind> UnwindSafe for $name<K> {}
        impl<K: Kind> RefUnwindSafe for $name<K> {}
    };
}
pub(super) use end;
