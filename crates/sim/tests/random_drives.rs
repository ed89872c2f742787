//! Random drives, fabrics and workloads with the audit enabled: all requests complete, no data are lost, all
//! sums are consistent.
//!
//! The audit (see `observe::Audit`) compares each page read with a shadow copy of the drive's contents,
//! checks the order of programs within blocks, and balances programs, relocations and valid pages at the end.
//! A run that deadlocks or leaves a link reserved returns an error.

#![allow(
    clippy::unwrap_used,
    clippy::struct_excessive_bools,
    reason = "a test fails by panicking; flags are flags"
)]

use std::ops::Range;

use crate::random_background::{self, BackgroundOptions, background_options};
use crate::random_bad_blocks::{self, BadBlockOptions, bad_block_options};
use crate::random_cores::{core_options, host_core_options};
use crate::random_flash::{FlashOptions, flash_options};
use crate::random_meshes::attachments;
use crate::random_read_errors::{self, failed_requests, read_error_options};
use crate::random_scheduler::{self, scheduler_options};
use crate::random_searches::{check_searches, search_options, some_search};
use crate::random_slc::{self, slc_options};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use venice_drive::cache::{CacheMechanism, CacheMode};
use venice_drive::controller::scheduling::Scheduling;
use venice_drive::controller::{CoreParameters, EccParameters};
use venice_drive::ftl::{
    Allocation, CachedMapping, FactoryBadBlocks, FilledSectors, FtlSettings, GatherPlacement, GatherResult,
    GatherSensing, GatherSettings, GatherTarget, GatherWait, GcDestination, GcTrigger, HierarchyLevel,
    Mapping, MappingWriteBack, PageAllocation, PageRegion, PartialUnits, PreconditionMode,
    PreconditionSettings, ReadSharing, Resources, SearchSettings, SlcCacheSettings, TableSharing,
    UnwrittenData, VictimPolicy, WearMeasure, WriteFrontiers, WritePattern, logical_pages_per_plane,
    most_logical_pages_per_plane, overfull_plane,
};
use venice_drive::observe::{IntervalSettings, SliceSettings, WarmUp};
use venice_fabric::{
    Arbitration, BusChoice, ControllerChoice, CopyId, FabricKind, Hold, Injection, PortChoice, Reply,
    Reservation, Retry, Routing, Switching,
};
use venice_host::scheduler::{Scheme, VectorLevel};
use venice_host::testkit::Script;
use venice_host::{ArbitrationKind, HostCoreParameters, Protocol};
use venice_kernel::{RandomStream, Rate, SimSpan, SimTime};
use venice_nand::chip::{
    BitOperation, CacheOperations, PageTypeOrder, ProgramScheme, Suspension, SuspensionRule,
};
use venice_nand::geometry::{ChipId, Geometry, MappingUnits, Priority};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{FlashReport, Provenance, Report};
use venice_sim::testkit::drive::{RunOutcome, run, run_to_end, run_with_power_losses, small_drive};
use venice_sim::testkit::shares::impossible_shares;

/// Random parameters of a drive, apart from the fabric.
#[derive(Clone, Debug)]
struct Shape {
    rows: u32,
    cols: u32,
    dies: u32,
    planes: u32,
    blocks: u32,
    pages: u32,
    /// Mapping units per page, pages per mapping unit, and the longest wait of a page to fill.
    units: (u32, u32, SimSpan),
    /// Number of pages that are programmed together.
    program_pages: u32,
    /// Minimum number of planes with a full page before a program, at most the planes of a die.
    program_min_planes: u32,
    /// Second passes of programs, and garbage collection in idle time.
    background: BackgroundOptions,
    spare_pages: u32,
    dynamic: bool,
    /// True if the blocks form lines (superblocks).
    lines: bool,
    page_allocation: PageAllocation,
    write_streams: u16,
    unwritten: UnwrittenData,
    /// True if trims of a part of a mapping unit zero its sectors, unless unwritten data is mapped on read.
    zeroes_parts: bool,
    same_offset: bool,
    yields: bool,
    victim: VictimPolicy,
    destination: GcDestination,
    /// Identifier of chip-to-chip transfers; `None` for drives without such transfers.
    copies: Option<CopyId>,
    /// Settings of gathers; `None` for drives without gathers.
    gathers: Option<GatherSettings>,
    /// Settings of searches; `None` for drives without searches.
    searches: Option<SearchSettings>,
    start_free_blocks: u32,
    level_free: bool,
    level_cold: Option<u32>,
    mapping: Mapping,
    full_blocks: bool,
    shared_frontier: bool,
    stop_free_blocks: u32,
    before: Before,
    flash: FlashOptions,
    /// Decoders and wear; `None` for drives without read errors.
    read_errors: Option<EccParameters>,
    /// Processor cores and the admission of writes, and cores of the host.
    cores: (CoreParameters, HostCoreParameters),
    blocks_in_use: BlockOptions,
    queue_depth: u32,
    partitions: Vec<[u8; 4]>,
}

/// Random use of a drive's blocks.
#[derive(Clone, Debug, Default)]
struct BlockOptions {
    /// pSLC cache, if the drive has lines.
    slc: Option<SlcCacheSettings>,
    bad_blocks: BadBlockOptions,
    /// Choice among the possible sizes of parity stripes, if the drive has lines; `None` without parity.
    parity: Option<prop::sample::Index>,
}

fn block_options() -> impl Strategy<Value = BlockOptions> {
    let parity = prop::option::weighted(0.6, any::<prop::sample::Index>());
    (slc_options(), bad_block_options(), parity).prop_map(|(slc, bad_blocks, parity)| BlockOptions {
        slc,
        bad_blocks,
        parity,
    })
}

/// Adds parity to a drive with lines, if groups of its dies can have it.
fn add_parity(choice: prop::sample::Index, settings: &mut DriveSettings) {
    let dies = settings.geometry.dies();
    let groups: Vec<u32> = (2..=dies).filter(|group| dies.is_multiple_of(*group)).collect();
    if !groups.is_empty() {
        settings.ftl.rain_data_units = groups[choice.index(groups.len())] - 1;
    }
}

/// Random contents of a drive before the run.
#[derive(Clone, Debug)]
struct Before {
    mode: PreconditionMode,
    /// Start and end, as shares of the stripes.
    range: (f64, f64),
    occupancy: f64,
    pattern: WritePattern,
    working_set: f64,
}

fn befores() -> impl Strategy<Value = Before> {
    use PreconditionMode::{Fill, Mqsim, None, SteadyState};
    let modes = prop::sample::select(vec![None, Fill, SteadyState, Mqsim]);
    let share = || prop_oneof![Just(1.0_f64), 0.0..=1.0];
    let hot = (0.0..=1.0, 0.0..=1.0).prop_map(|(region, traffic)| WritePattern::HotCold { region, traffic });
    let patterns = prop_oneof![Just(WritePattern::Uniform), Just(WritePattern::Sequential), hot];
    (modes, prop_oneof![Just(0.0_f64), 0.0..=1.0], share(), share(), patterns, share()).prop_map(
        |(mode, start, end, occupancy, pattern, working_set)| Before {
            mode,
            range: (start.min(end), end),
            occupancy,
            pattern,
            working_set,
        },
    )
}

/// Returns two regions, to cover the case of several: a third of the range, and the rest.
fn precondition(settings: &DriveSettings, before: &Before) -> PreconditionSettings {
    let units = settings.ftl.units;
    let planes = settings.ftl.data_planes(&settings.geometry) * units.per_page();
    let unit_bytes = units.slots(&settings.geometry).page_bytes;
    let all = (Simulation::capacity_sectors(settings) * 512 / u64::from(unit_bytes)) as u32;
    let place = |share: f64| (f64::from(all / planes) * share).round() as u32 * planes;
    let (start, end) = (place(before.range.0), place(before.range.1));
    let middle = start + (end - start) / planes / 3 * planes;
    let region = |pages: Range<u32>| PageRegion {
        working_set: (f64::from(pages.end - pages.start) * before.working_set) as u32,
        drawn: None,
        traffic: f64::from(pages.end - pages.start),
        pages,
        occupancy: before.occupancy,
        pattern: before.pattern,
    };
    PreconditionSettings {
        mode: if before.mode == PreconditionMode::Mqsim
            && (!units.are_pages()
                || settings.ftl.allocation.is_striped()
                || settings.ftl.bad_blocks != FactoryBadBlocks::None
                || settings.ftl.grown_bad_blocks.is_some())
        {
            PreconditionMode::SteadyState
        } else {
            before.mode
        },
        filled: FilledSectors::WholePage,
        regions: vec![region(start..middle), region(middle..end)],
        settling_turns: 4.0,
        gc_pace: venice_drive::ftl::GcPace::AtOnce,
        seed: 3,
    }
}

/// Generates address ranges: of all planes, or of those that random masks select.
fn address_ranges() -> impl Strategy<Value = Vec<[u8; 4]>> {
    let whole = prop::collection::vec(Just([0_u8; 4]), 1..4);
    prop_oneof![whole, prop::collection::vec(any::<[u8; 4]>(), 1..4)]
}

/// Generates no address ranges, or some.
fn partitions() -> impl Strategy<Value = Vec<[u8; 4]>> {
    prop_oneof![1 => Just(Vec::new()), 4 => address_ranges()]
}

