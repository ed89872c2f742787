//! Read-ahead: pages are decoded before a caller requests them.
//!
//! Decoding many pages together takes less time per page, and the outcome of a page depends only on its
//! cells. A search of many small files reads a few sequential pages at a time. More pages are then decoded
//! together, in advance. The number of pages decoded in advance is the number requested in sequence so far.
//! At most half of the decoded pages are therefore never used.

use std::collections::VecDeque;
use std::ops::Range;

use super::outcome::PageReadOutcome;

/// Maximum number of pages read ahead; larger batches are not faster.
const MAX_READ_AHEAD: u64 = 512;

/// Outcomes of pages that were decoded in advance. They follow the last requested page.
#[derive(Clone, Debug, Default)]
pub struct DecodedPages {
    next: u64,
    outcomes: VecDeque<PageReadOutcome>,
    /// Number of pages, up to page `next`, that have been requested in sequence.
    in_a_row: u64,
}

impl DecodedPages {
    /// Returns the pages that must still be decoded for a request of `pages` pages, starting at page `first`.
    pub fn missing(&mut self, first: u64, pages: usize) -> Range<u64> {
        if first != self.next {
            *self = Self { next: first, ..Self::default() };
        }
        let from = first + self.outcomes.len() as u64;
        let to = first + pages as u64;
        if to > from { from..to.max(from + self.in_a_row.min(MAX_READ_AHEAD)) } else { from..from }
    }

    /// Adds the outcomes of the pages that [`Self::missing`] returned.
    pub fn add(&mut self, outcomes: Vec<PageReadOutcome>) {
        self.outcomes.extend(outcomes);
    }

    /// Removes and returns the outcomes of the next pages.
    pub fn take(&mut self, pages: usize) -> Vec<PageReadOutcome> {
        self.next += pages as u64;
        self.in_a_row += pages as u64;
        self.outcomes.drain(..pages).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Correction, CorrectionResult};

    /// Takes pages from the read-ahead. Returns the number of pages that had to be decoded for this call.
    fn taken(foreseen: &mut DecodedPages, first: u64, pages: usize) -> u64 {
        let missing = foreseen.missing(first, pages);
        let fate = CorrectionResult { by: Correction::Chip, ecc_w_iterations: 0, ecc_s_iterations: 0 };
        foreseen.add(missing.clone().map(|_| PageReadOutcome::of(fate)).collect());
        assert_eq!(foreseen.take(pages).len(), pages);
        missing.end - missing.start
    }

    #[test]
    fn the_read_ahead_equals_the_number_of_sequential_pages() {
        let mut foreseen = DecodedPages::default();
        let decoded: Vec<u64> = (0..8).map(|number| taken(&mut foreseen, 3 * number, 3)).collect();
        assert_eq!(decoded, [3, 3, 6, 0, 12, 0, 0, 0]);
        assert_eq!(taken(&mut foreseen, 100, 4), 4, "elsewhere it begins anew");
        assert_eq!(taken(&mut foreseen, 104, 700), 700);
        assert_eq!(
            [taken(&mut foreseen, 804, 1), taken(&mut foreseen, 805, 1)],
            [512, 0],
            "no more than that ahead"
        );
    }
}
