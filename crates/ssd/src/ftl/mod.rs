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

mod allocation;
mod blame;
mod blocks;
mod collection;
mod completion;
mod foresight;
mod free_blocks;
mod gathers;
mod gc;
mod gc_destination;
mod intake;
mod legality;
mod locks;
mod loss;
mod mapping;
mod moves;
mod orders;
mod partition;
mod placement;
mod preconditioning;
mod settings;
mod starting;
mod stored;
mod wear;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use crate::chip::FlashSettings;
use crate::controller::queues::{QueueSettings, Queues};
use crate::geometry::{BlockId, Geometry, Lpn, PlaneId, Ppn, SECTOR_BYTES, TransactionId};
use crate::observe::Audit;
use crate::work::{List, Transactions};

use blocks::{Blocks, CollectionRule};
use gathers::Gathers;
use gc::{AnyVictimPolicy, Candidate, PlaneShape};
use locks::WriteLocks;
use mapping::{DemandPaging, PageMap};
use moves::Moves;
use partition::{AddressSpace, Commitments};

pub use completion::Finished;
pub use foresight::FORESEEN;
pub use gathers::{GatherPlacement, GatherResult, GatherSettings, GatherTarget, GatherWait, MOST_OPERANDS};
pub use gc::{VICTIM_POLICY_NAMES, VictimParameters, VictimPolicy};
pub use gc_destination::{DESTINATION_NAMES, DestinationParameters, GcDestination};
pub use intake::Initiator;
pub use loss::LossCounters;
pub use mapping::LookUps;
pub use partition::Resources;
pub(crate) use preconditioning::MqsimRandom;
pub use preconditioning::{
    DrawnRequests, DrawnSize, FilledSectors, PreconditionMode, PreconditionSettings, Region, WritePattern,
};
pub use settings::{
    Allocation, CachedMapping, FollowUpClass, FtlSettings, GcTrigger, Level, Mapping, MappingWriteBack,
    PageAllocation, PageCuts, SectorSets, TableSharing, UnwrittenData, UnwrittenPlace, UpdateTransfer,
    WearMeasure, WriteFrontiers,
};
pub use stored::{Of, StateToStore, StoredState};

venice_kernel::counters! {
    /// What the layer counts. Pages and blocks, but for the two counts of commands.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FtlCounters {
        /// Pages read from flash.
        pub reads: u64,
        /// Pages programmed.
        pub programs: u64,
        /// Blocks erased.
        pub erases: u64,
        /// Read commands to more than one plane.
        pub multiplane_reads: u64,
        /// Program commands to more than one plane.
        pub multiplane_programs: u64,
        /// Pages programmed for the host.
        pub host_programs: u64,
        /// Pages that collection moved for want of free blocks.
        pub gc_moves: u64,
        /// Pages that static wear levelling moved.
        pub wear_moves: u64,
        /// Pages of moves to another plane.
        pub moves_elsewhere: u64,
        /// Of these, pages that went from chip to chip, by no controller.
        pub copies_between_chips: u64,
        /// Results that were worked out of operands gathered on one chip.
        pub gathers: u64,
        /// Operands that they were worked out of.
        pub operands_wanted: u64,
        /// Operands that lay on that chip.
        pub operands_in_place: u64,
        /// Operands that came from another chip, by no controller.
        pub operands_copied: u64,
        /// Operands that came from another chip by a controller.
        pub operands_by_controller: u64,
        /// Bytes of operands that came by no controller.
        pub operand_bytes_copied: u64,
        /// Bytes of operands that came by a controller, counted once.
        pub operand_bytes_by_controller: u64,
        /// Pages of moves that did not cross the fabric: read and programmed inside their plane.
        pub copybacks: u64,
        /// Pages read because a partial write did not cover them.
        pub update_reads: u64,
        /// Collections begun for want of free blocks.
        pub gc_executions: u64,
        /// Collections begun by static wear levelling.
        pub wear_executions: u64,
        /// Read commands, to any number of planes.
        pub read_commands: u64,
        /// Program commands, likewise.
        pub program_commands: u64,
        /// Erase commands, likewise.
        pub erase_commands: u64,
        /// Erase commands to more than one plane.
        pub multiplane_erases: u64,
        /// Write-backs of the map that were wanted.
        pub mapping_write_backs: u64,
        /// Look-ups in the map for reads of the host.
        pub map_read_lookups: u64,
        /// Of these, those that the cached table did not answer.
        pub map_read_misses: u64,
        /// Look-ups in the page map.
        pub map_lookups: u64,
        /// Look-ups whose entry was not in the cached table.
        pub map_misses: u64,
        /// Translation pages read, in whole or in part.
        pub mapping_reads: u64,
        /// Translation pages programmed; their moves by collection are moves.
        pub mapping_programs: u64,
    }
}

