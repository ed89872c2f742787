//! Flash translation layer (FTL): map from logical to physical pages, garbage collection and wear levelling.
//!
//! # Steps of a read
//! 1. A request is divided into transactions of one page each. The page map contains the physical page. Data
//!    from before the run is at the location that static allocation determines. The block cannot be erased
//!    until the read has ended.
//! 2. The transaction waits in its die's queue until the die is idle and a path is free.
//! 3. The command is sent, the array is read, and the data is sent to a controller. The transaction ends, and
//!    its block may be erased again.
//!
//! # Steps of a write
//! 1. The request is divided like a read, but the transaction first takes the lock of its logical page. A
//!    partial write reads the sectors that it does not cover.
//! 2. The physical page is allocated when the die starts the command, or when the transaction is added to the
//!    die's queue (`writes`). The map changes at the same instant, so a later read uses the new page.
//! 3. When the program has ended, the host is notified and the lock is released.
//!
//! # Garbage collection
//! A plane with few free blocks collects a victim block: its valid pages are read and written to the plane's
//! open block for garbage collection, and then the victim is erased. Pages that the host overwrites in the
//! meantime are not moved. After that, the data of a block that has worn much less than others may be moved
//! in the same way. With copyback, read and write are one command, and the page stays inside its plane.
//!
//! # Structure
//! The components `reads`, `writes`, `collector`, `mapper` and `loss` have separate state and do not depend
//! on each other. A component that needs a step of another one queues a task (`tasks`), which `pump` executes
//! ([decision](../../../../docs/decisions/ftl-owners.md)).

mod allocation;
mod bad_blocks;
mod closed_forms;
mod collector;
mod command_source;
mod gc;
mod gc_destination;
mod idle;
mod initiator;
mod loss;
mod mapper;
mod parity;
mod preconditioning;
mod prefetch;
mod pump;
mod reads;
mod restart;
mod scrub;
mod second_pass;
mod settings;
mod shared;
mod slc_cache;
mod space;
mod spare_space;
mod stats;
mod stored_state;
mod tasks;
mod transaction_origins;
mod translation;
mod writes;

use std::ops::Range;

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{
    ChipId, Geometry, Lpn, MappingUnits, PlaneId, Ppn, Priority, RequestId, TransactionId,
};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{Origin, Purpose};
use venice_requests::SECTOR_BYTES;

use crate::controller::queues::Queues;
use crate::observe::Audit;

use pump::Pump;
use reads::PageRead;
use reads::gathers::PendingGather;
use shared::{BlockAges, Shared};
use space::Space;
pub use space::{GrownBadBlockSettings, GrownBadBlocks};
use stats::FtlStats;
use translation::{AddressSpace, Translation};
use writes::{PageTrim, PageWrite};

pub use allocation::{
    Allocation, AllocationMode, AllocationOrder, AllocationParameters, HierarchyLevel, Placement,
};
pub use bad_blocks::FactoryBadBlocks;
pub use closed_forms::pages_per_written_page;
pub use collector::{
    CollectionParameters, GcTrigger, LevellingParameters, RefreshParameters, RefreshSettings, WearMeasure,
    WriteFrontiers,
};
pub use gc::{
    AnyVictimPolicy, Candidate, Candidates, ExternalVictim, PlaneShape, VictimParameters, VictimPolicy,
    VictimSelection,
};
pub use gc_destination::{DestinationParameters, GcDestination};
pub use idle::IdleCollectionSettings;
pub use initiator::{HostCommand, Initiator};
pub use mapper::HostBufferSettings;
pub use parity::ParityLayout;
pub use preconditioning::MqsimRandom;
pub use preconditioning::{
    DrawnRequests, DrawnSize, FilledSectors, GcLoad, GcPace, PageRegion, PatternKind, PreconditionMode,
    PreconditionParameters, PreconditionSettings, WritePattern,
};
pub use prefetch::FORESEEN;
pub use pump::{DecodedPage, FinishedPage, PageArrival};
pub use reads::ReadSharing;
pub use reads::errors::{DecodedRead, MOST_STEPS, PageErrors, ReadErrorCounters, ReadErrors};
pub use reads::gathers::{
    GatherPlacement, GatherResult, GatherSensing, GatherSettings, GatherTarget, GatherWait, MAX_OPERANDS,
    OperandProgramming,
};
pub use reads::searches::{
    ChipWork, FurtherPasses, KnownCorrection, PatternSet, SearchCounters, SearchLocation, SearchParameters,
    SearchSettings, SearchedPage,
};
pub use restart::{RestartMethod, RestartParameters, RestartWork};
pub use scrub::ScrubParameters;
pub use settings::{
    CachedMapping, FollowUpClass, FtlContext, FtlParameters, FtlSettings, Mapping, MappingMode,
    MappingParameters, MappingWriteBack, PageAllocation, PageCuts, SectorSets, TableSharing, UnwrittenData,
    UnwrittenPlace, UpdateTransfer,
};
pub use shared::InitialAges;
pub use slc_cache::{SlcCache, SlcCacheParameters, SlcCacheSettings, WhenFull};
pub use spare_space::SpareSpace;
pub use stats::{FtlCounters, LookUps, LossCounters};
pub use stored_state::{StateIdentity, StateToStore, StoredState};
pub use translation::{PartitionParameters, Resources};
pub use writes::{PartialUnits, TrimParameters};

