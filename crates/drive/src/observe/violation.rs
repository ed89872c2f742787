//! Violations of invariants that the audit finds.

use thiserror::Error;

/// Violation of an invariant, found by the audit. A violation is always a defect of the simulator.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A read found another logical page than the requested one in the physical page.
    #[error("a read of logical page {wanted} found logical page {found:?} at physical page {at}")]
    Misplaced {
        /// Requested logical page.
        wanted: u32,
        /// Logical page stored in the physical page.
        found: Option<u32>,
        /// Physical page that was read.
        at: u32,
    },
    /// A read found a version older than an acknowledged one.
    #[error(
        "a read of logical page {lpn} found version {found}, but version {acknowledged} was acknowledged"
    )]
    Stale {
        /// Requested logical page.
        lpn: u32,
        /// Version that the read found.
        found: u32,
        /// Version acknowledged when the read was accepted.
        acknowledged: u32,
    },
    /// A successful read returned data that could not be corrected.
    #[error("a read of logical page {lpn} returned uncorrectable data of physical page {at}")]
    Uncorrected {
        /// Logical page that was read.
        lpn: u32,
        /// Physical page that was read.
        at: u32,
    },
    /// Garbage collection moved a page although its logical page had been deallocated.
    #[error("garbage collection moved logical page {lpn} from physical page {from} after its deallocation")]
    Revived {
        /// Logical page that was moved.
        lpn: u32,
        /// Physical page before the move.
        from: u32,
    },
    /// A read, or the data cache, returned old data of a sector that a trim had zeroed.
    #[error("sector {sector} of logical page {lpn} has old data after its deallocation")]
    NotZeroed {
        /// Logical page of the sector.
        lpn: u32,
        /// Number of the sector in the page.
        sector: u32,
    },
    /// A read returned zeroes for a sector that holds data.
    #[error("a read of sector {sector} of logical page {lpn} returned zeroes, but the sector holds data")]
    Zeroed {
        /// Logical page of the sector.
        lpn: u32,
        /// Number of the sector in the page.
        sector: u32,
    },
    /// A read of a sector without data did not end with an error, although the drive must refuse it (DULBE).
    #[error("a read of deallocated sectors of logical page {lpn} was not refused")]
    NotRefused {
        /// Logical page that was read.
        lpn: u32,
    },
    /// A read ended with an error, although all of its sectors hold data.
    #[error("a read that ends in logical page {lpn} was refused, but all of its sectors hold data")]
    Refused {
        /// Last logical page that the refused read covers.
        lpn: u32,
    },
    /// The data cache destages a page, but does not write a sector that only the cache contains.
    #[error("logical page {lpn} is programmed without its sector {sector}, which only the cache held")]
    Lost {
        /// Logical page of the destage.
        lpn: u32,
        /// Number of the missing sector in the page.
        sector: u32,
    },
    /// A flush or a write with forced unit access completed before its data was on flash.
    #[error(
        "a flush or FUA write completed, but flash holds version {programmed} of logical page {lpn} instead of {version}"
    )]
    Volatile {
        /// Logical page with the missing data.
        lpn: u32,
        /// Version of the page that had to be on flash.
        version: u32,
        /// Newest version on flash.
        programmed: u32,
    },
    /// A loss of power would destroy durable data: data on flash or in a cache with power-loss protection.
    #[error(
        "a loss of power leaves version {survives} of logical page {lpn}, but version {version} was durable"
    )]
    LostWithPower {
        /// Logical page with the lost data.
        lpn: u32,
        /// Newest version that survives; 0 if no version survives.
        survives: u32,
        /// Version that must have survived, since it was durable before the loss of power.
        version: u32,
    },
    /// A page was allocated twice, or out of order within its block.
    #[error("page {offset} of block {block} was allocated, but page {expected} was next")]
    OutOfOrder {
        /// Block that contains the page.
        block: u32,
        /// Offset of the allocated page.
        offset: u32,
        /// Offset of the page that should have been allocated.
        expected: u32,
    },
    /// A page was programmed twice, before its allocation, or out of order within its block.
    #[error("page {offset} of block {block} was programmed out of order, before page {next}")]
    NotItsTurn {
        /// Block that contains the page.
        block: u32,
        /// Offset of the programmed page.
        offset: u32,
        /// Offset of the page that should have been programmed next.
        next: u32,
    },
    /// A page was programmed on a plane to which its address range is not mapped.
    #[error(
        "logical page {lpn} was programmed on plane {plane}, which does not serve the page's address range"
    )]
    Astray {
        /// Logical page that was programmed.
        lpn: u32,
        /// Plane in which the page was programmed.
        plane: u32,
    },
    /// A read started on a page that was being programmed or whose block was being erased.
    #[error("physical page {at} was read while it was being {what}")]
    InTheMaking {
        /// Physical page that was read.
        at: u32,
        /// Name of the operation in progress: `programmed` or `erased`.
        what: &'static str,
    },
    /// The stages of a request do not add up to its latency.
    #[error("the stages of a request add up to {stages_ps} ps, but its latency is {latency_ps} ps")]
    Unaccounted {
        /// Sum of the request's latency stages, in picoseconds.
        stages_ps: u64,
        /// Latency of the request, in picoseconds.
        latency_ps: u64,
    },
    /// The causes of a request's wait do not add up to the wait.
    #[error("the causes of a request's wait add up to {causes_ps} ps, but the wait is {waited_ps} ps")]
    Unexplained {
        /// Sum of the times of all causes of the wait, in picoseconds.
        causes_ps: u64,
        /// Length of the wait, in picoseconds.
        waited_ps: u64,
    },
    /// Two counts that must be equal at the end of a run differ.
    #[error("{what}: {left} is not equal to {right}")]
    Unbalanced {
        /// Name of the quantity whose two counts differ.
        what: &'static str,
        /// Value of the first count.
        left: u64,
        /// Value of the second count.
        right: u64,
    },
}
