//! Byte queue in contiguous memory, whose bytes are initialised only once.

use std::io::{self, Read};
use std::ops::{Deref, DerefMut};

/// Initial size of the memory in bytes.
const FIRST_BYTES: usize = 1 << 18;

/// Byte queue: bytes are appended at the end and removed from the front.
#[derive(Debug, Default)]
pub struct ByteQueue {
    memory: Vec<u8>,
    held: usize,
}

impl ByteQueue {
    /// Appends bytes to the queue.
    pub fn push(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.held += bytes.len();
    }

    /// Appends the bytes of one `read` call, at most `most`. Returns their number.
    pub fn read(&mut self, source: &mut impl Read, most: usize) -> io::Result<usize> {
        // The memory grows with the content, so small files do not require the initialisation of a large
        // buffer.
        let free = self.memory.len() - self.held;
        let room = if free > 0 { free } else { self.held.max(FIRST_BYTES) };
        let read = source.read(self.room(most.min(room)))?;
        self.held += read;
        Ok(read)
    }

    /// Removes the first `bytes` bytes.
    pub fn let_go(&mut self, bytes: usize) {
        self.memory.copy_within(bytes..self.held, 0);
        self.held -= bytes;
    }

    fn room(&mut self, bytes: usize) -> &mut [u8] {
        if self.memory.len() < self.held + bytes {
            self.memory.resize(self.held + bytes, 0);
        }
        &mut self.memory[self.held..][..bytes]
    }
}

impl Deref for ByteQueue {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.held]
    }
}

impl DerefMut for ByteQueue {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.held]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_at_the_end_and_go_at_the_front() {
        let mut text = ByteQueue::default();
        text.push(b"one ");
        let mut source: &[u8] = b"two three";
        assert_eq!(text.read(&mut source, 4).unwrap(), 4);
        assert_eq!((&text[..], source), (&b"one two "[..], &b"three"[..]));
        text.let_go(4);
        text.push(b"and ");
        assert_eq!(text.read(&mut source, 100).unwrap(), 5);
        assert_eq!(&text[..], b"two and three");
        assert_eq!(text.read(&mut source, 100).unwrap(), 0);
        text.let_go(13);
        assert!(text.is_empty());
    }
}
