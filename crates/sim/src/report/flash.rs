//! Figures of flash operations in the report.

use venice_drive::device::{Device, WorkDone};
use venice_fabric::Fabric;
use venice_nand::geometry::{Geometry, MappingUnits};

use venice_drive::ftl::{FtlCounters, FtlSettings, Mapping};

use super::quantiles::ratio;
use super::{FlashReport, TwoPassReport, UnitReport};

/// Number of open blocks of a plane for moved pages: one for pages moved by garbage collection, and one for
/// cold data.
const OPEN_BLOCKS_OF_COLLECTION: u64 = 2;

/// Returns the counters of the flash operations in `work`, with the wear of blocks at the end of the run.
pub(super) fn flash_report(device: &Device<dyn Fabric>, work: &WorkDone, geometry: &Geometry) -> FlashReport {
    let counters = work.ftl();
    let reclaims = device.ftl().settings.read_reclaim_reads > 0;
    let refreshes = device.ftl().settings.refresh.is_some();
    let bytes = |pages: u64| pages * u64::from(geometry.page_bytes);
    let blocks = device.ftl().space().blocks();
    let wear = blocks.planes.wear(&blocks.table);
    FlashReport {
        reads: counters.reads,
        programs: counters.programs,
        erases: counters.erases,
        read_bytes: bytes(counters.reads),
        programmed_bytes: bytes(counters.programs),
        multiplane_reads: counters.multiplane_reads,
        multiplane_programs: counters.multiplane_programs,
        suspended_erases: work.drive().suspended_erases,
        suspended_programs: work.drive().suspended_programs,
        copybacks: counters.copybacks,
        mapping_reads: counters.mapping_reads,
        mapping_programs: counters.mapping_programs,
        gc_moves: counters.gc_moves,
        wear_moves: counters.wear_moves,
        copies_between_chips: device.fabric().capabilities().copies.map(|_| counters.copies_between_chips),
        moves_elsewhere: device.ftl().settings.moves_leave().then_some(counters.moves_elsewhere),
        reclaim_moves: reclaims.then_some(counters.reclaim_moves),
        reclaim_executions: reclaims.then_some(counters.reclaim_executions),
        refresh_moves: refreshes.then_some(counters.refresh_moves),
        refresh_executions: refreshes.then_some(counters.refresh_executions),
        scrub_reads: device.ftl().has_scrub().then_some(counters.scrub_reads),
        idle_moves: device.ftl().settings.gc_idle.map(|_| counters.idle_moves),
        idle_executions: device.ftl().settings.gc_idle.map(|_| counters.idle_executions),
        parity_programs: device.ftl().has_parity().then_some(counters.parity_programs),
        fold_moves: device.ftl().slc_cache().map(|_| counters.fold_moves),
        min_block_erases: wear.least,
        max_block_erases: wear.most,
        mean_plane_erase_span: wear.mean_span,
        max_plane_erase_span: wear.most_span,
        host_programs: counters.host_programs,
        update_reads: counters.update_reads,
        gc_executions: counters.gc_executions,
        wear_executions: counters.wear_executions,
        read_commands: counters.read_commands,
        program_commands: counters.program_commands,
        erase_commands: counters.erase_commands,
        multiplane_erases: counters.multiplane_erases,
        mapping_write_backs: counters.mapping_write_backs,
        units: unit_report(device.ftl().settings.units, counters),
        two_pass: two_pass_report(&device.ftl().settings, geometry, counters),
    }
}

/// Returns the figures of two-pass programming, or `None` with one-pass programming.
fn two_pass_report(
    settings: &FtlSettings,
    geometry: &Geometry,
    counters: &FtlCounters,
) -> Option<TwoPassReport> {
    let of_map = u64::from(settings.mapping != Mapping::Ideal);
    let open_blocks = u64::from(settings.write_streams) + OPEN_BLOCKS_OF_COLLECTION + of_map;
    let word_line = u64::from(settings.units.pages_of_program()) * u64::from(geometry.page_bytes);
    settings.has_two_passes().then(|| TwoPassReport {
        second_pass_pages: counters.second_pass_pages,
        buffer_reads: counters.buffer_reads,
        buffer_bytes: 2 * word_line * u64::from(geometry.planes()) * open_blocks,
    })
}

/// Returns the counts of mapping units, or `None` if a mapping unit is a page.
fn unit_report(units: MappingUnits, counters: &FtlCounters) -> Option<UnitReport> {
    let filled = units.slots_of_pages(counters.programs) - counters.empty_slots;
    (!units.are_pages()).then(|| UnitReport {
        per_page: units.per_page(),
        pages_per_unit: units.pages(),
        per_program: ratio(filled, counters.programs),
        empty_slots: counters.empty_slots,
        shared_reads: counters.shared_reads,
    })
}
