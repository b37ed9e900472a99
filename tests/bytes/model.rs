//! What a byte pipe answers, in plain words: queues, and nothing that could wait.

use hornpipe::bytes::Merge;
use std::collections::VecDeque;
use std::io::ErrorKind;

/// What there is to choose of a pipe of pieces.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub piece: usize,
    pub atomic: usize,
    pub merge: Merge,
    pub packets: bool,
}

/// A piece: what of it was not read yet, and how far it was ever filled.
#[derive(Clone, Debug)]
struct Piece {
    bytes: VecDeque<u8>,
    end: usize,
}

#[derive(Clone, Debug)]
enum Ring {
    Stream { bytes: VecDeque<u8>, capacity: usize, taken: usize },
    Pieces { pieces: VecDeque<Piece>, count: usize, layout: Layout },
}

/// A pipe and its ends.
#[derive(Clone, Debug)]
pub struct Model {
    ring: Ring,
    pub writers: usize,
    pub readers: usize,
}

impl Model {
    pub fn stream(capacity: usize) -> Self {
        Self::of(Ring::Stream { bytes: VecDeque::new(), capacity, taken: 0 })
    }

    pub fn pieces(capacity: usize, layout: Layout) -> Self {
        let count = capacity.div_ceil(layout.piece);
        Self::of(Ring::Pieces { pieces: VecDeque::new(), count, layout })
    }

    fn of(ring: Ring) -> Self {
        Self { ring, writers: 1, readers: 1 }
    }

    pub fn len(&self) -> usize {
        match &self.ring {
            Ring::Stream { bytes, .. } => bytes.len(),
            Ring::Pieces { pieces, .. } => pieces.iter().map(|piece| piece.bytes.len()).sum(),
        }
    }

    pub fn capacity(&self) -> usize {
        match &self.ring {
            Ring::Stream { capacity, .. } => *capacity,
            Ring::Pieces { count, layout, .. } => count * layout.piece,
        }
    }

    /// All that is queued, in order.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.ring {
            Ring::Stream { bytes, .. } => bytes.iter().copied().collect(),
            Ring::Pieces { pieces, .. } => pieces.iter().flat_map(|piece| piece.bytes.clone()).collect(),
        }
    }

    /// How a write that may not wait ends.
    pub fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        match bytes.len() {
            0 => Ok(0),
            _ if self.readers == 0 => Err(ErrorKind::BrokenPipe),
            _ => match self.put(bytes) {
                0 => Err(ErrorKind::WouldBlock),
                done => Ok(done),
            },
        }
    }

    /// Whether a write of all these would return without a wait.
    pub fn takes(&self, bytes: &[u8]) -> bool {
        let answer = self.clone().write(bytes);
        answer == Ok(bytes.len()) || answer == Err(ErrorKind::BrokenPipe)
    }

    fn put(&mut self, bytes: &[u8]) -> usize {
        match &mut self.ring {
            Ring::Stream { bytes: queue, capacity, .. } => {
                let done = bytes.len().min(*capacity - queue.len());
                queue.extend(&bytes[..done]);
                done
            }
            Ring::Pieces { pieces, count, layout } => {
                let Layout { piece, atomic, merge, packets } = *layout;
                let free = *count - pieces.len();
                let room = pieces.back().map_or(0, |last| if packets { 0 } else { piece - last.end });
                let beyond = bytes.len() % piece;
                let behind = match merge {
                    Merge::Fits => beyond.min(room),
                    _ if beyond <= room => beyond,
                    _ => 0,
                };
                let (joins, begins) = bytes.split_at(behind);
                let wanted = begins.len().div_ceil(piece);
                if bytes.len() <= atomic && wanted > free {
                    return 0;
                }
                if let Some(last) = pieces.back_mut() {
                    last.bytes.extend(joins);
                    last.end += behind;
                }
                let fresh = begins.chunks(piece).take(free);
                let done = behind + fresh.clone().map(<[u8]>::len).sum::<usize>();
                pieces.extend(
                    fresh.map(|part| Piece { bytes: part.iter().copied().collect(), end: part.len() }),
                );
                done
            }
        }
    }

    /// How a read that may not wait ends.
    pub fn read(&mut self, most: usize) -> Result<Vec<u8>, ErrorKind> {
        match most {
            0 => Ok(Vec::new()),
            _ if self.len() > 0 => Ok(self.take(most)),
            _ if self.writers == 0 => Ok(Vec::new()),
            _ => Err(ErrorKind::WouldBlock),
        }
    }

    fn take(&mut self, most: usize) -> Vec<u8> {
        match &mut self.ring {
            Ring::Stream { bytes, taken, .. } => {
                let done = most.min(bytes.len());
                *taken += done;
                bytes.drain(..done).collect()
            }
            Ring::Pieces { pieces, layout, .. } if layout.packets => {
                let packet = pieces.pop_front().expect("there is one");
                packet.bytes.into_iter().take(most).collect()
            }
            Ring::Pieces { pieces, .. } => {
                let mut out = Vec::new();
                while out.len() < most {
                    let Some(first) = pieces.front_mut() else { break };
                    let part = first.bytes.len().min(most - out.len());
                    out.extend(first.bytes.drain(..part));
                    if first.bytes.is_empty() {
                        pieces.pop_front();
                    }
                }
                out
            }
        }
    }

    /// How much of the stream's room and of its bytes lies in one piece: a ring's end is passed by a second look.
    pub fn stretches(&self) -> (usize, usize) {
        match &self.ring {
            Ring::Stream { bytes, capacity, taken } => {
                let (head, tail) = (taken % capacity, (taken + bytes.len()) % capacity);
                ((capacity - bytes.len()).min(capacity - tail), bytes.len().min(capacity - head))
            }
            Ring::Pieces { .. } => unreachable!("only a stream has them"),
        }
    }

    /// Another capacity for pieces.
    pub fn resize(&mut self, capacity: usize) -> Result<(), ErrorKind> {
        let Ring::Pieces { pieces, count, layout } = &mut self.ring else {
            unreachable!("a stream is not resized")
        };
        let wanted = capacity.div_ceil(layout.piece);
        if capacity == 0 || wanted * layout.piece < layout.atomic {
            return Err(ErrorKind::InvalidInput);
        }
        if pieces.len() > wanted {
            return Err(ErrorKind::ResourceBusy);
        }
        *count = wanted;
        Ok(())
    }
}
