//! Memory pool: a new drive reuses memory of drives that were simulated before it.
//!
//! New memory from the operating system costs a page fault per 4 KiB, and the threads of a process block each
//! other in the kernel during faults. In a series of runs, the written parts of a finished drive's memory are
//! therefore cleared, and tables of the same kind reuse it.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum size in bytes of all kept directories together, and of all kept slabs together.
const MAX_BYTES: usize = 512 << 20;

/// Guard that enables the reuse of memory. When the last guard is dropped, the kept memory is freed.
#[derive(Debug)]
pub struct KeptMemory(());

impl KeptMemory {
    /// Returns a guard that enables the reuse of memory.
    pub fn open() -> Self {
        shelf().open += 1;
        Self(())
    }
}

impl Drop for KeptMemory {
    fn drop(&mut self) {
        let mut shelf = shelf();
        shelf.open -= 1;
        if shelf.open == 0 {
            *shelf = MemoryPool::empty();
        }
    }
}

/// Memory that is kept for reuse.
pub(super) struct MemoryPool {
    /// Number of live guards.
    open: usize,
    /// Directories of sparse tables, cleared to zero; the most recent one is last.
    lists: Vec<Vec<u32>>,
    /// Slabs of chunks, cleared to their initial state, by type.
    pieces: BTreeMap<TypeId, Vec<Box<dyn Any + Send>>>,
    piece_bytes: usize,
}

static SHELF: Mutex<MemoryPool> = Mutex::new(MemoryPool::empty());

/// Locks and returns the memory pool of the process. Ignores a poisoned lock, since the pool is consistent at
/// all times.
pub(super) fn shelf() -> MutexGuard<'static, MemoryPool> {
    SHELF.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryPool {
    const fn empty() -> Self {
        Self { open: 0, lists: Vec::new(), pieces: BTreeMap::new(), piece_bytes: 0 }
    }

    pub fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Keeps a list of zeros for reuse. Frees the oldest lists if the limit is exceeded.
    pub fn keep_list(&mut self, list: Vec<u32>) {
        if !self.is_open() {
            return;
        }
        self.lists.push(list);
        while self.lists.iter().map(|list| mem::size_of_val(&list[..])).sum::<usize>() > MAX_BYTES {
            self.lists.remove(0);
        }
    }

    /// Removes and returns a list of `len` zeros; `None` if the pool has none of this length.
    pub fn take_list(&mut self, len: usize) -> Option<Vec<u32>> {
        let at = self.lists.iter().rposition(|list| list.len() == len)?;
        Some(self.lists.remove(at))
    }

    /// Keeps slabs for reuse, up to the limit. The caller has reset them to their initial state.
    pub fn keep_pieces<T: Any + Send>(&mut self, pieces: Vec<Box<T>>) {
        if !self.is_open() || pieces.is_empty() {
            return;
        }
        let kept = self.pieces.entry(TypeId::of::<T>()).or_default();
        for piece in pieces {
            if self.piece_bytes + size_of::<T>() <= MAX_BYTES {
                self.piece_bytes += size_of::<T>();
                kept.push(piece);
            }
        }
    }

    /// Removes and returns a slab of this type; `None` if the pool has none.
    pub fn take_piece<T: Any + Send>(&mut self) -> Option<Box<T>> {
        let piece = self.pieces.get_mut(&TypeId::of::<T>())?.pop()?;
        self.piece_bytes -= size_of::<T>();
        piece.downcast().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> MemoryPool {
        MemoryPool { open: 1, ..MemoryPool::empty() }
    }

    #[test]
    fn lists_kept_longest_make_room_and_a_closed_shelf_keeps_none() {
        let mut shelf = open();
        let most = MAX_BYTES / size_of::<u32>();
        shelf.keep_list(vec![0; most / 2]);
        shelf.keep_list(vec![0; most / 4]);
        shelf.keep_list(vec![0; most / 4]);
        assert_eq!(shelf.lists.len(), 3);
        shelf.keep_list(vec![0; 1]);
        assert_eq!(
            (shelf.lists.len(), shelf.take_list(most / 2), shelf.take_list(1)),
            (3, None, Some(vec![0]))
        );
        shelf.open = 0;
        shelf.keep_list(vec![0; 1]);
        assert_eq!(shelf.lists.len(), 2);
    }

    #[test]
    fn a_kept_piece_is_reused_for_its_type() {
        let mut shelf = open();
        shelf.keep_pieces(vec![Box::new([0_u8; 4])]);
        shelf.keep_pieces(vec![Box::new([0_u16; 2])]);
        assert_eq!(
            (shelf.take_piece::<[u16; 2]>(), shelf.take_piece::<[u16; 2]>()),
            (Some(Box::new([0; 2])), None)
        );
        assert_eq!((shelf.piece_bytes, shelf.take_piece::<[u8; 4]>()), (4, Some(Box::new([0; 4]))));
    }

    #[test]
    fn pieces_beyond_the_most_are_not_kept() {
        let mut shelf = open();
        shelf.piece_bytes = MAX_BYTES - 5;
        shelf.keep_pieces(vec![Box::new([0_u8; 4]), Box::new([0; 4])]);
        assert_eq!((shelf.take_piece::<[u8; 4]>().is_some(), shelf.take_piece::<[u8; 4]>()), (true, None));
    }
}
