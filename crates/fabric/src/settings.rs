//! Settings common to all fabrics.

use venice_kernel::Rate;
use venice_params::{choices, declare, wire_rate};

/// Order in which waiting transfers of an arbitration domain are offered a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstOnPath {
    /// Read data first, then commands with or without data.
    Data,
    /// Commands without data first, since they start an array operation and need little path time. Then come
    /// read data, then commands with data.
    Commands,
}

/// Period for which a path (a channel, a bus, a ring, a circuit) stays reserved for a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// A path is held for one transfer. A read thus reserves a path twice, and other transfers use the path
    /// during the array operation.
    Transfer,
    /// The path of a read is held from its command to the end of the data of all its planes. A program or
    /// erase holds a path only for its transfer.
    Operation,
    /// As with `Operation`, and the path of a program is held to the end of its array operation. Erases also
    /// hold their path if [`FabricSettings::hold_erases`](crate::FabricSettings::hold_erases) is set.
    Request,
}

impl Hold {
    /// True if a path stays reserved for its die after a transfer. `keeps_path` is the flag
    /// [`Transfer::keeps_path`](crate::Transfer::keeps_path) of this transfer.
    #[inline]
    pub fn keeps(self, keeps_path: bool) -> bool {
        keeps_path && self != Self::Transfer
    }
}

choices! {
    FirstOnPath, "order of transfers": "data" => Data, "commands" => Commands;
    Hold, "hold policy": "transfer" => Transfer, "operation" => Operation, "request" => Request;
}

declare! {
    /// Parameters of a baseline channel.
    pub struct BusSettings in "fabric." {
        /// Data rate of a channel: of a shared bus, or of each chip's direct channel in `ideal`.
        rate as channel_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "Nadig et al., Venice, ISCA 2023, Table 1";
    }
}

/// Order of the fabric sections in drive files; sections that are not listed come last.
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

/// Returns the position of a fabric section in drive files, or `None` for other sections.
pub fn place_of_section(name: &str) -> Option<usize> {
    let place = ORDER_OF_SECTIONS.iter().position(|known| *known == name);
    name.starts_with("fabric.").then(|| place.unwrap_or(usize::MAX))
}
