//! Components of the flash translation layer, and execution of the tasks that they queue for each other.
//!
//! # How
//! Each step is a method of one component, which gets [`Shared`] as an argument. [`Pump::run_tasks`] executes
//! the tasks that the step has queued for other components, depth first. Only [`Pump`] has access to several
//! components.

mod command_end;
mod command_start;
mod decoding;
mod legality;
mod searching;

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{ChipId, DieId, Geometry, Lpn, PlaneId, Ppn, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::{Purpose, Transaction};

use super::collector::Collector;
use super::loss::Loss;
use super::mapper::Mapper;
use super::reads::gathers::PendingGather;
use super::reads::page_registers::PageRegisters;
use super::reads::{PageRead, Reads};
use super::scrub::Scrub;
use super::settings::FtlSettings;
use super::shared::Shared;
use super::tasks::Task;
use super::writes::{PageTrim, PageWrite, Writes};

pub use command_end::FinishedPage;
pub use decoding::{DecodedPage, PageArrival};

/// Components of the flash translation layer, and the state that they share.
#[derive(Clone, Debug)]
pub(super) struct Pump {
    pub(super) shared: Shared,
    pub(super) reads: Reads,
    pub(super) writes: Writes,
    pub(super) collector: Collector,
    pub(super) mapper: Mapper,
    pub(super) loss: Loss,
    /// Contents of the planes' page registers; `None` if each read senses its page.
    pub(super) registers: Option<PageRegisters>,
    /// State of scrub; `None` for a drive without scrub.
    pub(super) scrub: Option<Box<Scrub>>,
}

impl Pump {
    /// Creates the components of an erased drive.
    pub(super) fn new(
        geometry: Geometry,
        settings: &FtlSettings,
        flash: &FlashSettings,
        is_audited: bool,
    ) -> Self {
        let shared = Shared::new(geometry, settings, flash, is_audited);
        Self {
            reads: Reads::new(&geometry, settings, &flash.array),
            writes: Writes::new(&geometry, settings),
            collector: Collector::new(&geometry, settings),
            mapper: Mapper::new(settings, &shared.translation.addresses),
            loss: Loss::default(),
            registers: PageRegisters::new(&geometry, &flash.array),
            scrub: Scrub::new(&shared.geometry, settings.scrub_pages_per_s).map(Box::new),
            shared,
        }
    }

    /// Executes all queued tasks, and the tasks that these queue.
    #[inline]
    pub(super) fn run_tasks(&mut self, now: SimTime) {
        if !self.shared.tasks.is_empty() {
            self.run_left_tasks(now);
            self.end_buffer_reads(now);
        }
    }

    fn run_left_tasks(&mut self, now: SimTime) {
        while let Some(task) = self.shared.tasks.next() {
            let Self { shared, reads, writes, collector, mapper, loss, .. } = self;
            match task {
                Task::Enqueue(id) => shared.queues.join(&mut shared.transactions, id, now),
                Task::Proceed(id) => self.proceed_with(id, now),
                Task::ReadMissing { write, sectors } => reads.read_missing(shared, write, sectors, now),
                Task::SendRead { read, ppn } => reads.send_mapped(shared, read, ppn, now),
                Task::WakeWrite(id) => self.wake_write(id, now),
                Task::PlaceWrite(placement) => writes.place_after_read(shared, &placement, now),
                Task::PlaceMapWrite(id) => writes.place_map_write(shared, id, now),
                Task::RoomFreed(plane) => writes.room_freed(shared, plane, now),
                Task::PlaceWaiting(plane) => writes.place_waiting(shared, plane, now),
                Task::PlaceWithoutPlane(position) => writes.place_without_plane(shared, position, now),
                Task::QuotaFreed(lpn) => writes.quota_freed(shared, lpn, now),
                Task::EndRead(id) => shared.ended_reads.push_back(id),
                Task::Collect(plane) => collector.collect_if_short(shared, plane, now),
                Task::OrderMoves(plane) => collector.order_moves(shared, plane, now),
                Task::EntryChanged(lpn) => mapper.enter(shared, lpn, true),
                Task::PageMoved(lpn) => mapper.page_moved(lpn),
                Task::ReadMap { page, bytes, writes_back } => {
                    let read = mapper.read_page(shared, page, bytes, writes_back, now);
                    self.proceed_with(read, now);
                }
                Task::FetchMap(page) => mapper.fetch_page(page, now),
                Task::MoveMap(page) => mapper.move_without_program(shared, page),
                Task::WakeLookUps { conflicted } => self.wake_look_ups(conflicted, now),
                Task::FailWrite(id) => loss.fail(shared, id),
            }
        }
    }

    /// Looks up the page of a transaction. Continues the transaction if the map entry is in memory.
    #[inline]
    fn look_up(&mut self, id: TransactionId, purpose: Purpose, lpn: Lpn, now: SimTime) {
        if !self.mapper.look_up(&mut self.shared, id, purpose, lpn) {
            return;
        }
        if self.shared.tasks.has_new() {
            self.shared.tasks.push(Task::Proceed(id));
        } else {
            self.proceed(id, purpose, lpn, now);
        }
    }

    /// Continues a transaction whose map entry is in memory.
    fn proceed_with(&mut self, id: TransactionId, now: SimTime) {
        let &Transaction { purpose, lpn, .. } = self.shared.transactions.get(id);
        self.proceed(id, purpose, lpn.expect("only transactions of a logical page look it up"), now);
    }

    /// Processes the end of the read of a translation page.
    fn map_page_read(&mut self, page: Lpn, writes_back: bool, conflicted: bool, now: SimTime) {
        self.mapper.page_read(&mut self.shared, page, writes_back, now);
        if self.shared.tasks.has_new() {
            self.shared.tasks.push(Task::WakeLookUps { conflicted });
        } else {
            self.wake_look_ups(conflicted, now);
        }
    }

    /// Continues the transactions that waited for the translation page that was read last. All tasks of one
    /// transaction are executed before the next transaction continues.
    fn wake_look_ups(&mut self, conflicted: bool, now: SimTime) {
        while let Some(id) = self.mapper.next_woken(&mut self.shared, conflicted, now) {
            if self.shared.tasks.has_new() {
                self.shared.tasks.push(Task::Proceed(id));
            } else {
                self.proceed_with(id, now);
            }
            if self.shared.tasks.has_new() {
                return self.shared.tasks.push(Task::WakeLookUps { conflicted });
            }
        }
    }

    /// Continues a transaction whose map entry is in memory.
    #[inline]
    fn proceed(&mut self, id: TransactionId, purpose: Purpose, lpn: Lpn, now: SimTime) {
        match purpose {
            Purpose::HostWrite(_) => self.writes.start(&mut self.shared, id, lpn, now),
            _ => self.reads.place(&mut self.shared, id, lpn, now),
        }
    }

    /// Continues a write or trim that has acquired the lock of its logical page.
    fn wake_write(&mut self, id: TransactionId, now: SimTime) {
        let write = self.shared.transactions.get_mut(id);
        write.clock.charge(Stage::Queue, now);
        let (purpose, lpn) = (write.purpose, write.lpn.expect("a write has a logical page"));
        match purpose {
            Purpose::Trim(_) => self.writes.deallocate(&mut self.shared, id, lpn),
            _ => self.look_up(id, purpose, lpn, now),
        }
    }

    /// Continues the transactions whose map entries have been read from the host memory buffer.
    pub(super) fn map_fetched(&mut self, now: SimTime) {
        while let Some(page) = self.mapper.next_fetched(now) {
            self.map_page_read(page, false, false, now);
            self.run_tasks(now);
        }
    }

    /// Queues all partly filled pages for their dies.
    pub(super) fn queue_open_pages(&mut self, now: SimTime) {
        self.writes.queue_open_pages(&mut self.shared, now);
        self.run_tasks(now);
    }

    /// Queues partly filled pages whose maximum waiting time for further mapping units has passed.
    pub(super) fn queue_due_pages(&mut self, now: SimTime) {
        self.writes.queue_due_pages(&mut self.shared, now);
        self.run_tasks(now);
    }

    /// Accepts a read of some sectors of a page.
    #[inline]
    pub(super) fn accept_read(&mut self, page: &PageRead, now: SimTime) {
        let id = self.shared.insert_read(page.transaction(&self.shared.translation, &self.shared.queues));
        self.look_up(id, page.purpose, page.lpn, now);
        self.run_tasks(now);
    }

    /// Accepts a write of some sectors of a page.
    #[inline]
    pub(super) fn accept_write(&mut self, page: &PageWrite, now: SimTime) {
        if let Some(id) = self.writes.accept(&mut self.shared, page, now) {
            self.look_up(id, Purpose::HostWrite(page.origin), page.lpn, now);
            self.run_tasks(now);
        }
    }

    /// Accepts the deallocation of a page. Returns true if the deallocation waits for a write of the page.
    pub(super) fn accept_trim(&mut self, page: PageTrim, now: SimTime) -> bool {
        let waits = self.writes.accept_trim(&mut self.shared, page, now);
        self.run_tasks(now);
        waits
    }

    /// Starts a gather whose target chip is free: its operands are looked up and read.
    pub(super) fn begin_gather(&mut self, wanted: &PendingGather, now: SimTime) {
        let gather = self.reads.begin_gather(&mut self.shared, wanted);
        for &lpn in &gather.operands {
            let page = gather.read_of(lpn, &self.shared.space, now);
            self.accept_read(&page, now);
        }
    }

    /// Marks `chips` as lost, and redirects the writes that are queued for them.
    pub(super) fn lose(&mut self, chips: &[ChipId], now: SimTime) {
        self.loss.lose(&mut self.shared, chips);
        let geometry = self.shared.geometry;
        for die in (0..geometry.dies()).map(DieId) {
            if chips.contains(&geometry.chip_of(die)) {
                self.clear_lost_die(die, now);
            }
        }
        for id in self.writes.take_without_plane() {
            self.place_again(id, now);
        }
    }

    fn clear_lost_die(&mut self, die: DieId, now: SimTime) {
        self.loss.begin_scan(&self.shared, die);
        while let Some(id) = self.loss.next_queued(&mut self.shared, die, now) {
            let units = self.writes.disband(&mut self.shared, id);
            self.leave_lost_plane(units, now);
        }
        for plane in self.shared.geometry.planes_of(die) {
            let units = self.writes.take_open_units(&mut self.shared, plane);
            self.leave_lost_plane(units, now);
            while let Some(id) = self.writes.next_waiting_in(&mut self.shared, plane) {
                self.shared.leave_lost_plane(id);
                self.place_again(id, now);
            }
        }
        self.shared.queues.wake(die);
    }

    /// Redirects the writes of mapping units from a lost plane to other planes.
    fn leave_lost_plane(&mut self, units: Vec<TransactionId>, now: SimTime) {
        for id in units {
            self.shared.leave_lost_plane(id);
            self.place_again(id, now);
        }
    }

    fn place_again(&mut self, id: TransactionId, now: SimTime) {
        self.writes.place_again(&mut self.shared, id, now);
        self.run_tasks(now);
    }

    /// Releases the block of the page `pinned` after the end of a read. If only this read prevented the erase
    /// of the block, the erase is queued.
    #[inline]
    fn unpin(&mut self, pinned: Option<Ppn>, plane: PlaneId, now: SimTime) {
        if let Some(ppn) = pinned {
            let Self { shared, collector, .. } = self;
            let block = shared.geometry.block_of(ppn);
            shared.space.blocks.table.unpin(block);
            if collector.has_due_blocks() {
                collector.note_read(shared, block, now);
            }
            if shared.space.blocks.planes[plane].collection.is_some() {
                collector.erase_if_empty(shared, plane, now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{Priority, RequestId};
    use venice_nand::transactions::Origin;

    use super::*;
    use crate::ftl::VictimPolicy;
    use crate::ftl::settings::{PageAllocation, WriteFrontiers};
    use crate::ftl::space::WriteStream;
    use crate::testkit::settings::SmallDrive;

    const PLANE: PlaneId = PlaneId(0);

    /// Creates a plane of eight blocks of two pages at the start of a run. Seven blocks are full, six of them
    /// have one invalid page, and no block is open.
    fn full_plane(page_allocation: PageAllocation, write_frontiers: WriteFrontiers) -> Pump {
        let mut drive = SmallDrive::new(1, 1);
        let geometry = &mut drive.geometry;
        (geometry.planes_per_die, geometry.blocks_per_plane, geometry.pages_per_block) = (1, 8, 2);
        (drive.ftl.page_allocation, drive.ftl.write_frontiers) = (page_allocation, write_frontiers);
        // The random policy rarely returns a block unless it must.
        drive.ftl.victim = VictimPolicy::Random;
        let mut pump = Pump::new(drive.geometry, &drive.ftl, &drive.flash, false);
        for page in 0..14 {
            let blocks = &mut pump.shared.space.blocks;
            let ppn = blocks.allocate_written(PLANE, WriteStream::Host(0)).unwrap();
            if page < 12 && page % 2 == 0 {
                blocks.invalidate(ppn);
            }
        }
        pump
    }

    #[test]
    fn write_without_room_starts_a_collection_even_before_the_first_program() {
        for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
            for write_frontiers in [WriteFrontiers::Separate, WriteFrontiers::Shared] {
                let mut pump = full_plane(page_allocation, write_frontiers);
                assert_eq!(pump.shared.space.blocks.next_offset(PLANE, WriteStream::Host(0)), None);
                let page = PageWrite {
                    origin: Origin::Request(RequestId(0)),
                    queue: 0,
                    priority: Priority::High,
                    lpn: Lpn(0),
                    sectors: pump.shared.translation.sectors.whole_page(),
                };
                pump.accept_write(&page, SimTime::ZERO);
                let collects = pump.shared.space.blocks.planes[PLANE].collection.is_some();
                assert!(collects, "{page_allocation:?}, {write_frontiers:?}");
            }
        }
    }
}
