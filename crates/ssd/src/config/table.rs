//! The parameter table: every parameter of a drive, once.
//!
//! A line says the key, the field's type, the accepted values, the unit, the default (or that every
//! drive has to say) and the source of meaning and default. Ranges are wide enough for any drive
//! somebody might imagine and narrow enough that no product of them overflows.

use std::sync::LazyLock;

use crate::cache::CacheParameters;
use crate::chip::{CommandParameters, FlashParameters, SuspendParameters};
use crate::fabric::{FabricKind, FabricParameters, FaultParameters, FirstOnPath, Hold, MeshParameters};
use crate::ftl::{FtlParameters, GatherSettings, PartitionParameters, PreconditionParameters};
use crate::host::HostParameters;
use crate::host::scheduler::IoQueueParameters;
use crate::pif::{PifParameters, WearParameters};
use crate::power::{AreaSettings, PowerSettings};

use super::declare::parameters;
use crate::parameters::{
    Declared, Field, Kind, Parameter, Section, Value, Values, joined, one_of, section_name, total, whole,
    wire_rate,
};

parameters! {
    /// What the drive is, and what it is made from.
    section drive "" DriveConfig {
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

    /// The array of flash chips.
    section array "array." ArrayConfig {
        /// Rows of chips.
        ///
        /// One flash controller sits at the left end of each row. On a shared bus a row is a channel.
        rows: u32 = whole(1, 256), unit "rows", required,
            source "Nadig et al., Venice, ISCA 2023, Figure 5";
        /// Chips in a row.
        cols: u32 = whole(1, 256), unit "chips", required,
            source "Nadig et al., Venice, ISCA 2023, Figure 5";
    }

    /// The flash chips: how they are built and how long their arrays take.
    section flash: FlashParameters;

    /// How long the command cycles occupy the path to a chip.
    section flash_command: CommandParameters;

    /// Programs and erases that are suspended for others.
    section flash_suspend: SuspendParameters;

    /// What joins the chips to the flash controllers.
    section fabric "fabric." FabricConfig {
        /// Which fabric.
        name: FabricKind = one_of::<FabricKind>(), unit "", default "bus",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        /// Data rate of a channel: of a bus, and of each chip's own channel in `ideal`.
        channel_rate_mb_per_s: f64 = wire_rate(), unit "MB/s", default "1200",
            source "Nadig et al., Venice, ISCA 2023, Table 1";
        /// Whether chips send pages that collection moves, and operands of gathers, to each other, without a controller, where the
        /// fabric can.
        ///
        /// `venice`: over a circuit from chip to chip. `pnssd`: between chips of a column, over its bus. Others cannot. Collection
        /// moves pages to other chips with `ftl.gc_destination` only.
        chip_to_chip: bool = Kind::Boolean, unit "", default "false",
            source "Nadig et al., Venice, ISCA 2023, §8; Kim et al., Networked SSD, MICRO 2022";
        /// What a path is held for: a channel, a bus, a ring, a circuit.
        ///
        /// `transfer`: for one transfer, so that a read takes a path twice and others use it while its array works.
        /// `operation`: from a read's command to the end of its data. The packets of `nossd` hold no path.
        hold: Hold = one_of::<Hold>(), unit "", default "transfer",
            source "Nadig et al., Venice, ISCA 2023, §3.1, Figure 3 (transfer); §4.2, §6.5 (operation: for each I/O request)";
        /// What goes first of several transfers that wait for a path.
        ///
        /// `data`: data that was read, then commands, as in MQSim. `commands`: commands without data, then data that was
        /// read, then commands with data. They take no time to speak of and set arrays to work, so that more chips have
        /// data waiting and fewer paths stay unused; every fabric carries more for it under a saturating load of reads.
        first_on_path: FirstOnPath = one_of::<FirstOnPath>(), unit "", default "data",
            source "Tavakkol et al., MQSim, FAST 2018 (data); ours (commands): the papers do not say";
    }

    /// The sections that fabrics declare in their files.
    section fabrics: FabricParameters;
    /// The links between routers, and which of them fail.
    section fabric_mesh: MeshParameters;
    /// What else fails, and what follows.
    section fabric_faults: FaultParameters;

    /// The address ranges into which the drive is divided, and what each of them lives on.
    section partition: PartitionParameters;

    /// The flash translation layer.
    section ftl: FtlParameters;

    /// Gathers: requests that have a chip combine pages from all over the drive.
    section gather: GatherSettings;

    /// What the drive holds before the run.
    section precondition: PreconditionParameters;

    /// The data cache: DRAM between the host interface and the flash translation layer.
    section cache: CacheParameters;

    /// The link between host and drive, and the drive's command queue.
    section host: HostParameters;

    /// The scheduler between the host's I/O queue and the drive.
    section host_scheduler: IoQueueParameters;

    /// What the drive's parts take: power while they work, power at any time, energy of each byte.
    section power: PowerSettings;

    /// Areas on the drive's board.
    section area: AreaSettings;

    /// Raw bit errors of the flash cells, read by searching drives: floor + cycling · PE^a + retention · PE^b · days^c +
    /// disturb · PE^d · reads^e.
    section flash_wear: WearParameters;

    /// Processing in flash: what searching drives have been through and are made of. Other runs do not look at it.
    section pif: PifParameters;

    /// The run itself.
    section run "run." RunConfig {
        /// Seed of every random choice.
        seed: u64 = whole(0, i64::MAX as u64), unit "", default "1", source "ours";
    }
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

/// The order of the sections of fabrics, where files list them; of a fabric that is not named here, behind these.
const ORDER_OF_FABRICS: &[&str] = &[
    "fabric.pssd",
    "fabric.pnssd",
    "fabric.mesh",
    "fabric.faults",
    "fabric.nossd",
    "fabric.hlnand",
    "fabric.decoupled",
    "fabric.venice",
];

/// Every parameter of a drive, by section, in the order in which files list them.
pub(super) static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let mut sections = declared_sections();
    let is_of_fabric = |section: &Section| section.name.starts_with("fabric.");
    let first = sections.iter().position(is_of_fabric).unwrap_or(0);
    let count = sections[first..].iter().take_while(|section| is_of_fabric(section)).count();
    let place = |section: &Section| ORDER_OF_FABRICS.iter().position(|name| *name == section.name);
    sections[first..first + count].sort_by_key(|section| place(section).unwrap_or(usize::MAX));
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
