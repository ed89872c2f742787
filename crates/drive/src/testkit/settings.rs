//! Settings of small drives for tests.

use venice_kernel::{Rate, SimSpan};
use venice_nand::chip::FlashSettings;
use venice_nand::chip::ProgramScheme;
use venice_nand::functions::{ChipFunction, FunctionOutput};
use venice_nand::geometry::{Array, Geometry, MappingUnits};
use venice_nand::testkit::paper_flash;

use crate::cache::{CacheMechanism, CacheMode, CacheSettings, DramSettings, LongAccess};
use crate::controller::scheduling::{Scheduling, SchedulingParameters, SchedulingSettings};
use crate::ftl::{
    Allocation, DestinationParameters, FactoryBadBlocks, FollowUpClass, FtlSettings, GatherSettings,
    GcDestination, GcTrigger, HierarchyLevel, Mapping, PageAllocation, PatternSet, RefreshSettings,
    RestartParameters, SearchLocation, SearchSettings, SectorSets, TrimParameters, UnwrittenData,
    UnwrittenPlace, UpdateTransfer, VictimParameters, VictimPolicy, WearMeasure, WriteFrontiers,
};

/// Static allocation in the order CWDP: consecutive logical pages are on different channels, then ways, dies
/// and planes.
pub const CWDP: Allocation = Allocation::Static([
    HierarchyLevel::Channel,
    HierarchyLevel::Way,
    HierarchyLevel::Die,
    HierarchyLevel::Plane,
]);

/// Returns the settings of searches in the chips of the paper on processing in flash (Chun et al., `HotStorage`
/// 2022), with a match in every sixteenth page.
pub fn paper_search() -> SearchSettings {
    SearchSettings {
        location: SearchLocation::Chips,
        function: ChipFunction::Match,
        output: FunctionOutput::MatchingPages,
        pattern_sets: one_pattern(1.0 / 16.0),
        matching: SimSpan::from_us(40),
        table_bytes: 5120,
        answer_bytes: 4,
        head_bytes: 31,
        raw_page_bytes: 18_432,
        output_pages: 1,
        controller_rate: Rate::from_mb_per_s(1200.0),
        controller_matchers: 4,
        host_rate: Rate::from_mb_per_s(4000.0),
        chip_mw: 18.66,
        chip_mm2: 0.85,
        controller_pj_per_byte: 80.0,
        host_mw: 15_000.0,
    }
}

/// Returns a single set of one pattern, which a page contains with the probability `match_ratio`.
pub fn one_pattern(match_ratio: f64) -> Vec<PatternSet> {
    vec![PatternSet { match_ratio, patterns: 1 }]
}

/// Settings of the components of a small drive.
#[derive(Clone, Debug)]
pub struct SmallDrive {
    /// Geometry of the drive.
    pub geometry: Geometry,
    /// Settings of the flash chips.
    pub flash: FlashSettings,
    /// Settings of the flash translation layer.
    pub ftl: FtlSettings,
    /// Settings of the data cache, which is off by default.
    pub cache: CacheSettings,
}

impl SmallDrive {
    /// Creates settings for a drive of `rows` × `cols` chips. Each chip has one die of two planes, with 4-KiB
    /// pages and small blocks.
    pub fn new(rows: u32, cols: u32) -> Self {
        Self {
            geometry: Geometry {
                array: Array { rows, cols },
                dies_per_chip: 1,
                planes_per_die: 2,
                blocks_per_plane: 16,
                pages_per_block: 8,
                page_bytes: 4096,
            },
            flash: paper_flash(2),
            ftl: small_ftl(),
            cache: shipped_cache(),
        }
    }
}

/// Returns the settings of a page-mapped translation layer without background work.
fn small_ftl() -> FtlSettings {
    FtlSettings {
        over_provisioning_ratio: 0.25,
        units: MappingUnits::PAGES,
        program_scheme: ProgramScheme::OnePass,
        page_fill_wait: SimSpan::ZERO,
        program_min_planes: 1,
        read_sharing: crate::ftl::ReadSharing::All,
        read_codeword_bytes: 0,
        mapping: Mapping::Ideal,
        host_buffer: None,
        allocation: CWDP,
        page_allocation: PageAllocation::AtStart,
        page_cuts: Vec::new(),
        sector_sets: SectorSets::Exact,
        update_transfer: UpdateTransfer::Merged,
        follow_up_class: FollowUpClass::Own,
        write_streams: 1,
        scheduling: out_of_order(),
        partitions: Vec::new(),
        unwritten_data: UnwrittenData::Present,
        unwritten_place: UnwrittenPlace::AsWritten,
        rain_data_units: 0,
        trim: TrimParameters::default(),
        restart: RestartParameters::default(),
        victim: VictimPolicy::Greedy,
        victim_parameters: VictimParameters::default(),
        gc_start_free_blocks: 3,
        gc_trigger: GcTrigger::Shortage,
        gc_idle: None,
        gc_stop_free_blocks: 0,
        gc_yields_to_host: true,
        gc_hard_free_blocks: 2,
        gc_moves_in_flight: 65_535,
        gc_copyback: false,
        gc_destination: GcDestination::SamePlane,
        destination_parameters: DestinationParameters::default(),
        lost_chips: Vec::new(),
        gather: GatherSettings::default(),
        search: paper_search(),
        write_frontiers: WriteFrontiers::Separate,
        dynamic_wear_levelling: false,
        static_wear_levelling: None,
        slc: None,
        bad_blocks: FactoryBadBlocks::None,
        grown_bad_blocks: None,
        read_reclaim_reads: 0,
        refresh: RefreshSettings::default(),
        scrub_pages_per_s: 0.0,
        wear_measure: WearMeasure::Erases,
        seed: 1,
    }
}

fn out_of_order() -> SchedulingSettings {
    let parameters = SchedulingParameters::default();
    SchedulingSettings { kind: Scheduling::OutOfOrder, weights: [4, 2, 1], parameters }
}

/// Returns the settings of a disabled cache. When enabled, it has 64 pages and the DRAM of MQSim's default
/// configuration, which takes 20,506 ns for 4 KiB.
fn shipped_cache() -> CacheSettings {
    CacheSettings {
        mechanism: CacheMechanism::Advanced,
        mode: CacheMode::Off,
        modes: Vec::new(),
        pages: 64,
        partitions: 1,
        in_flight_sectors: 256,
        hot_window: SimSpan::from_us(1_000_000),
        coalesces_writes: false,
        power_loss_protection: false,
        read_ahead_sectors: 0,
        read_ahead_shared_sectors: u64::MAX,
        read_ahead_streams: 1,
        read_ahead_after_write: SimSpan::ZERO,
        dram: DramSettings {
            long_access: LongAccess::EveryRow,
            rate: Rate::from_bytes_per_s(200_000_000),
            burst_bytes: 1,
            row_bytes: 8192,
            t_rcd: SimSpan::from_ns(13),
            t_cl: SimSpan::from_ns(13),
            t_rp: SimSpan::from_ns(13),
        },
    }
}
