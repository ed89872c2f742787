//! The flash translation layer: logical pages to physical ones, and the housekeeping that follows.
//!
//! # The life of a read
//! 1. A request is cut into transactions of one page each; the page map (or, for data from before
//!    the run, static allocation) says where each page is, and the block is kept from erasure.
//! 2. The transaction waits in its die's queue until the die is idle and a path is free.
//! 3. Command, array, data out; the transaction is finished and its block released.
//!
//! # The life of a write
//! 1. As above, but the transaction first takes the lock of its logical page, and a partial write
//!    reads what it does not cover.
//! 2. The physical page is given out when the die starts the command, or when the transaction joins
//!    the die's queue (`writes`); the map changes at the same instant, and a read that comes later
//!    finds the new page.
//! 3. When the program is done the request is acknowledged and the lock released.
//!
//! # Collection
//! A plane with few free blocks collects a victim: reads of its valid pages, writes to its open
//! collection block, an erase. What the host overwrites meanwhile is not moved. After a
//! collection, a block that has worn much less than others may be moved likewise. With copyback, a
//! read and its write are one command, and the page stays inside its plane.
//!
//! # Owners
//! `reads`, `writes`, `collector`, `mapper` and `loss` each own their state and know nothing of each other. What a step of one leaves to
//! another is a task (`tasks`), which `pump` runs ([owners](../../../../docs/decisions/ftl-owners.md)).

mod allocation;
mod closed_forms;
mod collector;
mod command_source;
mod gc;
mod gc_destination;
mod initiator;
mod loss;
mod mapper;
mod preconditioning;
mod prefetch;
mod pump;
mod reads;
mod reasons;
mod settings;
mod shared;
mod space;
mod spare;
mod stats;
mod stored;
mod tasks;
mod translation;
mod writes;

