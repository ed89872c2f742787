//! Transfers of commands and data, and the responses of a fabric to them.

use std::iter::repeat_n;
use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

/// Direction of a transfer between a flash controller and a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Transfer to the chip: a command, which includes data for a program.
    ToChip,
    /// Transfer from the chip: data that was read.
    FromChip,
}

/// Relocated pages in the data of a transfer: pages moved by garbage collection, or operands of gathers. They
/// are not transferred from or to the drive's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelocatedData {
    /// Number of bytes of relocated pages in the transfer.
    pub bytes: u32,
    /// Source chip of the relocated pages.
    pub from: ChipId,
}

/// Transfer over a path: a command, a command with data, or data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Die that sends or receives the data. It identifies the transfer, since a die has at most one in
    /// flight.
    pub die: DieId,
    /// Chip that contains `die`.
    pub chip: ChipId,
    /// Direction in which the command or data is sent.
    pub direction: Direction,
    /// Wire time of the command cycles, equal on every fabric; zero for data without a command.
    pub command: SimSpan,
    /// Bytes of data; zero for a command without data.
    pub bytes: u32,
    /// True if the operation needs the path after this transfer. Either data follows (data out after a read
    /// command, or data of another plane), or [`Hold::Request`](crate::Hold::Request) holds the path until
    /// the array operation ends. A fabric with [`Hold::Transfer`](crate::Hold::Transfer) ignores this field.
    pub keeps_path: bool,
    /// Relocated pages in the data; `None` if all data comes from the drive's memory or goes to it.
    pub moved: Option<RelocatedData>,
    /// Creation time of the read or write of the transfer's first page, for fabrics that serve transfers by
    /// age. `None` for commands without a page; their age is counted from their first refusal.
    pub waiting_since: Option<SimTime>,
}

/// Response of a fabric to an offered transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The transfer is accepted. Later the outbox reports its delivery, or that it bounced because no path
    /// was found.
    Accepted,
    /// No path to this chip is free; another chip of the domain may have one.
    PathBusy,
    /// No path to any chip of the domain is free, so further offers in the domain would be refused.
    DomainBusy,
}

/// Event that a fabric schedules for itself. Only that fabric interprets the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricEvent(pub u32);

/// Number of an arbitration domain: a group of chips that compete for the same paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DomainId(pub u32);

impl DomainId {
    /// Returns the domain of each chip. `domains` contains the range of chips of each domain.
    pub fn of_chips(domains: &[Range<u32>]) -> Vec<Self> {
        let of_domain = |(domain, chips): (u32, &Range<u32>)| repeat_n(Self(domain), chips.len());
        (0..).zip(domains).flat_map(of_domain).collect()
    }
}

/// End of a transfer, as reported by the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Die whose transfer has ended.
    pub die: DieId,
    /// Time for which the transfer was blocked inside the fabric after its acceptance.
    pub path_wait: SimSpan,
    /// Number of links that the transfer crossed between routers, ring chips or controllers; zero on buses.
    pub hops: u32,
}
