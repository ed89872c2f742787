//! What fabrics are told: validated numbers, no strings.

use venice_kernel::Rate;

use super::catalogue::{FabricKind, FabricParameters};
use super::faults::FaultSettings;
use super::noc::MeshLink;
use crate::geometry::Array;
use crate::parameters::{Kind, choices, declare, one_of, wire_rate};

/// What goes first where several transfers wait for the paths of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstOnPath {
    /// Data that was read, then commands, with or without data.
    Data,
    /// Commands without data, which set an array to work and take no time to speak of; then data that was read;
    /// then commands with data.
    Commands,
}

/// Settings of every fabric; each reads its own part.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricSettings {
    /// The chips to be joined.
    pub array: Array,
    /// Seed of the fabric's random choices.
    pub seed: u64,
    /// Whether chips send pages to each other, on fabrics that can.
    pub chip_to_chip: bool,
    /// What goes first of several transfers that wait.
    pub first_on_path: FirstOnPath,
    /// What a path is held for. Packets hold none.
    pub hold: Hold,
    /// Shared channels and direct channels.
    pub bus: BusSettings,
    /// Links between routers, for the meshes.
    pub mesh_link: MeshLink,
    /// What fails.
    pub faults: FaultSettings,
    /// What each fabric declares in its file, under the name of its module.
    pub own: FabricParameters,
}

/// What a path (a channel, a bus, a ring, a circuit) is held for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// For one transfer: a read takes a path twice, and others use it while the array reads.
    Transfer,
    /// From a read's command to the end of its data, those of all its planes. Programs and erases need a path
    /// once, and hold it for that.
    Operation,
}

impl Hold {
    /// Whether the path stays with the die when a transfer after which `more_follows` has ended.
    #[inline]
    pub fn keeps(self, more_follows: bool) -> bool {
        more_follows && self == Self::Operation
    }
}

choices! {
    FirstOnPath, "order of transfers": "data" => Data, "commands" => Commands;
    Hold, "hold policy": "transfer" => Transfer, "operation" => Operation;
}

declare! {
    /// A baseline channel.
    pub struct BusSettings in "fabric." {
        /// Data rate of a channel: of a bus, and of each chip's own channel in `ideal`.
        rate as channel_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "Nadig et al., Venice, ISCA 2023, Table 1";
    }
}

declare! {
    /// What joins the chips to the flash controllers.
    pub struct ChosenFabric in "fabric." {
        /// Which fabric.
        name: FabricKind = one_of::<FabricKind>(), unit "", default "bus",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        with bus: BusSettings;
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
}

/// The order of the sections of fabrics, where files list them; of a fabric that is not named here, behind these.
const ORDER_OF_SECTIONS: &[&str] = &[
    "fabric.pssd",
    "fabric.pnssd",
    "fabric.mesh",
    "fabric.faults",
    "fabric.nossd",
    "fabric.hlnand",
    "fabric.decoupled",
    "fabric.venice",
];

/// The place of a section among those of fabrics; of any other section, none.
pub(crate) fn place_of_section(name: &str) -> Option<usize> {
    let place = ORDER_OF_SECTIONS.iter().position(|known| *known == name);
    name.starts_with("fabric.").then(|| place.unwrap_or(usize::MAX))
}
