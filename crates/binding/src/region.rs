//! Memory for a column that grows.
//!
//! Taken from the system in one piece, which is zero and occupies nothing until it is written to: a column of which little is not zero
//! costs little. Where the system has huge pages it is asked for them: a page fault for each 4 KiB takes longer than writing them does.

use std::io;

use arrow_buffer::Buffer;
use bytes::Bytes;
use memmap2::MmapMut;

/// The least that is taken; less than a huge page, for tables of a few rows.
const LEAST_BYTES: usize = 1 << 16;

/// Bytes, all zero but for those that were written.
pub struct Region {
    map: Option<MmapMut>,
    used: usize,
    /// How much is taken at first.
    expected: usize,
}

impl Region {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self { map: None, used: 0, expected: 0 }
    }

    /// About so many bytes are going to be asked for until they are handed over.
    pub const fn expect(&mut self, bytes: usize) {
        self.expected = bytes;
    }

    /// So many further bytes, which are zero.
    ///
    /// # Errors
    /// If the system has no more memory.
    pub fn further(&mut self, bytes: usize) -> io::Result<&mut [u8]> {
        let (from, to) = (self.used, self.used + bytes);
        let len = self.map.as_ref().map_or(0, |map| map.len());
        if to > len {
            self.grow(to.max(2 * len).max(self.expected))?;
        }
        self.used = to;
        Ok(self.map.as_mut().map_or(&mut [], |map| &mut map[from..to]))
    }

    /// Those from a place on, which are there already.
    pub fn from(&mut self, place: usize) -> &mut [u8] {
        let used = self.used;
        self.map.as_mut().map_or(&mut [], |map| &mut map[place..used])
    }

    /// Hands over what was asked for, without copying, and begins anew.
    pub fn finish(&mut self) -> Buffer {
        let used = std::mem::take(&mut self.used);
        // Of no bytes too the place is one where numbers of any width may lie.
        let Some(map) = self.map.take() else { return Buffer::from_vec(Vec::<u64>::new()) };
        Buffer::from(Bytes::from_owner(map)).slice_with_length(0, used)
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> io::Result<()> {
        let mut map = MmapMut::map_anon(bytes.max(LEAST_BYTES))?;
        #[cfg(target_os = "linux")]
        // A system without huge pages refuses, and gives small ones.
        let _ = map.advise(memmap2::Advice::HugePage);
        if let Some(old) = &self.map {
            map[..self.used].copy_from_slice(&old[..self.used]);
        }
        self.map = Some(map);
        Ok(())
    }
}
