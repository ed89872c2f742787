//! The audit's shadow of the data cache: which version of each sector it must have.
//!
//! A page of the cache may hold a part of its sectors only, so versions are kept by sector here. A
//! page that goes to flash takes the newest version of its logical page: the sectors that the cache
//! does not have must all have gone there before.

use std::ops::Range;

use crate::geometry::{Lpn, SparseTable};

/// What the cache must have; see the module comment.
#[derive(Clone, Debug)]
pub(super) struct CacheShadow {
    pub(super) sectors_per_page: u32,
    /// Logical pages whose writes go to flash past the cache, so that flash has their newest data.
    pub(super) writes_pass_by: Vec<Range<u32>>,
    /// By sector: the version of its last write into the cache.
    pub(super) written: SparseTable<u32>,
    /// By sector: the version that the cache has, or had.
    pub(super) held: SparseTable<u32>,
    /// By page: the newest version on its way to flash, or there.
    pub(super) issued: SparseTable<u32>,
    /// By destage: its version.
    pub(super) destages: Vec<u32>,
}

impl CacheShadow {
    pub(super) fn at(&self, lpn: Lpn, sector: u32) -> usize {
        lpn.index() * self.sectors_per_page as usize + sector as usize
    }

    /// The newest version that any of these sectors was written in.
    pub(super) fn newest_of(&self, lpn: Lpn, sectors: u64) -> u32 {
        sectors_of(sectors).map(|sector| self.written.get(self.at(lpn, sector))).max().unwrap_or(0)
    }
}

/// The numbers of the bits that are set.
pub(super) fn sectors_of(mask: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |sector| mask >> sector & 1 != 0)
}