/// The flash translation layer of one drive.
#[derive(Clone, Debug)]
pub struct Ftl {
    geometry: Geometry,
    settings: FtlSettings,
    flash: FlashSettings,
    sectors_per_page: u32,
    space: AddressSpace,
    commitments: Commitments,
    map: PageMap,
    /// Host pages; the map numbers translation pages behind them.
    logical_pages: u32,
    paging: Option<DemandPaging>,
    locks: WriteLocks,
    blocks: Blocks,
    policy: AnyVictimPolicy,
    /// What the policy chooses from; kept for its memory.
    candidates: Vec<Candidate>,
    moves: Moves,
    gathers: Gathers,
    /// All work in flight. Whoever does a step of a transaction charges its time there.
    pub transactions: Transactions,
    /// What waits for dies. Public: whoever sends commands asks it what has come.
    pub queues: Queues,
    /// By plane: writes that wait for a page.
    for_room: Vec<List>,
    counters: FtlCounters,
    /// By address range: where the search for the least busy plane goes on.
    next_position: Vec<u32>,
    writes_at_die: Vec<u32>,
    without_plane: VecDeque<TransactionId>,
    loss: Option<Box<loss::Loss>>,
    audit: Option<Box<Audit>>,
}

impl Ftl {
    /// The layer of an erased drive.
    pub fn new(geometry: Geometry, settings: FtlSettings, flash: FlashSettings, audit: bool) -> Self {
        let space = AddressSpace::new(&geometry, &settings);
        let logical_pages = space.logical_pages();
        let paging = match settings.mapping {
            Mapping::Ideal => None,
            Mapping::Cached(cached) => Some(DemandPaging::new(cached, &space)),
        };
        let all_pages = logical_pages + space.map_pages();
        let shape = PlaneShape { blocks: geometry.blocks_per_plane, pages: geometry.pages_per_block };
        let moves = Moves::none(&geometry, &settings, &space);
        let queues = QueueSettings {
            streams: settings.write_streams,
            collection_yields: settings.gc_yields_to_host,
            copyback: settings.gc_copyback,
            pages_are_early: settings.page_allocation.is_early(),
            moves_leave: moves.leaves(),
        };
        let queues = Queues::new(&geometry, &flash, queues, &settings.scheduling);
        let mut ftl = Self {
            sectors_per_page: geometry.page_bytes / SECTOR_BYTES,
            map: PageMap::new(all_pages, geometry.pages() as u32, geometry.page_bytes / SECTOR_BYTES),
            logical_pages,
            paging,
            locks: WriteLocks::default(),
            blocks: Blocks::new(geometry, settings.streams(), settings.dynamic_wear_levelling),
            policy: settings.victim.build(&settings.victim_parameters, shape, settings.seed),
            candidates: Vec::new(),
            transactions: Transactions::default(),
            queues,
            for_room: vec![List::default(); geometry.planes() as usize],
            counters: FtlCounters::default(),
            next_position: vec![0; space.len()],
            commitments: Commitments::new(&geometry, space.len()),
            moves,
            gathers: Gathers::new(settings.gather, geometry.array.chips()),
            space,
            writes_at_die: vec![0; geometry.dies() as usize],
            without_plane: VecDeque::new(),
            loss: None,
            audit: audit.then(|| Box::new(new_audit(geometry, all_pages, settings.page_allocation))),
            geometry,
            settings,
            flash,
        };
        ftl.blocks.collect_from(CollectionRule {
            trigger: ftl.settings.gc_trigger,
            start_free_blocks: ftl.settings.gc_start_free_blocks,
            stop_free_blocks: ftl.settings.gc_stop_free_blocks,
            // A page that comes from another plane takes room that a waiting host was promised.
            write_frontiers: if ftl.moves.leaves() {
                WriteFrontiers::Shared
            } else {
                ftl.settings.write_frontiers
            },
            wear_measure: ftl.settings.wear_measure,
        });
        if let Some(audit) = &mut ftl.audit {
            audit.keep_to(ftl.space.homes(&ftl.geometry));
        }
        for page in logical_pages..all_pages {
            let (plane, _) = ftl.space.place(Lpn(page));
            ftl.blocks.plane_mut(plane).committed_pages += 1;
        }
        ftl
    }

    /// Sectors that the host can address.
    pub fn capacity_sectors(&self) -> u64 {
        u64::from(self.logical_pages) * u64::from(self.sectors_per_page)
    }

