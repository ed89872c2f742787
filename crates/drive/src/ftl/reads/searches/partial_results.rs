//! Partial results: functions that return one result for each chip.
//!
//! # How
//! Each chip has a list of the searches under way with the number of their pages that have not been sensed. The
//! chip sends its result with the last of these pages. A page that garbage collection has moved to another chip
//! counts for the chip on which it was stored when the search arrived.

use venice_nand::geometry::{DieId, Geometry, RequestId};

/// Search in progress on a chip, with the number of its pages that the chip has not sensed yet.
#[derive(Clone, Copy, Debug)]
struct OpenSearch {
    request: RequestId,
    pages: u32,
}

/// Searches in progress on each chip, for functions that return one result for each chip.
#[derive(Clone, Debug)]
pub(super) struct PartialResults {
    geometry: Geometry,
    open: Vec<Vec<OpenSearch>>,
}

impl PartialResults {
    /// Creates the lists of searches in progress on each chip, all of them empty.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let chips = geometry.array.chips() as usize;
        Self { geometry: *geometry, open: vec![Vec::new(); chips] }
    }

    /// Counts a page of a search that is to be sensed on a die.
    pub(super) fn add(&mut self, die: DieId, request: RequestId) {
        let open = &mut self.open[self.geometry.chip_of(die).index()];
        match open.iter_mut().find(|search| search.request == request) {
            Some(search) => search.pages += 1,
            None => open.push(OpenSearch { request, pages: 1 }),
        }
    }

    /// Subtracts a page of a search that is sensed on a die. Returns true if it was the last page of the
    /// search on the chip.
    pub(super) fn take(&mut self, die: DieId, request: RequestId) -> bool {
        let open = &mut self.open[self.geometry.chip_of(die).index()];
        let Some(place) = open.iter().position(|search| search.request == request) else { return false };
        open[place].pages -= 1;
        let is_last = open[place].pages == 0;
        if is_last {
            open.swap_remove(place);
        }
        is_last
    }
}
