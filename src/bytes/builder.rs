//! How a byte pipe is configured and made.

use super::kind::Kind;
use super::options::{Asked, Merge};
use super::pipe::Shared;
use super::reader::PipeReader;
use super::ring::Ring;
use super::writer::PipeWriter;
use crate::relax::Relax;
use crate::spin::{Patience, Spin};
use crate::topology::{Mpmc, Spsc};
use core::fmt;
use core::marker::PhantomData;
use std::io;
use std::sync::Arc;

/// Configures a byte pipe: a small `Copy` value that builds any number of pipes. Every setting has a default. Name the kind:
/// `Builder::<Spsc>` or `Builder::<Mpmc>`.
///
/// ```
/// use hornpipe::bytes::{Builder, Merge};
/// use hornpipe::{Mpmc, Spin};
/// let (writer, reader) = Builder::<Mpmc>::new(1 << 16).merge(Merge::Fits).spin(Spin::None).name("log").build()?;
/// writer.clone().write(b"a line\n")?;
/// assert_eq!(reader.len(), 7);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Builder<K: Kind = Spsc> {
    asked: Asked,
    spin: Spin,
    wait: Relax,
    yields: Option<u8>,
    name: Option<&'static str>,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Builder<K> {
    /// A pipe of `capacity` bytes. Nothing is made, and nothing checked, before [`build`](Self::build).
    ///
    /// ```
    /// use hornpipe::{Spsc, bytes::Builder};
    /// const PIPE: Builder<Spsc> = Builder::new(1 << 16);
    /// assert_eq!(PIPE.build()?.0.capacity(), 1 << 16);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        Self {
            asked: Asked::new(capacity),
            spin: Spin::Adaptive,
            wait: Relax::WAIT,
            yields: None,
            name: None,
            kind: PhantomData,
        }
    }

    /// How long a blocking call looks before it sleeps. Default: [`Spin::Adaptive`].
    ///
    /// ```
    /// use hornpipe::{Spin, Spsc, bytes::Builder};
    /// let spin = Spin::Fixed(std::time::Duration::from_micros(20));
    /// let (_writer, _reader) = Builder::<Spsc>::new(64).spin(spin).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn spin(mut self, spin: Spin) -> Self {
        self.spin = spin;
        self
    }

    /// What a thread does between two looks while it waits awake. Default: [`Relax::WAIT`].
    ///
    /// ```
    /// use hornpipe::{Relax, Spsc, bytes::Builder};
    /// let (_writer, _reader) = Builder::<Spsc>::new(64).wait(Relax::None).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn wait(mut self, relax: Relax) -> Self {
        self.wait = relax;
        self
    }

    /// How often a wait gives its CPU to others before it sleeps, as [`crate::Builder::yields`].
    ///
    /// ```
    /// use hornpipe::{Spin, Spsc, bytes::Builder};
    /// // Asleep at once.
    /// let (_writer, _reader) = Builder::<Spsc>::new(64).spin(Spin::None).yields(0).build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn yields(mut self, yields: u8) -> Self {
        self.yields = Some(yields);
        self
    }

    /// A name for `Debug` output. Default: none.
    ///
    /// ```
    /// use hornpipe::{Spsc, bytes::Builder};
    /// let (writer, _reader) = Builder::<Spsc>::new(64).name("log").build()?;
    /// assert!(format!("{writer:?}").contains("log"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Makes the pipe. On Linux and Android large ones take no memory before it is used.
    ///
    /// # Errors
    /// `InvalidInput`: a capacity of 0, or one that cannot be addressed (above 2^43 bytes of an [`Spsc`] pipe); an atomic size above the capacity; pieces of 0 bytes
    /// or of 2^30 and more. `OutOfMemory`: there is no memory for it. Nothing is left behind.
    ///
    /// # Progress
    /// Waits for no peer, but allocates. The process's first pipe with a single end may take milliseconds on Linux, if
    /// threads run already: the kernel prepares its barrier (membarrier).
    ///
    /// ```
    /// use hornpipe::bytes::Builder;
    /// use std::io::ErrorKind;
    /// let refused = Builder::<hornpipe::Mpmc>::new(4096).atomic_size(5000).build().unwrap_err();
    /// assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    /// assert_eq!(hornpipe::bytes::pipe(0).unwrap_err().kind(), ErrorKind::InvalidInput);
    /// ```
    pub fn build(&self) -> io::Result<(PipeWriter<K>, PipeReader<K>)> {
        let ring = K::Bytes::new(&self.asked)?;
        // In bytes: but for tiny ones no byte pipe is a hand-over of one item, which would be waited for in another order.
        let patience = Patience::new(self.spin, self.wait, self.yields, ring.capacity());
        let shared = Arc::new(Shared::new(ring, patience, self.name));
        Ok((PipeWriter::first(Arc::clone(&shared)), PipeReader::first(shared)))
    }
}

