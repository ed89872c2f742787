//! Transaction: a page-sized unit of work.

use crate::geometry::{Lpn, PlaneId, Ppn, Priority};
use crate::latency::StageClock;

use super::{ListLinks, Purpose};

/// State of a transaction's physical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Not known yet: the page is being looked up, or will be allocated to the write later.
    Unknown,
    /// Page that is known and already written: the page to read, the operand of a gather, or any page of a
    /// block to erase.
    At {
        /// Number of the physical page.
        ppn: Ppn,
        /// True if the page protects its block from being erased.
        is_pinned: bool,
    },
    /// Source page of a relocation whose destination has not been allocated yet.
    From(Ppn),
    /// Page that is allocated to a write.
    Given {
        /// Number of the physical page.
        ppn: Ppn,
        /// Number of pages of the block that were allocated before this one. They are programmed first.
        turn: u32,
        /// True if the write waits for a read of its missing sectors.
        waits_for_read: bool,
    },
}

/// Step that a page of a search has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchStep {
    /// The page waits to be sensed for the first time.
    #[default]
    Queued,
    /// The page has been sensed or is being sensed, and not searched yet.
    Unsearched {
        /// True if no page of the search on the chip is sensed after this one.
        is_last_on_chip: bool,
    },
    /// The chip has found no match in the page.
    NotFound,
    /// The page contains a match.
    Matched,
    /// The chip has computed a result other than a match.
    Computed,
    /// The chip could not decode the page.
    FailedInChip,
    /// The controller searches the page.
    InController,
    /// The page crosses the host link.
    OnLink,
    /// The host searches the page.
    InHost,
}

/// Transaction: a page-sized unit of work of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// Purpose of the transaction.
    pub purpose: Purpose,
    /// Plane that executes the transaction.
    pub plane: PlaneId,
    /// Plane of the victim for a relocation, plane of the source page for an operand of a gather.
    pub collected: PlaneId,
    /// Logical page; `None` for an erase.
    pub lpn: Option<Lpn>,
    /// State of the physical page.
    pub page: PageState,
    /// Bit mask of the written sectors.
    pub sectors: u64,
    /// Bytes transferred over the fabric.
    pub bytes: u32,
    /// Size of the host read that this transaction is a part of, in sectors; 0 for other transactions.
    pub command_sectors: u32,
    /// Write stream of the page. For a read: the stream to which a write of the page would belong.
    pub stream: u16,
    /// Priority class of the request that caused the transaction.
    pub priority: Priority,
    /// Number of the transaction's sub-queue (lane) in its queue.
    pub lane: u8,
    /// Index of the transaction's queue among those of its die, while it waits.
    pub queue: u8,
    /// True if a transfer of the transaction found no path at its first attempt.
    pub conflicted: bool,
    /// True if the transaction failed because its chip has become unreachable.
    pub has_failed: bool,
    /// Step that a page of a search has reached.
    pub search: SearchStep,
    /// Time of the transaction by latency stage.
    pub clock: StageClock,
    /// Sequence number that the transaction received when it was queued.
    pub queued: u64,
    /// Links to the neighbours in the transaction's list.
    pub links: ListLinks,
}

impl Transaction {
    /// Returns the physical page, if known; for a relocation, the source page until a destination is
    /// allocated.
    #[inline]
    pub const fn ppn(&self) -> Option<Ppn> {
        match self.page {
            PageState::Unknown => None,
            PageState::At { ppn, .. } | PageState::From(ppn) | PageState::Given { ppn, .. } => Some(ppn),
        }
    }

    /// Returns the page that a read protects from being erased.
    #[inline]
    pub const fn pinned(&self) -> Option<Ppn> {
        match self.page {
            PageState::At { ppn, is_pinned: true } => Some(ppn),
            _ => None,
        }
    }

    /// True if a page has been allocated to this write.
    #[inline]
    pub const fn is_placed(&self) -> bool {
        matches!(self.page, PageState::Given { .. })
    }

    /// True for a relocation to a plane other than the victim's plane.
    #[inline]
    pub fn is_guest(&self) -> bool {
        self.purpose == Purpose::GcWrite && self.plane != self.collected
    }

    /// Creates a transaction that is in no list.
    pub fn new(purpose: Purpose, plane: PlaneId, clock: StageClock) -> Self {
        Self {
            purpose,
            plane,
            collected: plane,
            lpn: None,
            page: PageState::Unknown,
            sectors: 0,
            bytes: 0,
            command_sectors: 0,
            stream: 0,
            priority: Priority::default(),
            lane: 0,
            queue: 0,
            conflicted: false,
            has_failed: false,
            search: SearchStep::default(),
            clock,
            queued: 0,
            links: ListLinks::default(),
        }
    }
}
