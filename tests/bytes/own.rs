//! What only one kind of pipe can do, beside the model: a stream's grants and its bytes in place, the pieces' resizing.

use super::machine::{End, Run, kind};
use hornpipe::bytes::{self, Builder, Kind};
use hornpipe::{Mpmc, Spsc};
use std::io::{self, BufRead, ErrorKind};
use std::time::Duration;

/// A kind of pipe under test.
pub trait Subject: Kind + Sized {
    /// Builds one of exactly so many bytes, into which each goes as soon as it has room.
    fn builder(capacity: usize) -> Builder<Self>;
    /// One of its own calls.
    fn own(run: &mut Run<Self>, how: u8, len: usize);
    /// One more handle, where there may be more.
    fn join(run: &mut Run<Self>, end: End);
}

/// What a `fill` that fails answers.
fn failure<T>() -> io::Result<T> {
    Err(ErrorKind::Other.into())
}

impl Subject for Spsc {
    fn builder(capacity: usize) -> Builder<Self> {
        Builder::new(capacity)
    }

    fn own(run: &mut Run<Self>, how: u8, len: usize) {
        let part = usize::from(how / 8) % (len + 2);
        match how % 8 {
            0 | 1 => grant(run, len, part),
            2 => write_with(run, len, part),
            3 | 4 => look(run, part),
            5 => splice(run, len),
            6 => copy_from(run, len),
            _ => copy_to(run, len),
        }
    }

    fn join(_: &mut Run<Self>, _: End) {}
}

impl Run<Spsc> {
    /// A grant, of which a part is committed.
    pub fn commit(&mut self, most: usize, part: usize) {
        grant(self, most, part);
    }

    /// A look, of which a part is used.
    pub fn consume(&mut self, part: usize) {
        look(self, part);
    }
}

/// Takes room, writes it and commits a part of it, or more than it is, or nothing.
fn grant(run: &mut Run<Spsc>, most: usize, commit: usize) {
    let room = most.min(run.model.stretches().0);
    let bytes = run.number(room.min(commit));
    let readers = run.model.readers;
    let Some(writer) = run.writers.last_mut() else { return };
    let grant =
        if commit % 2 == 0 { writer.try_grant(most) } else { writer.grant_timeout(most, Duration::ZERO) };
    let late = if commit % 2 == 0 { ErrorKind::WouldBlock } else { ErrorKind::TimedOut };
    let mut grant = match kind(grant) {
        Err(kind) => {
            let expected = if readers == 0 { ErrorKind::BrokenPipe } else { late };
            return assert!(kind == expected && most > 0 && (room == 0 || readers == 0), "{kind}");
        }
        Ok(grant) => grant,
    };
    assert!(readers > 0 || most == 0);
    assert_eq!(grant.len(), room);
    grant.fill(0);
    grant[..bytes.len()].copy_from_slice(&bytes);
    match kind(grant.commit(commit)) {
        Ok(()) => assert_eq!(run.model.write(&bytes), Ok(commit)),
        Err(kind) => assert!(kind == ErrorKind::InvalidInput && commit > room),
    }
}

/// The same by a closure, which may also fail.
fn write_with(run: &mut Run<Spsc>, most: usize, commit: usize) {
    let room = most.min(run.model.stretches().0);
    if room == 0 && most > 0 && run.model.readers > 0 {
        return;
    }
    let bytes = run.number(room.min(commit));
    let readers = run.model.readers;
    let Some(writer) = run.writers.last_mut() else { return };
    let fails = commit % 5 == 4;
    let answer = writer.write_with(most, |place| {
        assert_eq!(place.len(), room);
        place.fill(0);
        place[..bytes.len()].copy_from_slice(&bytes);
        if fails { failure() } else { Ok(commit) }
    });
    match kind(answer) {
        Ok(done) => {
            assert!(done == commit && !fails);
            assert_eq!(run.model.write(&bytes), Ok(commit));
        }
        Err(ErrorKind::BrokenPipe) => assert!(readers == 0 && most > 0),
        Err(ErrorKind::InvalidInput) => assert!(commit > room && !fails),
        Err(kind) => assert!(kind == ErrorKind::Other && fails),
    }
}

/// Looks at the bytes in place and lets go of some.
fn look(run: &mut Run<Spsc>, part: usize) {
    if run.model.len() == 0 && run.model.writers > 0 {
        return;
    }
    let Some(reader) = run.readers.last_mut() else { return };
    let there = reader.fill_buf().expect("a read has no error").to_vec();
    // Perhaps not yet what came since the last look, but never nothing where there is something.
    let queued = run.model.bytes();
    assert!(queued.starts_with(&there) && there.len() <= run.model.stretches().1);
    assert_eq!(there.is_empty(), queued.is_empty());
    let used = part.min(there.len());
    reader.consume(used);
    if used > 0 {
        assert_eq!(run.model.read(used), Ok(there[..used].to_vec()));
    }
}

