//! Counters of the flash translation layer, and the notifications of its audit.
//!
//! # How
//!
//! Each component reports each of its steps once, to [`FtlStats`]. [`FtlCounters`] counts the steps. The
//! audit, if it is enabled, keeps a shadow copy of the drive's contents and detects inconsistent steps.

use std::ops::Range;

use venice_nand::chip::{Operation, PageOperation};
use venice_nand::geometry::{BlockId, Geometry, Lpn, MappingUnits, Ppn, TransactionId};
use venice_nand::transactions::{Origin, Purpose, Transaction, TransactionClass, Transactions};

use crate::observe::{Audit, Violation};

use super::reads::gathers::StartedSense;
use super::settings::PageAllocation;
use super::space::{CollectionCause, Space};
use super::translation::Translation;

venice_kernel::counters! {
    /// Counters of the flash translation layer. They count pages or blocks unless stated otherwise.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FtlCounters {
        /// Pages read from flash.
        pub reads: u64,
        /// Pages programmed.
        pub programs: u64,
        /// Pages with parity that were programmed.
        pub parity_programs: u64,
        /// Uncorrectable pages that were rebuilt from their stripes.
        pub rebuilt_pages: u64,
        /// Uncorrectable pages whose rebuild failed, since another page of the stripe was uncorrectable.
        pub failed_rebuilds: u64,
        /// Pages of stripes that were read to rebuild other pages.
        pub rebuild_reads: u64,
        /// Pages read by scrub.
        pub scrub_reads: u64,
        /// Number of blocks erased.
        pub erases: u64,
        /// Read commands to more than one plane.
        pub multiplane_reads: u64,
        /// Program commands to more than one plane.
        pub multiplane_programs: u64,
        /// Mapping units programmed for the host.
        pub host_programs: u64,
        /// Mapping units that garbage collection moved because a plane had too few free blocks.
        pub gc_moves: u64,
        /// Mapping units that garbage collection moved in idle time.
        pub idle_moves: u64,
        /// Mapping units that static wear levelling moved.
        pub wear_moves: u64,
        /// Mapping units that read reclaim moved.
        pub reclaim_moves: u64,
        /// Mapping units that refresh moved.
        pub refresh_moves: u64,
        /// Pages that garbage collection moved to another plane.
        pub moves_elsewhere: u64,
        /// Pages copied to another plane directly from chip to chip, without a controller.
        pub copies_between_chips: u64,
        /// Number of results that chips computed for gathers (requests that combine several pages on one
        /// chip).
        pub gathers: u64,
        /// Number of operands of all gathers.
        pub operands_wanted: u64,
        /// Operands that were already stored on the chip that combined them.
        pub operands_in_place: u64,
        /// Operations that sensed one or more operands on the chip that combines them.
        pub operand_senses: u64,
        /// Operands that were sensed together with other operands.
        pub operands_sensed_together: u64,
        /// Additional energy of sensing several blocks together, as the array time of a read of one plane
        /// with the same energy, in picoseconds.
        pub sense_energy_ps: u64,
        /// Operands from another chip that were copied directly from chip to chip, without a controller.
        pub operands_copied: u64,
        /// Operands from another chip that were sent through a controller.
        pub operands_by_controller: u64,
        /// Bytes of operands from another chip that were copied directly from chip to chip, without a
        /// controller.
        pub operand_bytes_copied: u64,
        /// Bytes of operands from another chip that were sent through a controller. Each byte is counted
        /// once, although it crosses the fabric twice.
        pub operand_bytes_by_controller: u64,
        /// Pages moved without crossing the fabric: read and programmed inside their plane.
        pub copybacks: u64,
        /// Mapping units read because a write covered only a part of them.
        pub update_reads: u64,
        /// Blocks whose garbage collection began because their plane had too few free blocks.
        pub gc_executions: u64,
        /// Blocks whose garbage collection began in idle time.
        pub idle_executions: u64,
        /// Blocks whose garbage collection was started by static wear levelling.
        pub wear_executions: u64,
        /// Blocks whose garbage collection was started by read reclaim.
        pub reclaim_executions: u64,
        /// Blocks whose garbage collection was started by refresh.
        pub refresh_executions: u64,
        /// Read commands, to any number of planes.
        pub read_commands: u64,
        /// Program commands, to any number of planes.
        pub program_commands: u64,
        /// Erase commands, to any number of planes.
        pub erase_commands: u64,
        /// Erase commands to more than one plane.
        pub multiplane_erases: u64,
        /// Write-backs of translation pages, caused by evictions of dirty map entries.
        pub mapping_write_backs: u64,
        /// Number of map look-ups for host reads.
        pub map_read_lookups: u64,
        /// Map look-ups for host reads that missed the cached table.
        pub map_read_misses: u64,
        /// Number of map look-ups for any purpose.
        pub map_lookups: u64,
        /// Map look-ups for any purpose that missed the cached table.
        pub map_misses: u64,
        /// Map look-ups that found their entry in the host memory buffer.
        pub host_buffer_hits: u64,
        /// Map look-ups that missed the cached table and the host memory buffer.
        pub host_buffer_misses: u64,
        /// Translation pages that were read, completely or in part.
        pub mapping_reads: u64,
        /// Translation pages programmed by write-backs. Moves of translation pages by garbage collection are
        /// counted as moves.
        pub mapping_programs: u64,
        /// Mapping units deallocated by trims.
        pub units_deallocated: u64,
        /// Physical pages invalidated by trims.
        pub pages_freed: u64,
        /// Mapping units that a trim covered only in part, and that therefore were not deallocated.
        pub units_kept: u64,
        /// Mapping units that a trim covered only in part, and whose covered sectors it zeroed.
        pub units_zeroed: u64,
        /// Host reads that ended with an error, since they covered sectors without data.
        pub reads_refused: u64,
        /// Host reads of deallocated pages or zeroed sectors, which need no flash operation.
        pub deallocated_reads: u64,
        /// Slots (locations of mapping units) in programmed pages that contain no mapping unit.
        pub empty_slots: u64,
        /// Pages programmed by second passes of two-pass programming.
        pub second_pass_pages: u64,
        /// Reads of word lines between their first and second pass, which the controller's buffer served.
        pub buffer_reads: u64,
        /// Reads of mapping units that were served together with an earlier read of their page.
        pub shared_reads: u64,
        /// Mapping units programmed for the host in SLC mode.
        pub slc_programs: u64,
        /// Mapping units that folding moved from the pSLC cache.
        pub fold_moves: u64,
        /// Blocks whose folding has begun.
        pub fold_executions: u64,
        /// Number of blocks erased in SLC mode.
        pub slc_erases: u64,
        /// Pages read from blocks in SLC mode.
        pub slc_reads: u64,
    }
}