/// Flash translation layer of a drive.
#[derive(Clone, Debug)]
pub struct Ftl {
    /// Geometry of the drive in mapping units: each unit counts as a page.
    geometry: Geometry,
    /// Settings of the flash translation layer.
    pub settings: FtlSettings,
    pump: Pump,
    /// True if open pages or reads of the host memory buffer may need timers.
    has_timers: bool,
}

impl Ftl {
    /// Creates the flash translation layer of an erased drive. If `audit` is true, an audit checks the
    /// drive's contents during the run.
    pub fn new(geometry: Geometry, settings: FtlSettings, flash: &FlashSettings, audit: bool) -> Self {
        let geometry = settings.units.slots(&geometry);
        let pump = Pump::new(geometry, &settings, flash, audit);
        let fills_pages = settings.units.share_programs() || settings.program_min_planes > 1;
        let has_timers = fills_pages && !settings.page_fill_wait.is_zero() || settings.host_buffer.is_some();
        Self { geometry, settings, pump, has_timers }
    }

    /// Returns the geometry of the drive.
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the address ranges and the page map.
    #[inline]
    pub const fn translation(&self) -> &Translation {
        &self.pump.shared.translation
    }

    /// Returns the state of blocks and planes, from which pages are allocated.
    pub const fn space(&self) -> &Space {
        &self.pump.shared.space
    }

    /// Returns the transaction queues of the dies.
    #[inline]
    pub const fn queues(&self) -> &Queues {
        &self.pump.shared.queues
    }

    /// Returns a mutable reference to the transaction queues of the dies, to measure their lengths.
    pub const fn queues_mut(&mut self) -> &mut Queues {
        &mut self.pump.shared.queues
    }

    /// Returns the counters of the run so far.
    pub const fn stats(&self) -> &FtlStats {
        &self.pump.shared.stats
    }

    /// Returns the audit of the drive's contents, if the run has one.
    pub fn audit_mut(&mut self) -> Option<&mut Audit> {
        self.pump.shared.stats.audit_mut()
    }

    /// Checks invariants of a drive without transactions in flight, such as equal numbers of valid and mapped
    /// pages. Violations are reported to the audit.
    pub fn check_balance(&mut self) {
        let Pump { shared, reads, writes, .. } = &mut self.pump;
        let Shared { stats, geometry, translation, space, units, .. } = shared;
        let waiting = [reads.gathers.under_way(), reads.searches.under_way(), writes.waiting_for_locks()];
        stats.check_balance(geometry, translation, space, waiting, *units);
    }