fn shapes() -> impl Strategy<Value = Shape> {
    let sizes = (1_u32..=4, 1_u32..=4, 1_u32..=2, 1_u32..=4, 3_u32..=10, 1_u32..=8, 1_u32..=24);
    // Thresholds so low that static wear levelling runs permanently.
    let levelling = (any::<bool>(), prop::option::of(1_u32..=3));
    let copies = prop::option::of(prop::sample::select(vec![CopyId::Own, CopyId::Lent]));
    let policies =
        (prop::sample::select(VictimPolicy::ALL), destinations(), copies, gathers(), search_options());
    let collection = (policies, 2_u32..=5, levelling, mappings());
    let queues = (1_u32..=40, placements(), partitions(), any::<bool>());
    let flash = (flash_options(), read_error_options(), (core_options(), host_core_options()));
    let programs = (program_pages(), prop_oneof![Just(1_u32), 2_u32..=4]);
    let division = (units(), prop::bool::weighted(0.55), programs, background_options(), block_options());
    let more = (0_u32..=6, befores(), flash, queues, division);
    (sizes, any::<[bool; 5]>(), collection, more).prop_map(|(sizes, flags, collection, more)| {
        let (rows, cols, dies, planes, blocks, pages, spare_pages) = sizes;
        let [dynamic, same_offset, yields, full_blocks, shared_frontier] = flags;
        let (stop_free_blocks, before, (flash, read_errors, cores), queues, division) = more;
        let (units, lines, (program_pages, program_min_planes), background, blocks_in_use) = division;
        let (queue_depth, (page_allocation, write_streams, unwritten), partitions, zeroes_parts) = queues;
        let (policies, start_free_blocks, (level_free, level_cold), mapping) = collection;
        let (victim, destination, copies, gathers, searches) = policies;
        Shape {
            rows,
            cols,
            dies,
            planes,
            blocks,
            pages,
            units,
            program_pages,
            program_min_planes,
            background,
            spare_pages,
            dynamic,
            lines,
            page_allocation,
            write_streams,
            unwritten,
            zeroes_parts,
            same_offset,
            yields,
            victim,
            destination,
            copies,
            gathers,
            searches,
            start_free_blocks,
            level_free,
            level_cold,
            mapping,
            full_blocks,
            shared_frontier,
            stop_free_blocks,
            before,
            flash,
            read_errors: if lines && blocks_in_use.slc.is_some() { None } else { read_errors },
            cores,
            blocks_in_use,
            queue_depth,
            partitions,
        }
    })
}

fn destinations() -> impl Strategy<Value = GcDestination> {
    prop::sample::select(GcDestination::ALL)
}

/// Generates the number of units per page and the wait of a page, with units smaller than a page for almost half
/// of the drives.
fn units() -> impl Strategy<Value = (u32, u32, SimSpan)> {
    let ratios = prop::sample::select(vec![
        (1_u32, 1_u32),
        (1, 1),
        (1, 1),
        (2, 1),
        (4, 1),
        (8, 1),
        (1, 2),
        (1, 8),
        (1, 16),
    ]);
    let wait = prop::sample::select(vec![0_u64, 10, 300]).prop_map(SimSpan::from_us);
    (ratios, wait).prop_map(|((per_page, pages), wait)| (per_page, pages, wait))
}

/// Generates the number of pages that are programmed together, several for most of the drives.
fn program_pages() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![1_u32, 1, 2, 3, 3])
}

/// Changes a drive to mapping units of a part of a page, or to programs of several pages, with the settings
/// that such units allow. Does nothing if the planes are too small.
fn divide_pages(settings: &mut DriveSettings, shape: &Shape) {
    let (per_page, pages, wait) = shape.units;
    if pages > 1 {
        return lengthen_units(settings, pages);
    }
    let together = shape.program_pages;
    let page_bytes = settings.geometry.page_bytes;
    let units = MappingUnits::of(page_bytes / per_page, page_bytes).programmed_in(together);
    let (pages_of_block, per_page) = (settings.geometry.pages_per_block, units.per_program());
    settings.geometry.pages_per_block *= together;
    let most = most_logical_pages_per_plane(&units.slots(&settings.geometry), units);
    let wanted = most.saturating_sub(shape.spare_pages).max(per_page).min(most);
    let planes = settings.geometry.planes();
    let fitting = logical_pages(&shape.mapping, planes, most.saturating_sub(per_page), wanted);
    let mapping = if fitting.is_some() { shape.mapping } else { Mapping::Ideal };
    let logical = fitting.unwrap_or(wanted);
    if per_page == 1 || logical < per_page {
        settings.geometry.pages_per_block = pages_of_block;
        return;
    }
    settings.flash.array.program_pages = together;
    let slots = shape.blocks * shape.pages * per_page;
    settings.ftl.over_provisioning_ratio = 1.0 - (f64::from(logical) + 0.5) / f64::from(slots);
    (settings.ftl.units, settings.ftl.page_fill_wait) = (units, wait);
    settings.ftl.page_allocation = PageAllocation::AtStart;
    settings.ftl.mapping = mapping;
    settings.ftl.gc_copyback = false;
    if settings.ftl.gc_destination.leaves() {
        settings.ftl.gc_destination = GcDestination::ColdApart;
    }
    if settings.ftl.unwritten_data == UnwrittenData::MappedOnRead {
        settings.ftl.unwritten_data = UnwrittenData::Absent;
    }
}

/// Sets how reads share transfers. Makes full pages wait for pages in other planes of their die, on drives that
/// allocate pages at their programs.
fn group_pages(settings: &mut DriveSettings, shape: &Shape) {
    if shape.program_min_planes.is_multiple_of(2) {
        settings.ftl.read_sharing = ReadSharing::Request;
    }
    settings.ftl.read_codeword_bytes = [0, 0, 1024, 4096][shape.program_min_planes as usize - 1];
    if settings.ftl.page_allocation == PageAllocation::AtStart {
        settings.ftl.program_min_planes = shape.program_min_planes.min(settings.geometry.planes_per_die);
        settings.ftl.page_fill_wait = shape.units.2;
    }
}

/// Changes a drive to mapping units of several pages, and multiplies the pages per block accordingly.
fn lengthen_units(settings: &mut DriveSettings, pages: u32) {
    settings.geometry.pages_per_block *= pages;
    settings.ftl.units = MappingUnits::of(settings.geometry.page_bytes * pages, settings.geometry.page_bytes);
    settings.ftl.gc_copyback = false;
}

/// Makes trims of a part of a mapping unit zero its sectors, on some of the drives that can record them.
fn zero_parts(shape: &Shape, settings: &mut DriveSettings) {
    if shape.zeroes_parts && settings.ftl.unwritten_data != UnwrittenData::MappedOnRead {
        settings.ftl.trim.partial_units = PartialUnits::Zeroed;
        settings.ftl.trim.dulbe = shape.queue_depth.is_multiple_of(2);
    }
}

/// Number of lines that garbage collection needs: the reserved line, the open line for relocated data, and
/// the open line for cold data.
const LINES_OF_COLLECTION: u32 = 3;

/// Changes a drive so that its blocks form lines (superblocks): sets the settings that lines require, and
/// adds as many blocks per plane as lines may be open, and `cache_lines` for a pSLC cache.
fn form_lines(settings: &mut DriveSettings, cache_lines: u32) {
    let slots = settings.ftl.units.slots(&settings.geometry);
    let logical = logical_pages_per_plane(&slots, settings.ftl.over_provisioning_ratio);
    let mut lines = u32::from(settings.ftl.write_streams) + LINES_OF_COLLECTION + cache_lines;
    if let Mapping::Cached(mapping) = &mut settings.ftl.mapping {
        lines += 1;
        mapping.write_back = MappingWriteBack::Flash;
    }
    settings.geometry.blocks_per_plane += lines;
    let slots = settings.ftl.units.slots(&settings.geometry).pages_per_plane();
    settings.ftl.over_provisioning_ratio = 1.0 - (f64::from(logical) + 0.5) / slots as f64;
    settings.ftl.allocation = Allocation::Striped(ORDER);
    settings.ftl.page_allocation = PageAllocation::AtStart;
    settings.ftl.gc_copyback = false;
    settings.ftl.gc_destination = GcDestination::SamePlane;
    settings.ftl.gc_trigger = GcTrigger::Shortage;
    settings.ftl.write_frontiers = WriteFrontiers::Separate;
    settings.ftl.wear_measure = WearMeasure::Erases;
    if settings.ftl.unwritten_data == UnwrittenData::MappedOnRead {
        settings.ftl.unwritten_data = UnwrittenData::Absent;
    }
}

