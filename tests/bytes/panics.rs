//! Code of the user's that panics or fails in the middle of a call: the pipe is as it was, and goes on.

use super::machine::{By, Call, Run, kind};
use super::model::{Layout, Model};
use super::own::Subject;
use hornpipe::bytes::{Builder, Merge};
use hornpipe::{Mpmc, Spsc};
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What is thrown: without the panic hook, so that no message fills the output.
struct Thrown;

fn throw() -> ! {
    resume_unwind(Box::new(Thrown))
}

fn thrown<R>(body: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(body)).is_err_and(|panic| panic.is::<Thrown>())
}

/// A source (sink) that moves some bytes, then panics.
struct Bomb(usize);

impl Read for Bomb {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        into.fill(0xFF);
        if self.0 == 0 {
            throw();
        }
        self.0 -= 1;
        into[0] = 7;
        Ok(1)
    }
}

impl Write for Bomb {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            throw();
        }
        self.0 -= 1;
        assert!(!bytes.is_empty());
        Ok(1)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// It goes on: three times full and empty again.
fn goes_on<K: Subject>(mut run: Run<K>) {
    run.compare();
    for _ in 0..3 {
        (0..12).for_each(|_| run.call(Call::Write(By::Trying, 2)));
        (0..12).for_each(|_| run.call(Call::Read(By::Trying, 2)));
    }
    run.finish();
}

#[test]
fn a_stream_outlives_panics() {
    // With one byte only, copying would wait for a second one instead of throwing.
    for queued in 1..=6 {
        let mut run = Run::stream(8);
        (0..queued).for_each(|_| run.call(Call::Write(By::Waiting, 1)));
        let writer = &mut run.writers[0];
        assert!(thrown(|| writer.write_with(2, |room| {
            room.fill(9);
            throw()
        })));
        assert!(thrown(|| {
            let mut grant = writer.grant(2).unwrap();
            grant.fill(9);
            throw();
        }));
        // One byte is in when the second read panics.
        assert!(thrown(|| writer.copy_from(&mut Bomb(1))));
        assert_eq!(run.model.write(&[7]), Ok(1));
        run.compare();
        let reader = &mut run.readers[0];
        assert!(thrown(|| reader.copy_to(&mut Bomb(1))));
        assert_eq!(run.model.read(1).map(|bytes| bytes.len()), Ok(1));
        if run.model.len() > 0 {
            let reader = &mut run.readers[0];
            // More than was there is refused before anything is let go of.
            let message = catch_unwind(AssertUnwindSafe(|| {
                let there = reader.fill_buf().unwrap().len();
                reader.consume(there + 20);
            }));
            assert!(message.is_err());
        }
        goes_on(run);
    }
}

#[test]
fn pieces_outlive_panics() {
    for (merge, packets) in [(Merge::Whole, false), (Merge::Fits, false), (Merge::Whole, true)] {
        let mut run = Run::pieces(12, Layout { piece: 3, atomic: 6, merge, packets });
        for _ in 0..4 {
            let writer = &run.writers[0];
            assert!(thrown(|| writer.write_with(2, |room| {
                room.fill(9);
                throw()
            })));
            assert_eq!(kind(writer.write_with(2, |_| Err(ErrorKind::Other.into()))), Err(ErrorKind::Other));
            assert_eq!(kind(writer.write_with(2, |_| Ok(0))), Ok(0));
            run.compare();
            run.call(Call::Write(By::Waiting, 2));
        }
        goes_on(run);
    }
}

/// Neither of them holds a lock while the user's code runs: it may use the pipe itself.
#[test]
fn the_pipe_may_be_used_meanwhile() {
    let builder = Builder::<Mpmc>::new(16).piece_size(4).atomic_size(16);
    let (writer, reader) = builder.build().unwrap();
    let other = writer.clone();
    let wrote = writer.write_with(4, |room| {
        room.copy_from_slice(b"last");
        other.write(b"first ")?;
        other.resize(32)?;
        let mut into = [0; 2];
        assert_eq!((reader.read(&mut into)?, &into), (2, b"fi"));
        Ok(4)
    });
    assert_eq!(wrote.unwrap(), 4);
    let mut into = [0; 16];
    assert_eq!((reader.read(&mut into).unwrap(), &into[..8]), (8, &b"rst last"[..]));
    // A stream's reader while its writer fills.
    let (mut writer, reader) = Builder::<Spsc>::new(8).build().unwrap();
    assert_eq!(writer.write(b"ab").unwrap(), 2);
    let wrote = writer.write_with(8, |room| {
        assert_eq!((room.len(), reader.read(&mut into)?), (6, 2));
        room.fill(b'c');
        assert_eq!(kind(reader.try_read(&mut into)), Err(ErrorKind::WouldBlock), "not there yet");
        Ok(6)
    });
    assert_eq!((wrote.unwrap(), reader.len()), (6, 6));
    assert_eq!(Model::stream(8).capacity(), reader.capacity());
}

