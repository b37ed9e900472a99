//! A pipe beside its model, on one thread: any sequence of calls, of which those that wait are made where they need not.
//!
//! Calls are read from bytes, three each, so that a fuzzer, a property test and a generator of random numbers share this.

use super::model::{Layout, Model};
use super::own::Subject;
use hornpipe::bytes::{Builder, Kind, Merge, PipeReader, PipeWriter};
use hornpipe::{Mpmc, Spsc};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::time::Duration;

/// One side.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Writer,
    Reader,
}

/// Which call a write or a read is.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Waiting,
    Vectored,
    /// The call of `std::io`.
    Std,
    Trying,
    Timed,
}

/// A call and its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Write(By, usize),
    Read(By, usize),
    /// What only this kind of pipe can do.
    Own(u8, usize),
    Join(End),
    Leave(End),
}

impl From<[u8; 3]> for Call {
    fn from([what, how, len]: [u8; 3]) -> Self {
        const BY: [By; 5] = [By::Waiting, By::Vectored, By::Std, By::Trying, By::Timed];
        let (by, len) = (BY[how as usize % BY.len()], len as usize % 24);
        let end = if how % 2 == 0 { End::Writer } else { End::Reader };
        match what {
            0..=89 => Self::Write(by, len),
            90..=169 => Self::Read(by, len),
            170..=239 => Self::Own(how, len),
            240..=249 => Self::Join(end),
            250..=255 => Self::Leave(end),
        }
    }
}

/// A pipe and its model.
pub struct Run<K: Kind> {
    pub writers: Vec<PipeWriter<K>>,
    pub readers: Vec<PipeReader<K>>,
    pub model: Model,
    /// The last byte written: they are numbered on, so that none can be taken for its neighbour.
    last: u8,
}

impl Run<Spsc> {
    pub fn stream(capacity: usize) -> Self {
        Self::new(Builder::new(capacity), Model::stream(capacity))
    }
}

impl Run<Mpmc> {
    pub fn pieces(capacity: usize, layout: Layout) -> Self {
        let Layout { piece, atomic, merge, packets } = layout;
        let builder = Builder::new(capacity).piece_size(piece).atomic_size(atomic);
        Self::new(builder.merge(merge).packets(packets), Model::pieces(capacity, layout))
    }
}

/// What an answer is compared by.
pub fn kind<T>(answer: io::Result<T>) -> Result<T, ErrorKind> {
    answer.map_err(|error| error.kind())
}

/// In a timed call's words.
fn timed<T>(answer: Result<T, ErrorKind>) -> Result<T, ErrorKind> {
    answer.map_err(|kind| if kind == ErrorKind::WouldBlock { ErrorKind::TimedOut } else { kind })
}

impl<K: Subject> Run<K> {
    pub fn new(builder: Builder<K>, model: Model) -> Self {
        let (writer, reader) = builder.build().expect("a small pipe can be built");
        Self { writers: vec![writer], readers: vec![reader], model, last: 0 }
    }

    /// The next bytes to write.
    pub fn number(&mut self, len: usize) -> Vec<u8> {
        (0..len)
            .map(|_| {
                self.last = self.last % 251 + 1;
                self.last
            })
            .collect()
    }

    /// Makes the call on both, and looks whether they are the same then.
    pub fn call(&mut self, call: Call) {
        match call {
            Call::Write(by, len) => self.write(by, len),
            Call::Read(by, len) => self.read(by, len),
            Call::Own(how, len) => K::own(self, how, len),
            Call::Join(end) => K::join(self, end),
            Call::Leave(end) => self.leave(end),
        }
        self.compare();
    }