/// Counters of map look-ups in one address range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookUps {
    /// Number of map look-ups in the address range.
    pub lookups: u64,
    /// Map look-ups that missed the cached table.
    pub misses: u64,
}

/// Counters of lost chips and their consequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounters {
    /// Host pages whose data was on lost chips.
    pub pages_lost: u64,
    /// Physical pages on lost chips.
    pub raw_pages_lost: u64,
    /// Writes that were queued for lost chips and were redirected.
    pub writes_sent_elsewhere: u64,
    /// Writes that failed because the remaining chips had no free page.
    pub writes_without_room: u64,
}

/// Path of a gather's operand to the chip that combines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandWay {
    /// The operand was stored on the chip that combines it.
    InPlace,
    /// The operand was copied directly from another chip, without a controller.
    BetweenChips,
    /// The operand was sent from another chip through a controller.
    ByController,
}

/// Counters and audit of the flash translation layer.
#[derive(Clone, Debug)]
pub struct FtlStats {
    counters: FtlCounters,
    /// Counters of map look-ups for each address range. Empty if the whole map is in memory.
    pub look_ups: Vec<LookUps>,
    /// Counters of a loss of chips.
    pub losses: LossCounters,
    audit: Option<Box<Audit>>,
}

impl FtlStats {
    /// Creates the counters of a run, all of them zero, and the audit if it is enabled.
    pub fn new(
        is_audited: bool,
        geometry: &Geometry,
        translation: &Translation,
        page_allocation: PageAllocation,
    ) -> Self {
        let new = || {
            let audit = Audit::new(*geometry, translation.map.logical_pages());
            let mut audit = match page_allocation {
                PageAllocation::AtStart | PageAllocation::AtArrival => audit,
                PageAllocation::AtArrivalAnyOrder => audit.with_programs_in_any_order(),
            };
            audit.keep_to(translation.addresses.homes(geometry));
            if translation.sectors.zeroes_parts() {
                let rules = &translation.sectors;
                audit.watch_zeroed_sectors(rules.absent_unless_written(), rules.refuses_reads());
            }
            Box::new(audit)
        };
        let ranges = if translation.is_paged { translation.addresses.len() } else { 0 };
        Self {
            counters: FtlCounters::default(),
            look_ups: vec![LookUps::default(); ranges],
            losses: LossCounters::default(),
            audit: is_audited.then(new),
        }
    }