/// `Interrupted` is tried again, as by `io::copy`; other failures end the copying, with what came before in its place.
#[test]
fn copying_goes_on_after_an_interruption() {
    struct Hiccups(Vec<io::Result<&'static [u8]>>);
    impl Hiccups {
        fn next(&mut self) -> io::Result<&'static [u8]> {
            if self.0.is_empty() { Ok(b"") } else { self.0.remove(0) }
        }
    }
    impl Read for Hiccups {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let bytes = self.next()?;
            into[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }
    impl Write for Hiccups {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let takes = self.next()?.len();
            Ok(takes.min(bytes.len()))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let hiccups = || {
        let (interrupted, other) = (ErrorKind::Interrupted, ErrorKind::Other);
        Hiccups(vec![
            Err(interrupted.into()),
            Ok(b"ab"),
            Err(interrupted.into()),
            Ok(b"c"),
            Err(other.into()),
            Ok(b"d"),
        ])
    };
    let (mut writer, mut reader) = Builder::<Spsc>::new(8).build().unwrap();
    let mut source = hiccups();
    assert_eq!(kind(writer.copy_from(&mut source)), Err(ErrorKind::Other));
    assert_eq!((reader.len(), kind(writer.copy_from(&mut source))), (3, Ok(1)));
    let mut sink = hiccups();
    assert_eq!(kind(reader.copy_to(&mut sink)), Err(ErrorKind::Other));
    assert_eq!(reader.fill_buf().unwrap(), b"d", "what was not taken is still there");
    drop(writer);
    assert_eq!(kind(reader.copy_to(&mut sink)), Ok(1));
}

/// The end of what is copied is heard of though the pipe is full, or its reader has got all and left.
#[test]
fn copying_ends_with_its_source() {
    let (mut writer, reader) = Builder::<Spsc>::new(3).build().unwrap();
    assert_eq!((kind(writer.copy_from(&mut &b"abc"[..])), reader.len()), (Ok(3), 3));
    drop(reader);
    assert_eq!(kind(writer.copy_from(&mut io::empty())), Ok(0));
    assert_eq!(kind(writer.copy_from(&mut &b"d"[..])), Err(ErrorKind::BrokenPipe));
    for capacity in [1, 2, 3, 7, 64] {
        let (mut writer, mut reader) = Builder::<Spsc>::new(capacity).build().unwrap();
        let source: Vec<u8> = (0..30).collect();
        let reading = std::thread::spawn(move || {
            let mut all = [0; 30];
            reader.read_exact(&mut all).unwrap();
            all
        });
        assert_eq!(kind(writer.copy_from(&mut &source[..])), Ok(30), "{capacity}");
        assert_eq!(reading.join().unwrap()[..], source);
    }
}

/// Nothing is committed to nobody.
#[test]
fn the_reader_goes_between_grant_and_commit() {
    let (mut writer, reader) = Builder::<Spsc>::new(8).build().unwrap();
    let grant = writer.grant(4).unwrap();
    drop(reader);
    assert_eq!(kind(grant.commit(4)), Err(ErrorKind::BrokenPipe));
    assert_eq!(writer.len(), 0);
}

/// No more may be consumed than was shown, though more is there past the ring's end; nothing is let go of then.
#[test]
fn consuming_what_was_not_shown() {
    let (writer, mut reader) = Builder::<Spsc>::new(4).build().unwrap();
    assert_eq!((writer.write(b"abc").unwrap(), reader.read(&mut [0; 3]).unwrap()), (3, 3));
    assert_eq!(writer.write(b"def").unwrap(), 3);
    assert_eq!(reader.fill_buf().unwrap(), b"d");
    assert!(catch_unwind(AssertUnwindSafe(|| reader.consume(2))).is_err());
    assert_eq!(reader.fill_buf().unwrap(), b"d");
    reader.consume(1);
    assert_eq!(reader.fill_buf().unwrap(), b"ef");
}
