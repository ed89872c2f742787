//! A page-sized piece of work.

use crate::accounting::StageClock;
use crate::geometry::{Lpn, PlaneId, Ppn, Priority};

use super::{Links, Purpose};

/// What is known of the physical page of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// It is being looked up, or a write gets it later.
    Unknown,
    /// It is read; of an erase, it is any of the block's; of an operand, it is where that lies.
    At {
        /// The page.
        ppn: Ppn,
        /// Whether its block is kept from being erased meanwhile.
        is_pinned: bool,
    },
    /// Collection moves it from here, and has no new one for it yet.
    From(Ppn),
    /// It was given out to a write.
    Given {
        /// The page.
        ppn: Ppn,
        /// Programs of its block whose pages were given out before.
        turn: u32,
        /// Whether the write waits for what it does not cover to be read.
        waits_for_read: bool,
    },
}

/// A page-sized piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// What for.
    pub purpose: Purpose,
    /// The plane that does it.
    pub plane: PlaneId,
    /// Of a move: the plane of the victim. Of an operand: the plane that it lies on.
    pub collected: PlaneId,
    /// The logical page; an erase has none.
    pub lpn: Option<Lpn>,
    /// The physical page, as far as it is known.
    pub page: PageState,
    /// Sectors written, one bit each.
    pub sectors: u64,
    /// Bytes that cross the fabric.
    pub bytes: u32,
    /// The stream of a write of the host, or of the write that a page which is read would have.
    pub stream: u16,
    /// The class of who asked for it.
    pub priority: Priority,
    /// The lane of its queue in which it waits.
    pub lane: u8,
    /// The place of that queue among those of its die, once it waits there.
    pub queue: u8,
    /// Whether any of its transfers found no path at its first attempt.
    pub conflicted: bool,
    /// Whether it came to nothing, as its chip was lost.
    pub has_failed: bool,
    /// Where its time went.
    pub clock: StageClock,
    /// When it joined its queue, as a count of transactions that joined any before.
    pub queued: u64,
    /// Its neighbours in the list in which it waits.
    pub links: Links,
}

impl Transaction {
    /// Its physical page, if any is known: of a move, the one that it comes from until it has a new one.
    #[inline]
    pub const fn ppn(&self) -> Option<Ppn> {
        match self.page {
            PageState::Unknown => None,
            PageState::At { ppn, .. } | PageState::From(ppn) | PageState::Given { ppn, .. } => Some(ppn),
        }
    }

    /// The page that a read keeps from being erased with its block.
    #[inline]
    pub const fn pinned(&self) -> Option<Ppn> {
        match self.page {
            PageState::At { ppn, is_pinned: true } => Some(ppn),
            _ => None,
        }
    }

    /// Whether a write has got its page.
    #[inline]
    pub const fn is_placed(&self) -> bool {
        matches!(self.page, PageState::Given { .. })
    }

    /// Whether it is a move to a plane that is not its victim's.
    #[inline]
    pub fn is_guest(&self) -> bool {
        self.purpose == Purpose::GcWrite && self.plane != self.collected
    }

    /// A transaction that waits nowhere yet.
    pub fn new(purpose: Purpose, plane: PlaneId, clock: StageClock) -> Self {
        Self {
            purpose,
            plane,
            collected: plane,
            lpn: None,
            page: PageState::Unknown,
            sectors: 0,
            bytes: 0,
            stream: 0,
            priority: Priority::default(),
            lane: 0,
            queue: 0,
            conflicted: false,
            has_failed: false,
            clock,
            queued: 0,
            links: Links::default(),
        }
    }
}