    /// Adapts the audit to a drive whose blocks in SLC mode begin with the page at offset `first_page`.
    pub fn permit_slc_blocks(&mut self, first_page: u32) {
        if let Some(audit) = &mut self.audit {
            audit.permit_slc_blocks(first_page);
        }
    }

    /// Returns the counters of the run so far.
    #[inline]
    pub const fn counters(&self) -> &FtlCounters {
        &self.counters
    }

    /// Returns the audit, if the run has one.
    pub fn audit_mut(&mut self) -> Option<&mut Audit> {
        self.audit.as_deref_mut()
    }

    /// Records the contents of the drive before the run in the audit.
    pub fn begin_with(&mut self, geometry: &Geometry, translation: &Translation, space: &Space) {
        let Some(audit) = &mut self.audit else { return };
        for block in (0..geometry.blocks()).map(BlockId) {
            for offset in 0..space.blocks.table[block].written {
                let ppn = geometry.ppn(block, offset);
                audit.was_programmed(ppn, translation.map.logical(ppn));
            }
        }
    }

    /// Checks two invariants of a drive without transactions in flight. The number of valid pages equals the
    /// number of mapped pages. The number of programs equals the number of writes and moves (by garbage
    /// collection and wear levelling). Violations are reported to the audit.
    pub fn check_balance(
        &mut self,
        geometry: &Geometry,
        translation: &Translation,
        space: &Space,
        [gathers, search_pages, lock_waiters]: [usize; 3],
        units: MappingUnits,
    ) {
        let Some(audit) = &mut self.audit else { return };
        let mut balance = |what, left, right| {
            if left != right {
                audit.report(Violation::Unbalanced { what, left, right });
            }
        };
        let c = &self.counters;
        let for_reliability = c.wear_moves + c.reclaim_moves + c.refresh_moves;
        let moves = c.gc_moves + c.idle_moves + for_reliability + c.fold_moves;
        let written = c.host_programs + moves + c.mapping_programs + c.empty_slots;
        let slots = units.slots_of_pages(c.programs - c.parity_programs);
        balance("host writes + mapping writes + moves + empty slots = programs", written, slots);
        let all = (0..geometry.blocks()).map(BlockId);
        let valid: u64 = all.map(|block| u64::from(space.blocks.table[block].valid)).sum();
        balance("valid pages = mapped logical pages", valid, translation.mapped_pages());
        balance("gathers under way = 0", gathers as u64, 0);
        balance("pages of searches under way = 0", search_pages as u64, 0);
        let ways = [c.operands_in_place, c.operands_copied, c.operands_by_controller];
        balance("operands that came by any way = operands of gathers", ways.iter().sum(), c.operands_wanted);
        balance("writes that wait for a lock = 0", lock_waiters as u64, 0);
    }