/// Generates arbitrary gather settings, for half of the drives.
fn gathers() -> impl Strategy<Value = Option<GatherSettings>> {
    let placements = prop::sample::select(&[
        GatherPlacement::Random,
        GatherPlacement::Consecutive,
        GatherPlacement::SameBlock,
        GatherPlacement::SamePlane,
    ]);
    let sensing = prop::sample::select(&[
        GatherSensing::SinglePage,
        GatherSensing::ParaBit,
        GatherSensing::FlashCosmos,
    ]);
    let operations = prop::sample::select(&[BitOperation::And, BitOperation::Or, BitOperation::Xor]);
    let sensed = (placements, sensing, operations, 1_u32..=8, 1_u32..=5);
    prop::option::of((2_u32..=20, any::<[bool; 3]>(), 0_u64..=30, sensed).prop_map(|shape| {
        let (operands, flags, t_us, (placement, sensing, operation, max_wordlines, max_blocks)) = shape;
        let [most, stays, inverted_data] = flags;
        let waits = [GatherWait::Always, GatherWait::WhileIdle, GatherWait::Never];
        GatherSettings {
            operands,
            placement,
            target: if most { GatherTarget::MostOperands } else { GatherTarget::FirstOperand },
            wait: waits[t_us as usize % 3],
            result: if stays { GatherResult::Flash } else { GatherResult::Host },
            combination: SimSpan::from_us(t_us),
            operation,
            sensing,
            inverted_data,
            max_wordlines,
            max_blocks,
            ..GatherSettings::default()
        }
    }))
}

/// Converts some of the reads to gathers, if the drive supports gathers.
fn some_gather(shape: &Shape, mut requests: Vec<HostRequest>) -> Vec<HostRequest> {
    if shape.gathers.is_some() {
        let reads = requests.iter_mut().filter(|request| request.op == Op::Read);
        reads.step_by(3).for_each(|request| request.op = Op::Gather);
    }
    requests
}

/// Generates time of page allocation, number of streams, and content of unwritten pages.
fn placements() -> impl Strategy<Value = (PageAllocation, u16, UnwrittenData)> {
    use PageAllocation::{AtArrival, AtArrivalAnyOrder, AtStart};
    use UnwrittenData::{Absent, MappedOnRead, Present};
    let page_allocation = prop::sample::select(vec![AtStart, AtArrival, AtArrivalAnyOrder]);
    (page_allocation, 1_u16..=3, prop::sample::select(vec![Present, Absent, MappedOnRead]))
}

/// Returns for each level the numbers of the set bits that the drive has; empty (all) if there is none.
fn resources(geometry: &Geometry, masks: [u8; 4]) -> Resources {
    let list = |mask: u8, level| {
        let available = Resources::available(geometry, level);
        (0..available).filter(|number| mask >> number & 1 != 0).collect()
    };
    let [channels, ways, dies, planes] = masks;
    Resources {
        channels: list(channels, HierarchyLevel::Channel),
        ways: list(ways, HierarchyLevel::Way),
        dies: list(dies, HierarchyLevel::Die),
        planes: list(planes, HierarchyLevel::Plane),
        lost: Vec::new(),
        parity: Vec::new(),
    }
}

/// True if all address ranges have pages and leave garbage collection a free block.
fn fits(settings: &DriveSettings) -> bool {
    let ranges = Simulation::address_ranges(settings);
    overfull_plane(&settings.geometry, &settings.ftl).is_none()
        && ranges.iter().all(|range| !range.is_empty())
}

/// Generates mapping caches from one entry on, and translation pages from one entry on.
fn mappings() -> impl Strategy<Value = Mapping> {
    let writeback = prop::sample::select(vec![MappingWriteBack::Flash, MappingWriteBack::ReadOnly]);
    let cached =
        (1_u32..=40, 1_u32..=30, writeback).prop_map(|(table_entries, entries_per_page, write_back)| {
            let sharing = match table_entries % 3 {
                0 => TableSharing::Shared,
                1 => TableSharing::Equal,
                _ => TableSharing::Whole,
            };
            Mapping::Cached(CachedMapping {
                table_entries,
                entries_per_page,
                page_entry_bytes: 4,
                write_back,
                sharing,
            })
        });
    prop_oneof![Just(Mapping::Ideal), cached.clone(), cached]
}

/// Returns the largest number of logical pages of a plane, at most `most`, that leaves its translation pages
/// enough space.
fn logical_pages(mapping: &Mapping, planes: u32, room: u32, most: u32) -> Option<u32> {
    let fits = |&pages: &u32| pages + mapping.translation_pages(pages * planes).div_ceil(planes) <= room;
    (1..=most).rev().find(fits)
}

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Way, HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Die];

fn drive(shape: &Shape, kind: FabricKind) -> DriveSettings {
    let cols = if kind == FabricKind::PnSsd { shape.rows } else { shape.cols };
    let mut settings = small_drive(kind, shape.rows, cols);
    settings.geometry.dies_per_chip = shape.dies;
    settings.geometry.planes_per_die = shape.planes;
    settings.geometry.blocks_per_plane = shape.blocks;
    settings.geometry.pages_per_block = shape.pages;
    settings.flash = venice_nand::testkit::paper_flash(shape.planes);
    settings.flash.multiplane_same_offset = shape.same_offset;
    // A plane needs fewer logical pages than its pages without one block.
    let pages = shape.blocks * shape.pages;
    let logical = ((shape.blocks - 1) * shape.pages).saturating_sub(shape.spare_pages).max(1);
    // With demand-paged mapping, the limit applies to logical and translation pages together.
    let room = ((shape.blocks - 1) * shape.pages).saturating_sub(1).max(1);
    let planes = settings.geometry.planes();
    let fitting = logical_pages(&shape.mapping, planes, room, logical);
    settings.ftl.mapping = if fitting.is_some() { shape.mapping } else { Mapping::Ideal };
    let logical = fitting.unwrap_or(logical);
    settings.ftl.over_provisioning_ratio = 1.0 - (f64::from(logical) + 0.5) / f64::from(pages);
    settings.ftl.allocation =
        if shape.dynamic { Allocation::Dynamic(ORDER) } else { Allocation::Static(ORDER) };
    settings.ftl.page_allocation = shape.page_allocation;
    settings.ftl.write_streams = shape.write_streams;
    settings.ftl.unwritten_data = shape.unwritten;
    settings.ftl.gc_yields_to_host = shape.yields;
    (settings.ftl.victim, settings.ftl.gc_destination) = (shape.victim, shape.destination);
    settings.fabric.chip_to_chip = shape.copies.is_some();
    settings.fabric.own.venice.copy_id = shape.copies.unwrap_or(CopyId::Own);
    settings.ftl.gather = shape.gathers.unwrap_or_default();
    settings.ftl.search = shape.searches.clone().unwrap_or(settings.ftl.search);
    settings.ftl.gc_start_free_blocks = shape.start_free_blocks;
    settings.ftl.gc_trigger = if shape.full_blocks { GcTrigger::FullBlock } else { GcTrigger::Shortage };
    settings.ftl.gc_stop_free_blocks = shape.stop_free_blocks;
    settings.ftl.write_frontiers =
        if shape.shared_frontier { WriteFrontiers::Shared } else { WriteFrontiers::Separate };
    settings.ftl.wear_measure =
        if shape.full_blocks { WearMeasure::BlockNumbers } else { WearMeasure::Erases };
    settings.ftl.dynamic_wear_levelling = shape.level_free;
    settings.ftl.static_wear_levelling = shape.level_cold;
    settings.host.queue_depth = shape.queue_depth;
    (settings.cores, settings.host.cores) = shape.cores;
    shape.flash.apply(&mut settings);
    random_read_errors::apply(shape.read_errors, &mut settings);
    divide_pages(&mut settings, shape);
    if shape.lines {
        let cache_lines = shape.blocks_in_use.slc.map_or(0, |cache| random_slc::apply(cache, &mut settings));
        form_lines(&mut settings, cache_lines);
        if let Some(choice) = shape.blocks_in_use.parity {
            add_parity(choice, &mut settings);
        }
    } else {
        let masks = shape.partitions.iter().copied();
        settings.ftl.partitions = masks.map(|masks| resources(&settings.geometry, masks)).collect();
    }
    group_pages(&mut settings, shape);
    random_bad_blocks::apply(shape.blocks_in_use.bad_blocks, &mut settings);
    if !fits(&settings) {
        settings.ftl.partitions.clear();
    }
    random_background::apply(shape.background, &mut settings);
    zero_parts(shape, &mut settings);
    settings.precondition = precondition(&settings, &shape.before);
    settings
}

/// Checks that enough of 400 random drives have several address ranges, so that the generator covers this
/// case.
#[test]
fn most_random_partitions_are_possible() {
    let mut runner = TestRunner::deterministic();
    let has_ranges = |shape: Shape| drive(&shape, FabricKind::Bus).ftl.partitions.len() > 1;
    let mut draw = || shapes().new_tree(&mut runner).unwrap().current();
    let several = (0..400).filter(|_| has_ranges(draw())).count();
    assert!(several > 60, "{several}");
}

/// Checks that at least a quarter of a hundred random drives have units smaller than a page.
#[test]
fn many_random_drives_divide_their_pages() {
    let mut runner = TestRunner::deterministic();
    let is_divided = |shape: Shape| !drive(&shape, FabricKind::Bus).ftl.units.are_pages();
    let mut draw = || shapes().new_tree(&mut runner).unwrap().current();
    let divided = (0..100).filter(|_| is_divided(draw())).count();
    assert!(divided >= 25, "{divided}");
}

/// Checks that at least a quarter of a hundred random drives zero the sectors of partial trims.
#[test]
fn many_random_drives_zero_trimmed_sectors() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let with_zeroes = (0..100).filter(|_| draw().ftl.trim.partial_units == PartialUnits::Zeroed).count();
    assert!(with_zeroes >= 25, "{with_zeroes}");
}

