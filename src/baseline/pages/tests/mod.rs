//! The rules of a page pipe: each by itself, and what takes threads.

mod rules;
mod threads;

use super::{Options, PAGE, PageReader, PageWriter, pipe};
use crate::wake::WakePolicy;
use std::{vec, vec::Vec};

const MAINLINE: Options = Options::new();
const WAS_FULL: Options = Options::new().wake(WakePolicy::OnEdge);
const PROACTIVE: Options = Options::new().wake(WakePolicy::Proactive);
const POLICIES: [Options; 3] = [MAINLINE, WAS_FULL, PROACTIVE];

type Ends = (PageWriter, PageReader);

/// A pipe with each page in it full.
fn full(pages: usize, options: Options) -> Ends {
    let (writer, reader) = pipe(pages, options).unwrap();
    assert_eq!(writer.try_write(&vec![1; pages * PAGE]).unwrap(), pages * PAGE);
    (writer, reader)
}

/// Reads so many bytes at once.
#[track_caller]
fn take(reader: &PageReader, bytes: usize) -> Vec<u8> {
    let mut into = vec![0; bytes];
    assert_eq!(reader.try_read(&mut into).unwrap(), bytes);
    into
}
