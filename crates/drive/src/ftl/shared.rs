//! State that several owners need: transactions, their queues, pages on flash and counters.
//!
//! # How
//! The [pump](super::pump) owns one and lends it to one owner at a time. Each part changes only through its own methods; steps that change
//! several parts, such as a page that moves, are methods of [`Shared`], those of pages in `pages`.

mod pages;

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{Geometry, Lpn, PlaneId, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::{PageState, Transaction, Transactions};

use crate::controller::queues::{QueueSettings, Queues};

use super::settings::FtlSettings;
use super::space::Space;
use super::stats::FtlStats;
use super::tasks::{Task, Tasks};
use super::translation::Translation;

/// State that several owners need.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) geometry: Geometry,
    /// Page map and address ranges.
    pub(super) translation: Translation,
    /// Blocks and planes.
    pub(super) space: Space,
    /// Transactions in flight.
    pub(super) transactions: Transactions,
    /// Transactions that wait for their die.
    pub(super) queues: Queues,
    pub(super) stats: FtlStats,
    /// Steps that are left to owners.
    pub(super) tasks: Tasks,
}

impl Shared {
    /// Returns the state of an erased drive.
    pub(super) fn new(
        geometry: Geometry,
        settings: &FtlSettings,
        flash: &FlashSettings,
        is_audited: bool,
    ) -> Self {
        let translation = Translation::new(geometry, settings);
        let queues = QueueSettings {
            streams: settings.write_streams,
            collection_yields: settings.gc_yields_to_host,
            copyback: settings.gc_copyback,
            pages_are_early: settings.page_allocation.is_early(),
            moves_leave: settings.moves_leave(),
        };
        Self {
            space: Space::new(geometry, settings, &translation),
            stats: FtlStats::new(is_audited, &geometry, &translation, settings.page_allocation),
            transactions: Transactions::default(),
            queues: Queues::new(&geometry, flash, queues, &settings.scheduling),
            tasks: Tasks::default(),
            translation,
            geometry,
        }
    }

    /// Returns true if a transaction is a move whose page was overwritten since it was ordered.
    #[inline]
    pub(super) fn is_outdated(&self, transaction: &Transaction) -> bool {
        match transaction.page {
            PageState::From(ppn) => self.translation.map.logical(ppn) != transaction.lpn,
            _ => false,
        }
    }

    /// Has the audit remember what the drive holds before the run.
    pub(super) fn begin_audit(&mut self) {
        self.stats.begin_with(&self.geometry, &self.translation, &self.space);
    }

    /// Takes in a read that waits nowhere yet.
    pub(super) fn insert_read(&mut self, read: Transaction) -> TransactionId {
        let id = self.transactions.insert(read);
        if let Some(lpn) = read.lpn {
            self.stats.read_accepted(id, lpn, &read);
        }
        id
    }

    /// Queues a transaction for its die, after the tasks that this step has left.
    #[inline]
    pub(super) fn enqueue(&mut self, id: TransactionId, now: SimTime) {
        if self.tasks.has_new() {
            self.tasks.push(Task::Enqueue(id));
        } else {
            self.queues.join(&mut self.transactions, id, now);
        }
    }

    /// Queues a write for its die, which gives the write its page when the program starts. A write without room in a plane where no program
    /// is pending asks for a collection itself, as a run may begin with a plane in which only collection makes room.
    pub(super) fn enqueue_without_page(&mut self, id: TransactionId, now: SimTime) {
        let write = self.transactions.get(id);
        let (plane, stream) = (write.plane, self.space.stream_of(write));
        self.enqueue(id, now);
        let blocks = &self.space.blocks;
        if blocks.planes[plane].pending_programs == 0 && blocks.next_offset(plane, stream).is_none() {
            self.check_free_blocks(plane);
        }
    }

    /// Fails a write that found no room. Returns its last state.
    pub(super) fn fail_write(&mut self, id: TransactionId, now: SimTime) -> Transaction {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        write.has_failed = true;
        *write
    }

    /// Has a plane collect if it is short of free blocks, after the tasks that this step has left.
    #[inline]
    pub(super) fn check_free_blocks(&mut self, plane: PlaneId) {
        // Most planes have nothing to collect, or collect already.
        if self.tasks.has_new() || self.space.blocks.planes[plane].may_collect() {
            self.tasks.push(Task::Collect(plane));
        }
    }

