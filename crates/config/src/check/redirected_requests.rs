//! Check of the host scheduler `conflict_free` (`host.scheduler.scheme`), which moves requests to other
//! addresses.

use venice_drive::ftl::address_ranges;
use venice_params::Conflict;

use crate::settings::{ftl, geometry};
use crate::table::Config;

/// Reports a drive so small that requests would be moved beyond its end.
pub(super) fn beyond_the_drive(config: &Config) -> Option<Conflict> {
    let drive = geometry(config);
    let scheduler = config.host_scheduler.settings(&drive)?;
    let capacity = address_ranges(&drive, &ftl(config)).last().map_or(0, |range| range.end);
    let least = scheduler.min_capacity_sectors();
    if capacity >= least {
        return None;
    }
    let message = format!(
        "`conflict_free` moves requests within two stripes of {} units, that is {least} sectors, but the drive has {capacity}",
        scheduler.drive_units.units()
    );
    let note = "expected: a larger drive (`flash.blocks_per_plane`), fewer units (`host.scheduler.drive_level = \"chip\"`), or another scheduler, for example `piq`";
    let keys = &[
        "host.scheduler.scheme",
        "host.scheduler.drive_level",
        "flash.blocks_per_plane",
        "flash.pages_per_block",
        "ftl.over_provisioning_pct",
    ];
    Some(Conflict { keys, message, note: Some(note.to_owned()) })
}
