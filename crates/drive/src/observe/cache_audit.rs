//! Checks of the audit for the data cache.

use std::collections::BTreeMap;
use std::ops::Range;

use venice_kernel::mem::SparseTable;
use venice_nand::geometry::{DestageId, Lpn, Ppn, RequestId};

use super::audit::{Audit, PageContent};
use super::cache_shadow::{CacheShadow, SectorVersions, sectors_of};
use super::violation::Violation;

impl Audit {
    /// Enables the audit of a data cache. Sector masks of pages have `sectors_per_page` bits. Writes of the
    /// pages in `writes_pass_by` bypass the cache.
    pub fn watch_cache(&mut self, sectors_per_page: u32, writes_pass_by: Vec<Range<u32>>) {
        let pages = self.logical.len();
        self.cache = Some(CacheShadow {
            sectors_per_page,
            writes_pass_by,
            written: SectorVersions::default(),
            held: SectorVersions::default(),
            issued: SparseTable::new(pages),
            destages: Vec::new(),
            volatile: BTreeMap::new(),
            demanded: BTreeMap::new(),
        });
    }

    /// Records a write of sectors to the cache. It creates a version that later reads must return.
    pub fn cache_takes(&mut self, lpn: Lpn, sectors: u64) {
        let version = self.logical.entry(lpn.index()).begin();
        let Some(cache) = &mut self.cache else { return };
        for sector in sectors_of(sectors) {
            let index = cache.at(lpn, sector);
            cache.written.set(index, version);
            cache.held.set(index, version);
        }
        cache.volatile.insert(lpn.0, version);
        self.sectors_written(lpn, sectors);
    }

    /// Records the start of a flush. All data now in the cache must be on flash when the flush completes.
    pub fn flush_begins(&mut self, request: RequestId) {
        if let Some(cache) = &mut self.cache {
            let all = cache.volatile.iter().map(|(&lpn, &version)| (lpn, version)).collect();
            cache.demanded.insert(request.0, all);
        }
    }

    /// Records a page of a write with forced unit access. Its data must be on flash when the request
    /// completes.
    pub fn forced_write(&mut self, request: RequestId, lpn: Lpn) {
        let version = self.logical.get(lpn.index()).newest;
        if let Some(cache) = &mut self.cache {
            cache.demanded.entry(request.0).or_default().push((lpn.0, version));
        }
    }

    /// Checks the completion of a flush or of a write with forced unit access.
    pub fn durable_request_ends(&mut self, request: RequestId) {
        let demanded = self.cache.as_mut().and_then(|cache| cache.demanded.remove(&request.0));
        for (lpn, version) in demanded.into_iter().flatten() {
            let programmed = self.logical.get(lpn as usize).acknowledged;
            if programmed < version {
                return self.report(Violation::Volatile { lpn, version, programmed });
            }
        }
    }

    /// Records that the cache has stored sectors of a page that were read from flash.
    pub fn cache_fills(&mut self, lpn: Lpn, sectors: u64, from: Option<Ppn>) {
        let unmapped = self.logical.get(lpn.index()).deallocated;
        let version = from.map_or(unmapped, |ppn| self.physical.get(ppn.index()).version);
        let Some(cache) = &mut self.cache else { return };
        for sector in sectors_of(sectors) {
            let index = cache.at(lpn, sector);
            cache.held.set(index, version);
        }
    }

    /// Checks that cached sectors that the cache returns for a read have the newest version.
    pub fn cache_gives(&mut self, lpn: Lpn, sectors: u64) {
        self.check_cached_sectors(lpn, sectors);
        let Some(cache) = &self.cache else { return };
        let passes_by = cache.writes_pass_by.iter().any(|pages| pages.contains(&lpn.0));
        let on_flash = if passes_by { self.logical.get(lpn.index()).acknowledged } else { 0 };
        let stale = sectors_of(sectors).map(|sector| cache.at(lpn, sector)).find_map(|index| {
            let (found, acknowledged) = (cache.held.get(index), cache.written.get(index).max(on_flash));
            (found < acknowledged).then_some(Violation::Stale { lpn: lpn.0, found, acknowledged })
        });
        self.reads_checked += 1;
        if let Some(stale) = stale {
            self.report(stale);
        }
    }

