//! Checks of the audit for sectors that trims of a part of their mapping unit have zeroed.
//!
//! # How
//! A trim of some sectors of a page creates a version of the page. The audit records for each sector the
//! version of its last trim and that of its last write by the host: the sector is zeroed if the trim is newer.
//! A read must return zeroes for the sectors that were zeroed when it was accepted, unless they have been
//! written since. It must not return zeroes for a sector whose last complete write is newer than its last trim.

use venice_nand::geometry::{Lpn, TransactionId};

use super::audit::Audit;
use super::cache_shadow::{SectorVersions, sectors_of};
use super::vec_growth::entry;
use super::violation::Violation;

/// Versions of a sector at the time at which a read of the sector was accepted.
#[derive(Clone, Copy, Debug)]
struct SectorDemand {
    sector: u32,
    /// Version that the last trim of the sector created.
    trimmed: u32,
    /// Version that the last write of the sector created.
    written: u32,
    /// True if the last write was complete.
    is_acknowledged: bool,
}

/// State of a read's sectors at the time of its acceptance, and the sectors that the drive returns as zeroes.
#[derive(Clone, Debug, Default)]
struct ReadDemand {
    sectors: Vec<SectorDemand>,
    /// Bit mask of the sectors that the drive returns as zeroes.
    returned_zeroed: u64,
}

/// Shadow copy of the sectors that trims have zeroed.
#[derive(Clone, Debug)]
pub(super) struct ZeroedSectors {
    /// True if a sector that was never written may be read as zeroes.
    unwritten_is_zero: bool,
    /// True if reads of zeroed or unwritten sectors must end with an error.
    refuses_reads: bool,
    trimmed: SectorVersions,
    written: SectorVersions,
    /// Bit mask of the sectors that the host wrote, indexed by the transaction of the write.
    writes: Vec<u64>,
    /// Sectors of each read with the content that it must return, indexed by transaction.
    reads: Vec<ReadDemand>,
}

/// Returns the index of a sector of a page among all sectors. A page has at most 64 sectors.
fn index(lpn: Lpn, sector: u32) -> usize {
    lpn.index() * u64::BITS as usize + sector as usize
}

impl ZeroedSectors {
    /// Returns a bit mask of those sectors in `sectors` that are zeroed.
    fn among(&self, lpn: Lpn, sectors: u64) -> u64 {
        let is_zeroed = |sector: &u32| {
            let index = index(lpn, *sector);
            self.trimmed.get(index) > self.written.get(index)
        };
        sectors_of(sectors).filter(is_zeroed).fold(0, |mask, sector| mask | 1 << sector)
    }

    /// Returns true if at least one of the sectors in `sectors` may have no data.
    fn lacks_data(&self, lpn: Lpn, sectors: u64) -> bool {
        let is_unwritten = |sector| self.written.get(index(lpn, sector)) == 0;
        self.among(lpn, sectors) != 0 || (self.unwritten_is_zero && sectors_of(sectors).any(is_unwritten))
    }

    fn record(versions: &mut SectorVersions, lpn: Lpn, sectors: u64, version: u32) {
        sectors_of(sectors).for_each(|sector| versions.set(index(lpn, sector), version));
    }

    fn expect(&mut self, read: TransactionId, lpn: Lpn, wanted: u64, acknowledged: u32) {
        let demand = |sector| {
            let index = index(lpn, sector);
            let (trimmed, written) = (self.trimmed.get(index), self.written.get(index));
            SectorDemand { sector, trimmed, written, is_acknowledged: written <= acknowledged }
        };
        let sectors = sectors_of(wanted).map(demand).collect();
        *entry(&mut self.reads, read.index()) = ReadDemand { sectors, returned_zeroed: 0 };
    }

