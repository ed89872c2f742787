//! Passes of searches for more patterns than the tables of a chip contain.
//!
//! # How
//! A pass of a search begins when the last page of the previous pass has ended, so that each chip receives the tables
//! of a pass once. A page without a match in a pass waits for the next one.

use super::WaitingPage;

/// Pass of a search that is under way.
#[derive(Clone, Debug)]
struct OpenPass {
    /// Number of the search in the run.
    search: u64,
    /// Number of pages of the pass that have not ended.
    unfinished: usize,
    /// Pages of the next pass so far.
    next: Vec<WaitingPage>,
}

/// Searches with several passes that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenPasses(Vec<OpenPass>);

impl OpenPasses {
    /// Adds a search with several passes and `pages` pages, which must be at least one.
    pub(super) fn begin(&mut self, search: u64, pages: usize) {
        self.0.push(OpenPass { search, unfinished: pages, next: Vec::new() });
    }

    /// Returns the number of pages that wait for the next pass of their search.
    pub(super) fn waiting(&self) -> usize {
        self.0.iter().map(|open| open.next.len()).sum()
    }

    /// Records the end of a page of a search in a pass, with the page in the next pass if there is one. After the last
    /// page of a pass, returns the pages of the next one.
    pub(super) fn page_ends(&mut self, search: u64, next: Option<WaitingPage>) -> Vec<WaitingPage> {
        let Some(place) = self.0.iter().position(|open| open.search == search) else { return Vec::new() };
        let open = &mut self.0[place];
        open.unfinished -= 1;
        open.next.extend(next);
        if open.unfinished > 0 {
            return Vec::new();
        }
        let pages = std::mem::take(&mut open.next);
        open.unfinished = pages.len();
        if pages.is_empty() {
            self.0.swap_remove(place);
        }
        pages
    }
}
