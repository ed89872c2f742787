//! Growable memory for the values of a column.
//!
//! Memory is mapped from the operating system in one piece. It reads as zero and is allocated only when
//! written, so a column of mostly zeros needs little memory. Memory that readers have released is reused,
//! because the page faults of new memory take longer than writing it. Huge pages are not requested, because
//! they are five times slower in some virtual machines.

use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_buffer::Buffer;
use bytes::Bytes;
use memmap2::MmapMut;

/// Minimum size of a memory mapping in bytes, used for tables of a few rows.
const LEAST_BYTES: usize = 1 << 16;

/// Number of bytes that one system call populates just before they are written. Populating them by page
/// faults of 4 KiB takes 1.5 times as long.
const AT_ONCE_BYTES: usize = 1 << 17;

/// Growable memory, mapped from the operating system, for the values of a column.
#[derive(Default)]
pub struct MappedMemory {
    map: Option<MmapMut>,
    used: usize,
    /// True if the unused part of the mapping is zero.
    is_clean: bool,
    /// Offset up to which the pages of a zeroed mapping have been populated.
    there: usize,
    /// Minimum size of a new mapping, in bytes.
    expected: usize,
    returned: Arc<FreeMappings>,
}

/// Memory mappings that all readers have released, so that they can be reused.
type FreeMappings = Mutex<Vec<MmapMut>>;

impl MappedMemory {
    /// Sets the number of bytes expected until the next [`Self::finish`].
    pub const fn expect(&mut self, bytes: usize) {
        self.expected = bytes;
    }

    /// Appends `bytes` bytes, and returns them to be overwritten.
    ///
    /// # Errors
    ///
    /// Returns an error if memory is insufficient.
    pub fn further(&mut self, bytes: usize) -> io::Result<&mut [u8]> {
        let from = self.used;
        self.lengthen(bytes)?;
        if self.is_clean && self.used > self.there {
            self.touch(from);
        }
        Ok(self.after(from))
    }

    /// Appends `bytes` zero bytes.
    ///
    /// # Errors
    /// Returns an error if memory is insufficient.
    pub fn zeros(&mut self, bytes: usize) -> io::Result<()> {
        let from = self.used;
        self.lengthen(bytes)?;
        if !self.is_clean {
            self.after(from).fill(0);
        }
        Ok(())
    }

    /// Returns the appended bytes from the offset `place` to the end.
    pub fn after(&mut self, place: usize) -> &mut [u8] {
        let used = self.used;
        self.map.as_mut().map_or(&mut [], |map| &mut map[place..used])
    }

    /// Returns the appended bytes without copying, and resets the memory.
    pub fn finish(&mut self) -> Buffer {
        let used = mem::take(&mut self.used);
        // Even an empty buffer must be aligned for numbers of any width.
        let Some(map) = self.map.take() else { return Buffer::from_vec(Vec::<u64>::new()) };
        let lent = SharedMapping { map: Some(map), to: Arc::clone(&self.returned) };
        Buffer::from(Bytes::from_owner(lent)).slice_with_length(0, used)
    }

    fn lengthen(&mut self, bytes: usize) -> io::Result<()> {
        let to = self.used + bytes;
        let len = self.map.as_ref().map_or(0, |map| map.len());
        if to > len {
            self.grow(to.max(2 * len).max(self.expected))?;
        }
        self.used = to;
        Ok(())
    }

    /// Populates the pages of the mapping from the offset `from` on by a system call. Errors of the call are
    /// ignored, because page faults then allocate the memory.
    fn touch(&mut self, from: usize) {
        let Some(map) = &self.map else { return };
        self.there = self.used.max(from + AT_ONCE_BYTES).min(map.len());
        #[cfg(target_os = "linux")]
        let _ = map.advise_range(memmap2::Advice::PopulateWrite, from, self.there - from);
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> io::Result<()> {
        let used_again = returned(&self.returned).pop().filter(|map| map.len() >= bytes);
        self.is_clean = used_again.is_none();
        let mut map = match used_again {
            Some(map) => map,
            None => MmapMut::map_anon(bytes.max(LEAST_BYTES))?,
        };
        if let Some(old) = &self.map {
            map[..self.used].copy_from_slice(&old[..self.used]);
        }
        self.map = Some(map);
        self.there = self.used;
        Ok(())
    }
}

/// Mapping that is shared with readers. It is returned for reuse when the last reader drops it.
struct SharedMapping {
    map: Option<MmapMut>,
    to: Arc<FreeMappings>,
}

impl AsRef<[u8]> for SharedMapping {
    fn as_ref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}

impl Drop for SharedMapping {
    fn drop(&mut self) {
        // After the run the mapping is no longer needed.
        if Arc::strong_count(&self.to) > 1 {
            returned(&self.to).extend(self.map.take());
        }
    }
}

fn returned(pieces: &FreeMappings) -> std::sync::MutexGuard<'_, Vec<MmapMut>> {
    pieces.lock().unwrap_or_else(PoisonError::into_inner)
}
