//! State that the components of the flash translation layer share: transactions, their queues, pages on
//! flash, and counters.
//!
//! # How
//!
//! The [pump](super::pump) holds the shared state and passes it to one component at a time. Each part of the
//! state changes only by its own methods. Steps that change several parts are methods of [`Shared`]; the
//! module `pages` contains those for pages.

mod block_ages;
mod packing;
mod pages;
mod unreadable;

use std::collections::{BTreeMap, VecDeque};

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{Geometry, Lpn, MappingUnits, PlaneId, Ppn, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::{PageState, Purpose, Transaction, Transactions};

use crate::controller::queues::{QueueSettings, Queues};

use super::parity::{ParityLayout, Rebuild};
use super::settings::FtlSettings;
use super::space::{Space, WriteStream};
use super::stats::FtlStats;
use super::tasks::{Task, Tasks};
use super::translation::Translation;

pub use block_ages::InitialAges;
pub(super) use block_ages::{BlockAge, BlockAges, PS_PER_DAY};
pub(super) use packing::PageMembers;
pub(super) use unreadable::UnreadableData;

/// State that the components of the flash translation layer share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// Geometry of the drive in mapping units: each unit counts as a page.
    pub(super) geometry: Geometry,
    pub(super) units: MappingUnits,
    /// True if word lines are programmed in two passes.
    pub(super) has_two_passes: bool,
    /// Transactions of mapping units, grouped by the page transaction with which a die executes them.
    pub(super) members: PageMembers,
    /// Page map and address ranges.
    pub(super) translation: Translation,
    /// State of blocks and planes, from which pages are allocated.
    pub(super) space: Space,
    /// Transactions in flight.
    pub(super) transactions: Transactions,
    /// Queues of transactions that wait for a die.
    pub(super) queues: Queues,
    pub(super) stats: FtlStats,
    /// Queue of tasks for other components.
    pub(super) tasks: Tasks,
    /// Ended transactions of host requests that needed no operation of a die, or shared the operation of
    /// another transaction.
    pub(super) without_die: VecDeque<TransactionId>,
    /// Reads that the controller's buffer has served, but that have not ended yet.
    pub(super) ended_reads: VecDeque<TransactionId>,
    /// Old version of each page whose program has not ended. `None` if blocks with such old versions may be
    /// erased.
    pub(super) old_versions: Option<BTreeMap<Ppn, Ppn>>,
    /// Groups of dies that are protected by parity; `None` for a drive without parity.
    pub(super) parity: Option<Box<ParityLayout>>,
    /// Rebuilds in progress.
    pub(super) rebuilds: Vec<Rebuild>,
    /// Reads whose rebuild has ended, successfully or not, but that have not ended yet.
    pub(super) rebuilt: Vec<TransactionId>,
    /// Slots (locations of mapping units) whose data could not be corrected.
    pub(super) unreadable: UnreadableData,
    /// Ages of the data in blocks, if read errors or refresh depend on them.
    pub(super) ages: Option<Box<BlockAges>>,
}

impl Shared {
    /// Creates the shared state of the translation layer's components for an erased drive.
    pub(super) fn new(
        geometry: Geometry,
        settings: &FtlSettings,
        flash: &FlashSettings,
        is_audited: bool,
    ) -> Self {
        let translation = Translation::new(geometry, settings);
        let queues = QueueSettings {
            units: settings.units,
            streams: settings.write_streams,
            collection_yields: settings.gc_yields_to_host,
            copyback: settings.gc_copyback,
            pages_are_early: settings.page_allocation.is_early(),
            programs_take_turns: settings.page_allocation.is_early() || settings.has_two_passes(),
            moves_leave: settings.moves_leave() || settings.allocation.is_striped(),
            by_line: settings.allocation.is_striped(),
        };
        let space = Space::new(geometry, settings, &translation);
        let mut stats = FtlStats::new(is_audited, &geometry, &translation, settings.page_allocation);
        if let Some(slc) = space.blocks.slc() {
            stats.permit_slc_blocks(slc.first_slot());
        }
        Self {
            space,
            stats,
            units: settings.units,
            has_two_passes: settings.has_two_passes(),
            members: PageMembers::default(),
            transactions: Transactions::default(),
            queues: Queues::new(&geometry, flash, queues, &settings.scheduling),
            tasks: Tasks::default(),
            without_die: VecDeque::new(),
            ended_reads: VecDeque::new(),
            old_versions: settings.restart.keep_old_versions.then(BTreeMap::new),
            parity: settings.parity_layout(&geometry).map(Box::new),
            rebuilds: Vec::new(),
            rebuilt: Vec::new(),
            unreadable: UnreadableData::default(),
            ages: None,
            translation,
            geometry,
        }
    }