    /// Records a map look-up.
    #[inline]
    pub fn looked_up(&mut self, purpose: Purpose) {
        self.counters.map_lookups += 1;
        self.counters.map_read_lookups += u64::from(is_host_read(purpose));
    }

    /// Records a map look-up that missed in the cached table.
    pub fn missed(&mut self, purpose: Purpose) {
        self.counters.map_misses += 1;
        self.counters.map_read_misses += u64::from(is_host_read(purpose));
    }

    /// Records that a write-back of a translation page is needed.
    pub const fn write_back_wanted(&mut self) {
        self.counters.mapping_write_backs += 1;
    }

    /// Records that a read has been accepted.
    #[inline]
    pub fn read_accepted(&mut self, id: TransactionId, lpn: Lpn, read: &Transaction) {
        match read.purpose {
            Purpose::UpdateRead(_) => self.counters.update_reads += 1,
            Purpose::MappingRead { .. } => self.counters.mapping_reads += 1,
            _ => {}
        }
        if let Some(audit) = &mut self.audit {
            // Sectors that a partial write does not cover may be written by another write in the meantime.
            let wanted = if is_host_read(read.purpose) { read.sectors } else { 0 };
            audit.read_accepted(id, lpn, wanted);
            let is_of_sectors = matches!(read.purpose, Purpose::HostRead(_));
            // A read that has waited for read-ahead was accepted before a later trim.
            let may_be_refused = read.clock.started() == read.clock.mark;
            audit.expect_sectors(id, lpn, if is_of_sectors { read.sectors } else { 0 }, may_be_refused);
        }
    }

    /// Records that a write of the host has been accepted.
    #[inline]
    pub fn write_accepted(&mut self, origin: Origin, id: TransactionId, sectors: u64) {
        if let (Origin::Request(_), Some(audit)) = (origin, &mut self.audit) {
            audit.write_accepted(id, sectors);
        }
    }

    /// Records a mapping unit that a trim covers only in part, and that therefore keeps its data.
    pub const fn unit_kept(&mut self) {
        self.counters.units_kept += 1;
    }

    /// Records that a trim has zeroed some sectors of a page.
    pub fn sectors_zeroed(&mut self, lpn: Lpn, sectors: u64) {
        if let Some(audit) = &mut self.audit {
            audit.sectors_zeroed(lpn, sectors);
        }
    }

    /// Records a mapping unit that a trim covers only in part, and whose covered sectors it zeroes.
    pub const fn unit_zeroed(&mut self) {
        self.counters.units_zeroed += 1;
    }

    /// Records the zeroed sectors of a read that also reads other sectors from flash.
    pub fn read_returns_zeroes(&mut self, id: TransactionId, sectors: u64) {
        if let Some(audit) = &mut self.audit {
            audit.read_returns_zeroes(id, sectors);
        }
    }

    /// Records a host read that ends with an error, since one of its sectors has no data. `pieces` are its pages,
    /// each with a bit mask of its sectors.
    pub fn read_refused(&mut self, pieces: impl Iterator<Item = (Lpn, u64)>) {
        self.counters.reads_refused += 1;
        if let Some(audit) = &mut self.audit {
            audit.check_refused_read(pieces);
        }
    }

    /// Records the end of a host read of zeroed sectors only.
    pub fn zeroed_sectors_read(&mut self, id: TransactionId, lpn: Lpn) {
        self.counters.deallocated_reads += 1;
        if let Some(audit) = &mut self.audit {
            audit.zeroed_sectors_read(id, lpn);
        }
    }

    /// Records the deallocation of a page. `was_mapped` is true if the page had a physical page. `last` is a bit
    /// mask of the trimmed sectors if earlier trims had zeroed the others, and `None` for a trim of the page.
    pub fn deallocated(&mut self, lpn: Lpn, last: Option<u64>, was_mapped: bool) {
        self.counters.units_deallocated += 1;
        self.counters.pages_freed += u64::from(was_mapped);
        if let Some(audit) = &mut self.audit {
            match last {
                None => audit.deallocated(lpn),
                Some(sectors) => audit.last_sectors_zeroed(lpn, sectors),
            }
        }
    }

