//! Byte pipes. loom watches each byte of the buffers, so a byte that is read before it was written, or written before it
//! was read out, is reported as such; the bytes' values show loss, doubling and order.

use hornpipe::bytes::{Builder, Kind, PipeReader, PipeWriter};
use hornpipe::model::{Point, advance, at_next};
use hornpipe::{Mpmc, Spin, Spsc};
use loom::thread::{self, JoinHandle};
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// No spinning and no yields: whoever finds nothing goes to sleep.
fn make<K: Kind>(capacity: usize) -> Builder<K> {
    Builder::new(capacity).spin(Spin::None).yields(0)
}

/// A stream of so many bytes.
pub fn stream(capacity: usize) -> (PipeWriter<Spsc>, PipeReader<Spsc>) {
    make(capacity).build().unwrap()
}

/// So many pieces of one byte each.
pub fn pieces(count: usize) -> (PipeWriter<Mpmc>, PipeReader<Mpmc>) {
    make(count).piece_size(1).build().unwrap()
}

/// So many pieces of two bytes each.
fn pairs(count: usize) -> (PipeWriter<Mpmc>, PipeReader<Mpmc>) {
    make(2 * count).piece_size(2).build().unwrap()
}

/// A writer's and a reader's thread ends.
type Ends<K> = (PipeWriter<K>, PipeReader<K>);

/// A thread that writes `1 ..= count`, so many bytes a call.
fn counting<K: Kind>(writer: PipeWriter<K>, count: u8, step: usize) -> JoinHandle<PipeWriter<K>> {
    thread::spawn(move || {
        let all: Vec<u8> = (1..=count).collect();
        all.chunks(step).for_each(|part| assert_eq!(writer.write(part).unwrap(), part.len()));
        writer
    })
}

/// `1 ..= count` come, in order, by reads of at most `step` bytes; the pipe is empty then.
fn counted<K: Kind>(reader: &PipeReader<K>, count: u8, step: usize) {
    let mut next = 1;
    while next <= count {
        let mut into = vec![0; step.min(usize::from(count - next) + 1)];
        let read = reader.read(&mut into).unwrap();
        assert!(read > 0, "the end of the stream, though the writer lives");
        into[..read].iter().for_each(|&byte| {
            assert_eq!(byte, next);
            next += 1;
        });
    }
    assert!(reader.is_empty());
}

/// `count` bytes through a pipe, `wrote` a write and at most `read` a read; both sides may sleep.
pub fn through<K: Kind>((writer, reader): Ends<K>, count: u8, wrote: usize, read: usize) {
    let writing = counting(writer, count, wrote);
    counted(&reader, count, read);
    writing.join().unwrap();
}

/// A write joins the last piece while a reader drains it: it joins, or begins the next one.
pub fn merge() {
    through(pairs(2), 3, 1, 2);
}

/// Zero copy: room is written where it is, bytes are read where they are.
pub fn grant() {
    let (mut writer, reader) = stream(2);
    let writing = thread::spawn(move || {
        for byte in 1..=2 {
            let mut grant = writer.grant(1).unwrap();
            grant[0] = byte;
            grant.commit(1).unwrap();
        }
        writer
    });
    counted(&reader, 2, 2);
    writing.join().unwrap();
}

/// The last writer's byte, then the end of the stream, whatever the reader meets on its way.
pub fn close<K: Kind>((writer, reader): Ends<K>) {
    let writing = thread::spawn(move || assert_eq!(writer.write(&[1]).unwrap(), 1));
    counted(&reader, 1, 1);
    assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    writing.join().unwrap();
}

/// The last reader goes while a writer fills the pipe: all of it is in, or the writer is told.
pub fn broken<K: Kind>((writer, reader): Ends<K>) {
    let reading = thread::spawn(move || drop(reader));
    let capacity = writer.capacity();
    let written = match writer.write_all(&vec![1; capacity + 1]) {
        Ok(()) => panic!("more than fits, and nobody reads"),
        Err(stopped) => {
            assert_eq!(stopped.error.kind(), ErrorKind::BrokenPipe);
            stopped.written
        }
    };
    assert!(written <= capacity);
    reading.join().unwrap();
    assert_eq!(writer.write(&[1]).unwrap_err().kind(), ErrorKind::BrokenPipe);
}

/// Two readers asleep, and one write with something for each: who takes a part of it hands on.
pub fn two_readers() {
    let (writer, reader) = pairs(1);
    let other = reader.clone();
    let one = |reader: &PipeReader<Mpmc>| {
        let mut byte = [0];
        assert_eq!(reader.read(&mut byte).unwrap(), 1);
        byte[0]
    };
    let reading = thread::spawn(move || one(&other));
    let writing = counting(writer, 2, 2);
    let read = [one(&reader), reading.join().unwrap()];
    assert!(read == [1, 2] || read == [2, 1], "{read:?}");
    writing.join().unwrap();
}

/// A full pipe, a writer that needs both pieces at once and one that needs one: neither is passed over or torn.
pub fn two_writers() {
    let (writer, reader) = pieces(2);
    assert_eq!(writer.write(&[9, 9]).unwrap(), 2);
    let (pair, single) = (writer.clone(), writer);
    let writing = [
        thread::spawn(move || assert_eq!(pair.write(&[1, 2]).unwrap(), 2)),
        thread::spawn(move || assert_eq!(single.write(&[3]).unwrap(), 1)),
    ];
    // For both to line up without a preemption.
    thread::yield_now();
    let mut read = [0; 5];
    (&reader).read_exact(&mut read).unwrap();
    assert!(read == [9, 9, 1, 2, 3] || read == [9, 9, 3, 1, 2], "{read:?}");
    writing.into_iter().for_each(|writing| writing.join().unwrap());
}

