//! What is known of the pages of coming requests, fetched before it is asked for.
//!
//! On a large drive nearly every request finds its page's entry of the map in no cache of the processor, and waiting for
//! it alone would be a fifth of its cost. Looked up for many requests in a row, each look-up independent of the one
//! before, the entries arrive side by side. Nothing here changes what happens, only how soon.

use std::hint::black_box;

use arrayvec::ArrayVec;

use crate::geometry::{Lpn, Ppn};

use super::Ftl;
use super::translation::foreseen_translation_pages;

/// Requests looked at in a row: enough for the processor to wait for what they need all at once, few enough for it to be
/// there still when they are issued.
pub const FORESEEN: usize = 128;

impl Ftl {
    /// Requests from these sectors on will come soon; what is beyond the first [`FORESEEN`] is left. Says in which pages of the host they
    /// begin.
    pub fn foresee(&self, first_sectors: impl Iterator<Item = u64>) -> ArrayVec<Lpn, FORESEEN> {
        let (per_page, pages) =
            (u64::from(self.translation.sectors.per_page()), u64::from(self.translation.host_pages()));
        let near = first_sectors.map(|sector| sector / per_page).filter(|&page| page < pages);
        let lpns: ArrayVec<_, FORESEEN> = near.map(|page| Lpn(page as u32)).take(FORESEEN).collect();
        foresee_pages(self, &lpns);
        lpns
    }
}

/// These logical pages, no more than [`FORESEEN`], will be overwritten or read soon; where the map is not in memory as a whole, so will
/// those be that have their entries.
pub(super) fn foresee_pages(ftl: &Ftl, lpns: &[Lpn]) {
    foresee_places(ftl, lpns);
    if let Some(paging) = &ftl.translation.paging {
        let pages: ArrayVec<Lpn, FORESEEN> = foreseen_translation_pages(paging, lpns).collect();
        foresee_places(ftl, &pages);
    }
}

/// What is known of the places of these logical pages will be asked for soon.
fn foresee_places(ftl: &Ftl, lpns: &[Lpn]) {
    ftl.translation.map.foresee(lpns.iter().copied());
    let ppns: ArrayVec<Ppn, FORESEEN> =
        lpns.iter().filter_map(|&lpn| ftl.translation.map.physical(lpn)).collect();
    ftl.translation.map.foresee_physical(ppns.iter().copied());
    let valid = |ppn| ftl.space.blocks.table[ftl.geometry.block_of(ppn)].valid;
    black_box(ppns.into_iter().fold(0, |sum: u32, ppn| sum.wrapping_add(valid(ppn))));
}
