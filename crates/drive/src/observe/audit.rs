//! Audit: a shadow copy of the drive's contents, which detects lost, stale and misplaced data during a run.
//!
//! Each write of a logical page creates a version when its physical page is allocated or, with a write cache,
//! when the cache accepts it. For each physical page, the audit records the logical page and the version
//! programmed there. It checks these rules:
//!
//! - A read returns its logical page. The version is at least as new as the newest one that was acknowledged
//!   when the read was accepted.
//! - Between two erases, a page is allocated at most once, and pages of a block are allocated in order.
//! - A page is programmed at most once, after its allocation. Pages of a block are programmed in order,
//!   unless the drive may program in any order.
//!
//! A read may return a version as soon as its page is allocated, because the data stays in the controller's
//! memory until the program has ended.
//!
//! The audit needs memory for every accessed page and reduces the speed of a run by about a fifth. `--audit`
//! enables it.

use std::ops::Range;

use bytemuck::Zeroable;
use venice_kernel::mem::SparseTable;
use venice_nand::geometry::{BlockId, Geometry, Lpn, Ppn, TransactionId};

use super::cache_shadow::CacheShadow;
use super::violation::Violation;
use super::zeroed_sectors::ZeroedSectors;

/// State of the program operation of an allocated physical page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable)]
#[repr(u8)]
pub(super) enum Program {
    #[default]
    NotBegun,
    UnderWay,
    Ended,
}

#[derive(Clone, Copy, Debug, Default, Zeroable)]
pub(super) struct PageContent {
    /// Number of the logical page that is stored in the physical page, plus one; zero if there is none.
    pub(super) lpn: u32,
    pub(super) version: u32,
    pub(super) program: Program,
    /// True if the data could not be corrected and is therefore lost.
    pub(super) is_lost: bool,
}

impl PageContent {
    pub(super) const fn new(lpn: Lpn, version: u32) -> Self {
        Self { lpn: lpn.0 + 1, version, program: Program::NotBegun, is_lost: false }
    }
}

#[derive(Clone, Copy, Debug, Default, Zeroable)]
pub(super) struct Versions {
    pub(super) newest: u32,
    pub(super) acknowledged: u32,
    /// Version that was created by the last deallocation of the page. A read of this version returns the
    /// content of an unwritten page.
    pub(super) deallocated: u32,
}

impl Versions {
    /// Creates the next version of the logical page, and returns its number.
    pub(super) fn begin(&mut self) -> u32 {
        self.newest += 1;
        self.newest
    }
}

/// Restriction of some logical pages to some of the planes.
#[derive(Clone, Debug)]
pub struct PlaneRestriction {
    /// Ranges of logical pages: host pages and translation pages.
    pub pages: [Range<u32>; 2],
    /// True for each plane that may contain the pages.
    pub planes: Vec<bool>,
}

/// Shadow copy of the drive's contents.
#[derive(Clone, Debug)]
pub struct Audit {
    pub(super) geometry: Geometry,
    pub(super) physical: SparseTable<PageContent>,
    pub(super) logical: SparseTable<Versions>,
    next_offset: SparseTable<u32>,
    /// Offset of the page after the last programmed one, indexed by block.
    next_program: SparseTable<u32>,
    programs_in_any_order: bool,
    /// Offset, within its block, of the first page that a block in SLC mode uses; 0 for a drive without pSLC
    /// cache.
    first_slc_page: u32,
    /// True for each block whose erase is in progress.
    erasing: SparseTable<bool>,
    /// True for each page whose second pass has not ended, with two-pass programming.
    awaits_second_pass: SparseTable<bool>,
    /// Oldest version that each read in progress may return, indexed by transaction.
    demanded: Vec<u32>,
    pub(super) cache: Option<CacheShadow>,
    /// Sectors that trims have zeroed; `None` if trims of a part of a mapping unit have no effect.
    pub(super) zeroed: Option<Box<ZeroedSectors>>,
    homes: Vec<PlaneRestriction>,
    violation: Option<Violation>,
    pub(super) reads_checked: u64,
}

impl Audit {
    /// Creates the shadow copy of an erased drive.
    pub fn new(geometry: Geometry, logical_pages: u32) -> Self {
        Self {
            geometry,
            physical: SparseTable::new(geometry.pages() as usize),
            logical: SparseTable::new(logical_pages as usize),
            next_offset: SparseTable::new(geometry.blocks() as usize),
            next_program: SparseTable::new(geometry.blocks() as usize),
            programs_in_any_order: false,
            first_slc_page: 0,
            erasing: SparseTable::new(geometry.blocks() as usize),
            awaits_second_pass: SparseTable::new(geometry.pages() as usize),
            demanded: Vec::new(),
            cache: None,
            zeroed: None,
            homes: Vec::new(),
            violation: None,
            reads_checked: 0,
        }
    }

