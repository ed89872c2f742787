//! Which pages were written in the present window of time.
//!
//! # What it models
//! A page that is written for the first time in a window is taken to be cold; one that is written again, to be hot.
//!
//! # What is left out
//! A window for each page: the present window ends with the first write after its time, which still belongs to it, as in MQSim.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018.
//!
//! # Parameters
//! `cache.hot_window_ms`

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{Lpn, SparseTable};

/// Pages that share a word.
const BITS: usize = u64::BITS as usize;

/// The window, and what was written in it.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    length: SimSpan,
    /// Logical pages there are.
    pages: usize,
    /// Those that were written, one bit each.
    written: SparseTable<u64>,
    /// When the window ends; none before the first write.
    end: Option<SimTime>,
}

impl Windows {
    /// None has begun, on so many logical pages.
    pub(super) fn new(length: SimSpan, pages: usize) -> Self {
        Self { length, pages, written: SparseTable::new(pages.div_ceil(BITS)), end: None }
    }

    /// Whether a page is written for the first time in the present window; it is not from now on.
    #[inline]
    pub(super) fn is_first_write(&mut self, lpn: Lpn) -> bool {
        let word = self.written.entry(lpn.index() / BITS);
        let bit = 1 << (lpn.index() % BITS);
        let is_first = *word & bit == 0;
        *word |= bit;
        is_first
    }

    /// These pages will be asked for soon: fetches their words, of which a large drive has more than a processor's cache.
    pub(super) fn foresee(&self, lpns: &[Lpn]) {
        let word = |lpn: Lpn| self.written.get(lpn.index() / BITS);
        std::hint::black_box(lpns.iter().fold(0, |words: u64, &lpn| words ^ word(lpn)));
    }

    /// The present window ends with the first write after its time. The first one begins with the first write.
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
