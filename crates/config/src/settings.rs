//! Third stage of loading: computes the settings of the models from a validated configuration.

use venice_drive::cache::{CacheMode, CacheSettings};
use venice_drive::controller::EccParameters;
use venice_drive::ftl::{
    FtlContext, FtlSettings, OperandProgramming, PageRegion, PreconditionSettings, SearchSettings,
    UnwrittenData, address_ranges,
};
use venice_fabric::{FabricSettings, FaultSettings};
use venice_host::HostSettings;
use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::functions::{ChipBasis, ChipFunction, FunctionDesign};
use venice_nand::geometry::{Array, ChipId, Geometry, MappingUnits};
use venice_pif::search_run::PifSettings;
use venice_requests::SECTOR_BYTES;
use venice_sim::assembly::{DriveSettings, SelectedPolicies};

use super::table::Config;

/// Returns the settings of a validated configuration with the selected user-defined policies.
pub(super) fn drive_settings(config: &Config, own: SelectedPolicies) -> DriveSettings {
    DriveSettings {
        geometry: geometry(config),
        flash: flash(config),
        fabric_kind: config.fabric.name,
        fabric: fabric_settings(config),
        ftl: ftl(config),
        cache: CacheSettings::of(&config.cache, &geometry(config), slots(config).page_bytes),
        precondition: precondition(config),
        host: HostSettings::of(&config.host, &config.host_scheduler, &geometry(config), config.run.seed),
        cores: config.controller,
        ecc: config.ecc,
        wear: config.flash_wear.clone(),
        power: config.power,
        area: config.area,
        seed: config.run.seed,
        own,
    }
}

/// Returns the mapping units of the drive.
pub(super) fn units(config: &Config) -> MappingUnits {
    MappingUnits::of(config.ftl.mapping_unit_bytes, config.flash.page_bytes)
        .programmed_in(config.flash.array.program_pages)
}

/// Returns the geometry of the drive, counted in mapping units instead of pages.
pub(super) fn slots(config: &Config) -> Geometry {
    units(config).slots(&geometry(config))
}

/// Returns the geometry of the drive, counted in pages.
pub(super) fn geometry(config: &Config) -> Geometry {
    Geometry {
        array: config.array,
        dies_per_chip: config.flash.dies_per_chip,
        planes_per_die: config.flash.planes_per_die,
        blocks_per_plane: config.flash.blocks_per_plane,
        pages_per_block: config.flash.pages_per_block,
        page_bytes: config.flash.page_bytes,
    }
}

fn flash(config: &Config) -> FlashSettings {
    let mut flash = FlashSettings::of(&config.flash, &config.flash_command, &config.flash_suspend);
    if config.gather.programming == OperandProgramming::EnhancedSlc {
        flash.array.enhance_slc_programs(config.gather.esp_program_factor);
    }
    flash
}

/// Returns the settings common to all fabrics. It may be called before combinations of values are checked.
pub(super) fn fabric_settings(config: &Config) -> FabricSettings {
    let (fabric, array) = (&config.fabric, config.array);
    FabricSettings {
        array,
        seed: config.run.seed,
        chip_to_chip: fabric.chip_to_chip,
        hold_erases: fabric.hold_erases,
        hold: fabric.hold,
        first_on_path: fabric.first_on_path,
        bus: fabric.bus,
        mesh_link: config.fabric_mesh.link.link(fabric.bus.rate),
        faults: FaultSettings::of(
            &config.fabric_faults,
            &config.fabric_mesh,
            array,
            unused_chips(config, array),
        ),
        own: config.fabrics,
    }
}

/// Returns the chips that contain no pages of any address range.
fn unused_chips(config: &Config, array: Array) -> Vec<ChipId> {
    let ranges = config.partition.resources(&[]);
    let has = |numbers: &[u32], number| numbers.is_empty() || numbers.contains(&number);
    let is_used = |chip: &ChipId| {
        ranges.iter().any(|it| has(&it.channels, array.row(*chip)) && has(&it.ways, array.col(*chip)))
    };
    (0..array.chips()).map(ChipId).filter(|chip| !is_used(chip)).collect()
}

/// Returns the settings of the flash translation layer.
pub(super) fn ftl(config: &Config) -> FtlSettings {
    let lost_chips = chips_lost_from_the_start(config);
    let context = FtlContext {
        geometry: geometry(config),
        weights: config.host.arbitration.weights.of_classes(),
        partitions: config.partition.resources(&lost_chips),
        lost_chips,
        gather: config.gather,
        search: search(config),
        program_pages: config.flash.array.program_pages,
        bad_blocks: config.flash.bad_blocks,
        program_scheme: config.flash.array.scheme,
        host_round_trip: config.host.link.latency * 2,
        seed: config.run.seed,
    };
    FtlSettings::of(&config.ftl, context)
}