    /// Records the end of a host read of a deallocated page.
    pub fn deallocated_page_read(&mut self, id: TransactionId, lpn: Lpn) {
        self.counters.deallocated_reads += 1;
        if let Some(audit) = &mut self.audit {
            audit.deallocated_page_read(id, lpn);
        }
    }

    /// Records the start of a page read.
    #[inline]
    pub fn read_begins(&mut self, all: &Transactions, id: TransactionId, ppn: Ppn, pages: u32) {
        self.counters.reads += u64::from(pages);
        if let Some(audit) = &mut self.audit {
            let read = all.get(id);
            if read.pinned().is_some() || read.purpose == Purpose::GcRead {
                audit.read_begins(ppn);
                if !read.purpose.needs_its_chip() {
                    audit.check_second_pass(ppn);
                }
            }
        }
    }

    /// Records the end of a transaction. The audit, if there is one, is notified of reads for the host, of
    /// reads for partial writes, and of reads of the map.
    #[inline]
    pub fn ended(&mut self, id: TransactionId, done: &Transaction) {
        let Some(audit) = &mut self.audit else { return };
        let is_read = match done.purpose {
            Purpose::OperandSense(_) | Purpose::Search(_) => true,
            purpose => matches!(purpose.class(), TransactionClass::HostRead | TransactionClass::MappingRead),
        };
        if let (true, Some(lpn), Some(ppn)) = (is_read, done.lpn, done.ppn()) {
            audit.read_ended(id, lpn, ppn, done.pinned().is_some());
            if !done.has_failed {
                audit.data_returned(lpn, ppn, done.pinned().is_some());
            }
        }
    }

    /// Records the start of a command.
    #[inline]
    pub fn command_starts(&mut self, operation: Operation, batch: usize, bytes: u32) {
        let counters = &mut self.counters;
        let several = u64::from(batch > 1);
        if matches!(operation, Operation::Read | Operation::Copyback) {
            counters.read_commands += 1;
            counters.multiplane_reads += several;
        }
        if matches!(operation, Operation::Program | Operation::Copyback) {
            counters.program_commands += 1;
            counters.multiplane_programs += several;
        }
        match operation {
            Operation::Erase => {
                counters.erase_commands += 1;
                counters.multiplane_erases += several;
            }
            Operation::Combine => counters.read_commands += u64::from(bytes == 0),
            Operation::Search => counters.read_commands += 1,
            Operation::Read | Operation::Program | Operation::Copyback => {}
        }
    }

    /// Records the allocation of a page to a host write.
    #[inline]
    pub fn host_page_given(&mut self, origin: Origin, id: TransactionId, lpn: Lpn, ppn: Ppn) {
        let Some(audit) = &mut self.audit else { return };
        match origin {
            Origin::Request(_) => {
                audit.host_page_given(lpn, ppn);
                audit.write_given(id, lpn);
            }
            Origin::Cache(destage) => audit.destage_page_given(destage, lpn, ppn),
            Origin::ReadAhead(_) => {}
        }
    }

    /// Records the allocation of a page to a write-back of the map.
    pub fn mapping_page_given(&mut self, page: Lpn, ppn: Ppn) {
        if let Some(audit) = &mut self.audit {
            audit.host_page_given(page, ppn);
        }
    }

    /// Records that a page was mapped by a read, without having been written.
    pub fn unwritten_page_mapped(&mut self, lpn: Lpn, ppn: Ppn) {
        if let Some(audit) = &mut self.audit {
            audit.unwritten_page_mapped(lpn, ppn);
        }
    }

