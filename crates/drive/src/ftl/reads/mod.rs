//! Reads: look-up of the physical page, mapping of pages that were never written, reads of the operands
//! of gathers, and searches.
//!
//! # Parameters
//! `ftl.unwritten_data`, `ftl.unwritten_place`, `ftl.read_sharing`, `ftl.read_codeword_bytes`

pub(in crate::ftl) mod errors;
mod gather_steps;
pub(super) mod gathers;
pub(super) mod page_registers;
pub(super) mod searches;
mod sharing;

use venice_kernel::SimTime;
use venice_nand::chip::ArrayTimes;
use venice_nand::geometry::{Geometry, Lpn, PlaneId, Ppn, Priority, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{PageState, Purpose, Transaction};

use crate::controller::queues::Queues;

use super::settings::{FollowUpClass, FtlSettings};
use super::shared::Shared;
use super::tasks::Task;
use super::translation::{PageLocation, Translation};

use errors::ReadErrors;
use gathers::{Gathers, OperandCells};
use searches::Searches;
use sharing::QueuedReads;
pub use sharing::ReadSharing;

/// Read of some sectors of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageRead {
    pub(super) purpose: Purpose,
    pub(super) priority: Priority,
    pub(super) stream: u16,
    pub(super) lpn: Lpn,
    /// Bit mask of the sectors to be read.
    pub(super) sectors: u64,
    /// Number of sectors of the host's read command, or 0 for other reads.
    pub(super) command_sectors: u32,
    pub(super) clock: StageClock,
}

impl PageRead {
    /// Creates the transaction of the read, without its physical page.
    #[inline]
    pub(super) fn transaction(&self, translation: &Translation, queues: &Queues) -> Transaction {
        let &Self { purpose, priority, stream, lpn, sectors, command_sectors, clock } = self;
        Transaction {
            priority,
            lane: queues.lane(priority),
            lpn: Some(lpn),
            sectors,
            command_sectors,
            stream,
            bytes: translation.sectors.bytes_of(sectors),
            ..Transaction::new(purpose, PlaneId(0), clock)
        }
    }
}

/// Reads that are not yet queued for a die, gathers, and searches.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    geometry: Geometry,
    follow_up_class: FollowUpClass,
    queued: QueuedReads,
    /// Size of a codeword in bytes. Each transfer of a read consists of whole codewords; with 0, only the
    /// requested sectors are transferred.
    codeword_bytes: u32,
    /// Size in bytes of a page, or of a mapping unit if it consists of several pages.
    page_bytes: u32,
    pub(super) gathers: Gathers,
    pub(super) searches: Searches,
    /// Model of read errors; `None` if the controller has no decoders.
    pub(super) errors: Option<Box<ReadErrors>>,
}

