//! Stage three: what the models are told, computed from a validated drive.

use venice_kernel::{Rate, SimTime};

use crate::assembly::DriveSettings;
use crate::cache::CacheSettings;
use crate::chip::FlashSettings;
use crate::controller::scheduling::SchedulingSettings;
use crate::fabric::{BusSettings, FabricSettings, FaultSettings};
use crate::ftl::{Allocation, FtlSettings, PreconditionSettings, Region, Resources, address_ranges};
use crate::geometry::{Array, ChipId, Geometry, SECTOR_BYTES};
use crate::host::HostSettings;
use crate::pif::PifSettings;

use super::choice::AllocationMode;
use super::table::{Config, PartitionConfig};

/// The settings of a validated drive.
pub(super) fn drive_settings(config: &Config) -> DriveSettings {
    DriveSettings {
        geometry: geometry(config),
        flash: flash(config),
        fabric_kind: config.fabric.name,
        fabric: fabric_settings(config),
        ftl: ftl(config),
        cache: CacheSettings::of(&config.cache, &geometry(config)),
        precondition: precondition(config),
        host: HostSettings::of(&config.host, &config.host_scheduler, &geometry(config)),
        power: config.power,
        area: config.area,
        seed: config.run.seed,
    }
}

fn array(config: &Config) -> Array {
    Array { rows: config.array.rows, cols: config.array.cols }
}

/// How many of everything.
pub(super) fn geometry(config: &Config) -> Geometry {
    Geometry {
        array: array(config),
        dies_per_chip: config.flash.dies_per_chip,
        planes_per_die: config.flash.planes_per_die,
        blocks_per_plane: config.flash.blocks_per_plane,
        pages_per_block: config.flash.pages_per_block,
        page_bytes: config.flash.page_bytes,
    }
}

fn flash(config: &Config) -> FlashSettings {
    FlashSettings::of(&config.flash, &config.flash_command, &config.flash_suspend)
}

/// What every fabric is told; only ranges of single values need to have been checked.
pub(super) fn fabric_settings(config: &Config) -> FabricSettings {
    let (fabric, array) = (&config.fabric, array(config));
    FabricSettings {
        array,
        seed: config.run.seed,
        chip_to_chip: fabric.chip_to_chip,
        hold: fabric.hold,
        first_on_path: fabric.first_on_path,
        bus: BusSettings { rate: Rate::from_mb_per_s(fabric.channel_rate_mb_per_s) },
        mesh_link: config.fabric_mesh.link,
        faults: FaultSettings::of(
            &config.fabric_faults,
            &config.fabric_mesh,
            array,
            unused_chips(config, array),
        ),
        own: config.fabrics,
    }
}

/// Chips on which no address range lives.
fn unused_chips(config: &Config, array: Array) -> Vec<ChipId> {
    let ranges = listed_partitions(&config.partition, &[]);
    let has = |numbers: &[u32], number| numbers.is_empty() || numbers.contains(&number);
    let is_used = |chip: &ChipId| {
        ranges.iter().any(|it| has(&it.channels, array.row(*chip)) && has(&it.ways, array.col(*chip)))
    };
    (0..array.chips()).map(ChipId).filter(|chip| !is_used(chip)).collect()
}

/// What the flash translation layer is told.
pub(super) fn ftl(config: &Config) -> FtlSettings {
    let (ftl, flash) = (&config.ftl, &config.flash);
    let order = ftl.allocation.0;
    FtlSettings {
        mapping: ftl.mapping.costs(flash.page_bytes),
        over_provisioning_ratio: ftl.over_provisioning_pct / 100.0,
        allocation: match ftl.allocation_mode {
            AllocationMode::Static => Allocation::Static(order),
            AllocationMode::Dynamic => Allocation::Dynamic(order),
            AllocationMode::InTurn => Allocation::InTurn(order),
        },
        page_allocation: ftl.page_allocation,
        // Only flows of MQSim begin within a page; what cuts theirs says where.
        page_cuts: Vec::new(),
        sector_sets: ftl.sector_sets,
        update_transfer: ftl.update_transfer,
        follow_up_class: ftl.follow_up_class,
        write_streams: ftl.write_streams as u16,
        scheduling: SchedulingSettings {
            kind: ftl.scheduling,
            weights: config.host.arbitration.weights.of_classes(),
            parameters: ftl.scheduling_parameters,
        },
        partitions: partitions(config),
        lost_chips: chips_lost_from_the_start(config),
        unwritten_data: ftl.unwritten_data,
        unwritten_place: ftl.unwritten_place,
        victim: ftl.victim,
        victim_parameters: ftl.victim_parameters,
        gc_start_free_blocks: whole_blocks(
            flash.blocks_per_plane,
            ftl.gc_start_free_blocks_pct,
            ftl.gc_start_free_blocks_min,
        ),
        gc_trigger: ftl.gc_trigger,
        gc_stop_free_blocks: ftl.gc_stop_free_blocks,
        gc_yields_to_host: ftl.gc_yields_to_host,
        gc_hard_free_blocks: whole_blocks(
            flash.blocks_per_plane,
            ftl.gc_hard_free_blocks_pct,
            ftl.gc_hard_free_blocks_min,
        ),
        gc_copyback: ftl.gc_copyback,
        gc_destination: ftl.gc_destination,
        destination_parameters: ftl.destination_parameters,
        gather: config.gather,
        write_frontiers: ftl.write_frontiers,
        dynamic_wear_levelling: ftl.dynamic_wear_levelling,
        static_wear_levelling: ftl.static_wear_levelling.then_some(ftl.static_wear_levelling_threshold),
        wear_measure: ftl.wear_measure,
        seed: config.run.seed,
    }
}