use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{Geometry, Lpn, PlaneId, Priority, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{Origin, Purpose};
use venice_requests::SECTOR_BYTES;

use crate::controller::queues::Queues;
use crate::observe::Audit;

use pump::Pump;
use reads::PageRead;
use reads::gathers::PendingGather;
use shared::Shared;
use space::Space;
use stats::FtlStats;
use translation::{AddressSpace, Translation};
use writes::PageWrite;

pub use allocation::{Allocation, AllocationMode, AllocationOrder, AllocationParameters, HierarchyLevel};
pub use closed_forms::pages_per_written_page;
pub use collector::{CollectionParameters, GcTrigger, LevellingParameters, WearMeasure, WriteFrontiers};
pub use gc::{
    AnyVictimPolicy, Candidate, Candidates, OwnVictim, PlaneShape, VictimParameters, VictimPolicy,
    VictimSelection,
};
pub use gc_destination::{DestinationParameters, GcDestination};
pub use initiator::{HostCommand, Initiator};
pub use preconditioning::MqsimRandom;
pub use preconditioning::{
    DrawnRequests, DrawnSize, FilledSectors, GcLoad, GcPace, PageRegion, PatternKind, PreconditionMode,
    PreconditionParameters, PreconditionSettings, WritePattern,
};
pub use prefetch::FORESEEN;
pub use pump::FinishedPage;
pub use reads::gathers::{
    GatherPlacement, GatherResult, GatherSettings, GatherTarget, GatherWait, MAX_OPERANDS,
};
pub use settings::{
    CachedMapping, FollowUpClass, FtlContext, FtlParameters, FtlSettings, Mapping, MappingMode,
    MappingParameters, MappingWriteBack, PageAllocation, PageCuts, SectorSets, TableSharing, UnwrittenData,
    UnwrittenPlace, UpdateTransfer,
};
pub use spare::SpareSpace;
pub use stats::{FtlCounters, LookUps, LossCounters};
pub use stored::{StateIdentity, StateToStore, StoredState};
pub use translation::{PartitionParameters, Resources};

/// The flash translation layer of one drive.
#[derive(Clone, Debug)]
pub struct Ftl {
    geometry: Geometry,
    /// Configuration of the layer.
    pub settings: FtlSettings,
    pump: Pump,
}

impl Ftl {
    /// Returns the layer of an erased drive.
    pub fn new(geometry: Geometry, settings: FtlSettings, flash: &FlashSettings, audit: bool) -> Self {
        Self { pump: Pump::new(geometry, &settings, flash, audit), geometry, settings }
    }

    /// Address ranges and the page map.
    #[inline]
    pub const fn translation(&self) -> &Translation {
        &self.pump.shared.translation
    }

    /// Blocks and planes.
    pub const fn space(&self) -> &Space {
        &self.pump.shared.space
    }

    /// The queues of dies.
    #[inline]
    pub const fn queues(&self) -> &Queues {
        &self.pump.shared.queues
    }

    /// The queues of dies, for measuring them.
    pub const fn queues_mut(&mut self) -> &mut Queues {
        &mut self.pump.shared.queues
    }

    /// Counters of the run so far.
    pub const fn stats(&self) -> &FtlStats {
        &self.pump.shared.stats
    }

    /// The shadow of the contents, if the run keeps one.
    pub fn audit_mut(&mut self) -> Option<&mut Audit> {
        self.pump.shared.stats.audit_mut()
    }

    /// Checks what must hold when nothing is in flight. Violations go to the audit.
    pub fn check_balance(&mut self) {
        let Pump { shared, reads, writes, .. } = &mut self.pump;
        let Shared { stats, geometry, translation, space, .. } = shared;
        let waiting = [reads.gathers.under_way(), writes.waiting_for_locks()];
        stats.check_balance(geometry, translation, space, waiting);
    }

    /// Takes in a read of the host: one transaction for each page that it touches. Returns their number.
    pub fn accept_read(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator, queue, .. } = *command;
        let Range { start, end } = command.range();
        let mut pages = 0;
        for (lpn, sectors) in self.translation().page_pieces(start, end) {
            self.read_page(initiator, queue, lpn, sectors, now);
            pages += 1;
        }
        pages
    }

    /// Takes in a read of some sectors of one page.
    pub fn read_page(&mut self, initiator: Initiator, queue: u16, lpn: Lpn, sectors: u64, now: SimTime) {
        let Initiator { id, priority } = initiator;
        let stream = self.space().stream_of_queue(queue);
        let (purpose, clock) = (Purpose::HostRead(id), StageClock::start(now));
        self.pump.accept_read(&PageRead { purpose, priority, stream, lpn, sectors, clock }, now);
    }

    /// Takes in a write of the host: one transaction for each page that it touches. Returns their number.
    pub fn accept_write(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator: Initiator { id, priority }, queue, .. } = *command;
        let (origin, Range { start, end }) = (Origin::Request(id), command.range());
        let mut pages = 0;
        for (lpn, sectors) in self.translation().page_pieces(start, end) {
            self.write_page(origin, queue, priority, lpn, sectors, now);
            pages += 1;
        }
        pages
    }

    /// Takes in a write of the host's queue `queue` of some sectors of one page.
    pub fn write_page(
        &mut self,
        origin: Origin,
        queue: u16,
        priority: Priority,
        lpn: Lpn,
        sectors: u64,
        now: SimTime,
    ) {
        self.pump.accept_write(&PageWrite { origin, queue, priority, lpn, sectors }, now);
    }

    /// Takes in a gather of the host, whose first operand is the sectors of the command: one result for each page that they touch.
    /// Returns their number.
    pub fn accept_gather(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator, queue, .. } = *command;
        let Range { start, end } = command.range();
        let mut pages = 0;
        for (first, sectors) in self.translation().page_pieces(start, end) {
            let target = self.pump.reads.gathers.target_of(self.translation(), first);
            let wanted = PendingGather { initiator, queue, first, sectors, target, since: now };
            if let Some(begins) = self.pump.reads.gathers.want(wanted) {
                self.pump.begin_gather(&begins, now);
            }
            pages += 1;
        }
        pages
    }

    /// Ends a read, program or erase at `now`, when its clock was last charged. Returns its page if the host or the cache wanted it; then
    /// its transaction stays until it is [forgotten](venice_nand::transactions::Transactions::forget).
    pub fn finish(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        self.pump.finish(id, now)
    }

    /// Removes the next write that found no room and is to be answered.
    pub fn next_failed_write(&mut self) -> Option<TransactionId> {
        self.pump.loss.next_failed()
    }

    /// Ends a write that found no room. Its transaction stays, as that of one that [is done](Self::finish).
    pub fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        self.pump.give_up_write(id, now)
    }

    /// Goes on with the collection of every plane that is short of free blocks: where a drive was prepared in its steady state, some are.
    pub fn resume_collection(&mut self, now: SimTime) {
        if self.space().steady_moves_per_write.is_some() {
            for plane in (0..self.geometry.planes()).map(PlaneId) {
                self.pump.collector.collect_if_short(&mut self.pump.shared, plane, now);
            }
        }
    }

    /// Begins no collection any more that no write waits for, if collection yields to the host, which has no more requests.
    pub const fn rest(&mut self) {
        self.pump.shared.space.is_at_rest = self.settings.gc_yields_to_host;
    }

    /// Replaces the victim policy of the settings by one from outside the catalogue.
    pub fn choose_victims_by(&mut self, own: OwnVictim) {
        self.pump.collector.choose_victims_by(own);
    }

    /// Returns how a victim policy from outside the catalogue broke its contract, if it did.
    pub fn broken_victim_contract(&self) -> Option<&str> {
        self.pump.collector.broken_contract()
    }
}

