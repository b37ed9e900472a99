//! What both ends are: a counted handle on a shared pipe.

/// Declares an end of a [`Pipe`](super::pipe::Pipe) with all that does not depend on its side.
macro_rules! endpoint {
    ($(#[$doc:meta])* $name:ident of $role:expr, facing $peer:expr; $(#[$disconnected:meta])*) => {
        $(#[$doc])*
        pub struct $name<T> {
            pub(super) pipe: Arc<Pipe<T>>,
        }

        impl<T> $name<T> {
            /// The side's first end: `pipe` counts it already.
            fn first(pipe: Arc<Pipe<T>>) -> Self {
                Self { pipe }
            }

            /// Items sent and not yet received, `0 ..= capacity`: of some moment during the call, while others
            /// send and receive.
            ///
            /// # Progress
            /// Takes the lock: may wait for a peer.
            pub fn len(&self) -> usize {
                self.pipe.lock().len()
            }

            /// Whether [`len`](Self::len) is 0.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether [`len`](Self::len) is the capacity.
            pub fn is_full(&self) -> bool {
                self.len() == self.pipe.capacity()
            }

            /// How many items the pipe holds, exactly as asked for; `None` would mean no bound.
            pub fn capacity(&self) -> Option<usize> {
                Some(self.pipe.capacity())
            }

            /// Whether both handles belong to one pipe.
            pub fn same_channel(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.pipe, &other.pipe)
            }

            $(#[$disconnected])*
            ///
            /// # Progress
            /// Takes the lock: may wait for a peer.
            pub fn is_disconnected(&self) -> bool {
                self.pipe.lock().side($peer).ends == 0
            }

            /// Senders' handles now.
            pub fn sender_count(&self) -> usize {
                self.pipe.lock().side(Role::Sender).ends
            }

            /// Receivers' handles now.
            pub fn receiver_count(&self) -> usize {
                self.pipe.lock().side(Role::Receiver).ends
            }
        }

        impl<T> Clone for $name<T> {
            /// One more handle on the same pipe.
            fn clone(&self) -> Self {
                self.pipe.join($role);
                Self { pipe: Arc::clone(&self.pipe) }
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.pipe.leave($role);
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.pipe.describe(stringify!($name), $peer, f)
            }
        }

        // No user code runs under the lock, so no panic can leave a broken pipe to see.
        impl<T> UnwindSafe for $name<T> {}
        impl<T> RefUnwindSafe for $name<T> {}
    };
}
pub(super) use endpoint;