/// Checks that at least a quarter of a hundred random drives program several pages together.
#[test]
fn many_random_drives_program_pages_together() {
    let mut runner = TestRunner::deterministic();
    let has_word_lines = |shape: Shape| drive(&shape, FabricKind::Bus).flash.array.program_pages > 1;
    let mut draw = || shapes().new_tree(&mut runner).unwrap().current();
    let with_word_lines = (0..100).filter(|_| has_word_lines(draw())).count();
    assert!(with_word_lines >= 25, "{with_word_lines}");
}

/// Checks that at least a fifth of a hundred random drives wait for several planes before a program, and that more
/// than a third read page registers.
#[test]
fn many_random_drives_group_pages_and_read_page_registers() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let waits = |ftl: &FtlSettings| ftl.program_min_planes > 1 && !ftl.page_fill_wait.is_zero();
    let with_groups = (0..100).filter(|_| waits(&draw().ftl)).count();
    assert!(with_groups >= 20, "{with_groups}");
    let with_registers = (0..100).filter(|_| !draw().flash.array.register.is_zero()).count();
    assert!(with_registers >= 35, "{with_registers}");
}

/// Checks that at least a quarter of a hundred random drives program in two passes.
#[test]
fn many_random_drives_program_in_two_passes() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let with_two_passes = (0..100).filter(|_| draw().ftl.has_two_passes()).count();
    assert!(with_two_passes >= 25, "{with_two_passes}");
}

/// Checks that at least a quarter of 400 random drives have processor cores, and that some have hosts with time
/// slices.
#[test]
fn many_random_drives_have_cores() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || shapes().new_tree(&mut runner).unwrap().current();
    let with_cores = (0..400).filter(|_| draw().cores.0.cores > 0).count();
    assert!(with_cores >= 100, "{with_cores}");
    let has_slices = |cores: HostCoreParameters| cores.has_request_time() && !cores.core_slice.is_zero();
    let with_slices = (0..100).filter(|_| has_slices(draw().cores.1)).count();
    assert!(with_slices >= 15, "{with_slices}");
}

/// Checks that at least a quarter of a hundred random drives have searches.
#[test]
fn many_random_drives_have_searches() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || shapes().new_tree(&mut runner).unwrap().current();
    let with_searches = (0..100).filter(|_| draw().searches.is_some()).count();
    assert!(with_searches >= 25, "{with_searches}");
}

/// Checks that at least a quarter of a hundred random drives have lines.
#[test]
fn many_random_drives_have_lines() {
    let mut runner = TestRunner::deterministic();
    let has_lines = |shape: Shape| drive(&shape, FabricKind::Bus).ftl.allocation.is_striped();
    let mut draw = || shapes().new_tree(&mut runner).unwrap().current();
    let with_lines = (0..100).filter(|_| has_lines(draw())).count();
    assert!(with_lines >= 25, "{with_lines}");
}

/// Checks that about a quarter of a hundred random drives have a pSLC cache.
#[test]
fn many_random_drives_have_a_cache_in_slc_mode() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let with_cache = (0..100).filter(|_| draw().ftl.slc.is_some()).count();
    assert!(with_cache >= 18, "{with_cache}");
}

/// Checks that at least a quarter of a hundred random drives have a host memory buffer.
#[test]
fn many_random_drives_have_a_host_buffer() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let with_buffer = (0..100).filter(|_| draw().ftl.host_buffer.is_some()).count();
    assert!(with_buffer >= 25, "{with_buffer}");
}

/// Checks that at least a quarter of a hundred random drives collect garbage in idle time.
#[test]
fn many_random_drives_collect_garbage_in_idle_time_or_move_valid_blocks() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let with_idle = (0..100).filter(|_| draw().ftl.gc_idle.is_some()).count();
    assert!(with_idle >= 25, "{with_idle}");
    let with_reclaim = (0..100).filter(|_| draw().ftl.read_reclaim_reads > 0).count();
    assert!(with_reclaim >= 25, "{with_reclaim}");
    let with_refresh = (0..100).filter(|_| draw().ftl.refresh.age_days > 0.0).count();
    assert!(with_refresh >= 25, "{with_refresh}");
    let with_scrub = (0..100).filter(|_| draw().ftl.scrub_pages_per_s > 0.0).count();
    assert!(with_scrub >= 25, "{with_scrub}");
}

/// Checks that at least a quarter of a hundred random drives have parity.
#[test]
fn many_random_drives_have_parity() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let with_parity = (0..100).filter(|_| draw().ftl.rain_data_units > 0).count();
    assert!(with_parity >= 25, "{with_parity}");
}

/// Checks that at least a quarter of a hundred random drives have bad blocks.
#[test]
fn many_random_drives_have_bad_blocks() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || drive(&shapes().new_tree(&mut runner).unwrap().current(), FabricKind::Bus);
    let has_some = |drive: DriveSettings| {
        drive.ftl.factory_bad_blocks(&drive.geometry).into_iter().any(|blocks| blocks > 0)
    };
    let with_bad_blocks = (0..100).filter(|_| has_some(draw())).count();
    assert!(with_bad_blocks >= 25, "{with_bad_blocks}");
    let with_failures = (0..100).filter(|_| draw().ftl.grown_bad_blocks.is_some()).count();
    assert!(with_failures >= 25, "{with_failures}");
}

/// Checks that at least a quarter of a hundred random drives notify PIQ of garbage collection, limit the reads that
/// pass overdue writes of PIQ+, and prefer batches without common channels; and that more than half of NoSSD's
/// drives reserve circuits.
#[test]
fn many_random_drives_have_the_options_of_piq_and_circuits_of_nossd() {
    let mut runner = TestRunner::deterministic();
    let draws = (shapes(), paths(), scheduler_options());
    let mut counts = [0; 5];
    for _ in 0..100 {
        let (shape, paths, options) = draws.new_tree(&mut runner).unwrap().current();
        let mut settings = drive(&shape, FabricKind::NoSsd);
        paths.apply(&mut settings);
        random_scheduler::apply(options, &mut settings);
        let scheduler = settings.host.scheduler;
        let uses = |schemes: &[Scheme]| scheduler.is_some_and(|it| schemes.contains(&it.scheme));
        let is_piq = uses(&[Scheme::PiqR, Scheme::PiqW, Scheme::Piq, Scheme::PiqPlus]);
        let found = [
            settings.fabric.own.nossd.switching != Switching::Packets,
            is_piq && options.avoid_collecting,
            is_piq && options.level != VectorLevel::Chip,
            uses(&[Scheme::PiqPlus]),
            settings.fabric.hold == Hold::Request,
        ];
        counts.iter_mut().zip(found).for_each(|(count, found)| *count += u32::from(found));
    }
    assert!(counts.iter().all(|count| *count >= 25), "{counts:?}");
}

/// Creates random reads and writes of 1 to 40 sectors, unaligned, over the complete drive.
fn requests(settings: &DriveSettings, seed: u64, count: u64, gap: SimSpan) -> Vec<HostRequest> {
    let capacity = Simulation::capacity_sectors(settings);
    let mut random = RandomStream::new(seed, "requests");
    let mut arrival = SimTime::ZERO;
    (0..count)
        .map(|_| {
            arrival = arrival + SimSpan::from_ps(random.below(gap.as_ps() * 2 + 1));
            let sectors = (1 + random.below(40)).min(capacity);
            HostRequest {
                arrival,
                op: if random.chance(0.4) { Op::Read } else { Op::Write },
                start_sector: random.below(capacity - sectors + 1),
                sectors: sectors as u32,
                queue: random.below(2) as u16,
                pattern_set: 0,
            }
        })
        .collect()
}

/// Operations that replace writes at random.
const DURABLE: [Op; 5] = [Op::Flush, Op::FuaWrite, Op::Flush, Op::WriteZeroes, Op::DeallocateZeroes];

/// Creates requests as [`requests`] does. For every other seed, some of the writes are trims; for the others,
/// flushes, writes with forced unit access, and writes of zeroes.
fn drawn(settings: &DriveSettings, seed: u64, count: u64, gap: SimSpan) -> Vec<HostRequest> {
    let mut requests = requests(settings, seed, count, gap);
    if seed.is_multiple_of(2) {
        let writes = requests.iter_mut().filter(|request| request.op == Op::Write);
        writes.step_by(2 + (seed / 2 % 3) as usize).for_each(|request| request.op = Op::Trim);
        requests = with_ranges(settings, seed, requests);
    } else {
        let mut random = RandomStream::new(seed, "durable requests");
        for request in requests.iter_mut().filter(|request| request.op == Op::Write) {
            if random.chance(0.4) {
                request.op = DURABLE[random.below(DURABLE.len() as u64) as usize];
            }
            if request.op == Op::Flush {
                (request.start_sector, request.sectors) = (0, 0);
            }
        }
    }
    requests
}