    /// Returns a violation if a read that has found `version` on flash returns wrong data for one of its
    /// sectors.
    fn violation(&self, read: TransactionId, lpn: Lpn, version: u32) -> Option<Violation> {
        let ReadDemand { sectors, returned_zeroed } = self.reads.get(read.index())?;
        sectors.iter().find_map(|&SectorDemand { sector, trimmed, written, is_acknowledged }| {
            let index = index(lpn, sector);
            let (trimmed_now, written_now) = (self.trimmed.get(index), self.written.get(index));
            if returned_zeroed >> sector & 1 != 0 {
                let loses_write = written > 0 && is_acknowledged && trimmed_now <= written;
                let loses_data = trimmed_now == 0 && !self.unwritten_is_zero;
                return (loses_write || loses_data).then_some(Violation::Zeroed { lpn: lpn.0, sector });
            }
            let is_old = version <= trimmed || written_now <= trimmed;
            (trimmed > written && is_old).then_some(Violation::NotZeroed { lpn: lpn.0, sector })
        })
    }
}

impl Audit {
    /// Enables the audit of sectors that trims zero. `unwritten_is_zero` is true if a sector that was never
    /// written may be read as zeroes, and `refuses_reads` if reads of sectors without data must end with an
    /// error.
    pub fn watch_zeroed_sectors(&mut self, unwritten_is_zero: bool, refuses_reads: bool) {
        self.zeroed = Some(Box::new(ZeroedSectors {
            unwritten_is_zero,
            refuses_reads,
            trimmed: SectorVersions::default(),
            written: SectorVersions::default(),
            writes: Vec::new(),
            reads: Vec::new(),
        }));
    }

    /// Returns a bit mask of those sectors in `sectors` of a page that are zeroed.
    pub(super) fn zeroed_among(&self, lpn: Lpn, sectors: u64) -> u64 {
        self.zeroed.as_ref().map_or(0, |zeroed| zeroed.among(lpn, sectors))
    }

    /// Records that a trim has zeroed some sectors of a page.
    pub fn sectors_zeroed(&mut self, lpn: Lpn, sectors: u64) {
        let version = self.logical.entry(lpn.index()).begin();
        self.sectors_trimmed(lpn, sectors, version);
    }

    /// Records that a trim has zeroed the last sectors of a page that had data on flash, so that the page is
    /// deallocated. The cache may still hold data of other sectors.
    pub fn last_sectors_zeroed(&mut self, lpn: Lpn, sectors: u64) {
        let versions = self.logical.entry(lpn.index());
        let version = versions.begin();
        (versions.acknowledged, versions.deallocated) = (version, version);
        self.sectors_trimmed(lpn, sectors, version);
    }

    pub(super) fn sectors_trimmed(&mut self, lpn: Lpn, sectors: u64, version: u32) {
        if let Some(zeroed) = &mut self.zeroed {
            ZeroedSectors::record(&mut zeroed.trimmed, lpn, sectors, version);
        }
    }

    /// Records the sectors of an accepted write of the host.
    pub fn write_accepted(&mut self, write: TransactionId, sectors: u64) {
        if let Some(zeroed) = &mut self.zeroed {
            *entry(&mut zeroed.writes, write.index()) = sectors;
        }
    }

    /// Records that an accepted write has created the newest version of its page.
    pub fn write_given(&mut self, write: TransactionId, lpn: Lpn) {
        let sectors = self.zeroed.as_ref().map_or(0, |zeroed| zeroed.writes[write.index()]);
        self.sectors_written(lpn, sectors);
    }

    /// Records that the newest version of a page contains the sectors `sectors`, which the host has written.
    pub(super) fn sectors_written(&mut self, lpn: Lpn, sectors: u64) {
        let version = self.logical.get(lpn.index()).newest;
        if let Some(zeroed) = &mut self.zeroed {
            ZeroedSectors::record(&mut zeroed.written, lpn, sectors, version);
        }
    }