    /// Records the allocation of a page to a move. `cause` is the reason for the garbage collection, or
    /// `None` if it is no longer in progress. `elsewhere` is true for a host page that leaves its plane.
    pub fn move_page_given(&mut self, cause: Option<CollectionCause>, from: Ppn, to: Ppn, elsewhere: bool) {
        match cause {
            Some(CollectionCause::Space) => self.counters.gc_moves += 1,
            Some(CollectionCause::Idle) => self.counters.idle_moves += 1,
            Some(CollectionCause::Wear) => self.counters.wear_moves += 1,
            Some(CollectionCause::Reclaim) => self.counters.reclaim_moves += 1,
            Some(CollectionCause::Refresh) => self.counters.refresh_moves += 1,
            Some(CollectionCause::Fold) => self.counters.fold_moves += 1,
            None => {}
        }
        self.counters.moves_elsewhere += u64::from(elsewhere);
        if let Some(audit) = &mut self.audit {
            audit.collection_page_given(from, to);
        }
    }

    /// Records the copy of a page directly from one chip to another.
    pub const fn copied_between_chips(&mut self) {
        self.counters.copies_between_chips += 1;
    }

    /// Records the start of a page's program, including that of a copyback.
    #[inline]
    pub fn program_starts(
        &mut self,
        purpose: Purpose,
        slots: Range<u32>,
        units: u32,
        pages: u32,
        is_copyback: bool,
    ) {
        match purpose {
            Purpose::HostWrite(_) => self.counters.host_programs += u64::from(units),
            Purpose::MappingWrite => self.counters.mapping_programs += u64::from(units),
            Purpose::ParityWrite(_) => self.counters.parity_programs += u64::from(pages),
            _ => self.counters.copybacks += u64::from(is_copyback),
        }
        self.counters.programs += u64::from(pages);
        if let Some(audit) = &mut self.audit {
            slots.map(Ppn).for_each(|slot| audit.program_started(slot));
        }
    }

    /// Records the start of the first pass of a word line that consists of the slots (locations of mapping
    /// units) `slots`.
    pub fn first_pass_starts(&mut self, slots: Range<u32>) {
        if let Some(audit) = &mut self.audit {
            slots.map(Ppn).for_each(|slot| audit.first_pass_starts(slot));
        }
    }

    /// Records the start of the second pass of a word line with `pages` pages.
    pub const fn second_pass_starts(&mut self, pages: u32) {
        self.counters.second_pass_pages += pages as u64;
    }

    /// Records the end of the second pass of a word line that consists of the slots (locations of mapping
    /// units) `slots`.
    pub fn second_pass_ended(&mut self, slots: Range<u32>) {
        if let Some(audit) = &mut self.audit {
            audit.second_pass_ended(slots);
        }
    }

    /// Records a look-up in the host memory buffer.
    pub const fn host_buffer_looked_up(&mut self, is_hit: bool) {
        self.counters.host_buffer_hits += is_hit as u64;
        self.counters.host_buffer_misses += !is_hit as u64;
    }

    /// Records a read that is served from the controller's buffer.
    pub const fn buffer_read(&mut self) {
        self.counters.buffer_reads += 1;
    }

    /// Records that a slot (location of a mapping unit) in a programmed page contains no mapping unit.
    pub fn slot_left_empty(&mut self, slot: Ppn) {
        self.counters.empty_slots += 1;
        self.slot_skipped(slot);
    }

    /// Records a slot (location of a mapping unit) that no program will ever fill.
    pub fn slot_skipped(&mut self, slot: Ppn) {
        if let Some(audit) = &mut self.audit {
            audit.slot_left_empty(slot);
        }
    }

    /// Records a read that is served together with an earlier read of its page.
    pub const fn read_shared(&mut self) {
        self.counters.shared_reads += 1;
    }

    /// Records the end of a program that filled several slots (locations of mapping units) of a page.
    pub fn page_program_ended(&mut self, slots: Range<u32>) {
        if let Some(audit) = &mut self.audit {
            slots.map(Ppn).for_each(|slot| audit.program_ended(slot));
        }
    }

