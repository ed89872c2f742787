//! Page of a search, with its outcome and the work that it causes.

use venice_kernel::SimSpan;
use venice_nand::geometry::Lpn;

/// Work of a chip for a page of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChipWork {
    /// The chip senses and searches the page.
    Search,
    /// The chip senses the page and sends it.
    Transfer,
    /// The chip senses the page, and decodes and sends only its first bytes (head), for a match across the boundary
    /// to the previous page.
    Head,
    /// The chip senses a page again, with shifted thresholds, and sends it.
    Repeat,
}

/// Page of a search. Its outcome is drawn at random, or was determined from the stored data in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchedPage {
    /// Logical page that is searched.
    pub lpn: Lpn,
    /// Work of the chip that stores the page: search, transfer, head or repeated read.
    pub chip_work: ChipWork,
    /// True if the page contains a match of this search, in this pass.
    pub matches: bool,
    /// Passes of the same search that follow for the page, if it has no match in the current one.
    pub further: FurtherPasses,
    /// True if the controller sends the page to the host.
    pub is_for_host: bool,
    /// Time that the chip's decoder and matcher take for the page.
    pub matching: SimSpan,
    /// Number of times that a matcher of the controller processes the page, unless the chip has searched it; 0 if
    /// the page is sent to the host at once.
    pub controller_passes: u16,
    /// Outcome of error correction, for a page whose data is known; `None` if the drive's model of read errors
    /// determines it.
    pub correction: Option<KnownCorrection>,
    /// Time of the chip's decoder for the head of the next page, if the controller requests this head after the
    /// page.
    pub next_head: Option<SimSpan>,
}

/// Passes that follow in the search of a page. In each pass, the chip searches the page for other patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FurtherPasses {
    /// Number of further passes.
    pub passes: u16,
    /// True if the page has a match in the last of these passes.
    pub last_matches: bool,
}

/// Outcome of the error correction of a page whose data is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownCorrection {
    /// True if the chip's decoder cannot correct the page.
    pub fails_in_chip: bool,
    /// Number of repeated reads with shifted thresholds that the controller needs after its first decoding. They
    /// are queued together.
    pub extra_reads: u8,
}

impl SearchedPage {
    /// Returns a repeated read of the page, which the controller decodes and searches.
    pub(super) fn repeated(&self) -> Self {
        let correction = Some(KnownCorrection::default());
        Self { chip_work: ChipWork::Repeat, correction, next_head: None, ..*self }
    }

    /// Returns the page in the next pass of its search. Returns `None` after the last pass, or if the page
    /// has a match in the current pass.
    pub(super) fn next_pass(&self) -> Option<Self> {
        let FurtherPasses { passes, last_matches } = self.further;
        let passes = passes.checked_sub(1).filter(|_| !self.matches)?;
        let matches = last_matches && passes == 0;
        Some(Self { matches, is_for_host: matches, further: FurtherPasses { passes, last_matches }, ..*self })
    }

    /// Returns the number of repeated reads with shifted thresholds that the page needs.
    pub fn extra_reads(&self) -> u8 {
        self.correction.map_or(0, |known| known.extra_reads)
    }

    /// Returns the head (first bytes) of the page after this one. `matching` is the time that the chip's
    /// decoder takes for the head.
    pub(super) const fn head_of_next(&self, matching: SimSpan) -> Self {
        Self {
            lpn: Lpn(self.lpn.0 + 1),
            chip_work: ChipWork::Head,
            matches: false,
            further: FurtherPasses { passes: 0, last_matches: false },
            is_for_host: false,
            matching,
            controller_passes: 0,
            correction: Some(KnownCorrection { fails_in_chip: false, extra_reads: 0 }),
            next_head: None,
        }
    }
}
