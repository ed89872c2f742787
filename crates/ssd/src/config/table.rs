//! The parameter table: every parameter of a drive, by section, in the order in which files list them.
//!
//! Rooms declare their parameters ([`crate::parameters`]). Here stands which section is made of what, and those parameters that are of
//! no room: what the drive is called, and the run's seed.

use std::sync::LazyLock;

use crate::cache::CacheParameters;
use crate::chip::{CommandParameters, FlashParameters, SuspendParameters};
use crate::fabric::{ChosenFabric, FabricParameters, FaultParameters, MeshParameters, place_of_section};
use crate::ftl::{FtlParameters, GatherSettings, PartitionParameters, PreconditionParameters};
use crate::geometry::Array;
use crate::host::HostParameters;
use crate::host::scheduler::IoQueueParameters;
use crate::pif::{PifParameters, WearParameters};
use crate::power::{AreaSettings, PowerSettings};

use super::declare::parameters;
use crate::parameters::{Declared, Kind, Parameter, Section, Value, Values, declare, whole};

declare! {
    /// What the drive is, and what it is made from.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DriveParameters in "" {
        /// Name of the drive, as reports print it.
        ///
        /// Without one, the name of the preset or file.
        name: String = Kind::Text, unit "", default "", source "ours";
        /// What the drive is, for people.
        description: String = Kind::Text, unit "", default "", source "ours";
        /// Where the drive's numbers come from.
        source: String = Kind::Text, unit "", default "", source "ours";
        /// Preset or file that this drive changes.
        ///
        /// A preset's name, or a path relative to the file that says it. Only in a file.
        extends: String = Kind::Text, unit "", default "", source "ours";
        /// Chip preset or file that the `[flash]` tables begin with.
        ///
        /// A preset's name, or a path relative to the file that says it.
        chip: String = Kind::Text, unit "", default "", source "ours";
    }
}

declare! {
    /// The run itself.
    pub struct RunParameters in "run." {
        /// Seed of every random choice.
        seed: u64 = whole(0, i64::MAX as u64), unit "", default "1", source "ours";
    }
}

parameters! {
    drive: DriveParameters;
    array: Array;
    flash: FlashParameters;
    flash_command: CommandParameters;
    flash_suspend: SuspendParameters;
    fabric: ChosenFabric;
    fabrics: FabricParameters;
    fabric_mesh: MeshParameters;
    fabric_faults: FaultParameters;
    partition: PartitionParameters;
    ftl: FtlParameters;
    gather: GatherSettings;
    precondition: PreconditionParameters;
    cache: CacheParameters;
    host: HostParameters;
    host_scheduler: IoQueueParameters;
    power: PowerSettings;
    area: AreaSettings;
    flash_wear: WearParameters;
    pif: PifParameters;
    run: RunParameters;
}

/// Keys that people try to set although they follow from others: the key's last part, and from what.
pub(super) const DERIVED: &[(&str, &str)] = &[
    ("total_pages", "the geometry"),
    ("total_blocks", "the geometry"),
    ("pages_per_plane", "`blocks_per_plane` and `pages_per_block`"),
    ("raw_bytes", "the geometry"),
    ("capacity_bytes", "the geometry and `ftl.over_provisioning_pct`"),
    ("logical_pages", "the geometry and `ftl.over_provisioning_pct`"),
    ("chips", "`array.rows` and `array.cols`"),
    ("controllers", "`array.rows`"),
    ("channels", "`array.rows`"),
    ("chips_per_channel", "`array.cols`"),
];

/// Every parameter of a drive, by section, in the order in which files list them.
pub(super) static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let mut sections = declared_sections();
    let of_fabrics = sections.iter().position(|section| place_of_section(section.name).is_some());
    let of_fabrics = &mut sections[of_fabrics.unwrap_or(0)..];
    let count = of_fabrics.iter().take_while(|section| place_of_section(section.name).is_some()).count();
    of_fabrics[..count].sort_by_key(|section| place_of_section(section.name));
    sections
});

/// Every parameter, in the table's order; a parameter's place in it is its index everywhere.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    SECTIONS.iter().flat_map(|section| section.parameters)
}

/// The index and the declaration of a full key.
pub(super) fn find(key: &str) -> Option<(usize, &'static Parameter)> {
    parameters().enumerate().find(|(_, parameter)| parameter.key == key)
}

/// Whether `name` is a table of a drive file, or leads to one (`fabric` leads to `fabric.mesh`).
pub(super) fn is_section(name: &str) -> bool {
    !name.is_empty() && SECTIONS.iter().any(|section| section.name == name)
}
