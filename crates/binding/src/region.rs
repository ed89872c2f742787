//! Memory for a column that grows.
//!
//! Taken from the system in one piece, which is zero and occupies nothing until it is written to: a column of which little is not zero
//! costs little. What was handed over and is not needed any more is used again: a page fault for each 4 KiB takes longer than writing them
//! does. The system is not asked for huge pages, since in some virtual machines they cost five times as much.

use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_buffer::Buffer;
use bytes::Bytes;
use memmap2::MmapMut;

/// The least that is taken, for tables of a few rows.
const LEAST_BYTES: usize = 1 << 16;

/// So much is asked of the system at once, just before it is written to: a page fault for each 4 KiB takes half as long again.
const AT_ONCE_BYTES: usize = 1 << 17;

/// Bytes of a column.
#[derive(Default)]
pub struct Region {
    map: Option<MmapMut>,
    used: usize,
    /// Whether what is not used yet is zero.
    is_clean: bool,
    /// Up to here the system was asked for memory, where it is clean.
    there: usize,
    /// How much is taken at first.
    expected: usize,
    returned: Arc<Returned>,
}

/// Pieces that nobody reads any more.
type Returned = Mutex<Vec<MmapMut>>;

impl Region {
    /// About so many bytes are going to be asked for until they are handed over.
    pub const fn expect(&mut self, bytes: usize) {
        self.expected = bytes;
    }

    /// So many further bytes, for the caller to write.
    ///
    /// # Errors
    /// If the system has no more memory.
    pub fn further(&mut self, bytes: usize) -> io::Result<&mut [u8]> {
        let from = self.used;
        self.lengthen(bytes)?;
        if self.is_clean && self.used > self.there {
            self.touch(from);
        }
        Ok(self.after(from))
    }

    /// So many further bytes, which are zero.
    ///
    /// # Errors
    /// If the system has no more memory.
    pub fn zeros(&mut self, bytes: usize) -> io::Result<()> {
        let from = self.used;
        self.lengthen(bytes)?;
        if !self.is_clean {
            self.after(from).fill(0);
        }
        Ok(())
    }

    /// Those after a place that were asked for.
    pub fn after(&mut self, place: usize) -> &mut [u8] {
        let used = self.used;
        self.map.as_mut().map_or(&mut [], |map| &mut map[place..used])
    }

    /// Hands over what was asked for, without copying, and begins anew.
    pub fn finish(&mut self) -> Buffer {
        let used = mem::take(&mut self.used);
        // Of no bytes, too, the place is one where numbers of any width may lie.
        let Some(map) = self.map.take() else { return Buffer::from_vec(Vec::<u64>::new()) };
        let lent = Lent { map: Some(map), to: Arc::clone(&self.returned) };
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

    /// Has the system give memory from here on. What it does not give comes by page faults.
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

/// A piece that is read by others until they let go of it.
struct Lent {
    map: Option<MmapMut>,
    to: Arc<Returned>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // Where the run is over, nobody would use it again.
        if Arc::strong_count(&self.to) > 1 {
            returned(&self.to).extend(self.map.take());
        }
    }
}

fn returned(pieces: &Returned) -> std::sync::MutexGuard<'_, Vec<MmapMut>> {
    pieces.lock().unwrap_or_else(PoisonError::into_inner)
}