    /// Records the sectors of an accepted read of the host. The read must return zeroes for those of its
    /// sectors that are zeroed. `may_be_refused` is false if the read was accepted earlier and has waited for
    /// read-ahead, so that a later trim is no reason to refuse it.
    pub fn expect_sectors(&mut self, read: TransactionId, lpn: Lpn, wanted: u64, may_be_refused: bool) {
        let acknowledged = self.logical.get(lpn.index()).acknowledged;
        if let Some(zeroed) = &mut self.zeroed {
            zeroed.expect(read, lpn, wanted, acknowledged);
            if zeroed.refuses_reads && may_be_refused && zeroed.among(lpn, wanted) != 0 {
                self.report(Violation::NotRefused { lpn: lpn.0 });
            }
        }
    }

    /// Checks that a read that ends with an error covers a sector without data.
    pub fn check_refused_read(&mut self, pieces: impl Iterator<Item = (Lpn, u64)>) {
        let Some(zeroed) = &self.zeroed else { return };
        let mut start = 0;
        for (lpn, sectors) in pieces {
            if zeroed.lacks_data(lpn, sectors) {
                return;
            }
            start = lpn.0;
        }
        self.report(Violation::Refused { lpn: start });
    }

    /// Records the sectors of a read that the drive returns as zeroes.
    pub fn read_returns_zeroes(&mut self, read: TransactionId, sectors: u64) {
        if let Some(demand) = self.zeroed.as_mut().and_then(|zeroed| zeroed.reads.get_mut(read.index())) {
            demand.returned_zeroed = sectors;
        }
    }

    /// Checks the end of a read that needed no flash, since all of its sectors are zeroed.
    pub fn zeroed_sectors_read(&mut self, read: TransactionId, lpn: Lpn) {
        self.reads_checked += 1;
        self.read_returns_zeroes(read, u64::MAX);
        self.check_zeroed_sectors(read, lpn, 0);
    }

    /// Checks the sectors of a read that has found a version of its page.
    pub(super) fn check_zeroed_sectors(&mut self, read: TransactionId, lpn: Lpn, version: u32) {
        let found = self.zeroed.as_ref().and_then(|zeroed| zeroed.violation(read, lpn, version));
        if let Some(found) = found {
            self.report(found);
        }
    }

    /// Checks that none of the sectors that the cache returns or writes to flash is zeroed.
    pub(super) fn check_cached_sectors(&mut self, lpn: Lpn, sectors: u64) {
        if let Some(sector) = sectors_of(self.zeroed_among(lpn, sectors)).next() {
            self.report(Violation::NotZeroed { lpn: lpn.0, sector });
        }
    }

