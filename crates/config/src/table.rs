//! Table of all parameters of a drive, by section, in the order of files.
//!
//! Modules declare their own parameters ([`venice_params`]). This module assigns the declarations to sections
//! and declares the parameters that belong to no module: the name of the drive and the seed of the run.

use std::sync::LazyLock;

use venice_drive::cache::CacheParameters;
use venice_drive::controller::{CoreParameters, EccParameters};
use venice_drive::ftl::{
    FtlParameters, GatherSettings, PartitionParameters, PreconditionParameters, SearchParameters,
};
use venice_fabric::{FabricChoice, FabricParameters, FaultParameters, MeshParameters, place_of_section};
use venice_host::HostParameters;
use venice_host::scheduler::IoQueueParameters;
use venice_nand::chip::{CommandParameters, FlashParameters, SuspendParameters};
use venice_nand::geometry::Array;
use venice_nand::wear::PageErrorModel;
use venice_params::{AcceptedValues, Parameter, ParameterKind, ParameterSet, Section, Value, declare, whole};
use venice_pif::search_run::PifParameters;
use venice_sim::power::{AreaSettings, PowerSettings};

use super::declare::parameters;
use super::own_policies::add_own;
use super::sheet::SheetParameters;

declare! {
    /// Identity and origin of the drive.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DriveParameters in "" {
        /// Name of the drive in reports.
        ///
        /// Default: name of the preset or file.
        name: String = ParameterKind::Text, unit "", default "", source "ours";
        /// Short description of the drive, as free text.
        description: String = ParameterKind::Text, unit "", default "", source "ours";
        /// Sources of the drive's parameter values, such as data sheets, as free text.
        source: String = ParameterKind::Text, unit "", default "", source "ours";
        /// Preset or drive file whose values this drive inherits.
        ///
        /// Name of a preset, or path relative to this file. This key is allowed in drive files only.
        extends: String = ParameterKind::Text, unit "", default "", source "ours";
        /// Preset or chip file with the base values of the `[flash]` tables.
        ///
        /// Name of a preset, or path relative to this file.
        chip: String = ParameterKind::Text, unit "", default "", source "ours";
        /// Names of the real drives that this drive models, as spelled in the measurements for `venice
        /// validate`.
        ///
        /// A file that extends a drive does not inherit this key.
        measured_as: Vec<String> = ParameterKind::Texts, unit "", default "[]", source "ours";
    }
}

declare! {
    /// Settings of the run.
    pub struct RunParameters in "run." {
        /// Seed of all random number generators.
        seed: u64 = whole(0, i64::MAX as u64), unit "", default "1", source "ours";
    }
}

parameters! {
    drive: DriveParameters;
    array: Array;
    flash: FlashParameters;
    flash_command: CommandParameters;
    flash_suspend: SuspendParameters;
    fabric: FabricChoice;
    fabrics: FabricParameters;
    fabric_mesh: MeshParameters;
    fabric_faults: FaultParameters;
    partition: PartitionParameters;
    ftl: FtlParameters;
    gather: GatherSettings;
    search: SearchParameters;
    precondition: PreconditionParameters;
    cache: CacheParameters;
    host: HostParameters;
    host_scheduler: IoQueueParameters;
    controller: CoreParameters;
    ecc: EccParameters;
    power: PowerSettings;
    area: AreaSettings;
    flash_wear: PageErrorModel;
    pif: PifParameters;
    run: RunParameters;
    sheet: SheetParameters;
}

/// Derived quantities that users may try to set. Each has the last part of its key, and the parameters that
/// determine its value.
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

/// All parameters of a drive, by section, in the order of files.
pub(super) static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let mut sections = declared_sections();
    let of_fabrics = sections.iter().position(|section| place_of_section(section.name).is_some());
    let of_fabrics = &mut sections[of_fabrics.unwrap_or(0)..];
    let count = of_fabrics.iter().take_while(|section| place_of_section(section.name).is_some()).count();
    of_fabrics[..count].sort_by_key(|section| place_of_section(section.name));
    add_own(&mut sections);
    sections
});

/// Returns all parameters in the order of the table. The position in this order is the index of a parameter.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    SECTIONS.iter().flat_map(|section| section.parameters)
}

/// Returns the index and the declaration of the parameter with the full key `key`.
pub(super) fn find(key: &str) -> Option<(usize, &'static Parameter)> {
    parameters().enumerate().find(|(_, parameter)| parameter.key == key)
}

/// True if `name` is a table of a drive file or the first part of such a name (`fabric` of `fabric.mesh`).
pub(super) fn is_section(name: &str) -> bool {
    !name.is_empty() && SECTIONS.iter().any(|section| section.name == name)
}
