//! What an audit may find.

use thiserror::Error;

/// Something that must never happen, found by the audit. Always a bug of the simulator.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A read found another page than it was for.
    #[error("a read of logical page {wanted} found logical page {found:?} at physical page {at}")]
    Misplaced {
        /// The page that was read.
        wanted: u32,
        /// What the physical page holds.
        found: Option<u32>,
        /// Where.
        at: u32,
    },
    /// A read found a version older than one already acknowledged.
    #[error("a read of logical page {lpn} found version {found}, but {acknowledged} was acknowledged")]
    Stale {
        /// The page that was read.
        lpn: u32,
        /// The version found.
        found: u32,
        /// The version that had been acknowledged when the read was accepted.
        acknowledged: u32,
    },
    /// The data cache writes a page to flash without a sector that it has taken.
    #[error("logical page {lpn} goes to flash without its sector {sector}, which only the cache had")]
    Lost {
        /// The page.
        lpn: u32,
        /// The sector within it.
        sector: u32,
    },
    /// A page was given out twice, or before its predecessor in the block.
    #[error("page {offset} of block {block} was given out when page {expected} was next")]
    OutOfOrder {
        /// The block.
        block: u32,
        /// The page given out.
        offset: u32,
        /// The page that was to be given out next.
        expected: u32,
    },
    /// A page was programmed twice, before it was given out, or behind a later one of its block.
    #[error(
        "page {offset} of block {block} was programmed out of its turn, page {next} or a later one was due"
    )]
    NotItsTurn {
        /// The block.
        block: u32,
        /// The page programmed.
        offset: u32,
        /// The first page that was still to be programmed.
        next: u32,
    },
    /// A page was programmed outside the planes of its address range.
    #[error("logical page {lpn} was programmed on plane {plane}, which is not its address range's")]
    Astray {
        /// The page.
        lpn: u32,
        /// Where.
        plane: u32,
    },
    /// A read began on a page whose program had begun and not ended, or whose block was being erased.
    #[error("physical page {at} was read while it was being {what}")]
    InTheMaking {
        /// The page.
        at: u32,
        /// Programmed or erased.
        what: &'static str,
    },
    /// A request's stages do not add up to its latency.
    #[error("the stages of a request add up to {stages_ps} ps, its latency is {latency_ps} ps")]
    Unaccounted {
        /// Sum of the stages.
        stages_ps: u64,
        /// The latency.
        latency_ps: u64,
    },
    /// The causes of a request's wait do not add up to it.
    #[error("the causes of a request's wait add up to {causes_ps} ps, the wait is {waited_ps} ps")]
    Unexplained {
        /// Sum of the causes.
        causes_ps: u64,
        /// The stage that they are of.
        waited_ps: u64,
    },
    /// A sum over the run does not hold.
    #[error("{what}: {left} on one side, {right} on the other")]
    Unbalanced {
        /// What was to be equal.
        what: &'static str,
        /// One side.
        left: u64,
        /// The other.
        right: u64,
    },
}