/// One region, whole pages of every plane.
fn precondition(config: &Config) -> PreconditionSettings {
    let precondition = &config.precondition;
    let geometry = geometry(config);
    let ranges = address_ranges(&geometry, &ftl(config));
    let sectors = ranges.last().map_or(0, |range| range.end);
    let pages = (sectors / u64::from(geometry.page_bytes / SECTOR_BYTES)) as u32;
    // Where there are several ranges, planes differ, and so do the numbers of their pages.
    let stripe = if ranges.len() == 1 { geometry.planes() } else { 1 };
    let place = |pct: f64| ((f64::from(pages / stripe) * pct / 100.0).round() as u32 * stripe).min(pages);
    let pages = place(precondition.start_pct)..place(precondition.end_pct);
    let region = Region {
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
        seed: config.run.seed,
    }
}

/// What each address range lives on; a list that is shorter than it should be leaves the rest everything.
fn partitions(config: &Config) -> Vec<Resources> {
    listed_partitions(&config.partition, &chips_lost_from_the_start(config))
}

/// The chips that a drive in degraded mode is without from the start.
fn chips_lost_from_the_start(config: &Config) -> Vec<ChipId> {
    let settings = fabric_settings(config);
    let from_the_start = settings.faults.at == SimTime::ZERO && !settings.faults.is_empty();
    if from_the_start && settings.faults.degraded_mode {
        config.fabric.name.loss(&settings).chips
    } else {
        Vec::new()
    }
}

/// The same, without these chips.
fn listed_partitions(partition: &PartitionConfig, lost: &[ChipId]) -> Vec<Resources> {
    let of = |lists: &[Vec<u32>], range: usize| lists.get(range).cloned().unwrap_or_default();
    let resources = |range| Resources {
        channels: of(&partition.channels, range),
        ways: of(&partition.ways, range),
        dies: of(&partition.dies, range),
        planes: of(&partition.planes, range),
        lost: lost.to_vec(),
    };
    (0..partition.count as usize).map(resources).collect()
}

/// The share of a plane's blocks, rounded down, but never below the stated minimum. Multiplied first,
/// so that a share which is a whole number of blocks is not rounded below it.
fn whole_blocks(blocks_per_plane: u32, pct: f64, least: u32) -> u32 {
    let share = f64::from(blocks_per_plane) * pct / 100.0;
    (share.floor() as u32).max(least)
}

/// What a search is told. The page type of the first entry stands for all.
pub(super) fn pif(config: &Config) -> PifSettings {
    let (pif, flash) = (&config.pif, self::flash(config));
    PifSettings {
        array: array(config),
        pages: geometry(config).pages(),
        planes_per_chip: config.flash.dies_per_chip * config.flash.planes_per_die,
        fabric_kind: config.fabric.name,
        fabric: fabric_settings(config),
        page_bytes: config.flash.page_bytes,
        raw_page_bytes: pif.raw_page_bytes,
        sense: flash.array.read[0],
        command: flash.commands.read[0],
        matching: pif.matching,
        iteration: pif.iteration,
        table_bytes: pif.table_bytes,
        out_pages: pif.out_pages,
        answer_bytes: pif.answer_bytes,
        head_bytes: pif.head_bytes,
        controller_rate: pif.controller_rate,
        accelerators: if pif.accelerators == 0 { config.array.rows } else { pif.accelerators },
        host_rate: pif.host_rate,
        link_rate: config.host.link.rate,
        power: config.power,
        parts: pif.parts,
        limits: pif.limits,
    }
}