/// Makes most reads continue the read before them.
fn make_sequential(settings: &DriveSettings, seed: u64, requests: &mut [HostRequest]) {
    let capacity = Simulation::capacity_sectors(settings);
    let mut random = RandomStream::new(seed, "sequential reads");
    let mut next = 0;
    for request in requests.iter_mut().filter(|request| request.op == Op::Read) {
        if random.chance(0.8) && next + u64::from(request.sectors) <= capacity {
            request.start_sector = next;
        }
        next = request.start_sector + u64::from(request.sectors);
    }
}

/// Adds up to seven ranges to every other trim.
fn with_ranges(settings: &DriveSettings, seed: u64, requests: Vec<HostRequest>) -> Vec<HostRequest> {
    let capacity = Simulation::capacity_sectors(settings);
    let mut random = RandomStream::new(seed, "ranges of trims");
    let mut all = Vec::new();
    for request in requests {
        let ranges = if request.op == Op::Trim && random.chance(0.5) { 1 + random.below(7) } else { 0 };
        for _ in 0..ranges {
            let sectors = (1 + random.below(40)).min(capacity);
            let start_sector = random.below(capacity - sectors + 1);
            all.push(HostRequest { op: Op::TrimRange, start_sector, sectors: sectors as u32, ..request });
        }
        all.push(request);
    }
    all
}

/// Returns instants of losses of power in a period.
fn instants(seed: u64, period: SimSpan) -> Vec<SimTime> {
    let mut random = RandomStream::new(seed, "power losses");
    (0..10).map(|_| SimTime::from_ps(random.below(period.as_ps()))).collect()
}

fn check(outcome: &RunOutcome, count: u64) {
    let report = &outcome.report;
    let completed = count - failed_requests(report);
    assert_eq!((report.requests.submitted, report.requests.completed), (count, completed));
    check_rows(outcome, count);
}

/// Checks that each request has a result, successful or not.
fn check_rows(outcome: &RunOutcome, count: u64) {
    let report = &outcome.report;
    let mut numbers: Vec<u64> = outcome.requests().map(|row| row.number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..count), "each request completes exactly once");
    for row in &outcome.rows {
        let stages: SimSpan = row.stages.iter().copied().sum();
        assert_eq!(stages, row.completed.since(row.arrival), "the stages are the latency");
    }
    let flash = &outcome.whole_flash();
    let background = [flash.idle_moves, flash.reclaim_moves, flash.refresh_moves, flash.fold_moves];
    let moves = flash.gc_moves + flash.wear_moves + background.into_iter().flatten().sum::<u64>();
    let written = flash.host_programs + flash.mapping_programs + moves;
    let [slots, pages, empty] = flash.units.map_or([1, 1, 0], |units| {
        [u64::from(units.per_page), u64::from(units.pages_per_unit), units.empty_slots]
    });
    let parity = flash.parity_programs.unwrap_or(0);
    assert_eq!((written + empty) * pages, (flash.programs - parity) * slots);
    let gathered = report
        .gather
        .map_or([0; 2], |it| [it.operands, it.in_place + it.copied_between_chips + it.by_controller]);
    assert_eq!(gathered[0], gathered[1]);
    check_searches(report);
    assert_eq!(impossible_shares(report), [""; 0]);
}

/// Returns the report of a run with all probes enabled, after `warm_up` requests.
fn watched(settings: &DriveSettings, mode: LoopMode, requests: Vec<HostRequest>, warm_up: u64) -> Report {
    observed(settings, mode, requests, all_probes(warm_up))
}

/// Returns options that enable all probes, after `warm_up` requests.
fn all_probes(warm_up: u64) -> RunOptions {
    RunOptions {
        warm_up: WarmUp { requests: warm_up, until: SimTime::ZERO },
        watch_chips: true,
        intervals: Some(IntervalSettings { length: SimSpan::from_us(30), most: 64 }),
        slowest: 3,
        distributions: true,
        ..RunOptions::default()
    }
}

fn observed(
    settings: &DriveSettings,
    mode: LoopMode,
    requests: Vec<HostRequest>,
    options: RunOptions,
) -> Report {
    let flow = Flow::new(Box::new(Script::new(requests)), mode);
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    run_to_end(&mut simulation).unwrap();
    simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 })
}

/// Checks that times and work of the measured window and after it equal those of the intervals.
fn check_times(report: &Report) {
    let (series, after) = (report.time_series.as_ref().unwrap(), &report.after_last_completion);
    let [served, end] = [report.phases.last().unwrap().end_us, series.end_us];
    assert!(
        served + after.duration_us <= end + 1e-6,
        "{served} and {} make more than {end}",
        after.duration_us
    );
    assert!((report.makespan_us + after.duration_us - report.energy_window_us).abs() < 1e-6);
    let programmed = report.flash.programmed_bytes + after.flash.programmed_bytes;
    assert_eq!(series.flash.programmed_bytes.iter().sum::<u64>(), programmed);
    assert_eq!(series.write.bytes.iter().sum::<u64>(), report.requests.written_bytes);
    check_errors_and_upkeep(report);
    let written = report.requests.written_bytes as f64;
    let is_known = written > 0.0 && report.steadiness.write_amplification_settled;
    let expected = is_known.then(|| report.flash.programmed_bytes as f64 / written);
    assert_eq!(report.write_amplification, expected);
}

/// Checks the time series of errors and of refreshed and reclaimed blocks against the totals.
fn check_errors_and_upkeep(report: &Report) {
    let (series, after) = (report.time_series.as_ref().unwrap(), &report.after_last_completion.flash);
    let sum = |column: &Option<Vec<u64>>| column.as_ref().map(|values| values.iter().sum::<u64>());
    assert_eq!(sum(&series.failed), report.requests.failed);
    let ends = series.start_us.iter().skip(1).chain([&series.end_us]);
    let spans = series.start_us.iter().zip(ends).map(|(start, end)| end - start);
    let completed: f64 = series.iops.iter().zip(spans).map(|(rate, us)| rate.unwrap_or(0.0) * us / 1e6).sum();
    assert!((completed - report.requests.completed as f64).abs() < 1e-3, "{completed}");
    let uncorrectable = report.ecc.as_ref().map(|ecc| ecc.uncorrectable_host_reads);
    assert_eq!(sum(&series.flash.uncorrectable_host_reads), uncorrectable);
    let both = |served: Option<u64>, later: Option<u64>| Some(served? + later?);
    let reclaimed = both(report.flash.reclaim_executions, after.reclaim_executions);
    assert_eq!(sum(&series.flash.reclaim_executions), reclaimed);
    let refreshed = both(report.flash.refresh_executions, after.refresh_executions);
    assert_eq!(sum(&series.flash.refresh_executions), refreshed);
    let spare = series.flash.spare_blocks.as_deref().unwrap_or_default();
    assert!(spare.is_sorted_by(|before, now| before >= now), "{spare:?}");
}

/// Holding time of paths, and path selection of the fabrics with a choice.
#[derive(Clone, Copy, Debug)]
struct Paths {
    hold: Hold,
    hold_erases: bool,
    bus: (BusChoice, u32),
    packets: (ControllerChoice, Reply, Injection, Arbitration),
    /// Switching of NoSSD, with the reservation and the travel time of its scouts.
    switching: (Switching, Reservation, bool),
}

impl Paths {
    fn apply(self, settings: &mut DriveSettings) {
        let fabric = &mut settings.fabric;
        (fabric.hold, fabric.hold_erases) = (self.hold, self.hold_erases);
        (fabric.own.pnssd.path_choice, fabric.own.pnssd.transfers_per_controller) = self.bus;
        let nossd = &mut fabric.own.nossd;
        (nossd.controller, nossd.reply, nossd.injection, nossd.arbitration) = self.packets;
        let (switching, reservation, scout_takes_time) = self.switching;
        nossd.switching = switching;
        if settings.fabric_kind == FabricKind::NoSsd && switching != Switching::Packets {
            let scouts = &mut fabric.own.venice;
            (scouts.reservation, scouts.scout_takes_time) = (reservation, scout_takes_time);
            // Without a delay, scouts that fail depart again within nanoseconds as long as a program holds its path.
            let must_wait = reservation == Reservation::CycleLevel && self.hold == Hold::Request;
            scouts.retry_delay = if must_wait { SimSpan::from_ns(500) } else { SimSpan::ZERO };
        }
    }
}

fn paths() -> impl Strategy<Value = Paths> {
    use ControllerChoice::{Home, LeastLoaded, NearestFree};
    let hold = prop::sample::select(vec![Hold::Transfer, Hold::Operation, Hold::Request]);
    let hold = (hold, any::<bool>());
    let choices = vec![BusChoice::Free, BusChoice::ByChip, BusChoice::ByContent];
    let bus = (prop::sample::select(choices), 1_u32..=2);
    let controller = prop::sample::select(vec![NearestFree, Home, LeastLoaded]);
    let reply = prop::sample::select(vec![Reply::Retrace, Reply::XThenY]);
    let injection = prop::sample::select(vec![Injection::OldestFirst, Injection::AsReady]);
    let arbitration = prop::sample::select(vec![Arbitration::FirstCome, Arbitration::OldestFirst]);
    let kinds = vec![Switching::Packets, Switching::Circuits, Switching::CommittedCircuits];
    let reservations = prop::sample::select(vec![Reservation::Atomic, Reservation::CycleLevel]);
    let switching = (prop::sample::select(kinds), reservations, any::<bool>());
    (hold, bus, (controller, reply, injection, arbitration), switching).prop_map(
        |((hold, hold_erases), bus, packets, switching)| Paths { hold, hold_erases, bus, packets, switching },
    )
}