/// The sectors of each address range of a drive of these settings.
pub fn address_ranges(geometry: &Geometry, settings: &FtlSettings) -> Vec<Range<u64>> {
    let sectors = u64::from(geometry.page_bytes / SECTOR_BYTES);
    let ranges = AddressSpace::new(geometry, settings);
    let in_sectors = |pages: Range<u32>| u64::from(pages.start) * sectors..u64::from(pages.end) * sectors;
    ranges.ranges().map(in_sectors).collect()
}

/// Returns the home plane of each page of a drive of these settings: with static allocation they lie there always, with dynamic
/// allocation until they are written.
pub fn home_planes(geometry: &Geometry, settings: &FtlSettings) -> impl Fn(Lpn) -> PlaneId + Send + use<> {
    let space = AddressSpace::new(geometry, settings);
    move |lpn| space.place(lpn).0
}

/// A plane that several address ranges would fill so far that collection comes to a halt: how many pages it would hold.
pub fn overfull_plane(geometry: &Geometry, settings: &FtlSettings) -> Option<u32> {
    let per_plane = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
    AddressSpace::new(geometry, settings).overfull_plane(geometry, per_plane).map(|(_, pages)| pages)
}

/// Logical pages for each plane: what over-provisioning leaves, rounded down.
pub fn logical_pages_per_plane(geometry: &Geometry, over_provisioning_ratio: f64) -> u32 {
    (geometry.pages_per_plane() as f64 * (1.0 - over_provisioning_ratio)).floor() as u32
}

/// Pages of the map itself that fall to a plane, if the map is on flash.
pub fn translation_pages_per_plane(
    geometry: &Geometry,
    mapping: &Mapping,
    logical_pages_per_plane: u32,
) -> u32 {
    mapping.translation_pages(logical_pages_per_plane * geometry.planes()).div_ceil(geometry.planes())
}

/// Most pages, those of the map itself included, with which a plane never comes to a halt: all its
/// pages but a block, which is kept for collection, and one, so that some full block has an invalid
/// page.
pub fn most_logical_pages_per_plane(geometry: &Geometry) -> u32 {
    ((geometry.blocks_per_plane - 1) * geometry.pages_per_block).saturating_sub(1)
}
