//! Audit of the data that survives a loss of power.

use std::collections::BTreeMap;

use venice_nand::geometry::{BlockId, Lpn};

use super::audit::{Audit, Program};
use super::violation::Violation;

impl Audit {
    /// Checks the data that survives a loss of power. A logical page is lost if neither its newest version on
    /// flash nor a newer one survives. Returns the number of lost pages. If `must_survive` is true, a lost
    /// page is a violation.
    ///
    /// `held` contains the cached sectors of each page on a drive with power-loss protection. On such a
    /// drive, programs in progress also survive, and all data that the cache accepted must be in the cache or
    /// on flash.
    ///
    /// Only the first `host_pages` pages are checked, since translation pages can be rebuilt.
    pub fn check_power_loss(
        &mut self,
        host_pages: u32,
        held: Option<&BTreeMap<u32, u64>>,
        must_survive: bool,
    ) -> u64 {
        let survives = self.surviving_versions(held.is_some());
        let newest = |lpn: u32| survives.get(&lpn).copied().unwrap_or(0);
        let lost: Vec<Violation> = (0..host_pages)
            .filter_map(|lpn| {
                let versions = self.logical.get(lpn as usize);
                let version = versions.acknowledged;
                let is_lost = version > versions.deallocated && newest(lpn) < version;
                is_lost.then(|| Violation::LostWithPower { lpn, survives: newest(lpn), version })
            })
            .collect();
        let pages = lost.len() as u64;
        let broken = lost.into_iter().next().filter(|_| must_survive || held.is_some());
        let broken = broken.or_else(|| held.and_then(|held| self.lost_from_cache(held, newest)));
        if let Some(broken) = broken {
            self.report(broken);
        }
        pages
    }

    /// Returns a violation if a sector of a page has been lost: a cache with power-loss protection neither
    /// contains the sector nor has written it to flash.
    fn lost_from_cache(&self, held: &BTreeMap<u32, u64>, newest: impl Fn(u32) -> u32) -> Option<Violation> {
        let cache = self.cache.as_ref()?;
        cache.volatile.keys().find_map(|&lpn| {
            let sectors = held.get(&lpn).copied().unwrap_or(0);
            let survives = newest(lpn).max(self.logical.get(lpn as usize).deallocated);
            let lacks = |sector: u32| {
                let index = cache.at(Lpn(lpn), sector);
                let written = cache.written.get(index);
                let is_held = sectors >> sector & 1 != 0 && cache.held.get(index) == written;
                (written > survives && !is_held).then_some(written)
            };
            let zeroed = self.zeroed_among(Lpn(lpn), u64::MAX);
            let holds_data = |sector: &u32| zeroed >> sector & 1 == 0;
            let version = (0..cache.sectors_per_page).filter(holds_data).find_map(lacks)?;
            Some(Violation::LostWithPower { lpn, survives, version })
        })
    }

    /// Returns the newest surviving version of each logical page. If `completes` is true, programs that have
    /// been queued or started also survive.
    fn surviving_versions(&self, completes: bool) -> BTreeMap<u32, u32> {
        let mut newest = BTreeMap::new();
        for block in (0..self.geometry.blocks()).map(BlockId).filter(|block| !self.is_erasing(*block)) {
            for offset in 0..self.allocated_in(block) {
                let page = self.physical.get(self.geometry.ppn(block, offset).index());
                let survives = completes || page.program == Program::Ended;
                if let Some(lpn) = page.lpn.checked_sub(1).filter(|_| survives) {
                    let version = newest.entry(lpn).or_insert(0);
                    *version = page.version.max(*version);
                }
            }
        }
        newest
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{DestageId, Ppn};

    use super::super::audit::tests::audit;
    use super::*;

    fn lost(survives: u32, version: u32) -> Violation {
        Violation::LostWithPower { lpn: 1, survives, version }
    }

    #[test]
    fn version_on_flash_survives_until_a_newer_one_is_programmed() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.check_power_loss(6, None, true);
        audit.host_program_ended(Lpn(1), Ppn(0));
        // The new version is being programmed in the other block.
        audit.host_page_given(Lpn(1), Ppn(4));
        audit.check_power_loss(6, None, true);
        assert_eq!(audit.violation(), None);
        audit.erase_begins(BlockId(0));
        assert_eq!(audit.check_power_loss(6, None, false), 1);
        assert_eq!(audit.check_power_loss(6, Some(&BTreeMap::new()), false), 0, "the program is completed");
        assert_eq!(audit.violation(), None);
        audit.check_power_loss(6, None, true);
        assert_eq!(audit.violation(), Some(&lost(0, 1)));
    }

    #[test]
    fn deallocated_page_need_not_survive() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.deallocated(Lpn(1));
        audit.erased(BlockId(0));
        audit.check_power_loss(6, None, true);
        assert_eq!(audit.violation(), None);
    }

    #[test]
    fn deallocated_sector_beside_a_written_one_need_not_survive() {
        let mut audit = audit();
        audit.watch_cache(8, Vec::new());
        audit.deallocated(Lpn(1));
        audit.cache_takes(Lpn(1), 0b01);
        audit.check_power_loss(6, Some(&BTreeMap::from([(1, 0b01)])), false);
        assert_eq!(audit.violation(), None);
    }

    #[test]
    fn protected_cache_keeps_what_it_accepted() {
        let mut audit = audit();
        audit.watch_cache(8, Vec::new());
        audit.cache_takes(Lpn(1), 0b11);
        let held = |sectors| BTreeMap::from([(1, sectors)]);
        audit.check_power_loss(6, Some(&held(0b11)), false);
        audit.check_power_loss(6, None, true);
        audit.destage_begins(DestageId(0), Lpn(1), 0b11);
        audit.destage_page_given(DestageId(0), Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.check_power_loss(6, Some(&BTreeMap::new()), false);
        assert_eq!(audit.violation(), None);
        audit.cache_takes(Lpn(1), 0b10);
        audit.check_power_loss(6, Some(&held(0b01)), false);
        assert_eq!(audit.violation(), Some(&lost(1, 2)));
    }
}