/// Moves bytes to another pipe of either kind.
fn splice(run: &mut Run<Spsc>, most: usize) {
    if run.model.len() == 0 && run.model.writers > 0 {
        return;
    }
    let Some(reader) = run.readers.last_mut() else { return };
    let (stream, stream_out) = bytes::pipe(24).unwrap();
    let (pieces, pieces_out) = bytes::shared(24).unwrap();
    let (moved, mut into) = (reader.splice(&stream, most / 2).unwrap(), [0; 24]);
    let mut out = run.model.read(moved).unwrap();
    assert!(moved > 0 || most / 2 == 0 || run.model.len() == 0);
    assert_eq!(stream_out.try_read(&mut into).unwrap_or(0), moved);
    assert_eq!(into[..moved], out);
    if run.model.len() > 0 {
        let moved = reader.splice(&pieces, most).unwrap();
        out = run.model.read(moved).unwrap();
        assert_eq!(pieces_out.try_read(&mut into).unwrap_or(0), moved);
        assert_eq!(into[..moved], out);
    }
}

/// Writes what a reader gives, where that and one byte more have room: it is asked again for its end.
fn copy_from(run: &mut Run<Spsc>, len: usize) {
    let bytes = run.number(len);
    if run.model.readers > 0 && run.model.len() + len >= run.model.capacity() {
        return;
    }
    let Some(writer) = run.writers.last_mut() else { return };
    match kind(writer.copy_from(&mut &bytes[..])) {
        Ok(copied) => assert_eq!((copied, run.model.write(&bytes)), (len as u64, Ok(len))),
        Err(kind) => assert!(kind == ErrorKind::BrokenPipe && run.model.readers == 0),
    }
}

/// Writes what there is to a writer that is full before that, or to the end of the stream.
fn copy_to(run: &mut Run<Spsc>, len: usize) {
    if run.model.writers > 0 && len >= run.model.len() {
        return;
    }
    let Some(reader) = run.readers.last_mut() else { return };
    let mut room = vec![0; len];
    let answer = reader.copy_to(&mut &mut room[..]);
    let queued = run.model.len();
    let out = run.model.read(len).unwrap_or_default();
    assert_eq!(room[..out.len()], out);
    match kind(answer) {
        Ok(copied) => assert_eq!((copied as usize, run.model.writers), (queued, 0)),
        Err(kind) => assert!(kind == ErrorKind::WriteZero && queued > len),
    }
}

impl Subject for Mpmc {
    fn builder(capacity: usize) -> Builder<Self> {
        Builder::new(capacity).piece_size(1).atomic_size(1)
    }

    fn own(run: &mut Run<Self>, how: u8, len: usize) {
        let part = usize::from(how / 4) % (len + 2);
        match how % 4 {
            0 => fill(run, len, part),
            side => resize(run, side == 1, len),
        }
    }

    fn join(run: &mut Run<Self>, end: End) {
        match end {
            End::Writer => run.writers.extend(run.writers.last().cloned()),
            End::Reader => run.readers.extend(run.readers.last().cloned()),
        }
        (run.model.writers, run.model.readers) = (run.writers.len(), run.readers.len());
    }
}

fn fill(run: &mut Run<Mpmc>, most: usize, answers: usize) {
    let bytes = run.number(answers);
    let room = most.min(run.model.capacity());
    let fails = answers % 5 == 4;
    if !fails && answers <= room && !run.model.takes(&bytes) {
        return;
    }
    let Some(writer) = run.writers.last() else { return };
    let answer = writer.write_with(most, |place| {
        assert_eq!(place.len(), room);
        let len = place.len().min(answers);
        place[..len].copy_from_slice(&bytes[..len]);
        if fails { failure() } else { Ok(answers) }
    });
    match kind(answer) {
        Err(ErrorKind::Other) => assert!(fails),
        Err(ErrorKind::InvalidInput) => assert!(answers > room && !fails),
        answer => assert_eq!((answer, fails), (run.model.write(&bytes), false)),
    }
}

impl Run<Mpmc> {
    /// Another capacity, by a writer.
    pub fn resize(&mut self, capacity: usize) {
        resize(self, true, capacity);
    }
}

fn resize(run: &mut Run<Mpmc>, by_writer: bool, capacity: usize) {
    let answer = match (run.writers.last(), run.readers.last()) {
        (Some(writer), _) if by_writer => writer.resize(capacity),
        (_, Some(reader)) => reader.resize(capacity),
        _ => return,
    };
    assert_eq!(kind(answer), run.model.resize(capacity));
}
