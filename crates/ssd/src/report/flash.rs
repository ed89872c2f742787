//! What the flash array did.

use crate::device::Device;
use crate::fabric::Fabric;

use super::FlashReport;

pub(super) fn flash_report(device: &Device<dyn Fabric>) -> FlashReport {
    let counters = device.ftl_counters();
    let blocks = device.ftl().space().blocks();
    let wear = blocks.planes.wear(&blocks.table);
    FlashReport {
        reads: counters.reads,
        programs: counters.programs,
        erases: counters.erases,
        multiplane_reads: counters.multiplane_reads,
        multiplane_programs: counters.multiplane_programs,
        suspended_erases: device.recorder().suspended_erases,
        suspended_programs: device.recorder().suspended_programs,
        copybacks: counters.copybacks,
        mapping_reads: counters.mapping_reads,
        mapping_programs: counters.mapping_programs,
        gc_moves: counters.gc_moves,
        wear_moves: counters.wear_moves,
        copies_between_chips: device.fabric().features().copies.then_some(counters.copies_between_chips),
        moves_elsewhere: device.ftl().moves_leave().then_some(counters.moves_elsewhere),
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
    }
}