    /// Accepts a host read as one transaction for each page that it covers. Returns the number of
    /// transactions.
    pub fn accept_read(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator, queue, .. } = *command;
        let Range { start, end } = command.range();
        let mut pages = 0;
        for (lpn, sectors) in self.translation().page_pieces(start, end) {
            self.read_page(initiator, queue, lpn, sectors, now, now);
            pages += 1;
        }
        pages
    }

    /// Accepts a read of some sectors of a page, selected by the bit mask `sectors`.
    ///
    /// The request has waited for these sectors in the cache since `since`.
    pub fn read_page(
        &mut self,
        initiator: Initiator,
        queue: u16,
        lpn: Lpn,
        sectors: u64,
        since: SimTime,
        now: SimTime,
    ) {
        let Initiator { id, priority, sectors: command_sectors } = initiator;
        let stream = self.space().stream_of_queue(queue);
        let (purpose, mut clock) = (Purpose::HostRead(Origin::Request(id)), StageClock::start(since));
        clock.charge(Stage::Cache, now);
        self.pump
            .accept_read(&PageRead { purpose, priority, stream, lpn, sectors, command_sectors, clock }, now);
    }

    /// Accepts a read of some sectors of a page, selected by the bit mask `sectors`, ahead of a request
    /// (read-ahead). It belongs to the host queue `queue`.
    pub fn read_page_ahead(&mut self, queue: u16, priority: Priority, lpn: Lpn, sectors: u64, now: SimTime) {
        let stream = self.space().stream_of_queue(queue);
        let (purpose, clock) = (Purpose::HostRead(Origin::ReadAhead(queue)), StageClock::start(now));
        let command_sectors = self.translation().sectors_per_page();
        self.pump
            .accept_read(&PageRead { purpose, priority, stream, lpn, sectors, command_sectors, clock }, now);
    }

    /// Accepts a host write as one transaction for each page that it covers. Returns the number of
    /// transactions.
    pub fn accept_write(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator: Initiator { id, priority, .. }, queue, .. } = *command;
        let (origin, Range { start, end }) = (Origin::Request(id), command.range());
        let mut pages = 0;
        for (lpn, sectors) in self.translation().page_pieces(start, end) {
            self.write_page(origin, queue, priority, lpn, sectors, now);
            pages += 1;
        }
        pages
    }

    /// Accepts a write of some sectors of a page, selected by the bit mask `sectors`. `queue` is the host
    /// queue.
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

    /// Accepts a host gather. `command` covers the sectors of the gather's first operand. Returns the number
    /// of result pages.
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

    /// Sets the pages of the next searches, with their outcomes. Each search then searches these pages
    /// instead of the pages that its command covers. If the controller requests the head (first bytes) of the
    /// page after a searched page, that page must be a logical page of the drive.
    pub fn plan_searches(&mut self, searches: Vec<Vec<SearchedPage>>) {
        self.pump.reads.searches.plan(searches);
    }

    /// Accepts a search, for the patterns of `pattern_set`, of the pages that a command covers. Returns the
    /// number of reads that the search needs.
    pub fn accept_search(&mut self, command: &HostCommand, pattern_set: u8, now: SimTime) -> u32 {
        self.pump.accept_search(command, pattern_set, now)
    }

    /// Returns the size of a mapping unit in bytes.
    pub const fn unit_bytes(&self) -> u32 {
        self.pump.shared.geometry.page_bytes
    }

    /// Returns the settings of searches.
    pub const fn search_settings(&self) -> &SearchSettings {
        self.pump.reads.searches.settings()
    }

    /// Returns the counters of searches.
    pub const fn search_counters(&self) -> &SearchCounters {
        self.pump.reads.searches.counters()
    }

    /// Returns the number of pages of searches that have no outcome yet; `None` before the first search.
    pub fn search_pages_in_progress(&self) -> Option<u64> {
        let searches = &self.pump.reads.searches;
        (searches.counters().searches > 0).then(|| searches.pages_in_progress())
    }

    /// Returns the counters of searches for modification.
    pub const fn search_counters_mut(&mut self) -> &mut SearchCounters {
        self.pump.reads.searches.counters_mut()
    }

    /// Returns the number of bytes that a page of a search sends to the host after its search in chip or
    /// controller.
    pub fn search_bytes_to_host(&self, id: TransactionId) -> u32 {
        self.pump.reads.searches.bytes_to_host(id)
    }

    /// Returns a page of a search that is in progress.
    pub fn searched_page(&self, id: TransactionId) -> &SearchedPage {
        self.pump.reads.searches.page(id)
    }

    /// Queues the repeated reads that a page of a search needs after its first decoding. Returns true if there are
    /// any.
    pub fn repeat_search_page(&mut self, id: TransactionId, now: SimTime) -> bool {
        self.pump.repeat_search_page(id, now)
    }

    /// Records the arrival of a repeated read for a page of a search. Returns the page if this was its last
    /// repeated read.
    pub fn last_repeat_of(&mut self, id: TransactionId, now: SimTime) -> Option<TransactionId> {
        self.pump.last_repeat_of(id, now)
    }

    /// Returns the first pass in which searches for a pattern set find a match in a page; `None` if it has none.
    pub fn matching_pass(&self, pattern_set: u8, lpn: Lpn) -> Option<u16> {
        self.pump.reads.searches.matching_pass(pattern_set, lpn)
    }

    /// Returns the number of mapping units that these sectors cover, at least in part.
    pub fn units_of(&self, sectors: Range<u64>) -> u64 {
        let per_unit = u64::from(self.translation().sectors_per_page());
        sectors.end.div_ceil(per_unit) - sectors.start / per_unit
    }

    /// Returns true if some of these sectors of a page have no data on flash.
    pub fn lacks_data(&self, lpn: Lpn, sectors: u64) -> bool {
        sectors & !self.translation().present_sectors(lpn) != 0
    }

    /// Records that the drive refuses a read, since some of its sectors have no data.
    pub fn note_refused_read(&mut self, Range { start, end }: Range<u64>) {
        let pieces = self.translation().page_pieces(start, end);
        self.pump.shared.stats.read_refused(pieces);
    }

    /// Deallocates the mapping units that a trim covers completely. Returns the number of units whose
    /// deallocation must wait.
    pub fn accept_trim(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let Range { start, end } = self.translation().whole_parts(command.range());
        let mut waiting = 0;
        for (lpn, sectors) in self.translation().page_pieces(start, end) {
            waiting += u32::from(self.trim_page(command.initiator.id, lpn, sectors, now));
        }
        waiting
    }

    /// Accepts a write-zeroes command: deallocates the mapping units that it covers completely, and writes
    /// all other units. Returns the number of pages that the request waits for.
    pub fn accept_zeroes(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let HostCommand { initiator: Initiator { id, priority, .. }, queue, .. } = *command;
        let (origin, Range { start, end }) = (Origin::Request(id), command.range());
        let whole = self.translation().sectors.whole_page();
        let mut waiting = 0;
        for (lpn, sectors) in self.translation().page_pieces(start, end) {
            if sectors == whole {
                waiting += u32::from(self.trim_page(id, lpn, sectors, now));
            } else {
                self.write_page(origin, queue, priority, lpn, sectors, now);
                waiting += 1;
            }
        }
        waiting
    }

    /// Deallocates a mapping unit if the bit mask `sectors` covers it completely. A unit that it covers in
    /// part is kept, or its covered sectors are zeroed. Returns true if the deallocation must wait.
    pub fn trim_page(&mut self, request: RequestId, lpn: Lpn, sectors: u64, now: SimTime) -> bool {
        let rules = &self.translation().sectors;
        if sectors != rules.whole_page() && !rules.zeroes_parts() {
            self.pump.shared.stats.unit_kept();
            return false;
        }
        self.pump.accept_trim(PageTrim { request, lpn, sectors }, now)
    }

    /// Removes and returns the next page of a host request that was completed without an operation of a die.
    /// The caller must then remove the page's transaction from the transaction table, as after
    /// [`Self::finish`].
    pub fn next_without_die(&mut self, now: SimTime) -> Option<(TransactionId, FinishedPage)> {
        self.pump.next_without_die(now)
    }

    /// Returns true if a page of a host request has been completed without an operation of a die.
    #[inline]
    pub fn has_ended_without_die(&self) -> bool {
        !self.pump.shared.without_die.is_empty()
    }

    /// Ends a read, program or erase. `now` is the end of its last latency stage. Returns the page if the
    /// transaction belongs to the host or the cache. The caller must then remove the transaction with
    /// [`forget`](venice_nand::transactions::Transactions::forget).
    pub fn finish(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        self.pump.finish(id, now)
    }

    /// Returns true if [`Self::set_page_timer`] or [`Self::set_map_timer`] may return an instant in this run.
    #[inline]
    pub const fn has_timers(&self) -> bool {
        self.has_timers
    }

    /// Returns the instant at which [`Self::queue_due_pages`] must be called next, or `None` if this instant
    /// has already been returned.
    pub fn set_page_timer(&mut self) -> Option<SimTime> {
        self.pump.writes.set_page_timer()
    }

    /// Queues partly filled pages whose maximum waiting time for further mapping units has passed.
    pub fn queue_due_pages(&mut self, now: SimTime) {
        self.pump.queue_due_pages(now);
    }

    /// Queues all partly filled pages for their dies, since a flush or a write with forced unit access waits
    /// for their data.
    #[cold]
    pub fn queue_open_pages(&mut self, now: SimTime) {
        self.pump.queue_open_pages(now);
    }

    /// Returns the instant at which [`Self::map_fetched`] must be called next, or `None` if this instant has
    /// already been returned.
    pub fn set_map_timer(&mut self) -> Option<SimTime> {
        self.pump.mapper.set_timer()
    }

    /// Continues the transactions whose map entries have been read from the host memory buffer.
    pub fn map_fetched(&mut self, now: SimTime) {
        self.pump.map_fetched(now);
    }

    /// Removes and returns a write that found no free page and whose failure has not been reported yet.
    pub fn next_failed_write(&mut self) -> Option<TransactionId> {
        self.pump.loss.next_failed()
    }

    /// Completes a write that found no free page. The caller must then remove the write's transaction from
    /// the transaction table, as after [`Self::finish`].
    pub fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        self.pump.give_up_write(id, now)
    }

    /// Starts garbage collection in every plane with too few free blocks. After preconditioning to steady
    /// state, some planes are in this state at the start of the run.
    pub fn resume_collection(&mut self, now: SimTime) {
        if self.space().steady_moves_per_write.is_some() {
            for plane in (0..self.geometry.planes()).map(PlaneId) {
                self.pump.collector.collect_if_short(&mut self.pump.shared, plane, now);
            }
        }
    }

    /// Makes the pSLC cache available to host writes at the start of the run, if the drive has a pSLC cache.
    pub fn begin_slc_cache(&mut self) {
        self.pump.shared.space.blocks.change_slc_cache(SlcCache::activate);
    }

    /// Starts to simulate failures of erases, if the settings contain any. Earlier erases, of
    /// preconditioning, succeed.
    pub fn begin_block_failures(&mut self) {
        self.pump.shared.space.begin_failures(&self.settings);
    }

    /// Returns true if the drive refuses commands that change data, because a plane has no spare blocks left.
    pub fn is_read_only(&self) -> bool {
        self.space().blocks().grown_bad_blocks().is_some_and(GrownBadBlocks::is_read_only)
    }

    /// Returns the pSLC cache, if the drive has one.
    pub fn slc_cache(&self) -> Option<&SlcCache> {
        self.space().blocks().slc()
    }

    /// Returns true if the drive has parity across dies.
    pub const fn has_parity(&self) -> bool {
        self.settings.rain_data_units > 0
    }

    /// Records the beginning or end of a pause, in which the host has no outstanding request. Returns the
    /// times at which [`Self::work_when_idle`] must be called.
    pub fn note_pause(&mut self, is_paused: bool, now: SimTime) -> [Option<SimTime>; 2] {
        let mut fold_due = None;
        let Space { blocks, idle, .. } = &mut self.pump.shared.space;
        blocks.change_slc_cache(|slc| fold_due = slc.note_pause(is_paused, now));
        let collection_due = idle.note_pause(is_paused, now);
        if !is_paused && self.settings.gc_idle.is_some() {
            self.pump.collector.stop_idle(&mut self.pump.shared, now);
            self.pump.run_tasks(now);
        }
        [fold_due, collection_due]
    }

    /// Folds the pSLC cache and collects garbage, if the host has issued no request for the configured time.
    pub fn work_when_idle(&mut self, now: SimTime) {
        let Space { blocks, idle, .. } = &mut self.pump.shared.space;
        blocks.change_slc_cache(|slc| slc.note_idle(now));
        idle.note_due(now);
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            if !self.settings.lost_chips.contains(&self.chip_of(plane)) {
                self.pump.collector.collect_if_short(&mut self.pump.shared, plane, now);
            }
        }
        self.pump.run_tasks(now);
    }

    /// Stops garbage collection except in planes with waiting writes, since the host has no more requests.
    /// Has no effect unless garbage collection yields to the host.
    pub const fn rest(&mut self) {
        self.pump.shared.space.is_at_rest = self.settings.gc_yields_to_host;
    }

    /// Starts to record the chips that begin or end garbage collection.
    pub fn record_collection_notices(&mut self) {
        self.pump.shared.space.notices.start(&self.geometry);
    }

    /// Returns true if no chip can have begun or ended garbage collection since the last call of
    /// [`Self::next_collection_notice`].
    #[inline]
    pub const fn has_no_collection_notice(&self) -> bool {
        self.pump.shared.space.notices.is_empty()
    }

    /// Returns the next chip that has begun or ended garbage collection. The flag is true if the chip has
    /// begun.
    pub fn next_collection_notice(&mut self) -> Option<(ChipId, bool)> {
        let Space { notices, blocks, .. } = &mut self.pump.shared.space;
        notices.next(&self.geometry, &blocks.planes)
    }

    /// Returns true if the drive has background work (refresh or scrub) that ends when the host has no more
    /// requests.
    pub fn has_background_work(&self) -> bool {
        self.settings.refresh.is_some() || self.pump.scrub.is_some()
    }

    /// Starts or continues the background work (refresh and scrub), when the host issues a request. Returns
    /// the instants at which [`Self::refresh_due`] and [`Self::scrub_due`] must be called, unless these calls
    /// are already planned.
    pub fn begin_background_work(&mut self, now: SimTime) -> [Option<SimTime>; 2] {
        let Pump { shared, collector, scrub, .. } = &mut self.pump;
        [collector.begin_refresh(shared, now), scrub.as_mut().and_then(|scrub| scrub.begin(now))]
    }

    /// Ends the background work (refresh and scrub), since the host has no more requests.
    pub fn end_background_work(&mut self) {
        self.pump.collector.end_refresh();
        if let Some(scrub) = &mut self.pump.scrub {
            scrub.end();
        }
    }

    /// Starts the refresh of the blocks whose data has reached its maximum age at `now`. Returns the instant
    /// of the next call.
    pub fn refresh_due(&mut self, now: SimTime) -> Option<SimTime> {
        let Pump { shared, collector, .. } = &mut self.pump;
        let next = collector.refresh_due(shared, now);
        self.pump.run_tasks(now);
        next
    }

    /// Returns true if the drive has scrub, which reads all data in the background.
    pub const fn has_scrub(&self) -> bool {
        self.pump.scrub.is_some()
    }

    /// Reads the page that is due for scrub at `now`. Returns the instant of the next call, or `None` if no page can
    /// be read.
    pub fn scrub_due(&mut self, now: SimTime) -> Option<SimTime> {
        let Pump { shared, scrub, .. } = &mut self.pump;
        let next = scrub.as_mut()?.read_due(shared, now);
        self.pump.run_tasks(now);
        next
    }

    /// Continues scrub after an array operation, if scrub was suspended and a page may have become readable.
    /// Returns the instant at which [`Self::scrub_due`] must be called.
    #[inline]
    pub fn resume_scrub(&mut self, now: SimTime) -> Option<SimTime> {
        let Pump { shared, scrub, .. } = &mut self.pump;
        scrub.as_mut()?.resume(shared, now)
    }

    /// Starts to record the ages of the data in blocks. `initial` contains the ages of the data from before
    /// the run.
    pub fn begin_ages(&mut self, initial: InitialAges) {
        let Shared { geometry, space, ages, .. } = &mut self.pump.shared;
        *ages = Some(Box::new(BlockAges::new(geometry, space.blocks(), initial)));
    }

    /// Adds a model of read errors to the drive.
    pub fn add_read_errors(&mut self, errors: ReadErrors) {
        self.pump.reads.errors = Some(Box::new(errors));
    }

    /// Returns the model of read errors, if there is one.
    pub fn read_errors(&self) -> Option<&ReadErrors> {
        self.pump.reads.errors.as_deref()
    }

    /// Returns the number of mapping units whose data is unreadable, since it could not be corrected.
    pub fn unreadable_units(&self) -> u64 {
        let Shared { unreadable, translation, .. } = &self.pump.shared;
        let slots = unreadable.slots().filter(|&slot| translation.map.logical(slot).is_some()).count();
        let is_unmapped = |lpn: &Lpn| translation.map.location(*lpn) == translation::PageLocation::Unmapped;
        (slots + unreadable.unwritten().filter(is_unmapped).count()) as u64
    }

    /// Returns the chip of a plane.
    pub const fn chip_of(&self, plane: PlaneId) -> ChipId {
        self.geometry.chip_of(self.geometry.die_of(plane))
    }

    /// Returns the row of a chip in the array.
    pub const fn row_of(&self, chip: ChipId) -> u32 {
        self.geometry.array.row(chip)
    }

    /// Records the arrival of a page in a flash controller. Returns the next step for the page.
    pub fn page_arrived(&mut self, id: TransactionId) -> PageArrival {
        self.pump.page_arrived(id)
    }

    /// Processes the end of a page's decoding. Returns the next step of its read.
    pub fn decoded(&mut self, id: TransactionId, now: SimTime) -> DecodedPage {
        self.pump.decoded(id, now)
    }

    /// Removes and returns a read whose data has been rebuilt from its stripe, or could not be rebuilt. The
    /// caller must then end the read ([`Self::finish`]).
    pub fn next_rebuilt(&mut self) -> Option<TransactionId> {
        self.pump.shared.rebuilt.pop()
    }

    /// Queues another read of a page that could not be corrected.
    pub fn read_again(&mut self, id: TransactionId, now: SimTime) {
        self.pump.read_again(id, now);
    }

    /// Marks the data in the programmed slot `slot` (location of a mapping unit) as unreadable.
    pub fn note_unreadable(&mut self, slot: Ppn) {
        self.pump.note_unreadable(slot);
    }

    /// Replaces the configured victim policy by a user-defined one.
    pub fn choose_victims_by(&mut self, external: ExternalVictim) {
        self.pump.collector.choose_victims_by(external);
    }

    /// Returns the first violation of the policy rules by a user-defined victim policy, if there was one.
    pub fn broken_victim_contract(&self) -> Option<&str> {
        self.pump.collector.broken_contract()
    }

    /// Returns true if the victim policy is user-defined.
    pub const fn has_external_victims(&self) -> bool {
        self.pump.collector.has_external_victims()
    }
}