    /// Records that a trim has removed all cached sectors of a page, so that they need not reach flash any
    /// more.
    pub fn cache_drops(&mut self, lpn: Lpn) {
        if let Some(cache) = &mut self.cache {
            cache.volatile.remove(&lpn.0);
            cache.demanded.values_mut().for_each(|demanded| demanded.retain(|&(page, _)| page != lpn.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Ppn;

    use super::super::audit::tests::audit;
    use super::*;

    const READ: TransactionId = TransactionId(3);
    const WRITE: TransactionId = TransactionId(4);
    const LPN: Lpn = Lpn(1);

    /// Returns an audit of a page with a complete write of all sectors, at physical page 0.
    fn written() -> Audit {
        let mut audit = audit();
        audit.watch_zeroed_sectors(false, false);
        write(&mut audit, 0xff, Ppn(0));
        audit
    }

    fn write(audit: &mut Audit, sectors: u64, ppn: Ppn) {
        audit.write_accepted(WRITE, sectors);
        audit.host_page_given(LPN, ppn);
        audit.write_given(WRITE, LPN);
        audit.host_program_ended(LPN, ppn);
    }

    /// Reads sectors at a physical page, of which the drive returns some as zeroes.
    fn read(audit: &mut Audit, wanted: u64, zeroes: u64, ppn: Ppn) -> Option<Violation> {
        audit.read_accepted(READ, LPN, wanted);
        audit.expect_sectors(READ, LPN, wanted, true);
        audit.read_returns_zeroes(READ, zeroes);
        audit.read_ended(READ, LPN, ppn, true);
        audit.violation().cloned()
    }

    #[test]
    fn zeroed_sector_that_is_read_from_flash_is_a_violation() {
        let mut audit = written();
        audit.sectors_zeroed(LPN, 0x0f);
        assert_eq!(read(&mut audit, 0x3c, 0x0c, Ppn(0)), None);
        assert_eq!(read(&mut audit, 0x3c, 0x04, Ppn(0)), Some(Violation::NotZeroed { lpn: 1, sector: 3 }));
    }

    #[test]
    fn zeroed_sector_that_a_later_write_brings_back_is_a_violation() {
        let mut audit = written();
        audit.sectors_zeroed(LPN, 0x0f);
        write(&mut audit, 0x01, Ppn(1));
        assert_eq!(read(&mut audit, 0xff, 0x0e, Ppn(1)), None);
        assert_eq!(read(&mut audit, 0x02, 0, Ppn(1)), Some(Violation::NotZeroed { lpn: 1, sector: 1 }));
    }

    #[test]
    fn written_sector_that_is_read_as_zeroes_is_a_violation() {
        let mut audit = written();
        audit.sectors_zeroed(LPN, 0x0f);
        write(&mut audit, 0x02, Ppn(1));
        assert_eq!(read(&mut audit, 0x03, 0x03, Ppn(1)), Some(Violation::Zeroed { lpn: 1, sector: 1 }));
    }

    #[test]
    fn sector_that_was_never_trimmed_is_not_read_as_zeroes() {
        for unwritten_is_zero in [false, true] {
            let mut audit = audit();
            audit.watch_zeroed_sectors(unwritten_is_zero, false);
            audit.read_accepted(READ, LPN, 0x1);
            audit.expect_sectors(READ, LPN, 0x1, true);
            audit.zeroed_sectors_read(READ, LPN);
            assert_eq!(audit.violation().is_none(), unwritten_is_zero);
        }
    }

    #[test]
    fn sectors_in_the_cache_outlast_the_deallocation_of_the_others() {
        let mut audit = audit();
        audit.watch_cache(8, Vec::new());
        audit.watch_zeroed_sectors(false, false);
        audit.cache_takes(LPN, 0xf0);
        audit.last_sectors_zeroed(LPN, 0x0f);
        audit.cache_gives(LPN, 0xf0);
        audit.read_accepted(READ, LPN, 0x0f);
        audit.expect_sectors(READ, LPN, 0x0f, true);
        audit.deallocated_page_read(READ, LPN);
        assert_eq!(audit.violation(), None);
    }

    #[test]
    fn reads_are_refused_exactly_if_a_sector_lacks_data() {
        let refusing = || {
            let mut audit = audit();
            audit.watch_zeroed_sectors(false, true);
            write(&mut audit, 0xff, Ppn(0));
            audit.sectors_zeroed(LPN, 0x0f);
            audit
        };
        let mut audit = refusing();
        audit.expect_sectors(READ, LPN, 0xf0, true);
        audit.check_refused_read(std::iter::once((LPN, 0x18)));
        assert_eq!(audit.violation(), None);
        audit.expect_sectors(READ, LPN, 0x18, true);
        assert_eq!(audit.violation(), Some(&Violation::NotRefused { lpn: 1 }));
        let mut audit = refusing();
        audit.check_refused_read(std::iter::once((LPN, 0xf0)));
        assert_eq!(audit.violation(), Some(&Violation::Refused { lpn: 1 }));
    }

    #[test]
    fn cache_must_forget_zeroed_sectors() {
        let mut audit = audit();
        audit.watch_cache(8, Vec::new());
        audit.watch_zeroed_sectors(false, false);
        audit.cache_takes(LPN, 0xff);
        audit.sectors_zeroed(LPN, 0x01);
        audit.cache_gives(LPN, 0xfe);
        assert_eq!(audit.violation(), None);
        audit.cache_gives(LPN, 0x01);
        assert_eq!(audit.violation(), Some(&Violation::NotZeroed { lpn: 1, sector: 0 }));
    }
}
