//! Shadow copy of the data cache, with the version that each sector must have.
//!
//! A cached page may contain only some of its sectors, so versions are recorded for each sector. A destage
//! writes the newest version of its logical page. Sectors of that version that are not in the cache must
//! therefore have been destaged before.

use std::collections::BTreeMap;
use std::ops::Range;

use venice_kernel::mem::SparseTable;
use venice_nand::geometry::Lpn;

/// Version of each sector of the drive; 0 for sectors without a version.
///
/// The memory depends on the sectors that requests touch, not on the capacity of the drive.
#[derive(Clone, Debug, Default)]
pub(super) struct SectorVersions(BTreeMap<usize, u32>);

impl SectorVersions {
    pub(super) fn get(&self, sector: usize) -> u32 {
        self.0.get(&sector).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, sector: usize, version: u32) {
        self.0.insert(sector, version);
    }
}

/// Shadow copy of the data cache.
#[derive(Clone, Debug)]
pub(super) struct CacheShadow {
    /// Number of bits in the sector mask of a page.
    pub(super) sectors_per_page: u32,
    /// Logical pages whose writes bypass the cache. Their newest data is always on flash.
    pub(super) writes_pass_by: Vec<Range<u32>>,
    /// Version of the last cached write, indexed by sector.
    pub(super) written: SectorVersions,
    /// Latest version that the cache has held, indexed by sector.
    pub(super) held: SectorVersions,
    /// Newest version that is on flash or being destaged, indexed by page.
    pub(super) issued: SparseTable<u32>,
    /// Version that each destage writes to flash, indexed by destage.
    pub(super) destages: Vec<u32>,
    /// Newest version of each page whose newest data exists only in the cache.
    pub(super) volatile: BTreeMap<u32, u32>,
    /// Pages and versions that must be on flash when a flush or a write with forced unit access completes, by
    /// request.
    pub(super) demanded: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl CacheShadow {
    pub(super) fn at(&self, lpn: Lpn, sector: u32) -> usize {
        lpn.index() * self.sectors_per_page as usize + sector as usize
    }

    /// Records the deallocation of a page by `version`. The sectors of the page then have this version in the
    /// cache and on flash.
    pub(super) fn deallocated(&mut self, lpn: Lpn, version: u32) {
        for sector in 0..self.sectors_per_page {
            let index = self.at(lpn, sector);
            self.written.set(index, version);
            self.held.set(index, version);
        }
        *self.issued.entry(lpn.index()) = version;
        self.volatile.remove(&lpn.0);
    }

    /// Records the end of a program that has written this version of a page.
    pub(super) fn programmed(&mut self, lpn: Lpn, version: u32) {
        if self.volatile.get(&lpn.0).is_some_and(|&newest| newest <= version) {
            self.volatile.remove(&lpn.0);
        }
    }

    /// Returns the newest version among the cached writes of these sectors.
    pub(super) fn newest_of(&self, lpn: Lpn, sectors: u64) -> u32 {
        sectors_of(sectors).map(|sector| self.written.get(self.at(lpn, sector))).max().unwrap_or(0)
    }
}

/// Returns the positions of the set bits in a mask of sectors.
pub(super) fn sectors_of(mask: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |sector| mask >> sector & 1 != 0)
}