    /// Permits programs in any order within a block. Without this call, a program out of order is a
    /// violation.
    #[must_use]
    pub fn with_programs_in_any_order(self) -> Self {
        Self { programs_in_any_order: true, ..self }
    }

    /// Adapts the audit to a drive whose blocks in SLC mode begin at the page offset `first_page`. The first
    /// page that is programmed after an erase may then have this offset.
    pub const fn permit_slc_blocks(&mut self, first_page: u32) {
        self.first_slc_page = first_page;
    }

    /// Sets the planes to which the logical pages of each address range are restricted.
    pub fn keep_to(&mut self, homes: Vec<PlaneRestriction>) {
        self.homes = homes;
    }

    /// Returns the first violation found.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Returns the number of reads that have been checked.
    pub fn reads_checked(&self) -> u64 {
        self.reads_checked
    }

    /// Records a violation. Only the first one is kept.
    pub fn report(&mut self, violation: Violation) {
        self.violation.get_or_insert(violation);
    }

    /// Records an accepted read, which must return the version acknowledged at this time or a newer one. With
    /// a data cache, the read must also return the last writes of the sectors in `wanted`, which the cache no
    /// longer holds.
    pub fn read_accepted(&mut self, read: TransactionId, lpn: Lpn, wanted: u64) {
        if self.demanded.len() <= read.index() {
            self.demanded.resize(read.index() + 1, 0);
        }
        let wanted = wanted & !self.zeroed_among(lpn, wanted);
        let in_cache = self.cache.as_ref().map_or(0, |cache| cache.newest_of(lpn, wanted));
        self.demanded[read.index()] = self.logical.get(lpn.index()).acknowledged.max(in_cache);
    }

    /// Records the deallocation of a logical page. It creates a version without data, which is acknowledged
    /// at once.
    pub fn deallocated(&mut self, lpn: Lpn) {
        let versions = self.logical.entry(lpn.index());
        let version = versions.begin();
        (versions.acknowledged, versions.deallocated) = (version, version);
        if let Some(cache) = &mut self.cache {
            cache.deallocated(lpn, version);
        }
        self.sectors_trimmed(lpn, u64::MAX, version);
    }

    /// Checks the end of a read of a deallocated page, which returned no data.
    pub fn deallocated_page_read(&mut self, read: TransactionId, lpn: Lpn) {
        self.reads_checked += 1;
        let (acknowledged, found) = (self.demanded[read.index()], self.unmapped_version(lpn));
        if found < acknowledged {
            self.report(Violation::Stale { lpn: lpn.0, found, acknowledged });
        }
        self.read_returns_zeroes(read, u64::MAX);
        self.check_zeroed_sectors(read, lpn, found);
    }

    /// Returns the version that a read of a logical page finds while the page has no physical page.
    fn unmapped_version(&self, lpn: Lpn) -> u32 {
        self.logical.get(lpn.index()).deallocated
    }

    /// Checks the end of a read of the physical page `ppn`.
    pub fn read_ended(&mut self, read: TransactionId, lpn: Lpn, ppn: Ppn, was_mapped: bool) {
        self.reads_checked += 1;
        let acknowledged = self.demanded[read.index()];
        let found = if was_mapped {
            self.physical.get(ppn.index())
        } else {
            PageContent { version: self.unmapped_version(lpn), ..PageContent::default() }
        };
        if was_mapped && found.lpn != lpn.0 + 1 {
            let at = ppn.0;
            self.report(Violation::Misplaced { wanted: lpn.0, found: found.lpn.checked_sub(1), at });
        } else if found.version < acknowledged {
            self.report(Violation::Stale { lpn: lpn.0, found: found.version, acknowledged });
        }
        self.check_zeroed_sectors(read, lpn, found.version);
    }

    /// Records that the data in a slot (location of a mapping unit) could not be corrected.
    pub fn slot_lost(&mut self, slot: Ppn) {
        self.physical.entry(slot.index()).is_lost = true;
    }

    /// Checks that a successful read does not return uncorrectable data.
    pub fn data_returned(&mut self, lpn: Lpn, ppn: Ppn, was_mapped: bool) {
        if was_mapped && self.physical.get(ppn.index()).is_lost {
            self.report(Violation::Uncorrected { lpn: lpn.0, at: ppn.0 });
        }
    }