    /// Returns true for a move whose page has been overwritten or trimmed since the move was queued.
    #[inline]
    pub(super) fn is_outdated(&self, transaction: &Transaction) -> bool {
        match transaction.page {
            // The transaction of a page with several units has no logical page; its units are checked when
            // its program starts.
            PageState::From(ppn) => {
                transaction.lpn.is_some_and(|lpn| self.translation.map.logical(ppn) != Some(lpn))
            }
            _ => false,
        }
    }

    /// Returns the offset within its block of the flash page that contains the slot (location of a mapping
    /// unit) `ppn`.
    #[inline]
    pub(super) const fn page_offset(&self, ppn: Ppn) -> u32 {
        self.units.page_offset(self.geometry.page_offset(ppn))
    }

    /// Returns the offset within its block of the next page of a stream, or `None` if the stream has no free
    /// page.
    #[inline]
    pub(super) fn next_page_offset(&self, plane: PlaneId, stream: WriteStream) -> Option<u32> {
        self.space.blocks.next_offset(plane, stream).map(|offset| self.units.page_offset(offset))
    }

    /// Records the contents of the drive before the run in the audit, if there is one.
    pub(super) fn begin_audit(&mut self) {
        self.stats.begin_with(&self.geometry, &self.translation, &self.space);
    }

    /// Inserts a read into the transaction table, without queueing it.
    pub(super) fn insert_read(&mut self, read: Transaction) -> TransactionId {
        let id = self.transactions.insert(read);
        let read = self.transactions.get(id);
        if let Some(lpn) = read.lpn {
            self.stats.read_accepted(id, lpn, read);
        }
        id
    }

    /// Ends a host read or a search of a deallocated page, which needs no operation of a die. Returns false,
    /// without an effect, if the transaction needs a die. An example is the read of a gather's operand.
    pub(super) fn ends_without_die(&mut self, id: TransactionId, lpn: Lpn) -> bool {
        let is_host_read =
            matches!(self.transactions.get(id).purpose, Purpose::HostRead(_) | Purpose::Search(_));
        if is_host_read {
            self.stats.deallocated_page_read(id, lpn);
            self.without_die.push_back(id);
        }
        is_host_read
    }

    /// Queues a task that adds a transaction to the queue of its die.
    #[inline]
    pub(super) fn enqueue(&mut self, id: TransactionId, now: SimTime) {
        if self.tasks.has_new() {
            self.tasks.push(Task::Enqueue(id));
        } else {
            self.queues.join(&mut self.transactions, id, now);
        }
    }

    /// Adds a write to the queue of its die. Its physical page is allocated later. If the plane has neither a
    /// free page nor a pending program, requests garbage collection, since a run may begin with a full plane.
    pub(super) fn enqueue_without_page(&mut self, id: TransactionId, now: SimTime) {
        let write = self.transactions.get(id);
        let (plane, stream) = (write.plane, self.space.stream_of(write));
        self.enqueue(id, now);
        let blocks = &self.space.blocks;
        if blocks.planes[plane].pending_programs == 0 && blocks.next_offset(plane, stream).is_none() {
            self.check_free_blocks(plane);
        }
    }

    /// Fails a write that found no free page. Returns a copy of its transaction.
    pub(super) fn fail_write(&mut self, id: TransactionId, now: SimTime) -> Transaction {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        write.has_failed = true;
        *write
    }

    /// Queues a task that starts garbage collection in a plane with too few free blocks.
    #[inline]
    pub(super) fn check_free_blocks(&mut self, plane: PlaneId) {
        // Most planes have no block to collect, or garbage collection in progress.
        if self.tasks.has_new() || self.space.blocks.may_collect(plane) {
            self.tasks.push(Task::Collect(plane));
        }
    }

    /// Marks the data in a slot (location of a mapping unit) as unreadable.
    pub(super) fn lose_slot(&mut self, slot: Ppn) {
        self.unreadable.insert(slot);
        self.stats.slot_lost(slot);
    }

    /// Records that the map entry of a host page has changed. If the map is only partly in memory, this
    /// queues a task for the component `mapper`.
    #[inline]
    pub(super) fn entry_changed(&mut self, lpn: Lpn) {
        if self.translation.is_paged {
            self.tasks.push(Task::EntryChanged(lpn));
        }
    }
}

#[cfg(test)]
pub(super) mod bench {
    //! Test bench for one component of the flash translation layer. The test executes the tasks that the
    //! component queues, and ends transactions in place of dies. The bench contains no component, so tests of
    //! one component do not depend on others.

    use venice_kernel::{SimSpan, SimTime};
    use venice_nand::geometry::{DieId, Geometry, Lpn, PlaneId, TransactionId};
    use venice_nand::testkit::paper_flash;
    use venice_nand::transactions::{Purpose, Transaction, TransactionClass};

