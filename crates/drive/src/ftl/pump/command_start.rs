//! Start of commands: allocation of physical pages, and changes of the page map.

use venice_kernel::SimTime;
use venice_nand::chip::{Operation, PageOperation, PageSet};
use venice_nand::geometry::{DieId, GatherId, MappingUnits, PlaneId, Ppn, TransactionId};
use venice_nand::transactions::{PageState, Purpose, Transaction};
use venice_requests::SECTOR_BYTES;

use crate::controller::{Command, CopyDestination};
use crate::ftl::Pump;
use crate::ftl::shared::Shared;

impl Pump {
    /// Starts a command that the fabric has accepted. Its transactions are removed from their queue, and
    /// physical pages are allocated to programs. Calls `on_page` with the array operation on each page.
    pub(in crate::ftl) fn start(
        &mut self,
        die: DieId,
        command: &Command,
        now: SimTime,
        mut on_page: impl FnMut(PageOperation),
    ) {
        self.shared.stats.command_starts(command.operation, command.batch.len(), command.bytes);
        self.shared.queues.starts(die, &command.batch, &self.shared.transactions, self);
        for &id in &command.batch {
            on_page(self.start_transaction(die, id, now));
        }
    }

    /// Removes a transaction from the queue of its die, and starts it. Returns the array operation on its page.
    #[inline]
    pub(super) fn start_transaction(&mut self, die: DieId, id: TransactionId, now: SimTime) -> PageOperation {
        self.shared.queues.leave(&mut self.shared.transactions, die, id, now);
        let mut operation = self.start_one(id, now);
        if self.shared.space.blocks.slc().is_some() {
            self.apply_slc_mode(id, &mut operation);
        }
        if self.registers.is_some() {
            self.use_register(id, &mut operation);
        }
        operation
    }

    /// Records a sensed page in the register of its plane. If the register already contains the page, the
    /// operation becomes a read of the register.
    fn use_register(&mut self, id: TransactionId, operation: &mut PageOperation) {
        let Some(registers) = &mut self.registers else { return };
        let started = self.shared.transactions.get(id);
        let page = started.ppn().map(|slot| self.shared.units.first_of_page(slot));
        *operation = registers.start(started.plane, page, *operation);
    }

    /// Starts the transaction that receives a page from another chip's page register.
    pub(in crate::ftl) fn start_moving(
        &mut self,
        read: TransactionId,
        plane: PlaneId,
        now: SimTime,
    ) -> CopyDestination {
        let (operation, id) = match self.reads.start_load(&mut self.shared, read) {
            Some(load) => (Operation::Combine, load),
            None => (Operation::Program, self.collector.start_copy(&mut self.shared, read, plane)),
        };
        let mut work = self.start_one(id, now);
        self.use_register(id, &mut work);
        CopyDestination { operation, id, work }
    }

    /// Ends the read of a page that was copied from its page register to another chip.
    pub(in crate::ftl) fn copied(&mut self, read: TransactionId, now: SimTime) {
        self.fail_where_unreadable(read);
        let done = self.shared.transactions.remove(read);
        self.shared.stats.ended(read, &done);
        self.unpin(done.pinned(), done.plane, now);
    }

    /// Changes the operation on a page to SLC mode if its block is in this mode, on a drive with a pSLC cache.
    fn apply_slc_mode(&mut self, id: TransactionId, operation: &mut PageOperation) {
        let shared = &mut self.shared;
        let started = shared.transactions.get(id);
        let slot = match started.page {
            PageState::At { ppn, .. } | PageState::Given { ppn, .. } | PageState::From(ppn) => ppn,
            PageState::Unknown => return,
        };
        if !shared.space.blocks.is_slc(shared.geometry.block_of(slot)) {
            return;
        }
        let units = if started.lpn.is_some() { 1 } else { shared.members.count(id) };
        *operation = operation.in_slc_mode();
        shared.stats.slc_operation(*operation, units);
    }

    /// Starts a transaction. Returns the array operation on its page.
    fn start_one(&mut self, id: TransactionId, now: SimTime) -> PageOperation {
        let &Transaction { purpose, page, .. } = self.shared.transactions.get(id);
        match page {
            PageState::At { ppn, .. } => self.start_at(id, purpose, ppn, now),
            PageState::From(ppn) if purpose == Purpose::GcRead => self.start_sensing(id, ppn),
            PageState::From(ppn) if self.collector.is_copyback() => {
                let from = self.sense(id, ppn, 1);
                PageOperation::Copyback { from, to: self.start_program(id, purpose, now) }
            }
            _ if purpose == Purpose::SecondPass => self.start_second_pass(id),
            _ => {
                let (first, units) = (self.start_program(id, purpose, now), self.shared.units);
                match units.pages_of_program() {
                    1 => PageOperation::Program(first),
                    pages => PageOperation::ProgramEach(PageSet { first, mask: MappingUnits::mask(pages) }),
                }
            }
        }
    }