/// Returns the address ranges of a drive, each as a range of sectors.
pub fn address_ranges(geometry: &Geometry, settings: &FtlSettings) -> Vec<Range<u64>> {
    let slots = settings.units.slots(geometry);
    let sectors = u64::from(slots.page_bytes / SECTOR_BYTES);
    let ranges = AddressSpace::new(&slots, settings);
    let in_sectors = |pages: Range<u32>| u64::from(pages.start) * sectors..u64::from(pages.end) * sectors;
    ranges.ranges().map(in_sectors).collect()
}

/// Returns a function that computes the home plane of each mapping unit. Static allocation always stores the
/// unit in its home plane. With dynamic allocation, this holds only for data from before the run.
pub fn home_planes(geometry: &Geometry, settings: &FtlSettings) -> impl Fn(Lpn) -> PlaneId + Send + use<> {
    let space = AddressSpace::new(&settings.units.slots(geometry), settings);
    move |lpn| space.place(lpn).0
}

/// Returns the number of logical pages of the first plane in which garbage collection could deadlock, since
/// the plane has too many logical pages; `None` if there is no such plane.
pub fn overfull_plane(geometry: &Geometry, settings: &FtlSettings) -> Option<u32> {
    let slots = settings.units.slots(geometry);
    let per_plane = logical_pages_per_plane(&slots, settings.over_provisioning_ratio);
    AddressSpace::new(&slots, settings).overfull_plane(&slots, per_plane).map(|(_, pages)| pages)
}

