//! How a reader checks what it gets.

use super::content::Content;

/// What one reader keeps of what it got.
pub struct Audit<'a> {
    content: &'a Content,
    /// Whether each byte is looked at: before the clock starts.
    every: bool,
    total: u64,
    /// By writer, how much of its stream was seen.
    seen: Vec<u64>,
    /// Whose message the last byte was of.
    current: usize,
    fault: Option<String>,
}

impl<'a> Audit<'a> {
    /// Before the first byte.
    ///
    /// With `every` it looks at each: whose it is, whether it is the next of that writer, and whether a message that has to
    /// be whole is. Without it costs next to nothing beside a read: of one writer it looks at each read's first and last
    /// byte, of several at each message's first one, where it is known where messages begin; and it counts.
    pub fn new(content: &'a Content, every: bool) -> Self {
        Self { content, every, total: 0, seen: vec![0; content.writers()], current: 0, fault: None }
    }

    /// So many were read to their end.
    pub fn messages(&self) -> u64 {
        self.total / self.content.size() as u64
    }

    /// Takes note of a read.
    #[inline]
    pub fn note(&mut self, bytes: &[u8]) {
        let size = self.content.size();
        let before = (self.total % size as u64) as usize;
        if self.every {
            for (index, &byte) in bytes.iter().enumerate() {
                self.each(byte, (before + index).is_multiple_of(size));
            }
        } else if self.content.writers() == 1 {
            for at in [0, bytes.len() - 1] {
                self.look(0, self.total + at as u64, bytes[at]);
            }
        } else if self.content.whole() {
            let first = (size - before) % size;
            for &byte in bytes.iter().skip(first).step_by(size) {
                self.follow(byte, size);
            }
        }
        self.total += bytes.len() as u64;
    }

    fn each(&mut self, byte: u8, begins: bool) {
        let writer = self.content.writer(byte);
        if self.content.whole() && !begins && writer != self.current {
            let (current, at) = (self.current, self.total);
            self.wrong(|| {
                format!("a message of writer {current} is torn by writer {writer}, after byte {at}")
            });
        }
        self.current = writer;
        self.follow(byte, 1);
    }

    /// The next byte of its writer, of whom `by` are no surprise then.
    #[inline]
    fn follow(&mut self, byte: u8, by: usize) {
        let writer = self.content.writer(byte);
        let position = self.seen.get(writer).copied().unwrap_or(0);
        self.look(writer, position, byte);
        if let Some(seen) = self.seen.get_mut(writer) {
            *seen += by as u64;
        }
    }

    #[inline]
    fn look(&mut self, writer: usize, position: u64, byte: u8) {
        let expected = self.content.byte(writer, position);
        if expected != Some(byte) {
            self.wrong(|| match expected {
                Some(expected) => {
                    format!(
                        "byte {position} of writer {writer} arrived as {byte:#04x} instead of {expected:#04x}"
                    )
                }
                None => format!("a byte of writer {writer}, who does not exist: {byte:#04x}"),
            });
        }
    }

    /// The first fault stays.
    #[cold]
    #[inline(never)]
    fn wrong(&mut self, fault: impl FnOnce() -> String) {
        self.fault.get_or_insert_with(fault);
    }

