//! What all fabrics have in common of what they are told.

use venice_kernel::Rate;

use crate::parameters::{choices, declare, wire_rate};

/// What goes first where several transfers wait for the paths of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstOnPath {
    /// Data that was read, then commands, with or without data.
    Data,
    /// Commands without data, which set an array to work and take no time to speak of; then data that was read;
    /// then commands with data.
    Commands,
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
