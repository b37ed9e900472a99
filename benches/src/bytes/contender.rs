//! Who carries bytes: hornpipe's two byte pipes, the system's pipe, the relay, and (feature `peers`) other crates' pipes.

use std::{
    fmt,
    io::{self, Read, Write},
};

use hornpipe::bytes;
use serde::{Deserialize, Serialize};

#[cfg(feature = "peers")]
use super::peers;
use super::relay;

/// What each of them holds at most: the system's pipe's default.
pub const LIMIT: usize = 64 << 10;

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// hornpipe's, of one writer and one reader.
    Spsc,
    /// hornpipe's, whose ends can be cloned.
    Shared,
    /// The system's.
    Os,
    /// Two threads that hand one buffer over.
    Relay,
    /// tokio's pair of streams.
    #[cfg(feature = "peers")]
    Duplex,
    /// piper's.
    #[cfg(feature = "peers")]
    Piper,
    /// ringbuf's ring of bytes, which spins.
    #[cfg(feature = "peers")]
    Ringbuf,
}

/// Work that wants a pipe's ends, which are `Write` and `Read` whosever they are; see [`Contender::run`].
pub trait Task {
    /// What it gives back.
    type Output;

    /// Runs with an end for each writer and the reader's.
    fn run<W: Write + Send, R: Read + Send>(self, writers: Vec<W>, reader: R) -> Self::Output;
}

impl Contender {
    /// Every one that there is, in the tables' order.
    pub const ALL: &[Self] = &[
        Self::Spsc,
        Self::Shared,
        Self::Os,
        Self::Relay,
        #[cfg(feature = "peers")]
        Self::Duplex,
        #[cfg(feature = "peers")]
        Self::Piper,
        #[cfg(feature = "peers")]
        Self::Ringbuf,
    ];

    /// Whether so many threads can write to it.
    pub fn serves(self, writers: usize) -> bool {
        writers == 1 || matches!(self, Self::Shared | Self::Os)
    }

    /// Runs `task` on a new pipe with so many writers: the one place where a name becomes a type.
    pub fn run<T: Task>(self, writers: usize, task: T) -> io::Result<T::Output> {
        assert!(self.serves(writers), "{self} has one writer");
        Ok(match self {
            Self::Spsc => alone(bytes::pipe(LIMIT)?, task),
            Self::Shared => {
                let (writer, reader) = bytes::shared(LIMIT)?;
                task.run(vec![writer; writers], reader)
            }
            Self::Os => {
                let (reader, writer) = io::pipe()?;
                let mut all = (1..writers).map(|_| writer.try_clone()).collect::<io::Result<Vec<_>>>()?;
                all.push(writer);
                task.run(all, reader)
            }
            Self::Relay => alone(relay::pipe(LIMIT), task),
            #[cfg(feature = "peers")]
            Self::Duplex => alone(peers::duplex(LIMIT), task),
            #[cfg(feature = "peers")]
            Self::Piper => alone(peers::piper(LIMIT), task),
            #[cfg(feature = "peers")]
            Self::Ringbuf => alone(peers::ringbuf(LIMIT), task),
        })
    }
}

/// With the one writer that there is.
fn alone<W: Write + Send, R: Read + Send, T: Task>((writer, reader): (W, R), task: T) -> T::Output {
    task.run(vec![writer], reader)
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Spsc => "spsc",
            Self::Shared => "shared",
            Self::Os => "os pipe",
            Self::Relay => "memcpy relay",
            #[cfg(feature = "peers")]
            Self::Duplex => "tokio duplex",
            #[cfg(feature = "peers")]
            Self::Piper => "piper",
            #[cfg(feature = "peers")]
            Self::Ringbuf => "ringbuf (spins)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What goes in comes out, also what is larger than the pipe; then the stream ends.
    struct Through;

    impl Task for Through {
        type Output = ();

        fn run<W: Write + Send, R: Read + Send>(self, mut writers: Vec<W>, mut reader: R) {
            let writer = writers.pop().expect("a writer");
            drop(writers);
            let bytes: Vec<u8> = (0..3 * LIMIT).map(|at| (at / 3) as u8).collect();
            std::thread::scope(|scope| {
                // It goes with the thread.
                scope.spawn(|| {
                    let mut writer = writer;
                    writer.write_all(&bytes).and_then(|()| writer.flush()).expect("a reader");
                });
                let mut all = Vec::new();
                reader.read_to_end(&mut all).expect("a writer");
                assert!(all == bytes, "{} bytes", all.len());
            });
        }
    }

    /// Nothing is written for nobody.
    struct Broken;

    impl Task for Broken {
        type Output = ();

        fn run<W: Write + Send, R: Read + Send>(self, mut writers: Vec<W>, reader: R) {
            drop(reader);
            // A ring tells once it is full. (piper writes nothing, others say that they are broken.)
            assert!(writers[0].write_all(&[7; LIMIT + 1]).is_err());
        }
    }

    /// The limit is what a writer alone gets in.
    struct Holds;

    impl Task for Holds {
        type Output = ();

        fn run<W: Write + Send, R: Read + Send>(self, mut writers: Vec<W>, mut reader: R) {
            let mut all = vec![0; LIMIT];
            for value in 1..4 {
                writers[0].write_all(&vec![value; LIMIT]).expect("a reader");
                reader.read_exact(&mut all).expect("a writer");
                assert!(all.iter().all(|byte| *byte == value));
            }
        }
    }

    #[test]
    fn all_carry_what_they_should_hold_and_end() {
        for &contender in Contender::ALL {
            contender.run(1, Through).expect("a pipe");
            contender.run(1, Holds).expect("a pipe");
            contender.run(1, Broken).expect("a pipe");
        }
        for contender in [Contender::Shared, Contender::Os] {
            contender.run(4, Through).expect("a pipe");
        }
    }
}
