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
//!    the die's queue (`placement`); the map changes at the same instant, and a read that comes later
//!    finds the new page.
//! 3. When the program is done the request is acknowledged and the lock released.
//!
//! # Collection
//! A plane with few free blocks collects a victim: reads of its valid pages, writes to its open
//! collection block, an erase. What the host overwrites meanwhile is not moved. After a
//! collection, a block that has worn much less than others may be moved likewise. With copyback, a
//! read and its write are one command, and the page stays inside its plane.
//!
//! # Parts and flows
//! Parts own their state: `translation`, `space`, `collection`, `gathers`, `books`. A flow that goes through several of them is a function
//! over the layer, in a file whose imports go one way, from `collecting` and `reads` up to `intake` and `completion`
//! ([module boundaries](../../../../docs/decisions/module-boundaries.md)).

mod allocation;
mod blame;
mod books;
mod closed_forms;
mod collecting;
mod collection;
mod completion;
mod foresight;
mod gathering;
mod gathers;
mod gc;
mod gc_destination;
mod giving_up;
mod initiator;
mod intake;
mod legality;
mod locating;
mod moving;
mod orders;
mod pages;
mod paging;
mod placement;
mod preconditioning;
mod reads;
mod remap;
mod settings;
mod space;
mod spare;
mod starting;
mod stored;
mod translation;
mod write_backs;

use std::ops::Range;

use venice_requests::SECTOR_BYTES;

use crate::chip::FlashSettings;
use crate::controller::queues::{QueueSettings, Queues};
use crate::geometry::{Geometry, Lpn, PlaneId};
use crate::observe::Audit;
use crate::work::Transactions;

use books::Books;
use collection::Collector;
use gathers::Gathers;
use space::Space;
use translation::{AddressSpace, Translation};

pub use allocation::{Allocation, AllocationMode, AllocationOrder, AllocationParameters, Level};
pub use books::FtlCounters;
pub use closed_forms::pages_per_written_page;
pub use collecting::{rest, resume_collection};
pub use collection::{CollectionParameters, GcTrigger, LevellingParameters, WearMeasure, WriteFrontiers};
pub use completion::Finished;
pub use foresight::FORESEEN;
pub use gathers::{GatherPlacement, GatherResult, GatherSettings, GatherTarget, GatherWait, MOST_OPERANDS};
pub use gc::{
    AnyVictimPolicy, Candidate, Candidates, OwnVictim, PlaneShape, VictimParameters, VictimPolicy,
    VictimSelection,
};
pub use gc_destination::{DestinationParameters, GcDestination};
pub use initiator::{HostCommand, Initiator};
pub use preconditioning::MqsimRandom;
pub use preconditioning::{
    DrawnRequests, DrawnSize, FilledSectors, GcLoad, GcPace, PatternKind, PreconditionMode,
    PreconditionParameters, PreconditionSettings, Region, WritePattern,
};
pub use settings::{
    CachedMapping, FollowUpClass, FtlParameters, FtlSettings, Mapping, MappingMode, MappingParameters,
    MappingWriteBack, PageAllocation, PageCuts, SectorSets, Surroundings, TableSharing, UnwrittenData,
    UnwrittenPlace, UpdateTransfer,
};
pub use space::LossCounters;
pub use spare::SpareSpace;
pub use stored::{Of, StateToStore, StoredState};
pub use translation::{LookUps, PartitionParameters, Resources};

/// The flash translation layer of one drive.
#[derive(Clone, Debug)]
pub struct Ftl {
    geometry: Geometry,
    /// Configuration of the layer.
    pub settings: FtlSettings,
    flash: FlashSettings,
    translation: Translation,
    space: Space,
    collector: Collector,
    gathers: Gathers,
    /// All work in flight. Whoever does a step of a transaction charges its time there.
    pub transactions: Transactions,
    /// What waits for dies. Public: whoever sends commands asks it what has come.
    pub queues: Queues,
    books: Books,
}

impl Ftl {
    /// The layer of an erased drive.
    pub fn new(geometry: Geometry, settings: FtlSettings, flash: FlashSettings, audit: bool) -> Self {
        let translation = Translation::new(geometry, &settings);
        let collector = Collector::new(&geometry, &settings, &translation.addresses);
        let queues = QueueSettings {
            streams: settings.write_streams,
            collection_yields: settings.gc_yields_to_host,
            copyback: settings.gc_copyback,
            pages_are_early: settings.page_allocation.is_early(),
            moves_leave: collector.destinations.leave(),
        };
        Self {
            space: Space::new(geometry, &settings, &translation, collector.rule()),
            books: Books::new(audit, &geometry, &translation, settings.page_allocation),
            collector,
            gathers: Gathers::new(settings.gather, settings.seed, &geometry),
            transactions: Transactions::default(),
            queues: Queues::new(&geometry, &flash, queues, &settings.scheduling),
            translation,
            geometry,
            settings,
            flash,
        }
    }

    /// What is known of logical pages.
    #[inline]
    pub const fn translation(&self) -> &Translation {
        &self.translation
    }

    /// Room on flash.
    pub const fn space(&self) -> &Space {
        &self.space
    }

    /// Whether moves ever leave their plane.
    #[inline]
    pub const fn moves_leave(&self) -> bool {
        self.collector.destinations.leave()
    }

    /// What was counted so far.
    pub fn counters(&self) -> &FtlCounters {
        self.books.counters()
    }

    /// The shadow of the contents, if the run keeps one.
    pub fn audit_mut(&mut self) -> Option<&mut Audit> {
        self.books.audit_mut()
    }

    /// Transactions that are not finished, waiting ones included.
    pub fn in_flight(&self) -> usize {
        self.transactions.len()
    }

    /// Checks what must hold when nothing is in flight. Violations go to the audit.
    pub fn check_balance(&mut self) {
        let gathers = self.gathers.under_way();
        self.books.check_balance(&self.geometry, &self.translation, &self.space, gathers);
    }
}

/// From now on a policy from outside the catalogue chooses victims, in the place of that of the settings.
pub fn choose_victims_by(ftl: &mut Ftl, own: OwnVictim) {
    ftl.collector.choose_by(own);
}

/// How a victim policy from outside the catalogue broke its contract, if it did.
pub fn broken_victim_contract(ftl: &Ftl) -> Option<&str> {
    ftl.collector.broken_contract()
}

/// The sectors of each address range of a drive of these settings.
pub fn address_ranges(geometry: &Geometry, settings: &FtlSettings) -> Vec<Range<u64>> {
    let sectors = u64::from(geometry.page_bytes / SECTOR_BYTES);
    let ranges = AddressSpace::new(geometry, settings);
    let in_sectors = |pages: Range<u32>| u64::from(pages.start) * sectors..u64::from(pages.end) * sectors;
    ranges.ranges().map(in_sectors).collect()
}

/// Where the pages of a drive of these settings are at home: with static allocation they lie there always, with dynamic
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