impl Builder<Mpmc> {
    /// Writes of at most so many bytes are never torn: no other writer's bytes come between, and [`try_write`] writes all or
    /// nothing. (A reader may still see a part before the rest, where that is in another piece.) Larger ones may be split, and their bytes keep their order. Default: 4096, or the capacity if that is less.
    ///
    /// [`try_write`]: PipeWriter::try_write
    ///
    /// ```
    /// use hornpipe::{Mpmc, bytes::Builder};
    /// let (writer, _reader) = Builder::<Mpmc>::new(8192).atomic_size(5000).build()?;
    /// writer.write(&[1; 4000])?;
    /// assert!(writer.try_write(&[2; 5000]).is_err(), "not all of it has room");
    /// assert_eq!(writer.try_write(&[3; 5001])?, 4096, "it may be split");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn atomic_size(mut self, bytes: usize) -> Self {
        self.asked.atomic = Some(bytes);
        self
    }

    /// Which part of a small write joins the last piece. Default: [`Merge::Whole`].
    ///
    /// ```
    /// use hornpipe::{Mpmc, bytes::{Builder, Merge}};
    /// for (merge, room) in [(Merge::Whole, 4), (Merge::Fits, 6)] {
    ///     let (writer, _reader) = Builder::<Mpmc>::new(16).piece_size(8).merge(merge).build()?;
    ///     writer.write(&[1; 6])?;
    ///     writer.write(&[2; 4])?; // a piece of its own, or from the first one's last two bytes on
    ///     assert_eq!(writer.try_write(&vec![3; room])?, room);
    ///     assert!(writer.try_write(&[4]).is_err());
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn merge(mut self, merge: Merge) -> Self {
        self.asked.merge = merge;
        self
    }

    /// Packets, as Linux's pipes with `O_DIRECT`: each write up to a piece is one, a longer one several; nothing joins them.
    /// A read takes one packet, and what it has no room for is gone. Each takes a piece, however small it is: a pipe of 64 KiB
    /// holds 16. Default: false.
    ///
    /// ```
    /// use hornpipe::{Mpmc, bytes::Builder};
    /// let (writer, reader) = Builder::<Mpmc>::new(1 << 16).packets(true).build()?;
    /// writer.write(b"one")?;
    /// writer.write(b"two")?;
    /// let mut into = [0; 2];
    /// assert_eq!((reader.read(&mut into)?, &into), (2, b"on"));
    /// assert_eq!((reader.read(&mut into)?, &into), (2, b"tw"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn packets(mut self, packets: bool) -> Self {
        self.asked.packets = packets;
        self
    }

    /// Bytes in a piece, and so in a packet at most; the capacity is a whole number of pieces, and at least one. Default: 4096, or the capacity
    /// if that is less.
    ///
    /// ```
    /// use hornpipe::{Mpmc, bytes::Builder};
    /// let (writer, _reader) = Builder::<Mpmc>::new(1000).piece_size(64).packets(true).build()?;
    /// assert_eq!(writer.capacity(), 1024); // 16 packets
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn piece_size(mut self, bytes: usize) -> Self {
        self.asked.piece = Some(bytes);
        self
    }
}

// Written out: the derives would ask the same of K.
impl<K: Kind> Clone for Builder<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Kind> Copy for Builder<K> {}

impl<K: Kind> fmt::Debug for Builder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("asked", &self.asked)
            .field("spin", &self.spin)
            .field("wait", &self.wait)
            .field("yields", &self.yields)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