/// Random faults, with the time at which they occur.
#[derive(Clone, Debug)]
struct Failures {
    /// Random numbers, mapped to parts of the fabric.
    parts: Vec<u32>,
    at_us: u64,
    detection_us: u64,
    degraded_mode: bool,
    links_turn: bool,
}

fn failures() -> impl Strategy<Value = Failures> {
    let parts = prop::collection::vec(any::<u32>(), 1..6);
    let at_us = prop_oneof![Just(0_u64), 0_u64..3000];
    (parts, at_us, 0_u64..300, any::<bool>(), any::<bool>()).prop_map(
        |(parts, at_us, detection_us, degraded_mode, links_turn)| Failures {
            parts,
            at_us,
            detection_us,
            degraded_mode,
            links_turn,
        },
    )
}

impl Failures {
    /// Applies the faults. Returns true if the resulting drive is valid: all used chips are reachable, and
    /// all address ranges have pages.
    fn apply(&self, settings: &mut DriveSettings) -> bool {
        let array = settings.fabric.array;
        let faults = &mut settings.fabric.faults;
        let below = |count: u32| self.parts.iter().map(move |part| part % count);
        match settings.fabric_kind {
            FabricKind::Venice | FabricKind::NoSsd => {
                let links = below(array.chips()).filter_map(|chip| {
                    let other = if chip % 2 == 0 { chip + 1 } else { chip + array.cols };
                    let are_neighbours = chip % 2 == 1 || chip % array.cols + 1 < array.cols;
                    (are_neighbours && other < array.chips()).then_some([ChipId(chip), ChipId(other)])
                });
                faults.links = links.collect();
                faults.routers =
                    below(array.chips()).take(usize::from(self.links_turn)).map(ChipId).collect();
            }
            FabricKind::PnSsd => faults.paths = below(array.rows + array.cols).collect(),
            FabricKind::Ideal => faults.paths = below(array.chips()).collect(),
            FabricKind::HlNand => faults.paths = below(array.rows * (array.cols + 1)).collect(),
            FabricKind::Bus | FabricKind::PSsd | FabricKind::Decoupled => {
                faults.paths = below(array.rows).collect();
            }
        }
        faults.at = SimTime::ZERO + SimSpan::from_us(self.at_us);
        faults.detection = SimSpan::from_us(self.detection_us);
        // A line has a block of each plane.
        let degraded_mode = self.degraded_mode && !settings.ftl.allocation.is_striped();
        faults.degraded_mode = degraded_mode;
        if degraded_mode {
            settings.ftl.program_scheme = ProgramScheme::OnePass;
        }
        settings.fabric.own.hlnand.links_turn = self.links_turn;
        if degraded_mode && self.at_us > 0 {
            settings.ftl.mapping = Mapping::Ideal;
        }
        if degraded_mode && self.at_us == 0 {
            let lost = settings.fabric_kind.loss(&settings.fabric).chips;
            for range in &mut settings.ftl.partitions {
                range.lost.clone_from(&lost);
            }
            settings.ftl.lost_chips = lost;
        }
        settings.fabric_kind.validate(&settings.fabric).is_ok() && fits(settings)
    }
}

/// Number of random drives for each of the properties below; `VENICE_RANDOM_DRIVES` overrides the number.
const DRIVES: u32 = 40;

fn drives() -> u32 {
    let asked = std::env::var("VENICE_RANDOM_DRIVES").ok();
    asked.map_or(DRIVES, |number| number.parse().expect("VENICE_RANDOM_DRIVES is a number of drives"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: drives(), ..ProptestConfig::default() })]

    #[test]
    fn every_random_drive_serves_all_requests_on_every_fabric(
        shape in shapes(),
        fabric in 0..FabricKind::ALL.len(),
        paths in paths(),
        seed in any::<u64>(),
        depth in 1_u32..=48,
        open in any::<bool>(),
    ) {
        let mut settings = drive(&shape, FabricKind::ALL[fabric]);
        paths.apply(&mut settings);
        shape.flash.cache_pages(&mut settings);
        let mode = if open { LoopMode::Open } else { LoopMode::Closed { depth } };
        let count = 300;
        let requests = some_search(shape.searches.as_ref(), some_gather(&shape, drawn(&settings, seed, count, SimSpan::from_us(20))));
        check(&run(&settings, mode, requests), count);
    }

    #[test]
    fn every_random_drive_answers_all_requests_under_failures_on_every_fabric(
        shape in shapes(),
        fabric in 0..FabricKind::ALL.len(),
        paths in paths(),
        failures in failures(),
        seed in any::<u64>(),
        depth in 1_u32..=48,
        open in any::<bool>(),
    ) {
        let mut settings = drive(&shape, FabricKind::ALL[fabric]);
        paths.apply(&mut settings);
        shape.flash.cache_pages(&mut settings);
        if failures.apply(&mut settings) {
            settings.precondition = precondition(&settings, &shape.before);
            let mode = if open { LoopMode::Open } else { LoopMode::Closed { depth } };
            let count = 300;
            let requests = some_search(shape.searches.as_ref(), drawn(&settings, seed, count, SimSpan::from_us(20)));
            let outcome = run(&settings, mode, requests);
            let report = &outcome.report;
            let failed = failed_requests(report);
            prop_assert_eq!(report.requests.completed + failed, count);
            let has_errors = shape.read_errors.is_some() || settings.ftl.grown_bad_blocks.is_some();
            let can_fail = has_errors || settings.ftl.trim.dulbe;
            let may_fail = can_fail || failures.degraded_mode && failures.at_us > 0;
            prop_assert!(failed == 0 || may_fail);
            check_rows(&outcome, count);
        }
    }

    #[test]
    fn every_random_host_interface_serves_all_requests(
        shape in shapes(),
        protocol in prop::sample::select(vec![Protocol::Nvme, Protocol::Sata]),
        (queue_entries, drive_depth, burst) in (2_u32..=20, 1_u32..=40, 1_u32..=3),
        arbitration in prop::sample::select(ArbitrationKind::ALL.to_vec()),
        // Under MQSim's priority turns, writes of the low class alone are never served; see
        // tests/scheduling.rs.
        scheduling in prop::sample::select(
            Scheduling::ALL.iter().copied().filter(|&it| it != Scheduling::PriorityTurns).collect::<Vec<_>>(),
        ),
        priorities in prop::collection::vec(prop::sample::select(vec![
            Priority::Urgent, Priority::High, Priority::Medium, Priority::Low,
        ]), 0..3),
        (latency_us, adapter_us) in (0_u64..=200, 0_u64..=50),
        seed in any::<u64>(),
        depth in 1_u32..=48,
        open in any::<bool>(),
    ) {
        let mut settings = drive(&shape, FabricKind::Bus);
        let host = &mut settings.host;
        (host.protocol, host.queue_entries, host.drive_depth) = (protocol, queue_entries, drive_depth);
        (host.arbitration.kind, host.arbitration.burst) = (arbitration, burst);
        host.priorities = priorities;
        settings.ftl.scheduling.kind = scheduling;
        if scheduling == Scheduling::PriorityTurns {
            settings.ftl.program_scheme = ProgramScheme::OnePass;
        }
        let host = &mut settings.host;
        host.link.latency = SimSpan::from_us(latency_us);
        host.adapter_delay = SimSpan::from_us(adapter_us);
        let mode = if open { LoopMode::Open } else { LoopMode::Closed { depth } };
        let count = 300;
        let requests = some_search(shape.searches.as_ref(), some_gather(&shape, drawn(&settings, seed, count, SimSpan::from_us(20))));
        check(&run(&settings, mode, requests), count);
    }

    #[test]
    fn every_random_drive_with_a_data_cache_serves_all_requests_without_data_loss(
        shape in shapes(),
        mode in prop::sample::select(vec![CacheMode::Write, CacheMode::Read, CacheMode::ReadWrite]),
        modes in prop::collection::vec(prop::sample::select(vec![
            CacheMode::Off, CacheMode::Write, CacheMode::Read, CacheMode::ReadWrite,
        ]), 0..3),
        mechanism in prop::sample::select(vec![CacheMechanism::Advanced, CacheMechanism::Simple]),
        (pages, partitions, in_flight_sectors) in (1_u32..=32, 1_u32..=2, 1_u32..=200),
        (dram_mb_per_s, hot_window_us) in (50_u32..=4000, 1_u64..=5000),
        (read_ahead_sectors, read_ahead_streams) in (prop_oneof![Just(0), 1_u64..=300], 1_u32..=3),
        read_ahead_after_write_us in prop_oneof![Just(0), 1_u64..=1000],
        seed in any::<u64>(),
        depth in 1_u32..=48,
        open in any::<bool>(),
    ) {
        let mut settings = drive(&shape, FabricKind::Bus);
        let cache = &mut settings.cache;
        if mechanism == CacheMechanism::Advanced {
            (cache.read_ahead_sectors, cache.read_ahead_streams) = (read_ahead_sectors, read_ahead_streams);
            cache.read_ahead_shared_sectors = read_ahead_sectors / 2;
            cache.read_ahead_after_write = SimSpan::from_us(read_ahead_after_write_us);
        }
        (cache.mode, cache.pages, cache.partitions) = (mode, pages.max(partitions), partitions);
        (cache.modes, cache.mechanism) = (modes, mechanism);
        cache.in_flight_sectors = in_flight_sectors;
        cache.hot_window = SimSpan::from_us(hot_window_us);
        cache.dram.rate = Rate::from_mb_per_s(f64::from(dram_mb_per_s));
        cache.power_loss_protection = seed % 3 == 0;
        cache.coalesces_writes = seed % 2 == 0;
        settings.ftl.restart.keep_old_versions = seed % 4 != 0;
        let mode = if open { LoopMode::Open } else { LoopMode::Closed { depth } };
        let count = 300;
        let gap = SimSpan::from_us(20);
        let mut requests = drawn(&settings, seed, count, gap);
        if settings.cache.read_ahead_sectors > 0 {
            make_sequential(&settings, seed, &mut requests);
        }
        let outcome = run_with_power_losses(&settings, mode, requests, &instants(seed, gap * count));
        check(&outcome, count);
    }

    #[test]
    fn power_may_fail_at_any_instant_of_a_random_drive_without_a_cache(
        shape in shapes(),
        seed in any::<u64>(),
        depth in 1_u32..=48,
        open in any::<bool>(),
    ) {
        let mut settings = drive(&shape, FabricKind::Bus);
        settings.ftl.restart.keep_old_versions = true;
        let mode = if open { LoopMode::Open } else { LoopMode::Closed { depth } };
        let (count, gap) = (300, SimSpan::from_us(20));
        let requests = some_search(shape.searches.as_ref(), drawn(&settings, seed, count, gap));
        let outcome = run_with_power_losses(&settings, mode, requests, &instants(seed, gap * count));
        check(&outcome, count);
    }

    #[test]
    fn no_share_of_any_report_is_more_than_the_whole(
        shape in shapes(),
        fabric in 0..FabricKind::ALL.len(),
        paths in paths(),
        failures in prop::option::of(failures()),
        (cache_pages, scheduler) in (prop::option::of(1_u32..=32), scheduler_options()),
        warm_up in 0_u64..100,
        seed in any::<u64>(),
        depth in 1_u32..=48,
        open in any::<bool>(),
    ) {
        let mut settings = drive(&shape, FabricKind::ALL[fabric]);
        paths.apply(&mut settings);
        shape.flash.cache_pages(&mut settings);
        if let Some(pages) = cache_pages {
            (settings.cache.mode, settings.cache.pages) = (CacheMode::Write, pages);
        }
        if failures.is_some_and(|failures| !failures.apply(&mut settings)) {
            return Ok(());
        }
        random_scheduler::apply(scheduler, &mut settings);
        settings.precondition = precondition(&settings, &shape.before);
        let mode = if open { LoopMode::Open } else { LoopMode::Closed { depth } };
        let requests = drawn(&settings, seed, 200, SimSpan::from_us(20));
        let report = watched(&settings, mode, requests, warm_up);
        prop_assert_eq!(impossible_shares(&report), [""; 0]);
        check_times(&report);
    }

    #[test]
    fn venice_serves_all_requests_under_every_policy(
        shape in shapes(),
        seed in any::<u64>(),
        routing in prop::sample::select(vec![
            Routing::NonMinimalAdaptive, Routing::MinimalAdaptive, Routing::DimensionOrder, Routing::Exhaustive,
        ]),
        port_choice in prop::sample::select(vec![PortChoice::Random, PortChoice::Fixed]),
        retry in prop::sample::select(vec![
            Retry::AtOnce, Retry::BackOff, Retry::OnRelease, Retry::NextTransfer,
        ]),
        hold in prop::sample::select(vec![Hold::Transfer, Hold::Operation, Hold::Request]),
        reservation in prop::sample::select(vec![Reservation::Atomic, Reservation::CycleLevel]),
        [scout_takes_time, is_delayed] in any::<[bool; 2]>(),
        attachment in attachments(),
    ) {
        let mut settings = drive(&shape, FabricKind::Venice);
        let venice = &mut settings.fabric.own.venice;
        (venice.routing, venice.port_choice, venice.retry) = (routing, port_choice, retry);
        // Without a delay, scouts that fail depart again within nanoseconds as long as a program holds its path.
        let must_wait = reservation == Reservation::CycleLevel && hold == Hold::Request;
        venice.back_off = if must_wait { SimSpan::from_us(10) } else { SimSpan::from_ns(500) };
        venice.retry_delay = if must_wait || is_delayed { SimSpan::from_ns(500) } else { SimSpan::ZERO };
        venice.reservation = reservation;
        venice.attachment = attachment;
        venice.scout_takes_time = scout_takes_time;
        settings.fabric.hold = hold;
        let count = 300;
        let mode = LoopMode::Closed { depth: 32 };
        let requests = some_search(shape.searches.as_ref(), some_gather(&shape, drawn(&settings, seed, count, SimSpan::ZERO)));
        check(&run(&settings, mode, requests), count);
    }
}

