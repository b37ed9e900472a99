//! Making a pipe, or not: what is refused, with a kind and a sentence.

use super::machine::kind;
use super::own::Subject;
use super::{on_both, pipe};
use crate::support::{Config, watchdog};
use hornpipe::bytes::{self, Builder, Kind};
use hornpipe::{Mpmc, Spsc};
use std::io::{self, ErrorKind};
use std::thread;

#[track_caller]
fn refused<T>(answer: io::Result<T>, kind: ErrorKind, why: &str) {
    let error = answer.err().expect("this is refused");
    assert!(error.kind() == kind && error.to_string().contains(why), "{:?}: {error}", error.kind());
}

/// Huge capacities became tiny buffers or panicked in arithmetic; a capacity of 0 hung on the first write.
fn scenario_36_and_37_capacities<K: Kind>() {
    let build = |capacity| Builder::<K>::new(capacity).build();
    refused(build(0), ErrorKind::InvalidInput, "zero");
    for capacity in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, isize::MAX as usize + 1] {
        refused(build(capacity), ErrorKind::InvalidInput, "addressed");
    }
}

#[test]
fn sizes_of_pieces() {
    // May be addressed, and is not to be had (of 32 bits half may be).
    let huge = Builder::<Mpmc>::new(isize::MAX as usize & !0xFFF);
    if usize::BITS >= 64 {
        refused(huge.build(), ErrorKind::OutOfMemory, "memory");
    }
    let builder = Builder::<Mpmc>::new(10);
    refused(builder.piece_size(0).build(), ErrorKind::InvalidInput, "2^30");
    refused(builder.piece_size(1 << 30).build(), ErrorKind::InvalidInput, "2^30");
    refused(builder.piece_size(usize::MAX).build(), ErrorKind::InvalidInput, "2^30");
    refused(builder.atomic_size(11).build(), ErrorKind::InvalidInput, "atomic size");
    refused(builder.atomic_size(usize::MAX).build(), ErrorKind::InvalidInput, "atomic size");
    refused(builder.piece_size(4).atomic_size(13).build(), ErrorKind::InvalidInput, "atomic size");
    let capacity = |builder: Builder<Mpmc>| builder.build().unwrap().0.capacity();
    assert_eq!(capacity(builder), 10);
    assert_eq!(capacity(builder.piece_size(4).atomic_size(12)), 12, "whole pieces");
    assert_eq!(capacity(builder.piece_size(100)), 100, "at least one");
    assert_eq!(bytes::shared(4097).unwrap().0.capacity(), 8192);
    assert_eq!(bytes::pipe(4097).unwrap().0.capacity(), 4097);
}

/// A refused commit publishes nothing, and the writer goes on.
#[test]
fn more_than_was_granted() {
    let (mut writer, reader) = bytes::pipe(4).unwrap();
    refused(writer.grant(3).unwrap().commit(4), ErrorKind::InvalidInput, "granted");
    refused(writer.write_with(3, |_| Ok(4)), ErrorKind::InvalidInput, "granted");
    assert_eq!((reader.len(), writer.grant(9).unwrap().len()), (0, 4));
    let (writer, reader) = bytes::shared(4).unwrap();
    refused(writer.write_with(3, |_| Ok(4)), ErrorKind::InvalidInput, "granted");
    assert_eq!((reader.len(), writer.try_write(b"abcd").unwrap()), (0, 4));
}

/// A closed pipe says so in words, and keeps saying it.
fn writing_to_a_closed_pipe<K: Subject>() {
    let (writer, reader) = pipe::<K>(Config::default(), 4);
    assert_eq!(writer.write(b"ab").unwrap(), 2);
    drop(reader);
    for _ in 0..3 {
        refused(writer.write(b"c"), ErrorKind::BrokenPipe, "no reader is left");
        refused(writer.try_write(b"c"), ErrorKind::BrokenPipe, "no reader is left");
        refused(
            writer.write_timeout(b"c", std::time::Duration::MAX),
            ErrorKind::BrokenPipe,
            "no reader is left",
        );
        refused(writer.write_all(b"c").map_err(io::Error::from), ErrorKind::BrokenPipe, "after 0 bytes");
        assert_eq!((kind(writer.write(b"")), writer.is_broken()), (Ok(0), true));
    }
}

#[test]
fn grants_of_a_closed_pipe() {
    let (mut writer, reader) = bytes::pipe(4).unwrap();
    drop(reader);
    refused(writer.grant(1), ErrorKind::BrokenPipe, "no reader is left");
    refused(writer.try_grant(1), ErrorKind::BrokenPipe, "no reader is left");
    refused(writer.write_with(1, |_| panic!("nothing is to be filled")), ErrorKind::BrokenPipe, "no reader");
    refused(writer.copy_from(&mut &b"ab"[..]), ErrorKind::BrokenPipe, "no reader is left");
    assert_eq!(writer.grant(0).unwrap().len(), 0);
    let (writer, mut reader) = bytes::pipe(4).unwrap();
    refused(reader.splice(&writer, 1), ErrorKind::InvalidInput, "itself");
    let (gone, other) = bytes::shared(4).unwrap();
    drop(other);
    assert_eq!(writer.write(b"ab").unwrap(), 2);
    refused(reader.splice(&gone, 2), ErrorKind::BrokenPipe, "no reader is left");
    assert_eq!(reader.len(), 2, "what did not go in is still there");
}

/// Large pipes on a small stack: nothing of them is built there.
fn scenario_42_a_small_stack<K: Subject>() {
    watchdog(20, || {
        let small = thread::Builder::new().stack_size(256 << 10).spawn(|| {
            let (writer, reader) = Builder::<K>::new(4 << 20).build().unwrap();
            let (sent, mut got) = (vec![7; 1 << 20], vec![0; 1 << 20]);
            assert_eq!(writer.write(&sent).unwrap(), 1 << 20);
            assert_eq!((reader.read(&mut got).unwrap(), got == sent), (1 << 20, true));
        });
        small.unwrap().join().unwrap();
    });
}

/// Each setting is in the builder's words; the pipe's name in its ends'.
#[test]
fn debug_output() {
    let (writer, reader) = Builder::<Spsc>::new(3).name("log").build().unwrap();
    assert_eq!(writer.write(b"a").unwrap(), 1);
    for shown in [format!("{writer:?}"), format!("{reader:?}")] {
        for part in ["name: Some(\"log\")", "len: 1", "capacity: 3", "writers: 1", "readers: 1"] {
            assert!(shown.contains(part), "no {part} in {shown}");
        }
    }
    assert!(format!("{:?}", Builder::<Mpmc>::new(3).packets(true)).contains("packets: true"));
}

on_both!(scenario_36_and_37_capacities, writing_to_a_closed_pipe, scenario_42_a_small_stack);