/// A full pipe and two writers in line, of which one's time comes: the other's turn comes all the same.
pub fn late() {
    let (writer, reader) = pieces(1);
    assert_eq!(writer.write(&[9]).unwrap(), 1);
    let (hasty, clock) = (writer.clone(), writer.clone());
    let hurrying = thread::spawn(move || match hasty.write_timeout(&[1], Duration::from_millis(1)) {
        Ok(1) => true,
        Ok(written) => panic!("{written} of 1 byte"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            false
        }
    });
    let patient = thread::spawn(move || assert_eq!(writer.write(&[2]).unwrap(), 1));
    thread::yield_now(); // as above
    advance();
    clock.disturb();
    drop(clock);
    let mut read = Vec::new();
    (&reader).read_to_end(&mut read).unwrap();
    patient.join().unwrap();
    match hurrying.join().unwrap() {
        true => assert!(read == [9, 1, 2] || read == [9, 2, 1], "{read:?}"),
        false => assert_eq!(read, [9, 2]),
    }
}

/// Two readers asleep, of which one's time comes after it was woken, when what it was woken for is gone and a third reader holds
/// the lock, having seen nothing: what is written just then is for the other one, asleep still.
pub fn late_reader() {
    let (writer, reader) = pieces(2);
    let (hasty, patient, other) = (reader.clone(), reader.clone(), writer.clone());
    let back = Arc::new(AtomicBool::new(false));
    let is_back = back.clone();
    let hasty = thread::spawn(move || {
        let read = hasty.read_timeout(&mut [0], Duration::from_millis(1)).is_ok();
        back.store(true, SeqCst);
        read
    });
    // To fall asleep in this order without a preemption.
    thread::yield_now();
    let patient = thread::spawn(move || patient.read(&mut [0]).unwrap());
    thread::yield_now();
    assert_eq!(writer.write(&[1]).unwrap(), 1);
    let mut taken = usize::from(reader.try_read(&mut [0]).is_ok());
    advance();
    // Under the readers' lock, after the look; or else now.
    let wrote = Arc::new(AtomicBool::new(false));
    let is_wrote = wrote.clone();
    let hook = move || {
        assert_eq!(other.write(&[2]).unwrap(), 1);
        wrote.store(true, SeqCst);
        thread::yield_now();
    };
    // A read that finds nothing looks twice.
    at_next(Point::Claimed, || at_next(Point::Claimed, hook));
    taken += usize::from(reader.try_read(&mut [0]).is_ok());
    at_next(Point::Woken, || {});
    if !is_wrote.load(SeqCst) {
        assert_eq!(writer.write(&[2]).unwrap(), 1);
    }
    if !is_back.load(SeqCst) {
        // It sleeps, and its time is up.
        reader.disturb();
    }
    taken += usize::from(hasty.join().unwrap());
    let left = usize::from(taken < 2);
    if left == 0 {
        drop(writer);
    }
    assert_eq!(patient.join().unwrap(), left);
}

/// What is counted is never more than what is there.
pub fn counts() {
    let (writer, reader) = pieces(2);
    let writing = counting(writer, 1, 1);
    assert_eq!(reader.read(&mut [0]).unwrap(), 1);
    assert_eq!(reader.len(), 0);
    writing.join().unwrap();
}

/// A writer asleep on a full pipe goes on when that gets another piece, and nobody reads.
pub fn resize() {
    let (writer, reader) = pieces(1);
    assert_eq!(writer.write(&[1]).unwrap(), 1);
    let writing = thread::spawn(move || {
        assert_eq!(writer.write(&[2]).unwrap(), 1);
        writer
    });
    reader.resize(2).unwrap();
    let _writer = writing.join().unwrap();
    counted(&reader, 2, 2);
}

/// Another capacity at any moment of bytes on their way.
pub fn resize_under() {
    let (writer, reader) = pieces(1);
    let resizing = writer.clone();
    let resizing = thread::spawn(move || resizing.resize(2).unwrap());
    through((writer, reader), 2, 1, 1);
    resizing.join().unwrap();
}

/// The last reader goes while one writer waits for room and another in line behind it: both are told.
pub fn broken_line() {
    let (writer, reader) = pieces(1);
    assert_eq!(writer.write(&[9]).unwrap(), 1);
    let other = writer.clone();
    let told = |writer: &PipeWriter<Mpmc>| {
        assert_eq!(writer.write(&[1]).unwrap_err().kind(), ErrorKind::BrokenPipe);
    };
    let writing = thread::spawn(move || told(&other));
    let reading = thread::spawn(move || drop(reader));
    told(&writer);
    writing.join().unwrap();
    reading.join().unwrap();
}

/// A tried write or read never waits, whoever is at work: it is done, or it would block.
pub fn tries() {
    let (writer, reader) = pieces(1);
    let ends = Arc::new((writer, reader));
    let other = ends.clone();
    let attempt = |(writer, reader): &Ends<Mpmc>| {
        let wrote = match writer.try_write(&[1]) {
            Ok(written) => written,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                0
            }
        };
        let read = match reader.try_read(&mut [0]) {
            Ok(read) => read,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                0
            }
        };
        (wrote, read)
    };
    let trying = thread::spawn(move || attempt(&other));
    let ((wrote, read), (other_wrote, other_read)) = (attempt(&ends), trying.join().unwrap());
    assert_eq!(wrote + other_wrote, read + other_read + ends.1.len());
}