/// Returns the number of logical pages per plane: the share of the pages that is not over-provisioning,
/// rounded down.
pub fn logical_pages_per_plane(geometry: &Geometry, over_provisioning_ratio: f64) -> u32 {
    (geometry.pages_per_plane() as f64 * (1.0 - over_provisioning_ratio)).floor() as u32
}

/// Returns the number of translation pages per plane if the map is stored on flash.
pub fn translation_pages_per_plane(
    geometry: &Geometry,
    mapping: &Mapping,
    logical_pages_per_plane: u32,
) -> u32 {
    mapping.translation_pages(logical_pages_per_plane * geometry.planes()).div_ceil(geometry.planes())
}

/// Returns the maximum number of mapping units in a plane, including translation pages, with which garbage
/// collection cannot deadlock. The reserved block, and at least one location in the other blocks, must be
/// free of valid data. Some full block then has an invalid mapping unit.
///
/// If several mapping units share a page, collecting a block gains a page only if the block has at least a
/// page of invalid units. More locations must be free in this case.
pub fn most_logical_pages_per_plane(geometry: &Geometry, units: MappingUnits) -> u32 {
    let filled = geometry.pages_per_block.saturating_sub(units.per_program() - 1);
    ((geometry.blocks_per_plane - 1) * filled).saturating_sub(1)
}
