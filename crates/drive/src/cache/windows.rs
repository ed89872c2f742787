//! Detection of hot pages by time windows.
//!
//! # What it models
//! The first write of a page in a time window marks the page as cold; a second write in the same window marks
//! it as hot.
//!
//! # What is left out
//! Separate windows for each page. As in MQSim, a window ends with the first write after its nominal end.
//! This write still belongs to the window, and the next window begins after it.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.hot_window_ms`

use venice_kernel::mem::SparseTable;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::Lpn;

/// Number of pages that one 64-bit word of the bit set represents.
const BITS: usize = u64::BITS as usize;

/// Current time window and the pages written in it.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    length: SimSpan,
    /// Number of logical pages.
    pages: usize,
    /// Bit set of the pages written in the current window.
    written: SparseTable<u64>,
    /// Nominal end of the current window; `None` before the first write.
    end: Option<SimTime>,
}

impl Windows {
    /// Creates the state before the first write, for a drive with `pages` logical pages.
    pub(super) fn new(length: SimSpan, pages: usize) -> Self {
        Self { length, pages, written: SparseTable::new(pages.div_ceil(BITS)), end: None }
    }

    /// Records a write. Returns true if it is the page's first write in the current window.
    #[inline]
    pub(super) fn is_first_write(&mut self, lpn: Lpn) -> bool {
        let word = self.written.entry(lpn.index() / BITS);
        let bit = 1 << (lpn.index() % BITS);
        let is_first = *word & bit == 0;
        *word |= bit;
        is_first
    }

    /// Prefetches the bits of pages that will be accessed soon into the CPU cache, to speed up the
    /// simulation.
    pub(super) fn foresee(&self, lpns: &[Lpn]) {
        let word = |lpn: Lpn| self.written.get(lpn.index() / BITS);
        std::hint::black_box(lpns.iter().fold(0, |words: u64, &lpn| words ^ word(lpn)));
    }

    /// Updates the window after a write at `now`. If the write came after the end of the window, clears the
    /// set of written pages and starts the next window. The first write of the run starts the first window.
    #[inline]
    pub(super) fn note_write(&mut self, now: SimTime) {
        let is_over = self.end.is_some_and(|end| now > end);
        if is_over {
            self.written = SparseTable::new(self.pages.div_ceil(BITS));
        }
        if is_over || self.end.is_none() {
            self.end = Some(now + self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_new_once_in_a_window_that_ends_with_the_first_write_after_its_time() {
        let at = |us| SimTime::ZERO + SimSpan::from_us(us);
        let mut windows = Windows::new(SimSpan::from_us(10), 200);
        assert!(windows.is_first_write(Lpn(70)));
        windows.note_write(at(5));
        assert!(!windows.is_first_write(Lpn(70)));
        assert!(windows.is_first_write(Lpn(71)), "a neighbour in the same word");
        windows.note_write(at(15));
        assert!(!windows.is_first_write(Lpn(70)), "the window's last instant is of it");
        windows.note_write(SimTime::from_ps(at(15).as_ps() + 1));
        assert!(windows.is_first_write(Lpn(70)));
    }
}
