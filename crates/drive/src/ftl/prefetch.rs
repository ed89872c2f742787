//! Prefetching of map entries of the next requests into the CPU cache.
//!
//! On a large drive, nearly every request misses the CPU cache when it loads the map entry of its page.
//! Waiting for this entry would be a fifth of the time spent on the request. Independent look-ups for many
//! requests in a row let the cache misses overlap. Prefetching affects only the speed of the simulator, and
//! no result.

use std::hint::black_box;

use arrayvec::ArrayVec;
use venice_nand::geometry::{Lpn, Ppn};

use super::Ftl;
use super::shared::Shared;

/// Number of requests whose map entries are prefetched together. It is large enough for their cache misses to
/// overlap, and small enough for the entries to be still cached when the requests are issued.
pub const FORESEEN: usize = 128;

impl Ftl {
    /// Prefetches the map entries of up to [`FORESEEN`] requests, which begin at the sectors `first_sectors`.
    /// Returns the host pages in which the requests begin.
    pub fn foresee(&self, first_sectors: impl Iterator<Item = u64>) -> ArrayVec<Lpn, FORESEEN> {
        let translation = self.translation();
        let (per_page, pages) =
            (u64::from(translation.sectors.per_page()), u64::from(translation.host_pages()));
        let near = first_sectors.map(|sector| sector / per_page).filter(|&page| page < pages);
        let lpns: ArrayVec<_, FORESEEN> = near.map(|page| Lpn(page as u32)).take(FORESEEN).collect();
        prefetch(&self.pump.shared, &lpns);
        if let Some(paging) = &self.pump.mapper.paging {
            let pages: ArrayVec<Lpn, FORESEEN> = paging.prefetch(&lpns).collect();
            prefetch(&self.pump.shared, &pages);
        }
        lpns
    }
}

/// Prefetches the map entries and blocks of up to [`FORESEEN`] logical pages that will soon be read or
/// overwritten into the CPU cache.
fn prefetch(shared: &Shared, lpns: &[Lpn]) {
    let map = &shared.translation.map;
    map.foresee(lpns.iter().copied());
    let ppns: ArrayVec<Ppn, FORESEEN> = lpns.iter().filter_map(|&lpn| map.physical(lpn)).collect();
    map.foresee_physical(ppns.iter().copied());
    let valid = |ppn| shared.space.blocks.table[shared.geometry.block_of(ppn)].valid;
    black_box(ppns.into_iter().fold(0, |sum: u32, ppn| sum.wrapping_add(valid(ppn))));
}