    /// Records the end of a page's program. `lpn` is its logical page, or `None` for a move.
    #[inline]
    pub fn program_ended(&mut self, lpn: Option<Lpn>, ppn: Ppn) {
        match (&mut self.audit, lpn) {
            (Some(audit), Some(lpn)) => audit.host_program_ended(lpn, ppn),
            (Some(audit), None) => audit.program_ended(ppn),
            (None, _) => {}
        }
    }

    /// Records the start of the garbage collection of a block.
    pub const fn collection_begins(&mut self, cause: CollectionCause) {
        match cause {
            CollectionCause::Space => self.counters.gc_executions += 1,
            CollectionCause::Idle => self.counters.idle_executions += 1,
            CollectionCause::Wear => self.counters.wear_executions += 1,
            CollectionCause::Reclaim => self.counters.reclaim_executions += 1,
            CollectionCause::Refresh => self.counters.refresh_executions += 1,
            CollectionCause::Fold => self.counters.fold_executions += 1,
        }
    }

    /// Records an operation on a page or block in SLC mode. `units` is the number of mapping units of a host
    /// write.
    pub const fn slc_operation(&mut self, operation: PageOperation, units: u32) {
        match operation {
            PageOperation::SenseSlc { pages } => self.counters.slc_reads += pages as u64,
            PageOperation::ProgramSlc { .. } => self.counters.slc_programs += units as u64,
            PageOperation::EraseSlc => self.counters.slc_erases += 1,
            _ => {}
        }
    }

    /// Records the start of the erase of a block.
    pub fn erase_begins(&mut self, block: BlockId) {
        if let Some(audit) = &mut self.audit {
            audit.erase_begins(block);
        }
    }

    /// Records the end of the erase of a block.
    pub fn erased(&mut self, block: BlockId) {
        self.counters.erases += 1;
        if let Some(audit) = &mut self.audit {
            audit.erased(block);
        }
    }

    /// Records the read of a stripe's page for the rebuild of another page.
    pub const fn rebuild_read(&mut self) {
        self.counters.rebuild_reads += 1;
    }

    /// Records a read of a page by scrub.
    pub const fn scrub_read(&mut self) {
        self.counters.scrub_reads += 1;
    }

    /// Records the end of a page's rebuild. `has_failed` is true if the page could not be rebuilt.
    pub fn rebuild_ended(&mut self, has_failed: bool) {
        self.counters.failed_rebuilds += u64::from(has_failed);
        self.counters.rebuilt_pages += u64::from(!has_failed);
    }

    /// Records that the data in a slot (location of a mapping unit) is unreadable.
    pub fn slot_lost(&mut self, slot: Ppn) {
        if let Some(audit) = &mut self.audit {
            audit.slot_lost(slot);
        }
    }

    /// Records the start of a gather with `operands` operands.
    pub fn gather_begins(&mut self, operands: u32) {
        self.counters.gathers += 1;
        self.counters.operands_wanted += u64::from(operands);
    }

    /// Records the start of an operation that senses one or more operands of a gather.
    pub(super) fn operands_sensed(&mut self, started: &StartedSense) {
        self.counters.operand_senses += 1;
        if started.operands > 1 {
            self.counters.operands_sensed_together += u64::from(started.operands);
        }
        self.counters.sense_energy_ps += started.added_energy.as_ps();
    }

    /// Records that an operand of `bytes` bytes has become available on the chip that combines it. `way` is
    /// the path of the operand to this chip.
    pub fn operand_comes(&mut self, way: OperandWay, bytes: u32) {
        let counters = &mut self.counters;
        match way {
            OperandWay::InPlace => counters.operands_in_place += 1,
            OperandWay::BetweenChips => {
                counters.operands_copied += 1;
                counters.operand_bytes_copied += u64::from(bytes);
            }
            OperandWay::ByController => {
                counters.operands_by_controller += 1;
                counters.operand_bytes_by_controller += u64::from(bytes);
            }
        }
    }
}

const fn is_host_read(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::HostRead(_) | Purpose::OperandRead(_))
}