impl Reads {
    /// Creates the state of reads, gathers and searches for an erased drive.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings, array: &ArrayTimes) -> Self {
        Self {
            geometry: *geometry,
            follow_up_class: settings.follow_up_class,
            queued: QueuedReads::new(settings.read_sharing),
            codeword_bytes: settings.read_codeword_bytes,
            page_bytes: geometry.page_bytes * settings.units.per_page(),
            gathers: Gathers::new(settings, OperandCells::of(array), geometry),
            searches: Searches::new(settings.search.clone(), settings.seed, geometry),
            errors: None,
        }
    }

    /// Sets the physical page of a read whose map entry is in memory, and queues the read for its die.
    #[inline]
    pub(super) fn place(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn, now: SimTime) {
        match shared.translation.map.location(lpn) {
            PageLocation::Mapped(_) | PageLocation::Unmapped if shared.returns_zeroes(id, lpn) => {}
            PageLocation::Mapped(ppn)
                if shared.is_between_passes(ppn) && shared.read_from_buffer(id, ppn) => {}
            PageLocation::Mapped(ppn) => self.send_mapped(shared, id, ppn, now),
            PageLocation::Deallocated if shared.ends_without_die(id, lpn) => {}
            PageLocation::Unmapped | PageLocation::Deallocated => self.place_unmapped(shared, id, lpn, now),
        }
    }

    /// Sets the physical page of a read whose logical page is not mapped. This is the location that static
    /// allocation determines or, with `ftl.unwritten_data = "mapped_on_read"`, a free physical page to which
    /// the read maps the logical page.
    fn place_unmapped(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn, now: SimTime) {
        match shared.map_unwritten(id, lpn) {
            Some((ppn, _)) if shared.tasks.has_new() => shared.tasks.push(Task::SendRead { read: id, ppn }),
            Some((ppn, plane)) => self.send(shared, id, ppn, plane, true, now),
            None => {
                let (ppn, plane) = shared.translation.place_before_the_run(lpn);
                self.send(shared, id, ppn, plane, false, now);
            }
        }
    }

    /// Queues a read of a mapped page. The page's block cannot be erased until the read ends.
    #[inline]
    pub(super) fn send_mapped(&mut self, shared: &mut Shared, id: TransactionId, ppn: Ppn, now: SimTime) {
        let plane = self.geometry.plane_of_page(ppn);
        self.send(shared, id, ppn, plane, true, now);
    }

    #[inline]
    fn send(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        ppn: Ppn,
        plane: PlaneId,
        is_pinned: bool,
        now: SimTime,
    ) {
        let read = shared.transactions.get_mut(id);
        (read.page, read.plane) = (PageState::At { ppn, is_pinned }, plane);
        if self.codeword_bytes > 0 {
            let unit_bytes = self.geometry.page_bytes;
            read.bytes = read.bytes.next_multiple_of(self.codeword_bytes.min(unit_bytes)).min(unit_bytes);
        }
        let purpose = read.purpose;
        if is_pinned {
            shared.space.blocks.table.pin(self.geometry.block_of(ppn));
        }
        if let Purpose::OperandRead(gather) = purpose {
            return self.send_operand(shared, id, gather, ppn, now);
        }
        if !self.queued.join(shared, id, ppn) {
            shared.enqueue(id, now);
        }
    }

    /// Records the start of a read, so that no further read of its page joins it. Its transfer then consists of
    /// whole codewords.
    #[inline]
    pub(super) fn read_starts(&mut self, shared: &mut Shared, id: TransactionId, ppn: Ppn) {
        self.queued.leave(shared, id, ppn);
        if self.codeword_bytes > 0 {
            let read = shared.transactions.get_mut(id);
            if matches!(read.purpose, Purpose::HostRead(_) | Purpose::UpdateRead(_)) {
                read.bytes = read.bytes.next_multiple_of(self.codeword_bytes).min(self.page_bytes);
            }
        }
    }

    /// Reads the sectors that a write does not cover from the current version of the page.
    pub(super) fn read_missing(
        &mut self,
        shared: &mut Shared,
        write: TransactionId,
        sectors: u64,
        now: SimTime,
    ) {
        let &Transaction { clock, priority, lpn, .. } = shared.transactions.get(write);
        let lpn = lpn.expect("a write has a logical page");
        let priority = self.follow_up_class.of(priority);
        let purpose = Purpose::UpdateRead(write);
        let page = PageRead { purpose, priority, stream: 0, lpn, sectors, command_sectors: 0, clock };
        let read = shared.insert_read(page.transaction(&shared.translation, &shared.queues));
        self.place(shared, read, lpn, now);
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{BlockId, RequestId};
    use venice_nand::testkit::paper_flash;
    use venice_nand::transactions::Origin;

    use super::*;
    use crate::ftl::settings::UnwrittenData;
    use crate::ftl::shared::bench::Bench;

    const P0: PlaneId = PlaneId(0);

    fn reads(set: impl FnOnce(&mut FtlSettings)) -> (Bench, Reads) {
        let bench = Bench::new(1, set);
        let reads = Reads::new(&bench.shared.geometry, &bench.settings, &paper_flash(1).array);
        (bench, reads)
    }

    fn read(bench: &mut Bench, reads: &mut Reads, lpn: u32, sectors: u64) -> Transaction {
        let (purpose, clock) =
            (Purpose::HostRead(Origin::Request(RequestId(0))), StageClock::start(bench.now));
        let (priority, lpn) = (Priority::High, Lpn(lpn));
        let page = PageRead { purpose, priority, stream: 0, lpn, sectors, command_sectors: 0, clock };
        let id = bench.shared.insert_read(page.transaction(&bench.shared.translation, &bench.shared.queues));
        reads.place(&mut bench.shared, id, lpn, bench.now);
        *bench.shared.transactions.get(id)
    }

    #[test]
    fn mapped_page_is_read_where_it_is_and_kept_from_erasure() {
        let (mut bench, mut reads) = reads(|_| {});
        bench.fill(0, 7, 5);
        let page = read(&mut bench, &mut reads, 11, 0x3);
        assert_eq!((page.page, page.plane), (PageState::At { ppn: Ppn(4), is_pinned: true }, P0));
        assert_eq!((page.bytes, bench.queued(0).len()), (2 * 512, 1));
        assert_eq!(bench.shared.space.blocks.table[BlockId(1)].pending_reads, 1);
        assert_eq!(bench.tasks(), []);
    }

    #[test]
    fn unwritten_page_is_read_where_static_allocation_puts_it() {
        let (mut bench, mut reads) = reads(|_| {});
        let page = read(&mut bench, &mut reads, 6, 0xff);
        assert_eq!(page.page, PageState::At { ppn: Ppn(6), is_pinned: false });
        assert_eq!(bench.shared.space.blocks.table[BlockId(1)].pending_reads, 0);
        assert_eq!((bench.queued(0).len(), bench.shared.translation.mapped_pages()), (1, 0));
    }

    #[test]
    fn read_maps_an_unwritten_page_once() {
        let (mut bench, mut reads) = reads(|settings| settings.unwritten_data = UnwrittenData::MappedOnRead);
        for _ in 0..2 {
            let page = read(&mut bench, &mut reads, 6, 0x3);
            assert_eq!(page.page, PageState::At { ppn: Ppn(0), is_pinned: true });
        }
        let plane = &bench.shared.space.blocks.planes[P0];
        assert_eq!((plane.committed_pages, plane.pending_programs, plane.invalid_pages), (1, 0, 0));
        assert_eq!(bench.shared.translation.present_sectors(Lpn(6)), 0x3);
        assert_eq!((bench.queued(0).len(), bench.tasks()), (2, Vec::new()));
    }

    #[test]
    fn read_of_an_unwritten_page_waits_for_the_collection_that_it_requests() {
        let (mut bench, mut reads) = reads(|settings| settings.unwritten_data = UnwrittenData::MappedOnRead);
        bench.fill(0, 1, 1);
        bench.fill(0, 1, 1);
        let page = read(&mut bench, &mut reads, 6, 0x3);
        let tasks = bench.tasks();
        let [Task::Collect(P0), Task::SendRead { read, ppn: Ppn(2) }] = tasks[..] else {
            panic!("{tasks:?}")
        };
        assert_eq!((page.page, bench.queued(0)), (PageState::Unknown, Vec::new()));
        reads.send_mapped(&mut bench.shared, read, Ppn(2), bench.now);
        assert_eq!(bench.queued(0), [read]);
    }

    #[test]
    fn full_plane_maps_no_page_for_a_read() {
        for (committed, is_mapped) in [(26, true), (27, false)] {
            let (mut bench, mut reads) =
                reads(|settings| settings.unwritten_data = UnwrittenData::MappedOnRead);
            bench.shared.space.blocks.planes[P0].committed_pages = committed;
            let page = read(&mut bench, &mut reads, 6, 0x3);
            assert_eq!(page.pinned().is_some(), is_mapped);
        }
    }

    #[test]
    fn missing_sectors_of_a_write_are_read_in_its_name() {
        for (class, expected) in [(FollowUpClass::Own, Priority::Low), (FollowUpClass::High, Priority::High)]
        {
            let (mut bench, mut reads) = reads(|settings| settings.follow_up_class = class);
            bench.wait_us(4);
            let purpose = Purpose::HostWrite(Origin::Request(RequestId(0)));
            let write = bench.shared.transactions.insert(Transaction {
                lpn: Some(Lpn(6)),
                priority: Priority::Low,
                ..Transaction::new(purpose, P0, StageClock::start(bench.now))
            });
            reads.read_missing(&mut bench.shared, write, 0x70, bench.now);
            let read = *bench.shared.transactions.get(bench.queued(0)[0]);
            assert_eq!((read.purpose, read.priority), (Purpose::UpdateRead(write), expected));
            assert_eq!((read.lpn, read.bytes, read.clock.started()), (Some(Lpn(6)), 3 * 512, bench.now));
            assert_eq!(bench.shared.stats.counters().update_reads, 1);
        }
    }
}
