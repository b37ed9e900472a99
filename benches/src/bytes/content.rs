//! What writers write: each byte tells whose it is and where in its writer's stream.

use fastrand::Rng;

/// After so many bytes a writer's stream begins again. A prime: no number of lost or doubled bytes that a machine would
/// think of leaves the rest in place.
const PERIOD: usize = 65_521;

/// The system's pipe keeps writes up to so many bytes whole, whoever else writes (`PIPE_BUF`), and so do hornpipe's.
pub const WHOLE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// What one row's writers write, message by message.
pub struct Content {
    size: usize,
    /// The bits below those that name a byte's writer.
    bits: u32,
    /// A period by writer, with a message's length more, so that each message is one stretch.
    streams: Vec<Vec<u8>>,
}

impl Content {
    /// At most so many writers: each byte names its own and has four bits left to tell its place.
    pub const WRITERS: usize = 16;

    /// Of so many writers, in messages of `size`.
    pub fn new(writers: usize, size: usize) -> Self {
        assert!((1..=Self::WRITERS).contains(&writers) && size > 0, "{writers} writers of {size} bytes");
        let bits = u8::BITS - writers.next_power_of_two().trailing_zeros();
        let low = (u16::MAX >> (u16::BITS - bits)) as u8;
        let stream = |writer: usize| {
            let (mut rng, name) = (Rng::with_seed(writer as u64), ((writer as u16) << bits) as u8);
            let mut stream: Vec<u8> = (0..PERIOD).map(|_| name | rng.u8(..) & low).collect();
            while stream.len() < PERIOD + size {
                let missing = PERIOD + size - stream.len();
                stream.extend_from_within(..missing.min(PERIOD));
            }
            stream
        };
        Self { size, bits, streams: (0..writers).map(stream).collect() }
    }

    /// Bytes a message.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many write.
    pub fn writers(&self) -> usize {
        self.streams.len()
    }

    /// Whether a message may have nothing of another's in it.
    pub fn whole(&self) -> bool {
        self.size <= WHOLE
    }

    /// A writer's message of that number.
    #[inline]
    pub fn message(&self, writer: usize, number: u64) -> &[u8] {
        let from = place(number * self.size as u64);
        &self.streams[writer][from..from + self.size]
    }

    /// Whose byte it is: may be somebody's who does not exist.
    #[inline]
    pub fn writer(&self, byte: u8) -> usize {
        (u16::from(byte) >> self.bits).into()
    }

    /// The byte at that place of a writer's stream; `None` of a writer who does not exist.
    #[inline]
    pub fn byte(&self, writer: usize, position: u64) -> Option<u8> {
        Some(self.streams.get(writer)?[place(position)])
    }
}

fn place(position: u64) -> usize {
    (position % PERIOD as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_names_its_writer_and_messages_follow_each_other() {
        for (writers, size) in [(1, 1), (1, 1 << 20), (3, 100), (4, 4096), (16, 70_000)] {
            let content = Content::new(writers, size);
            assert_eq!((content.writers(), content.size()), (writers, size));
            for writer in 0..writers {
                let mut position = 0;
                for number in 0..3 {
                    for &byte in content.message(writer, number) {
                        assert_eq!(content.writer(byte), writer);
                        assert_eq!(content.byte(writer, position), Some(byte));
                        position += 1;
                    }
                }
            }
            assert_eq!(content.byte(writers, 0), None);
        }
    }

    /// What is shifted by any power of two is not the same.
    #[test]
    fn a_stream_is_not_like_itself() {
        for content in [Content::new(1, 1), Content::new(16, 1)] {
            let like = |shift: u64| (0..100).all(|at| content.byte(0, at) == content.byte(0, at + shift));
            assert!((0..40).all(|power| !like(1 << power)) && !like(100) && like(PERIOD as u64));
        }
    }
}