    /// Tells the mapper that the map entry of a host page has changed, if not all entries are in memory.
    #[inline]
    pub(super) fn entry_changed(&mut self, lpn: Lpn) {
        if self.translation.is_paged {
            self.tasks.push(Task::EntryChanged(lpn));
        }
    }
}

#[cfg(test)]
pub(super) mod bench {
    //! A bench for one owner between two mocks: the test answers the tasks that the owner leaves to others, and ends transactions as dies would.
    //!
    //! It knows no owner, so an owner's tests need no other one.

    use venice_kernel::{SimSpan, SimTime};
    use venice_nand::geometry::{DieId, Geometry, Lpn, PlaneId, TransactionId};
    use venice_nand::testkit::paper_flash;
    use venice_nand::transactions::{Purpose, Transaction, TransactionClass};

    use crate::controller::queues::lanes::DieLane;
    use crate::testkit::settings::SmallDrive;

    use super::{FtlSettings, Shared, Task};
    use crate::ftl::space::WriteStream;

    /// All classes of transactions.
    const CLASSES: [TransactionClass; 8] = [
        TransactionClass::MappingRead,
        TransactionClass::HostRead,
        TransactionClass::MappingWrite,
        TransactionClass::HostWrite,
        TransactionClass::GcRead,
        TransactionClass::GcWrite,
        TransactionClass::GcErase,
        TransactionClass::Operand,
    ];

    /// The state that an owner is lent, and the clock.
    pub(in crate::ftl) struct Bench {
        pub(in crate::ftl) shared: Shared,
        pub(in crate::ftl) settings: FtlSettings,
        pub(in crate::ftl) now: SimTime,
    }

    impl Bench {
        /// Returns erased chips of one die of one plane of eight blocks of four pages of eight sectors, half of it for the host, with an audit.
        pub(in crate::ftl) fn new(chips: u32, set: impl FnOnce(&mut FtlSettings)) -> Self {
            Self::of(|geometry, settings| {
                geometry.array.cols = chips;
                settings.over_provisioning_ratio = 0.5;
                set(settings);
            })
        }

        /// Returns such a chip with another geometry.
        pub(in crate::ftl) fn of(set: impl FnOnce(&mut Geometry, &mut FtlSettings)) -> Self {
            let mut drive = SmallDrive::new(1, 1);
            let geometry = &mut drive.geometry;
            (geometry.planes_per_die, geometry.blocks_per_plane, geometry.pages_per_block) = (1, 8, 4);
            set(geometry, &mut drive.ftl);
            let shared = Shared::new(drive.geometry, &drive.ftl, &paper_flash(1), true);
            Self { shared, settings: drive.ftl, now: SimTime::ZERO }
        }

        /// Removes the tasks that the last step has left, in the order in which they would run.
        pub(in crate::ftl) fn tasks(&mut self) -> Vec<Task> {
            std::iter::from_fn(|| self.shared.tasks.next()).collect()
        }

        /// Lets time pass.
        pub(in crate::ftl) fn wait_us(&mut self, us: u64) {
            self.now = self.now + SimSpan::from_us(us);
        }

        /// Returns the transactions that wait for a die, class by class, each class in its order.
        pub(in crate::ftl) fn queued(&self, die: u32) -> Vec<TransactionId> {
            let next = |&id: &TransactionId| self.shared.transactions.after(id);
            let lane = |class| self.shared.queues.first(DieId(die), DieLane::new(class, 0));
            CLASSES.into_iter().flat_map(|class| std::iter::successors(lane(class), next)).collect()
        }

        /// Returns what the transactions that wait for a die are for, and their logical pages.
        pub(in crate::ftl) fn work(&self, die: u32) -> Vec<(Purpose, Option<Lpn>)> {
            let transactions = &self.shared.transactions;
            let work = |id| (transactions.get(id).purpose, transactions.get(id).lpn);
            self.queued(die).into_iter().map(work).collect()
        }

        /// Takes the first transaction that waits for a die out of its queue, as a command that starts does.
        pub(in crate::ftl) fn take(&mut self, die: u32) -> TransactionId {
            let id = self.queued(die)[0];
            let Shared { queues, transactions, .. } = &mut self.shared;
            queues.leave(transactions, DieId(die), id, self.now);
            id
        }

        /// Ends the first transaction that waits for a die, and returns its last state.
        pub(in crate::ftl) fn end(&mut self, die: u32) -> Transaction {
            let id = self.take(die);
            self.shared.transactions.remove(id)
        }

        /// Fills `pages` pages of a plane, one after the other, with logical pages from `first` on.
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