    /// Records the allocation of a physical page to a host write, which creates a version.
    pub fn host_page_given(&mut self, lpn: Lpn, ppn: Ppn) {
        let version = self.logical.entry(lpn.index()).begin();
        self.give(ppn, PageContent::new(lpn, version));
    }

    /// Records that a read has mapped a logical page that was never written. No page is programmed.
    pub fn unwritten_page_mapped(&mut self, lpn: Lpn, ppn: Ppn) {
        let version = self.unmapped_version(lpn);
        self.give(ppn, PageContent { program: Program::Ended, ..PageContent::new(lpn, version) });
    }

    /// Records the allocation of a new physical page to a page moved by garbage collection.
    pub fn collection_page_given(&mut self, from: Ppn, to: Ppn) {
        let content = self.physical.get(from.index());
        if let Some(lpn) = content.lpn.checked_sub(1) {
            self.check_move(Lpn(lpn), content.version, from);
        }
        self.give(to, PageContent { program: Program::NotBegun, ..content });
    }

    /// Records that a programmed page leaves a slot (location of a mapping unit) empty.
    pub fn slot_left_empty(&mut self, slot: Ppn) {
        self.give(slot, PageContent::default());
    }

    /// Checks that garbage collection does not move data that has already been deallocated.
    fn check_move(&mut self, lpn: Lpn, version: u32, from: Ppn) {
        let deallocated = self.unmapped_version(lpn);
        if deallocated > 0 && version < deallocated {
            self.report(Violation::Revived { lpn: lpn.0, from: from.0 });
        }
    }

    /// Checks the start of a page program.
    pub fn program_started(&mut self, ppn: Ppn) {
        let (block, offset) = (self.geometry.block_of(ppn), self.geometry.page_offset(ppn));
        let next = self.next_program.get(block.index());
        let is_given = offset < self.next_offset.get(block.index());
        let before = std::mem::replace(&mut self.physical.entry(ppn.index()).program, Program::UnderWay);
        let is_first = is_given && before == Program::NotBegun;
        if !is_first || (offset < next && !self.programs_in_any_order) {
            self.report(Violation::NotItsTurn { block: block.0, offset, next });
        }
        *self.next_program.entry(block.index()) = next.max(offset + 1);
    }

    /// Records the end of a host program at `ppn`, which acknowledges its version.
    pub fn host_program_ended(&mut self, lpn: Lpn, ppn: Ppn) {
        let version = self.physical.get(ppn.index()).version;
        let versions = self.logical.entry(lpn.index());
        versions.acknowledged = versions.acknowledged.max(version);
        if let Some(cache) = &mut self.cache {
            cache.programmed(lpn, version);
        }
        self.program_ended(ppn);
    }

    /// Records the end of any page program, after which the page can be read.
    pub fn program_ended(&mut self, ppn: Ppn) {
        self.physical.entry(ppn.index()).program = Program::Ended;
    }

    /// Checks that a page with two-pass programming is read only after its second pass has ended.
    pub fn check_second_pass(&mut self, ppn: Ppn) {
        if self.awaits_second_pass.get(ppn.index()) {
            self.report(Violation::InTheMaking { at: ppn.0, what: "programmed coarsely" });
        }
    }

    /// Records the start of the first pass of a page. Until its second pass has ended, the page must not be
    /// read.
    pub fn first_pass_starts(&mut self, ppn: Ppn) {
        *self.awaits_second_pass.entry(ppn.index()) = true;
    }

    /// Checks the end of the second pass of a word line with the pages `pages`. The first passes of this word
    /// line and of the next one in its block must have ended before.
    pub fn second_pass_ended(&mut self, pages: Range<u32>) {
        let (first, next) = (Ppn(pages.start), Ppn(pages.end));
        let block = self.geometry.block_of(first);
        let is_last = pages.end == self.geometry.ppn(block, 0).0 + self.geometry.pages_per_block;
        let has_ended = |ppn: Ppn| self.physical.get(ppn.index()).program == Program::Ended;
        if !has_ended(first) || !(is_last || has_ended(next)) {
            let (offset, next) = (self.geometry.page_offset(first), self.geometry.page_offset(next));
            self.report(Violation::NotItsTurn { block: block.0, offset, next });
        }
        for ppn in pages {
            *self.awaits_second_pass.entry(ppn as usize) = false;
        }
    }