    /// Checks the start of a destage, which writes the cached sectors `sectors` of a page to flash.
    pub fn destage_begins(&mut self, destage: DestageId, lpn: Lpn, sectors: u64) {
        self.check_cached_sectors(lpn, sectors);
        let version = self.logical.get(lpn.index()).newest;
        let zeroed = self.zeroed_among(lpn, u64::MAX);
        let Some(cache) = &mut self.cache else { return };
        let issued = cache.issued.get(lpn.index());
        let holds_data = |sector: &u32| zeroed >> sector & 1 == 0;
        let lost = (0..cache.sectors_per_page).filter(holds_data).find(|&sector| {
            let (index, goes) = (cache.at(lpn, sector), sectors >> sector & 1 != 0);
            cache.written.get(index) > if goes { cache.held.get(index) } else { issued }
        });
        *cache.issued.entry(lpn.index()) = version;
        if cache.destages.len() <= destage.index() {
            cache.destages.resize(destage.index() + 1, 0);
        }
        cache.destages[destage.index()] = version;
        if let Some(sector) = lost {
            self.report(Violation::Lost { lpn: lpn.0, sector });
        }
    }

    /// Records the allocation of a physical page to a destage.
    pub fn destage_page_given(&mut self, destage: DestageId, lpn: Lpn, ppn: Ppn) {
        let version = self.cache.as_ref().map_or(0, |cache| cache.destages[destage.index()]);
        let at_work = self.logical.get(lpn.index()).acknowledged;
        if version < at_work {
            self.report(Violation::Stale { lpn: lpn.0, found: version, acknowledged: at_work });
        }
        self.give(ppn, PageContent::new(lpn, version));
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::TransactionId;

    use super::super::audit::tests::audit;
    use super::*;

    const READ: TransactionId = TransactionId(0);
    const DESTAGE: DestageId = DestageId(2);

    fn watched(writes_pass_by: bool) -> Audit {
        let mut audit = audit();
        audit.watch_cache(8, if writes_pass_by { std::iter::once(0..6).collect() } else { Vec::new() });
        audit
    }

    #[test]
    fn a_sector_that_only_the_cache_has_must_not_be_read_from_flash() {
        let mut audit = watched(false);
        audit.cache_takes(Lpn(1), 0b0011);
        audit.read_accepted(READ, Lpn(1), 0b1100);
        audit.read_ended(READ, Lpn(1), Ppn(0), false);
        assert_eq!(audit.violation(), None);
        audit.read_accepted(READ, Lpn(1), 0b0110);
        audit.read_ended(READ, Lpn(1), Ppn(0), false);
        assert_eq!(audit.violation(), Some(&Violation::Stale { lpn: 1, found: 0, acknowledged: 1 }));
    }

    #[test]
    fn a_page_must_take_with_it_all_that_only_the_cache_has() {
        let mut audit = watched(false);
        audit.cache_takes(Lpn(1), 0b0001);
        audit.cache_takes(Lpn(1), 0b0100);
        audit.destage_begins(DESTAGE, Lpn(1), 0b0101);
        audit.cache_takes(Lpn(1), 0b1000);
        audit.destage_begins(DESTAGE, Lpn(1), 0b1000);
        assert_eq!(audit.violation(), None);
        audit.cache_takes(Lpn(1), 0b0010);
        audit.destage_begins(DESTAGE, Lpn(1), 0b0001);
        assert_eq!(audit.violation(), Some(&Violation::Lost { lpn: 1, sector: 1 }));
    }

    #[test]
    fn flush_ends_after_the_programs_of_all_that_the_cache_held() {
        let mut audit = watched(false);
        let flush = |audit: &mut Audit, number| audit.flush_begins(RequestId(number));
        audit.cache_takes(Lpn(1), 1);
        flush(&mut audit, 0);
        audit.destage_begins(DestageId(0), Lpn(1), 1);
        audit.destage_page_given(DestageId(0), Lpn(1), Ppn(0));
        audit.cache_takes(Lpn(1), 2);
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.durable_request_ends(RequestId(0));
        assert_eq!(audit.violation(), None);
        flush(&mut audit, 1);
        audit.durable_request_ends(RequestId(1));
        assert_eq!(audit.violation(), Some(&Violation::Volatile { lpn: 1, version: 2, programmed: 1 }));
    }

    #[test]
    fn an_older_page_must_not_follow_a_newer_one_to_flash() {
        let mut audit = watched(false);
        for destage in [0, 1] {
            audit.cache_takes(Lpn(1), 1);
            audit.destage_begins(DestageId(destage), Lpn(1), 1);
        }
        audit.destage_page_given(DestageId(1), Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.destage_page_given(DestageId(0), Lpn(1), Ppn(1));
        assert_eq!(audit.violation(), Some(&Violation::Stale { lpn: 1, found: 1, acknowledged: 2 }));
    }

    #[test]
    fn a_copy_in_the_cache_must_not_outlive_a_write_past_it() {
        let mut audit = watched(true);
        audit.cache_fills(Lpn(1), 0xff, None);
        audit.cache_gives(Lpn(1), 1);
        assert_eq!(audit.violation(), None);
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.cache_gives(Lpn(1), 1);
        assert_eq!(audit.violation(), Some(&Violation::Stale { lpn: 1, found: 0, acknowledged: 1 }));
    }
}