    use crate::controller::queues::lanes::DieLane;
    use crate::testkit::settings::SmallDrive;

    use super::{FtlSettings, Shared, Task};
    use crate::ftl::space::WriteStream;

    /// All classes of transactions.
    const CLASSES: [TransactionClass; 10] = [
        TransactionClass::MappingRead,
        TransactionClass::HostRead,
        TransactionClass::MappingWrite,
        TransactionClass::HostWrite,
        TransactionClass::GcRead,
        TransactionClass::GcWrite,
        TransactionClass::GcErase,
        TransactionClass::Operand,
        TransactionClass::Search,
        TransactionClass::Scrub,
    ];

    /// Shared state, as passed to the component under test, and the current time.
    pub(in crate::ftl) struct Bench {
        pub(in crate::ftl) shared: Shared,
        pub(in crate::ftl) settings: FtlSettings,
        pub(in crate::ftl) now: SimTime,
    }

    impl Bench {
        /// Creates erased chips, each with one die of one plane. A plane has eight blocks of four pages of
        /// eight sectors, half of them for the host. The contents are audited.
        pub(in crate::ftl) fn new(chips: u32, set: impl FnOnce(&mut FtlSettings)) -> Self {
            Self::of(|geometry, settings| {
                geometry.array.cols = chips;
                settings.over_provisioning_ratio = 0.5;
                set(settings);
            })
        }

        /// Creates an erased chip as in [`Self::new`]. `set` changes the geometry and the settings.
        pub(in crate::ftl) fn of(set: impl FnOnce(&mut Geometry, &mut FtlSettings)) -> Self {
            let mut drive = SmallDrive::new(1, 1);
            let geometry = &mut drive.geometry;
            (geometry.planes_per_die, geometry.blocks_per_plane, geometry.pages_per_block) = (1, 8, 4);
            set(geometry, &mut drive.ftl);
            let shared = Shared::new(drive.geometry, &drive.ftl, &paper_flash(1), true);
            Self { shared, settings: drive.ftl, now: SimTime::ZERO }
        }

        /// Removes and returns the tasks that the last step has queued, in the order in which they would be
        /// executed.
        pub(in crate::ftl) fn tasks(&mut self) -> Vec<Task> {
            std::iter::from_fn(|| self.shared.tasks.next()).collect()
        }

        /// Advances the current time by `us` microseconds.
        pub(in crate::ftl) fn wait_us(&mut self, us: u64) {
            self.now = self.now + SimSpan::from_us(us);
        }

        /// Returns the transactions that wait for a die, sorted by class, then by their position in the
        /// queue.
        pub(in crate::ftl) fn queued(&self, die: u32) -> Vec<TransactionId> {
            let next = |&id: &TransactionId| self.shared.transactions.after(id);
            let lane = |class| self.shared.queues.first(DieId(die), DieLane::new(class, 0));
            CLASSES.into_iter().flat_map(|class| std::iter::successors(lane(class), next)).collect()
        }

        /// Returns the purpose and the logical page of each transaction that waits for a die.
        pub(in crate::ftl) fn work(&self, die: u32) -> Vec<(Purpose, Option<Lpn>)> {
            let transactions = &self.shared.transactions;
            let work = |id| (transactions.get(id).purpose, transactions.get(id).lpn);
            self.queued(die).into_iter().map(work).collect()
        }

        /// Removes the first transaction from the queues of a die, as at the start of a command.
        pub(in crate::ftl) fn take(&mut self, die: u32) -> TransactionId {
            let id = self.queued(die)[0];
            let Shared { queues, transactions, .. } = &mut self.shared;
            queues.leave(transactions, DieId(die), id, self.now);
            id
        }

        /// Ends the first transaction in the queues of a die, and returns a copy of it.
        pub(in crate::ftl) fn end(&mut self, die: u32) -> Transaction {
            let id = self.take(die);
            self.shared.transactions.remove(id)
        }

        /// Fills `pages` pages of a plane in order, with consecutive logical pages from `first`.
        pub(in crate::ftl) fn fill(&mut self, plane: u32, first: u32, pages: u32) {
            let Shared { space, translation, .. } = &mut self.shared;
            for lpn in (first..first + pages).map(Lpn) {
                let ppn = space
                    .blocks
                    .allocate_written(PlaneId(plane), WriteStream::Host(0))
                    .expect("there is room");
                if let Some(old) = translation.map.remap(lpn, ppn) {
                    space.blocks.invalidate(old);
                } else {
                    space.blocks.planes[PlaneId(plane)].committed_pages += 1;
                }
            }
        }
    }
}
