//! What the types promise: marker traits, checked while compiling.

use hornpipe::bytes::{Builder, Grant, Kind, Merge, PipeReader, PipeWriter, WriteAllError};
use hornpipe::{Mpmc, Mpsc, Spmc, Spsc};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::error::Error;
use std::fmt::{Debug, Display};
use std::io::{BufRead, Read, Write};
use std::panic::{RefUnwindSafe, UnwindSafe};

assert_impl_all!(PipeWriter<Mpmc>: Write, Clone, Debug, Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(PipeReader<Mpmc>: Read, Clone, Debug, Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(PipeWriter<Spsc>: Write, Debug, Send, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(PipeReader<Spsc>: Read, BufRead, Debug, Send, Unpin, UnwindSafe, RefUnwindSafe);
// Single ends move between threads, and neither multiply nor serve two at once.
assert_not_impl_any!(PipeWriter<Spsc>: Clone, Sync);
assert_not_impl_any!(PipeReader<Spsc>: Clone, Sync);
assert_impl_all!(&PipeWriter<Mpmc>: Write, Send);
assert_impl_all!(&PipeReader<Mpmc>: Read, Send);
assert_impl_all!(&PipeWriter<Spsc>: Write);
assert_impl_all!(&PipeReader<Spsc>: Read);
// A reference would let two threads in, and two borrowed pieces of the buffer live at once.
assert_not_impl_any!(&PipeWriter<Spsc>: Send);
assert_not_impl_any!(&PipeReader<Spsc>: Send, BufRead);
// It holds a reference to its writer.
assert_not_impl_any!(Grant<'static>: Clone, Send, Sync);
assert_impl_all!(Grant<'static>: Debug, AsDerefMut);
assert_not_impl_any!(Mpsc: Kind);
assert_not_impl_any!(Spmc: Kind);
assert_impl_all!(Builder<Mpmc>: Copy, Debug, Send, Sync);
assert_impl_all!(Builder<Spsc>: Copy, Debug, Send, Sync);
assert_impl_all!(Merge: Copy, Debug, Default, Eq, Send, Sync);
assert_impl_all!(WriteAllError: Error, Debug, Display, Send, Sync);

/// Bytes that may be written in place.
trait AsDerefMut {}
impl<T: std::ops::DerefMut<Target = [u8]>> AsDerefMut for T {}