    /// Returns true if the erase of a block is in progress.
    pub(super) fn is_erasing(&self, block: BlockId) -> bool {
        self.erasing.get(block.index())
    }

    /// Returns the number of allocated pages of a block.
    pub(super) fn allocated_in(&self, block: BlockId) -> u32 {
        self.next_offset.get(block.index())
    }

    /// Checks the start of a read of a page that was written in this run.
    pub fn read_begins(&mut self, ppn: Ppn) {
        let at = ppn.0;
        if self.physical.get(ppn.index()).program == Program::UnderWay {
            self.report(Violation::InTheMaking { at, what: "programmed" });
        } else if self.erasing.get(self.geometry.block_of(ppn).index()) {
            self.report(Violation::InTheMaking { at, what: "erased" });
        }
    }

    /// Records the start of a block erase.
    pub fn erase_begins(&mut self, block: BlockId) {
        *self.erasing.entry(block.index()) = true;
    }

    /// Records a page, valid or invalid, that was programmed before the run. The pages of a block must be
    /// recorded in order.
    pub fn was_programmed(&mut self, ppn: Ppn, lpn: Option<Lpn>) {
        let lpn = lpn.map_or(0, |lpn| lpn.0 + 1);
        let content = PageContent { lpn, program: Program::Ended, ..PageContent::default() };
        self.give(ppn, content);
    }

    /// Records the end of a block erase.
    pub fn erased(&mut self, block: BlockId) {
        *self.next_offset.entry(block.index()) = 0;
        *self.next_program.entry(block.index()) = 0;
        *self.erasing.entry(block.index()) = false;
        for offset in 0..self.geometry.pages_per_block {
            *self.physical.entry(self.geometry.ppn(block, offset).index()) = PageContent::default();
        }
    }

    pub(super) fn give(&mut self, ppn: Ppn, content: PageContent) {
        let (block, offset) = (self.geometry.block_of(ppn), self.geometry.page_offset(ppn));
        let expected = self.next_offset.get(block.index());
        let begins_in_slc_mode = expected == 0 && offset == self.first_slc_page;
        if offset != expected && !begins_in_slc_mode {
            self.report(Violation::OutOfOrder { block: block.0, offset, expected });
        }
        *self.next_offset.entry(block.index()) = offset + 1;
        *self.physical.entry(ppn.index()) = content;
        let (lpn, plane) = (content.lpn.wrapping_sub(1), self.geometry.plane_of(block));
        let of_page = |home: &&PlaneRestriction| home.pages.iter().any(|pages| pages.contains(&lpn));
        if self.homes.iter().find(of_page).is_some_and(|home| !home.planes[plane.index()]) {
            self.report(Violation::Astray { lpn, plane: plane.0 });
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use venice_nand::geometry::Array;

    use super::*;

    const READ: TransactionId = TransactionId(3);

    pub(in crate::observe) fn audit() -> Audit {
        let geometry = Geometry {
            array: Array { rows: 1, cols: 1 },
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 2,
            pages_per_block: 4,
            page_bytes: 4096,
        };
        Audit::new(geometry, 6)
    }

    #[test]
    fn a_read_of_the_acknowledged_version_passes_and_an_older_one_does_not() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.host_page_given(Lpn(1), Ppn(1));
        audit.host_program_ended(Lpn(1), Ppn(1));
        audit.read_accepted(READ, Lpn(1), 0);
        audit.read_ended(READ, Lpn(1), Ppn(1), true);
        assert_eq!(audit.violation(), None);
        audit.read_ended(READ, Lpn(1), Ppn(0), true);
        assert_eq!(audit.violation(), Some(&Violation::Stale { lpn: 1, found: 1, acknowledged: 2 }));
    }

    #[test]
    fn a_read_that_finds_another_page_is_a_violation() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.read_accepted(READ, Lpn(2), 0);
        audit.read_ended(READ, Lpn(2), Ppn(0), true);
        assert_eq!(audit.violation(), Some(&Violation::Misplaced { wanted: 2, found: Some(1), at: 0 }));
    }