    /// Starts the read of a page. If a mapping unit has several pages, only the pages that contain requested
    /// sectors are read.
    fn start_sensing(&mut self, id: TransactionId, ppn: Ppn) -> PageOperation {
        let Shared { units, transactions, translation, .. } = &self.shared;
        let read = transactions.get(id);
        if units.pages() == 1 {
            let (is_of_host, sectors) =
                (matches!(read.purpose, Purpose::HostRead(_)), u64::from(read.command_sectors));
            let offset = self.sense(id, ppn, 1);
            let command_bytes = sectors * u64::from(SECTOR_BYTES);
            return if is_of_host {
                PageOperation::HostSense { offset, command_bytes }
            } else {
                PageOperation::Sense(offset)
            };
        }
        let mask = match read.sectors {
            // A look-up reads one sector of a translation page. Moves and write-backs read all sectors.
            0 if read.bytes <= SECTOR_BYTES => 1,
            0 => units.all_pages(),
            wanted => units.pages_with(wanted, translation.sectors.parts()),
        };
        let first = self.sense(id, ppn, mask.count_ones());
        PageOperation::SenseEach(PageSet { first, mask })
    }

    /// Starts an operation on a page that contains data.
    fn start_at(&mut self, id: TransactionId, purpose: Purpose, ppn: Ppn, now: SimTime) -> PageOperation {
        match purpose {
            Purpose::OperandLoad(gather) => {
                PageOperation::CombineLoaded { operation: self.reads.gathers.combination_begins(gather, 1) }
            }
            Purpose::OperandSense(gather) => self.sense_operands(id, gather, ppn),
            Purpose::GcErase => {
                self.shared.stats.erase_begins(self.shared.geometry.block_of(ppn));
                PageOperation::Erase
            }
            Purpose::Search(_) => {
                self.search_page_leaves(id, now);
                self.start_sensing(id, ppn)
            }
            _ => self.start_sensing(id, ppn),
        }
    }

    /// Starts sensing an operand of a gather, and the operands that are sensed together with it.
    fn sense_operands(&mut self, id: TransactionId, gather: GatherId, slot: Ppn) -> PageOperation {
        self.sense(id, slot, 1);
        self.shared.for_each_member(id, |shared, operand| {
            if let Some(slot) = shared.transactions.get(operand).ppn() {
                shared.stats.read_begins(&shared.transactions, operand, slot, 1);
            }
        });
        let started = self.reads.gathers.sense_starts(gather, id, slot);
        self.shared.stats.operands_sensed(&started);
        started.operation
    }

    /// Counts the read of `pages` flash pages, beginning at `ppn`. Returns the offset of the first of these
    /// pages within its block.
    fn sense(&mut self, id: TransactionId, ppn: Ppn, pages: u32) -> u32 {
        self.reads.read_starts(&mut self.shared, id, ppn);
        self.shared.stats.read_begins(&self.shared.transactions, id, ppn, pages);
        self.shared.page_offset(ppn)
    }

    /// Starts the program of a write, and allocates its physical page unless this was done before. Returns
    /// the offset of the page within its block.
    fn start_program(&mut self, id: TransactionId, purpose: Purpose, now: SimTime) -> u32 {
        let is_unit = self.shared.transactions.get(id).lpn.is_some();
        let ppn = match purpose {
            Purpose::ParityWrite(_) => self.shared.start_parity(id),
            Purpose::GcWrite if is_unit => self.collector.start_program(&mut self.shared, id),
            Purpose::GcWrite => self.collector.start_page(&mut self.shared, id),
            _ if is_unit => self.shared.page_of_write(id),
            _ => self.writes.start_page(&mut self.shared, id),
        };
        self.run_tasks(now);
        if purpose == Purpose::MappingWrite {
            self.map_program_started(id);
        }
        let units = if is_unit { 1 } else { self.shared.members.count(id) };
        let slots = self.shared.units.slots_of_program(ppn);
        let (pages, is_copyback) = (self.shared.units.pages_of_program(), self.collector.is_copyback());
        self.shared.stats.program_starts(purpose, slots, units, pages, is_copyback);
        self.shared.space.blocks.table.program_starts(self.shared.geometry.block_of(ppn));
        if let Some(ages) = &mut self.shared.ages {
            let block = self.shared.geometry.block_of(ppn);
            if ages.program_starts(block, now) {
                self.collector.block_programmed(block, now);
            }
        }
        if self.shared.parity.is_some() {
            self.shared.close_stripe(id, ppn, now);
        }
        if self.shared.has_two_passes {
            self.shared.queue_second_passes(ppn, now);
            self.run_tasks(now);
        }
        self.shared.page_offset(ppn)
    }

    /// Informs the component `mapper` that the program of a translation page, or of several in one physical
    /// page, has started.
    fn map_program_started(&mut self, id: TransactionId) {
        if let Some(page) = self.shared.transactions.get(id).lpn {
            self.mapper.program_started(page);
        }
        let mapper = &mut self.mapper;
        self.shared.for_each_member(id, |shared, unit| {
            if let Some(page) = shared.transactions.get(unit).lpn {
                mapper.program_started(page);
            }
        });
    }
}