/// Returns the figures of a run that may depend neither on skips of scouts nor on the recording of slices, and the
/// number of events. A run with slices simulates every scout.
fn figures(
    settings: &DriveSettings,
    requests: Vec<HostRequest>,
    slices: Option<SliceSettings>,
) -> (serde_json::Value, u64) {
    let options = RunOptions { slices, audit: true, ..all_probes(10) };
    let report = observed(settings, LoopMode::Closed { depth: 16 }, requests, options);
    let mut figures = serde_json::to_value(&report).unwrap();
    for of_the_run in ["events", "wall_s"] {
        figures.as_object_mut().unwrap().remove(of_the_run).unwrap();
    }
    (figures, report.events)
}

/// Checks that skips of failing scouts change no figure of random drives, and that many of the drives have skips.
#[test]
fn skipped_scouts_change_no_report_of_a_random_drive() {
    let mut runner = TestRunner::deterministic();
    let holds = prop::sample::select(vec![Hold::Operation, Hold::Request]);
    let routings = prop::sample::select(vec![
        Routing::NonMinimalAdaptive,
        Routing::MinimalAdaptive,
        Routing::DimensionOrder,
        Routing::Exhaustive,
    ]);
    let draws = (shapes(), any::<u64>(), routings, holds, any::<bool>(), attachments());
    let (mut with_skips, count) = (0, 12);
    for _ in 0..count {
        let (mut shape, seed, routing, hold, scout_takes_time, attachment) =
            draws.new_tree(&mut runner).unwrap().current();
        (shape.rows, shape.cols) = (shape.rows.min(3), shape.cols.min(3));
        // Every scout is simulated in one of the two runs, so operations must be short.
        (shape.background.second_pass, shape.background.scrub_pages_per_s) = (None, 0.0);
        let mut settings = drive(&shape, FabricKind::Venice);
        let venice = &mut settings.fabric.own.venice;
        (venice.routing, venice.attachment) = (routing, attachment);
        (venice.retry, venice.reservation) = (Retry::AtOnce, Reservation::CycleLevel);
        venice.scout_takes_time = scout_takes_time;
        settings.fabric.hold = hold;
        let requests = drawn(&settings, seed, 40, SimSpan::ZERO);
        let recorded = SliceSettings { from: SimTime::ZERO, to: SimTime::MAX, most: 1 };
        let (simulated, all_events) = figures(&settings, requests.clone(), Some(recorded));
        let (skipped, events) = figures(&settings, requests, None);
        assert_eq!(skipped, simulated, "{:?}", settings.fabric);
        with_skips += u32::from(events < all_events);
    }
    assert!(with_skips > count / 4, "{with_skips} of {count}");
}

/// Returns a small drive; each of the tests below changes the relevant parameters.
fn plain() -> Shape {
    Shape {
        rows: 1,
        cols: 1,
        dies: 1,
        planes: 1,
        blocks: 9,
        units: (1, 1, SimSpan::ZERO),
        program_pages: 1,
        program_min_planes: 1,
        background: BackgroundOptions::default(),
        pages: 2,
        spare_pages: 1,
        dynamic: false,
        lines: false,
        page_allocation: PageAllocation::AtStart,
        write_streams: 1,
        unwritten: UnwrittenData::Present,
        zeroes_parts: false,
        same_offset: false,
        yields: false,
        victim: VictimPolicy::Greedy,
        destination: GcDestination::SamePlane,
        copies: None,
        gathers: None,
        searches: None,
        start_free_blocks: 2,
        level_free: false,
        level_cold: None,
        mapping: Mapping::Ideal,
        full_blocks: false,
        shared_frontier: false,
        stop_free_blocks: 0,
        before: Before {
            mode: PreconditionMode::None,
            range: (0.0, 0.0),
            occupancy: 1.0,
            pattern: WritePattern::Uniform,
            working_set: 1.0,
        },
        flash: FlashOptions {
            suspension: None,
            one_at_a_time: false,
            page_types: (PageTypeOrder::Cyclic, 1),
            hard_free_blocks: 2,
            copyback: false,
            cache_operations: CacheOperations::default(),
            register: SimSpan::ZERO,
        },
        read_errors: None,
        cores: (CoreParameters::default(), HostCoreParameters::default()),
        blocks_in_use: BlockOptions::default(),
        queue_depth: 1,
        partitions: Vec::new(),
    }
}

