//! Passes of searches for more patterns than the tables of a chip contain.
//!
//! # How
//! A pass of a search begins when the last page of the previous pass has ended, so that each chip receives the tables
//! of a pass once. A page without a match in a pass waits for the next one.

use super::WaitingPage;

/// Current pass of a search over its pages.
#[derive(Clone, Debug)]
struct OpenPass {
    /// Number of the search, counted from the start of the run.
    search: u64,
    /// Number of pages of the pass that have not ended.
    unfinished: usize,
    /// Pages that wait for the next pass of the search.
    next: Vec<WaitingPage>,
}

/// Current passes of all searches that need several passes.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenPasses(Vec<OpenPass>);

impl OpenPasses {
    /// Adds a search that needs several passes over `pages` pages. The number of pages must be at least one.
    pub(super) fn begin(&mut self, search: u64, pages: usize) {
        self.0.push(OpenPass { search, unfinished: pages, next: Vec::new() });
    }

    /// Returns the number of pages that wait for the next pass of their search.
    pub(super) fn waiting(&self) -> usize {
        self.0.iter().map(|open| open.next.len()).sum()
    }

    /// Records the end of a page in the current pass of the search `search`. `next` is the page in the next
    /// pass, if it needs one. After the last page of a pass, returns the pages of the next pass.
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