    #[test]
    fn data_that_could_not_be_corrected_is_a_violation_wherever_it_was_moved() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.slot_lost(Ppn(0));
        audit.collection_page_given(Ppn(0), Ppn(1));
        audit.host_page_given(Lpn(1), Ppn(2));
        audit.data_returned(Lpn(1), Ppn(2), true);
        assert_eq!(audit.violation(), None, "it was written again");
        audit.data_returned(Lpn(1), Ppn(1), true);
        assert_eq!(audit.violation(), Some(&Violation::Uncorrected { lpn: 1, at: 1 }));
    }

    #[test]
    fn a_lost_write_is_a_violation() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.read_accepted(READ, Lpn(1), 0);
        audit.read_ended(READ, Lpn(1), Ppn(5), false);
        assert_eq!(audit.violation(), Some(&Violation::Stale { lpn: 1, found: 0, acknowledged: 1 }));
    }

    #[test]
    fn data_that_return_after_their_deallocation_are_a_violation() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.deallocated(Lpn(1));
        audit.read_accepted(READ, Lpn(1), 0);
        audit.deallocated_page_read(READ, Lpn(1));
        assert_eq!(audit.violation(), None);
        audit.read_ended(READ, Lpn(1), Ppn(0), true);
        assert_eq!(audit.violation(), Some(&Violation::Stale { lpn: 1, found: 1, acknowledged: 2 }));
    }

    #[test]
    fn move_of_deallocated_data_is_a_violation() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.collection_page_given(Ppn(0), Ppn(1));
        assert_eq!(audit.violation(), None);
        audit.deallocated(Lpn(1));
        audit.collection_page_given(Ppn(1), Ppn(2));
        assert_eq!(audit.violation(), Some(&Violation::Revived { lpn: 1, from: 1 }));
    }

    #[test]
    fn a_page_programmed_outside_its_planes_is_a_violation() {
        let mut audit = audit();
        audit.keep_to(vec![PlaneRestriction { pages: [0..2, 5..6], planes: vec![false] }]);
        audit.host_page_given(Lpn(2), Ppn(0));
        assert_eq!(audit.violation(), None, "it may lie anywhere");
        audit.host_page_given(Lpn(5), Ppn(1));
        assert_eq!(audit.violation(), Some(&Violation::Astray { lpn: 5, plane: 0 }));
    }

    #[test]
    fn a_read_of_a_page_in_the_making_is_a_violation_until_the_program_ends() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_program_ended(Lpn(1), Ppn(0));
        audit.read_begins(Ppn(0));
        assert_eq!(audit.violation(), None);
        audit.host_page_given(Lpn(1), Ppn(1));
        audit.program_started(Ppn(1));
        audit.read_begins(Ppn(1));
        assert_eq!(audit.violation(), Some(&Violation::InTheMaking { at: 1, what: "programmed" }));
    }

    #[test]
    fn a_read_of_a_block_in_erasure_is_a_violation_until_the_erase_ends() {
        let mut audit = audit();
        audit.erase_begins(BlockId(1));
        audit.read_begins(Ppn(0));
        audit.erased(BlockId(1));
        audit.read_begins(Ppn(4));
        assert_eq!(audit.violation(), None);
        audit.erase_begins(BlockId(1));
        audit.read_begins(Ppn(4));
        assert_eq!(audit.violation(), Some(&Violation::InTheMaking { at: 4, what: "erased" }));
    }

    #[test]
    fn a_page_is_programmed_once_when_it_was_given_out_and_in_order_unless_any_will_do() {
        let started = |mut audit: Audit, pages: &[u32]| {
            for page in 0..3 {
                audit.host_page_given(Lpn(page), Ppn(page));
            }
            for &page in pages {
                audit.program_started(Ppn(page));
            }
            audit.violation().cloned()
        };
        let wrong = |offset, next| Some(Violation::NotItsTurn { block: 0, offset, next });
        assert_eq!(started(audit(), &[0, 1, 2]), None);
        assert_eq!(started(audit(), &[0, 2]), None, "the second may be on its way");
        assert_eq!(started(audit(), &[0, 2, 1]), wrong(1, 3));
        assert_eq!(started(audit(), &[0, 0]), wrong(0, 1));
        assert_eq!(started(audit(), &[3]), wrong(3, 0));
        let any = || audit().with_programs_in_any_order();
        assert_eq!(started(any(), &[2, 0, 1]), None);
        assert_eq!(started(any(), &[2, 0, 2]), wrong(2, 3));
        assert_eq!(started(any(), &[3]), wrong(3, 0));
    }

    #[test]
    fn pages_are_given_out_once_and_in_order_between_erases() {
        let mut audit = audit();
        audit.host_page_given(Lpn(1), Ppn(0));
        audit.host_page_given(Lpn(2), Ppn(2));
        assert_eq!(audit.violation(), Some(&Violation::OutOfOrder { block: 0, offset: 2, expected: 1 }));
    }
}