    /// The sectors of each address range; one behind the other, they are all that the host can address.
    pub fn address_ranges(&self) -> impl ExactSizeIterator<Item = Range<u64>> + '_ {
        let sectors = u64::from(self.sectors_per_page);
        self.space.ranges().map(move |pages| u64::from(pages.start) * sectors..u64::from(pages.end) * sectors)
    }

    /// The address range of a logical page.
    #[inline]
    pub fn range_of(&self, lpn: Lpn) -> usize {
        self.space.range_of(lpn)
    }

    /// By address range: look-ups in the cached part of the map; none if the whole map is in memory.
    pub fn look_ups(&self) -> &[LookUps] {
        self.paging.as_ref().map_or(&[], DemandPaging::look_ups)
    }

    /// What was counted so far.
    pub fn counters(&self) -> &FtlCounters {
        &self.counters
    }

    /// The erase counts of the least and of the most worn block.
    pub fn block_erases(&self) -> (u32, u32) {
        let planes = (0..self.geometry.planes()).map(|plane| self.blocks.erases_of(PlaneId(plane)));
        planes.fold((u32::MAX, 0), |(least, most), (min, max)| (least.min(min), most.max(max)))
    }

    /// How many blocks were erased how often.
    pub fn blocks_by_erases(&self) -> BTreeMap<u32, u64> {
        let planes = (0..self.geometry.planes()).map(PlaneId);
        let mut blocks = BTreeMap::new();
        for block in planes.flat_map(|plane| self.blocks.of_plane(plane)) {
            *blocks.entry(block.erases).or_default() += 1;
        }
        blocks
    }

    /// Free blocks of all planes.
    pub fn free_blocks(&self) -> u64 {
        (0..self.geometry.planes()).map(|plane| u64::from(self.blocks.free(PlaneId(plane)))).sum()
    }

    /// How far the erase counts of a plane's blocks lie apart: of the planes the mean, and the most.
    pub fn erase_spans(&self) -> (f64, u32) {
        let spans = (0..self.geometry.planes()).map(|plane| self.blocks.erases_of(PlaneId(plane)));
        let (sum, most) = spans.fold((0_u64, 0), |(sum, most), (least, highest)| {
            (sum + u64::from(highest - least), most.max(highest - least))
        });
        (sum as f64 / f64::from(self.geometry.planes()), most)
    }

    /// Logical pages that have a physical one, those of the map itself included.
    pub fn mapped_pages(&self) -> u64 {
        (0..self.map.logical_pages()).filter(|&lpn| self.map.physical(Lpn(lpn)).is_some()).count() as u64
    }

    /// The shadow of the contents, if the run keeps one.
    pub fn audit_mut(&mut self) -> Option<&mut Audit> {
        self.audit.as_deref_mut()
    }

    /// Sectors of a page.
    pub fn sectors_per_page(&self) -> u32 {
        self.sectors_per_page
    }

    /// Transactions that are not finished, waiting ones included.
    pub fn in_flight(&self) -> usize {
        self.transactions.len()
    }

    /// Checks what must hold when nothing is in flight: valid pages against the map, and
    /// writes plus moves of both kinds against programs. Violations go to the audit.
    pub fn check_balance(&mut self) {
        let mapped = self.mapped_pages();
        let Some(mut audit) = self.audit.take() else { return };
        let mut balance = |what, left, right| {
            if left != right {
                audit.report(crate::observe::Violation::Unbalanced { what, left, right });
            }
        };
        let c = &self.counters;
        let written = c.host_programs + c.gc_moves + c.wear_moves + c.mapping_programs;
        balance("host writes + mapping writes + gc moves + wear moves = programs", written, c.programs);
        let all = (0..self.geometry.blocks()).map(BlockId);
        let valid: u64 = all.map(|block| u64::from(self.blocks.block(block).valid)).sum();
        balance("valid pages = mapped logical pages", valid, mapped);
        balance("gathers under way = 0", self.gathers.under_way() as u64, 0);
        let ways = [c.operands_in_place, c.operands_copied, c.operands_by_controller];
        balance("operands that came by any way = operands of gathers", ways.iter().sum(), c.operands_wanted);
        balance("writes that wait for a lock = 0", self.locks.waiting() as u64, 0);
        self.audit = Some(audit);
    }

    /// Where a logical page is read: its page, and whether that was written in this run.
    #[inline]
    fn locate(&self, lpn: Lpn) -> (Ppn, bool) {
        if let Some(ppn) = self.map.physical(lpn) {
            return (ppn, true);
        }
        let (plane, index) = self.space.place(lpn);
        let first = self.geometry.block(plane, 0);
        (Ppn(self.geometry.ppn(first, 0).0 + index), false)
    }

    #[inline]
    fn plane_of(&self, ppn: Ppn) -> PlaneId {
        self.geometry.plane_of(self.geometry.block_of(ppn))
    }
}

fn new_audit(geometry: Geometry, pages: u32, page_allocation: PageAllocation) -> Audit {
    let audit = Audit::new(geometry, pages);
    match page_allocation {
        PageAllocation::AtStart | PageAllocation::AtArrival => audit,
        PageAllocation::AtArrivalAnyOrder => audit.with_programs_in_any_order(),
    }
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