    pub fn write(&mut self, by: By, len: usize) {
        let bytes = self.number(len);
        let Some(writer) = self.writers.last() else { return };
        let by = if self.model.takes(&bytes) { by } else { By::Trying };
        let expected = self.model.write(&bytes);
        let (one, two) = bytes.split_at(len / 3);
        let slices = [one, &[], two, &[]].map(IoSlice::new);
        let (answer, expected) = match by {
            By::Waiting => (writer.write(&bytes), expected),
            By::Vectored => (writer.write_vectored(&slices), expected),
            By::Std => ((&mut &*writer).write_all(&bytes).map(|()| len), expected),
            By::Trying => (writer.try_write(&bytes), expected),
            By::Timed => (writer.write_timeout(&bytes, Duration::ZERO), timed(expected)),
        };
        assert_eq!(kind(answer), expected);
    }

    pub fn read(&mut self, by: By, len: usize) {
        let Some(reader) = self.readers.last() else { return };
        let expected = self.model.read(len);
        let by = if expected.is_err() && !matches!(by, By::Timed) { By::Trying } else { by };
        let mut into = vec![0; len];
        let (one, two) = into.split_at_mut(len / 3);
        let (answer, expected) = match by {
            By::Waiting => (reader.read(&mut into), expected),
            By::Vectored => {
                let mut slices = [one, &mut [], two].map(IoSliceMut::new);
                (reader.read_vectored(&mut slices), expected)
            }
            By::Std => (Read::read(&mut &*reader, &mut into), expected),
            By::Trying => (reader.try_read(&mut into), expected),
            By::Timed => (reader.read_timeout(&mut into, Duration::ZERO), timed(expected)),
        };
        assert_eq!(kind(answer.map(|done| into[..done].to_vec())), expected);
    }

    fn leave(&mut self, end: End) {
        match end {
            End::Writer => {
                self.writers.pop();
                self.model.writers = self.writers.len();
            }
            End::Reader => {
                self.readers.pop();
                self.model.readers = self.readers.len();
            }
        }
    }

    /// What there is to see, from each end.
    pub fn compare(&self) {
        let Model { writers, readers, .. } = self.model;
        let expected = (self.model.len(), self.model.capacity(), self.model.len() == 0, writers, readers);
        for end in &self.writers {
            let seen = (end.len(), end.capacity(), end.is_empty(), end.writer_count(), end.reader_count());
            assert_eq!((seen, end.is_broken()), (expected, readers == 0));
        }
        for end in &self.readers {
            let seen = (end.len(), end.capacity(), end.is_empty(), end.writer_count(), end.reader_count());
            assert_eq!((seen, end.is_ending()), (expected, writers == 0));
        }
    }

    /// All that is queued comes out, and then the end of the stream.
    pub fn finish(mut self) {
        self.writers.clear();
        self.model.writers = 0;
        while self.model.len() > 0 && self.model.readers > 0 {
            self.read(By::Waiting, 24);
        }
        self.read(By::Waiting, 1);
        self.compare();
    }
}

/// Runs all calls; says at which one the two part ways.
pub fn run<K: Subject>(mut subject: Run<K>, calls: impl IntoIterator<Item = Call>) {
    struct At(usize, Option<Call>);
    impl Drop for At {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("at call {}: {:?}", self.0, self.1);
            }
        }
    }
    let mut at = At(0, None);
    for (number, call) in calls.into_iter().enumerate() {
        (at.0, at.1) = (number, Some(call));
        subject.call(call);
    }
    subject.finish();
}

/// A pipe by its first six bytes, and calls by the rest: any bytes are a run. (The fuzz target.)
pub fn run_bytes(data: &[u8]) {
    let Some((setup, calls)) = data.split_first_chunk::<6>() else { return };
    let calls = calls.chunks_exact(3).map(|bytes| Call::from([bytes[0], bytes[1], bytes[2]]));
    let [kind, capacity, piece, atomic, merge, packets] = *setup;
    let capacity = 1 + capacity as usize % 20;
    if kind % 3 == 0 {
        return run(Run::stream(capacity), calls);
    }
    let piece = 1 + piece as usize % 5;
    run(
        Run::pieces(
            capacity,
            Layout {
                piece,
                atomic: atomic as usize % (capacity.next_multiple_of(piece) + 1),
                merge: if merge % 2 == 0 { Merge::Whole } else { Merge::Fits },
                packets: packets % 4 == 0,
            },
        ),
        calls,
    );
}