/// Two scouts that block each other fail together, and would do so forever if both started together again.
#[test]
fn scouts_that_stand_in_each_others_way_are_kept_apart_in_the_end() {
    let shape = Shape {
        rows: 4,
        cols: 3,
        dies: 2,
        planes: 2,
        blocks: 7,
        pages: 7,
        spare_pages: 14,
        dynamic: true,
        page_allocation: PageAllocation::AtArrival,
        write_streams: 2,
        same_offset: true,
        yields: true,
        victim: VictimPolicy::RandomP,
        start_free_blocks: 3,
        mapping: Mapping::Cached(CachedMapping {
            table_entries: 6,
            entries_per_page: 9,
            page_entry_bytes: 4,
            write_back: MappingWriteBack::Flash,
            sharing: TableSharing::Shared,
        }),
        stop_free_blocks: 2,
        flash: FlashOptions { page_types: (PageTypeOrder::Mqsim, 4), hard_free_blocks: 4, ..plain().flash },
        queue_depth: 40,
        ..plain()
    };
    let mut settings = drive(&shape, FabricKind::Venice);
    let venice = &mut settings.fabric.own.venice;
    (venice.routing, venice.port_choice) = (Routing::DimensionOrder, PortChoice::Fixed);
    (venice.retry, venice.reservation) = (Retry::AtOnce, Reservation::CycleLevel);
    venice.scout_takes_time = false;
    let requests = requests(&settings, 10_817_561_788_613_038_565, 300, SimSpan::ZERO);
    check(&run(&settings, LoopMode::Closed { depth: 32 }, requests), 300);
}

/// After a loss a plane receives writes of lost planes and relocated pages. A relocation that was assigned
/// while the plane had space must not use the last page if a write has arrived before.
#[test]
fn after_a_loss_writes_and_moves_together_leave_a_plane_the_room_that_it_needs() {
    let yielding = |suspend, for_read, for_write: Option<u64>| SuspensionRule {
        suspend: SimSpan::from_ps(suspend),
        pulses: 0,
        for_read: SimSpan::from_ps(for_read),
        for_write: for_write.map(SimSpan::from_ps),
    };
    let suspension = Suspension {
        erase: Some(yielding(20_177_000, 619_762_000, Some(0))),
        program: Some(yielding(0, 76_292_000, None)),
        resume: SimSpan::from_ps(12_495_000),
        most_times: 4,
        most_commands: 6,
    };
    let shape = Shape {
        rows: 2,
        cols: 4,
        dies: 2,
        planes: 2,
        blocks: 6,
        pages: 7,
        spare_pages: 10,
        write_streams: 2,
        unwritten: UnwrittenData::MappedOnRead,
        victim: VictimPolicy::Fifo,
        destination: GcDestination::LeastBusyPlane,
        level_cold: Some(1),
        full_blocks: true,
        stop_free_blocks: 2,
        before: Before { range: (0.0, 1.0), ..plain().before },
        flash: FlashOptions {
            suspension: Some(suspension),
            page_types: (PageTypeOrder::Cyclic, 4),
            ..plain().flash
        },
        queue_depth: 15,
        partitions: vec![[117, 93, 55, 35]],
        ..plain()
    };
    let mut settings = drive(&shape, FabricKind::NoSsd);
    let nossd = &mut settings.fabric.own.nossd;
    (nossd.reply, nossd.injection) = (Reply::XThenY, Injection::AsReady);
    let failures = Failures {
        parts: vec![25_941_124, 1_212_053_682],
        at_us: 1100,
        detection_us: 161,
        degraded_mode: true,
        links_turn: false,
    };
    assert!(failures.apply(&mut settings));
    settings.precondition = precondition(&settings, &shape.before);
    let requests = requests(&settings, 3_508_682_362_051_324_870, 300, SimSpan::from_us(20));
    let report = run(&settings, LoopMode::Closed { depth: 22 }, requests).report;
    let failed = report.faults.unwrap().requests_failed;
    assert_eq!(report.requests.completed + failed, 300);
}

/// Preconditioning of this drive leaves a plane in which only garbage collection can free a page, before any
/// operation that triggers collection has ended.
#[test]
fn a_plane_that_has_no_room_when_the_run_begins_collects() {
    let shape = Shape {
        rows: 2,
        cols: 3,
        dies: 2,
        victim: VictimPolicy::Random,
        level_free: true,
        level_cold: Some(1),
        mapping: Mapping::Cached(CachedMapping {
            table_entries: 1,
            entries_per_page: 3,
            page_entry_bytes: 4,
            write_back: MappingWriteBack::Flash,
            sharing: TableSharing::Equal,
        }),
        before: Before {
            mode: PreconditionMode::SteadyState,
            range: (0.0, 0.634_863_432_682_224_1),
            ..plain().before
        },
        ..plain()
    };
    let settings = drive(&shape, FabricKind::Venice);
    let requests = requests(&settings, 0, 300, SimSpan::ZERO);
    check(&run(&settings, LoopMode::Closed { depth: 32 }, requests), 300);
}

/// Creates a sequential fill, then random overwrites of all but the first quarter.
fn hot_and_cold(settings: &DriveSettings, times_over: u64) -> Vec<HostRequest> {
    let logical_pages = Simulation::capacity_sectors(settings) / 8;
    let cold = logical_pages / 4;
    let mut random = RandomStream::new(7, "hot and cold");
    let fill = 0..logical_pages;
    let overwrites = (0..times_over * logical_pages).map(|_| cold + random.below(logical_pages - cold));
    let write = |page| HostRequest {
        arrival: SimTime::ZERO,
        op: Op::Write,
        start_sector: page * 8,
        sectors: 8,
        queue: 0,
        pattern_set: 0,
    };
    fill.chain(overwrites).map(write).collect()
}

#[test]
fn levelling_moves_cold_data_and_narrows_the_spread_of_erase_counts() {
    for victim in VictimPolicy::ALL {
        let mut settings = small_drive(FabricKind::Ideal, 1, 2);
        settings.ftl.victim = *victim;
        let requests = hot_and_cold(&settings, 20);
        let count = requests.len() as u64;
        let rested = run(&settings, LoopMode::Closed { depth: 16 }, requests.clone());
        check(&rested, count);
        let rested = rested.report.flash;
        assert_eq!((rested.wear_moves, rested.min_block_erases), (0, 0), "{victim:?}: cold data rests");
        settings.ftl.static_wear_levelling = Some(4);
        settings.ftl.dynamic_wear_levelling = true;
        let levelled = run(&settings, LoopMode::Closed { depth: 16 }, requests);
        check(&levelled, count);
        let levelled = levelled.report.flash;
        assert!(levelled.wear_moves > 0, "{victim:?}");
        let spread = |flash: &FlashReport| flash.max_block_erases - flash.min_block_erases;
        assert!(spread(&levelled) * 3 < spread(&rested), "{victim:?}: {levelled:?}, {rested:?}");
    }
}

#[test]
fn a_drive_overwritten_three_times_at_random_neither_stalls_nor_loses_data() {
    for &kind in FabricKind::ALL {
        let mut settings = small_drive(kind, 4, 4);
        settings.ftl.over_provisioning_ratio = 0.10;
        let logical_pages = Simulation::capacity_sectors(&settings) / 8;
        let mut random = RandomStream::new(7, "overwrite");
        let writes = 3 * logical_pages;
        let mixed = (0..2 * writes)
            .map(|n| HostRequest {
                arrival: SimTime::ZERO,
                op: if n % 2 == 0 { Op::Write } else { Op::Read },
                start_sector: random.below(logical_pages) * 8,
                sectors: 8,
                queue: 0,
                pattern_set: 0,
            })
            .collect();
        let outcome = run(&settings, LoopMode::Closed { depth: 32 }, mixed);
        check(&outcome, 2 * writes);
        let flash = &outcome.report.flash;
        assert_eq!(flash.host_programs, writes, "{kind}");
        assert!(flash.erases > 0 && flash.gc_moves > 0, "{kind}: collection had to work");
        assert_eq!(outcome.report.audit.unwrap().reads_checked, writes, "{kind}");
    }
}

#[test]
fn a_drive_overwritten_with_a_small_table_collects_translation_pages_and_loses_nothing() {
    for &kind in FabricKind::ALL {
        let mut settings = small_drive(kind, 2, 2);
        let cached = CachedMapping {
            table_entries: 16,
            entries_per_page: 12,
            page_entry_bytes: 4,
            write_back: MappingWriteBack::Flash,
            sharing: TableSharing::Shared,
        };
        settings.ftl.mapping = Mapping::Cached(cached);
        let requests = hot_and_cold(&settings, 3);
        let count = requests.len() as u64;
        let outcome = run(&settings, LoopMode::Closed { depth: 32 }, requests);
        check(&outcome, count);
        let flash = &outcome.report.flash;
        assert_eq!(flash.host_programs, count, "{kind}");
        assert!(flash.mapping_programs > count / 4 && flash.gc_moves > 0, "{kind}: {flash:?}");
        assert!(flash.mapping_reads >= flash.mapping_programs, "{kind}: {flash:?}");
    }
}
