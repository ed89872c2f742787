//! What is known of the pages of coming requests, fetched before it is asked for.
//!
//! On a large drive nearly every request finds its page's entry of the map in no cache of the processor, and waiting for
//! it alone would be a fifth of its cost. Looked up for many requests in a row, each look-up independent of the one
//! before, the entries arrive side by side. Nothing here changes what happens, only how soon.

use std::hint::black_box;

use crate::geometry::Lpn;

use super::Ftl;

impl Ftl {
    /// Requests from these sectors on will come soon.
    pub fn foresee(&self, first_sectors: impl Iterator<Item = u64> + Clone) {
        let (per_page, pages) = (u64::from(self.sectors_per_page), u64::from(self.map.logical_pages()));
        let lpns = first_sectors.map(|sector| sector / per_page).filter(|&page| page < pages);
        let lpns = lpns.map(|page| Lpn(page as u32));
        self.map.foresee(lpns.clone());
        let ppns = lpns.filter_map(|lpn| self.map.physical(lpn));
        black_box(ppns.clone().fold(0, |sum: u32, ppn| sum.wrapping_add(ppn.0)));
        self.map.foresee_physical(ppns.clone());
        let valid = |ppn| self.blocks.block(self.geometry.block_of(ppn)).valid;
        black_box(ppns.fold(0, |sum: u32, ppn| sum.wrapping_add(valid(ppn))));
    }
}
