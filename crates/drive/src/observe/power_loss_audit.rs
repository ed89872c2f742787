//! Audit of losses of power.

use std::collections::BTreeMap;

use venice_nand::geometry::{BlockId, Lpn};

use super::audit::{Audit, Program};
use super::violation::Violation;

impl Audit {
    /// Checks a loss of power. Of each logical page, the newest version that reached flash or a newer one must be
    /// on flash. If the cache is protected, `held` are the sectors of the pages that it keeps, and all data that
    /// it accepted must be there or on flash.
    pub fn check_power_loss(&mut self, held: Option<&BTreeMap<u32, u64>>) {
        let survives = self.programmed_versions();
        let newest = |lpn: u32| survives.get(&lpn).copied().unwrap_or(0);
        let lost = (0..self.logical.len() as u32).find_map(|lpn| {
            let versions = self.logical.get(lpn as usize);
            let version = versions.acknowledged;
            let is_lost = version > versions.deallocated && newest(lpn) < version;
            is_lost.then(|| Violation::LostWithPower { lpn, survives: newest(lpn), version })
        });
        let lost = lost.or_else(|| held.and_then(|held| self.lost_from_cache(held, newest)));
        if let Some(lost) = lost {
            self.report(lost);
        }
    }

    /// Returns a page of which a protected cache neither holds nor has destaged a sector.
    fn lost_from_cache(&self, held: &BTreeMap<u32, u64>, newest: impl Fn(u32) -> u32) -> Option<Violation> {
        let cache = self.cache.as_ref()?;
        cache.volatile.keys().find_map(|&lpn| {
            let sectors = held.get(&lpn).copied().unwrap_or(0);
            let survives = newest(lpn);
            let lacks = |sector: u32| {
                let index = cache.at(Lpn(lpn), sector);
                let written = cache.written.get(index);
                let is_held = sectors >> sector & 1 != 0 && cache.held.get(index) == written;
                (written > survives && !is_held).then_some(written)
            };
            let version = (0..cache.sectors_per_page).find_map(lacks)?;
            Some(Violation::LostWithPower { lpn, survives, version })
        })
    }

    /// Returns the newest completely programmed version of each logical page.
    fn programmed_versions(&self) -> BTreeMap<u32, u32> {
        let mut newest = BTreeMap::new();
        for block in (0..self.geometry.blocks()).map(BlockId).filter(|block| !self.is_erasing(*block)) {
            for offset in 0..self.allocated_in(block) {
                let page = self.physical.get(self.geometry.ppn(block, offset).index());
                if let (Some(lpn), Program::Ended) = (page.lpn.checked_sub(1), page.program) {
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
        audit.check_power_loss(None);
        audit.host_program_ended(Lpn(1), Ppn(0));
        // The new version is on its way in the other block.
        audit.host_page_given(Lpn(1), Ppn(4));
        audit.check_power_loss(None);
        assert_eq!(audit.violation(), None);
        audit.erase_begins(BlockId(0));
        audit.check_power_loss(None);
        assert_eq!(audit.violation(), Some(&lost(0, 1)));
    }

    #[test]
    fn deallocated_page_need_not_survive() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.deallocated(Lpn(1));
        audit.erased(BlockId(0));
        audit.check_power_loss(None);
        assert_eq!(audit.violation(), None);
    }

    #[test]
    fn protected_cache_keeps_what_it_accepted() {
        let mut audit = audit();
        audit.watch_cache(Vec::new());
        audit.cache_takes(Lpn(1), 0b11);
        let held = |sectors| BTreeMap::from([(1, sectors)]);
        audit.check_power_loss(Some(&held(0b11)));
        audit.check_power_loss(None);
        audit.destage_begins(DestageId(0), Lpn(1), 0b11);
        audit.destage_page_given(DestageId(0), Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.check_power_loss(Some(&BTreeMap::new()));
        assert_eq!(audit.violation(), None);
        audit.cache_takes(Lpn(1), 0b10);
        audit.check_power_loss(Some(&held(0b01)));
        assert_eq!(audit.violation(), Some(&lost(1, 2)));
    }
}
