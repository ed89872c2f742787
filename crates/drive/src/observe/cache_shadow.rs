//! Shadow copy of the data cache, with the version of each sector that the cache must hold.
//!
//! A cached page may hold only some of its sectors, so versions are recorded per sector. A destaged page gets
//! the newest version of its logical page, so all sectors that the cache does not hold must have been
//! destaged before.

use std::collections::BTreeMap;
use std::ops::Range;

use venice_kernel::mem::SparseTable;
use venice_nand::geometry::Lpn;

/// Shadow of the data cache.
#[derive(Clone, Debug)]
pub(super) struct CacheShadow {
    pub(super) sectors_per_page: u32,
    /// Logical pages whose writes bypass the cache, so that flash has their newest data.
    pub(super) writes_pass_by: Vec<Range<u32>>,
    /// Version of the last cached write, indexed by sector.
    pub(super) written: SparseTable<u32>,
    /// Version that the cache holds or held, indexed by sector.
    pub(super) held: SparseTable<u32>,
    /// Newest version in flash or on its way, indexed by page.
    pub(super) issued: SparseTable<u32>,
    /// Version of each destage.
    pub(super) destages: Vec<u32>,
    /// Newest version of each page whose data is only in the cache.
    pub(super) volatile: BTreeMap<u32, u32>,
    /// Versions that must be on flash when a flush or write with forced unit access completes, by request.
    pub(super) demanded: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl CacheShadow {
    pub(super) fn at(&self, lpn: Lpn, sector: u32) -> usize {
        lpn.index() * self.sectors_per_page as usize + sector as usize
    }

    /// Records the deallocation of a page: its sectors have this version, in the cache and on flash.
    pub(super) fn deallocated(&mut self, lpn: Lpn, version: u32) {
        for sector in 0..self.sectors_per_page {
            let index = self.at(lpn, sector);
            *self.written.entry(index) = version;
            *self.held.entry(index) = version;
        }
        *self.issued.entry(lpn.index()) = version;
        self.volatile.remove(&lpn.0);
    }

    /// Records the end of a program of a page in this version.
    pub(super) fn programmed(&mut self, lpn: Lpn, version: u32) {
        if self.volatile.get(&lpn.0).is_some_and(|&newest| newest <= version) {
            self.volatile.remove(&lpn.0);
        }
    }

    /// Returns the newest version of cached writes of these sectors.
    pub(super) fn newest_of(&self, lpn: Lpn, sectors: u64) -> u32 {
        sectors_of(sectors).map(|sector| self.written.get(self.at(lpn, sector))).max().unwrap_or(0)
    }
}

/// Returns the positions of the set bits.
pub(super) fn sectors_of(mask: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |sector| mask >> sector & 1 != 0)
}
