//! Which byte pipe: by the topologies of typed pipes.

use super::pieces::Pieces;
use super::ring::Ring;
use super::stream::Stream;
use crate::topology::{Mpmc, Spsc, Topology};

/// Which byte pipe: [`Spsc`], a contiguous ring between one writer and one reader, or [`Mpmc`], pieces of a page between
/// any number of each. Sealed.
///
/// ```
/// use hornpipe::bytes::{self, Kind, PipeReader};
/// fn first<K: Kind>(reader: &PipeReader<K>) -> std::io::Result<u8> {
///     let mut byte = [0];
///     reader.read(&mut byte)?;
///     Ok(byte[0])
/// }
/// let (writer, reader) = bytes::pipe(16)?;
/// writer.write(b"a")?;
/// let (shared_writer, shared_reader) = bytes::shared(16)?;
/// shared_writer.write(b"b")?;
/// assert_eq!((first(&reader)?, first(&shared_reader)?), (b'a', b'b'));
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(private_interfaces, private_bounds)]
pub trait Kind: Topology {
    /// What carries the bytes.
    #[doc(hidden)]
    type Bytes: Ring;
}

#[allow(private_interfaces)]
impl Kind for Spsc {
    type Bytes = Stream;
}

#[allow(private_interfaces)]
impl Kind for Mpmc {
    type Bytes = Pieces;
}
