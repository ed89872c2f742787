//! What fabrics are told: validated numbers, no strings.

use venice_kernel::Rate;

use super::catalogue::FabricParameters;
use super::faults::FaultSettings;
use super::noc::MeshLink;
use crate::geometry::Array;
use crate::parameters::choices;

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

/// A baseline channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusSettings {
    /// Data rate of one channel.
    pub rate: Rate,
}

choices! {
    FirstOnPath, "order of transfers": "data" => Data, "commands" => Commands;
    Hold, "hold policy": "transfer" => Transfer, "operation" => Operation;
}
