//! Memory that one drive leaves to the next, cleared.
//!
//! New memory from the system costs a page fault for each 4 KiB, and threads of a process wait for each other in the
//! system while they fault. So, where many drives follow each other, what a drive had is cleared, as far as it was written,
//! and goes to a drive that wants the same.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::zeros::Zeros;

/// What is kept takes no more than this.
const MOST_BYTES: usize = 1 << 30;

/// While one of these lives, memory is kept for drives to come. With the last one, it goes.
#[derive(Debug)]
pub struct KeptMemory(());

impl KeptMemory {
    /// From now on.
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
            *shelf = Shelf::empty();
        }
    }
}

/// What is kept.
pub(super) struct Shelf {
    /// How many want memory to be kept.
    open: usize,
    /// What came last at the end.
    kept: Vec<Zeros>,
    bytes: usize,
}

static SHELF: Mutex<Shelf> = Mutex::new(Shelf::empty());

/// The shelf of the process. No thread leaves it half changed.
pub(super) fn shelf() -> MutexGuard<'static, Shelf> {
    SHELF.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shelf {
    const fn empty() -> Self {
        Self { open: 0, kept: Vec::new(), bytes: 0 }
    }

    pub fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Keeps zeros. What has lain here longest makes room.
    pub fn keep(&mut self, zeros: Zeros) {
        if !self.is_open() {
            return;
        }
        self.bytes += zeros.len();
        self.kept.push(zeros);
        while self.bytes > MOST_BYTES {
            self.bytes -= self.kept.remove(0).len();
        }
    }

    /// So many bytes of zeros, if they are kept.
    pub fn take(&mut self, bytes: usize) -> Option<Zeros> {
        let at = self.kept.iter().rposition(|zeros| zeros.len() == bytes)?;
        self.bytes -= bytes;
        Some(self.kept.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_longest_makes_room_and_a_closed_shelf_keeps_nothing() {
        let mut shelf = Shelf { open: 1, ..Shelf::empty() };
        for bytes in [MOST_BYTES / 2, MOST_BYTES / 4, MOST_BYTES / 4] {
            shelf.keep(Zeros::new(bytes));
        }
        assert_eq!((shelf.kept.len(), shelf.bytes), (3, MOST_BYTES));
        shelf.keep(Zeros::new(8));
        assert_eq!((shelf.kept.len(), shelf.bytes), (3, MOST_BYTES / 2 + 8));
        let taken = [MOST_BYTES / 2, 8].map(|bytes| shelf.take(bytes).map(|zeros| zeros.len()));
        assert_eq!((taken, shelf.bytes), ([None, Some(8)], MOST_BYTES / 2));
        shelf.open = 0;
        shelf.keep(Zeros::new(8));
        assert_eq!(shelf.kept.len(), 2);
    }
}