    /// Whether it got all of each writer's first `written[writer]` messages, once and in order.
    pub fn settle(self, written: &[u64]) -> Result<(), String> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let size = self.content.size() as u64;
        let expected = written.iter().sum::<u64>() * size;
        if self.total != expected {
            return Err(format!("{expected} bytes were written and {} read", self.total));
        }
        if !self.every && (written.len() == 1 || !self.content.whole()) {
            return Ok(());
        }
        let mut writers = written.iter().map(|messages| messages * size).zip(self.seen).enumerate();
        match writers.find(|(_, (written, seen))| written != seen) {
            Some((writer, (written, seen))) => {
                Err(format!("writer {writer} wrote {written} bytes, of which {seen} were read"))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both audits say, read by read.
    fn verdicts(content: &Content, reads: &[&[u8]], written: &[u64]) -> [Result<(), String>; 2] {
        [true, false].map(|every| {
            let mut audit = Audit::new(content, every);
            reads.iter().for_each(|bytes| audit.note(bytes));
            audit.settle(written)
        })
    }

    /// Both must agree on these.
    fn verdict(content: &Content, reads: &[&[u8]], written: &[u64]) -> Result<(), String> {
        let [every, some] = verdicts(content, reads, written);
        assert_eq!(every.is_ok(), some.is_ok(), "{every:?} {some:?}");
        every
    }

    #[test]
    fn right_answers_pass_however_they_are_cut() {
        for size in [1, 7, 100, 5000] {
            let content = Content::new(1, size);
            let all: Vec<u8> = (0..20).flat_map(|number| content.message(0, number)).copied().collect();
            for cut in [1, 3, size, all.len()] {
                let reads: Vec<&[u8]> = all.chunks(cut).collect();
                assert_eq!(verdict(&content, &reads, &[20]), Ok(()));
            }
        }
        let content = Content::new(4, 100);
        let order = [0, 3, 3, 1, 0];
        let mut next = [0; 4];
        let mut all = Vec::new();
        for writer in order {
            all.extend_from_slice(content.message(writer, next[writer]));
            next[writer] += 1;
        }
        for cut in [1, 64, 100, 1000] {
            assert_eq!(verdict(&content, &all.chunks(cut).collect::<Vec<_>>(), &next), Ok(()));
        }
        assert_eq!(verdict(&content, &[], &[0; 4]), Ok(()));
    }

    #[test]
    fn wrong_answers_do_not() {
        let content = Content::new(1, 100);
        let [first, second] = [0, 1].map(|number| content.message(0, number));
        for (reads, written) in [
            (&[first][..], 2),
            (&[first, first], 2),
            (&[second, first], 2),
            (&[first, second], 1),
            (&[&first[1..], second], 2),
        ] {
            assert!(verdict(&content, reads, &[written]).is_err());
        }
        let content = Content::new(3, 100);
        let of = |writer| content.message(writer, 0);
        let lost = verdict(&content, &[of(0), of(1)], &[2, 0, 0]).expect_err("another's");
        assert!(lost.contains("writer 0 wrote 200 bytes, of which 100 were read"), "{lost}");
        let nobody = verdict(&content, &[&[0xFF; 100]], &[1, 0, 0]).expect_err("nobody's");
        assert!(nobody.contains("writer 3, who does not exist"), "{nobody}");
        assert!(verdict(&content, &[of(2), of(2)], &[0, 0, 2]).is_err(), "twice");
    }

    /// One byte in the middle, and two messages that are mixed: for the audit before the clock starts.
    #[test]
    fn nothing_slips_through_the_check() {
        let content = Content::new(2, 100);
        let [a, b] = [0, 1].map(|writer| content.message(writer, 0));
        let torn = [&a[..50], &b[..50], &a[50..], &b[50..]];
        let [every, _] = verdicts(&content, &torn, &[1, 1]);
        assert!(every.expect_err("torn").contains("torn by writer 1"));
        let mut wrong = a.to_vec();
        wrong[50] ^= 1;
        let [every, _] = verdicts(&content, &[&wrong, b], &[1, 1]);
        assert!(every.expect_err("a bit").contains("byte 50 of writer 0"));
        // Where nobody promises that messages are whole, their bytes still must be in order.
        let long = Content::new(2, 5000);
        let [a, b] = [0, 1].map(|writer| long.message(writer, 0));
        assert_eq!(verdict(&long, &[&a[..4096], b, &a[4096..]], &[1, 1]), Ok(()));
        let [every, _] = verdicts(&long, &[&a[4096..], b, &a[..4096]], &[1, 1]);
        assert!(every.is_err());
    }
}