/// Returns the properties of the chip function that searches compute on each page.
pub(super) fn search_function(config: &Config) -> FunctionDesign {
    let pif = &config.pif;
    let chip = ChipBasis {
        page_bytes: slots(config).page_bytes,
        matching: pif.matching,
        table_bytes: pif.table_bytes,
        matcher_mw: pif.parts.matcher_mw,
        matcher_mm2: pif.limits.matcher_mm2,
        controller_rate: pif.controller_rate,
        host_rate: pif.host_rate,
        logic: config.search.logic,
    };
    config.search.function.design(&config.search.functions, &chip)
}

/// Returns the settings of searches that the drive executes together with other requests.
fn search(config: &Config) -> SearchSettings {
    let (pif, function) = (&config.pif, search_function(config));
    SearchSettings {
        location: config.search.location,
        function: config.search.function,
        output: function.output,
        pattern_sets: config.search.pattern_sets(),
        matching: function.page_time,
        table_bytes: function.setup_bytes,
        answer_bytes: pif.answer_bytes,
        head_bytes: pif.head_bytes,
        raw_page_bytes: pif.raw_page_bytes,
        output_pages: pif.out_pages,
        controller_rate: function.controller_rate,
        controller_matchers: controller_matchers(config),
        host_rate: function.host_rate,
        chip_mw: pif.parts.decoder_mw + function.power_mw,
        chip_mm2: pif.limits.decoder_mm2 + function.area_mm2,
        controller_pj_per_byte: pif.parts.controller_pj_per_byte,
        host_mw: pif.parts.host_mw,
    }
}

/// Returns the number of matchers with decoders in the controller: by default, one for each channel.
const fn controller_matchers(config: &Config) -> u32 {
    if config.pif.accelerators == 0 { config.array.rows } else { config.pif.accelerators }
}

/// Returns the preconditioning settings, with one region of logical pages to be filled. On a drive with a
/// single address range, the region consists of whole stripes across all planes.
fn precondition(config: &Config) -> PreconditionSettings {
    let precondition = &config.precondition;
    let geometry = geometry(config);
    let settings = ftl(config);
    let ranges = address_ranges(&geometry, &settings);
    let sectors = ranges.last().map_or(0, |range| range.end);
    let pages = (sectors / u64::from(slots(config).page_bytes / SECTOR_BYTES)) as u32;
    // With several address ranges, planes have different numbers of pages.
    let stripe =
        if ranges.len() == 1 { settings.data_planes(&geometry) * units(config).per_page() } else { 1 };
    let place = |pct: f64| ((f64::from(pages / stripe) * pct / 100.0).round() as u32 * stripe).min(pages);
    let pages = place(precondition.start_pct)..place(precondition.end_pct);
    let region = PageRegion {
        working_set: pages.end - pages.start,
        pages,
        occupancy: precondition.occupancy_pct / 100.0,
        pattern: precondition.write_pattern(),
        drawn: None,
        traffic: 1.0,
    };
    PreconditionSettings {
        mode: precondition.mode,
        filled: precondition.filled_sectors,
        regions: vec![region],
        settling_turns: precondition.settling_turns,
        gc_pace: precondition.gc_pace(),
        seed: config.run.seed,
    }
}

/// Returns the chips that are unreachable from the start of the run, on a drive in degraded mode.
fn chips_lost_from_the_start(config: &Config) -> Vec<ChipId> {
    let settings = fabric_settings(config);
    let from_the_start = settings.faults.at == SimTime::ZERO && !settings.faults.is_empty();
    if from_the_start && settings.faults.degraded_mode {
        config.fabric.name.loss(&settings).chips
    } else {
        Vec::new()
    }
}

/// Returns the settings of a search of stored files (`venice grep`). The drive contains only these files, and
/// serves no other requests during the search.
pub(super) fn pif(config: &Config) -> PifSettings {
    let pif = &config.pif;
    let mut config = config.clone();
    config.search.function = ChipFunction::Match;
    config.ftl.mapping_unit_bytes = config.flash.page_bytes;
    let drive = drive_settings(&config, SelectedPolicies::default());
    let drive = DriveSettings {
        ftl: FtlSettings { unwritten_data: UnwrittenData::Present, ..drive.ftl },
        cache: CacheSettings { mode: CacheMode::Off, modes: Vec::new(), ..drive.cache },
        precondition: PreconditionSettings::none(),
        host: HostSettings { scheduler: None, ..drive.host },
        ecc: EccParameters::default(),
        ..drive
    };
    PifSettings { drive, iteration: pif.iteration, parts: pif.parts, limits: pif.limits }
}
