//! A page-sized piece of work.

use crate::accounting::StageClock;
use crate::geometry::{Lpn, PlaneId, Ppn, Priority};

use super::{Links, Purpose};

/// A page-sized piece of work.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about a transaction")]
pub struct Transaction {
    /// What for.
    pub purpose: Purpose,
    /// The plane that does it.
    pub plane: PlaneId,
    /// Of a move: the plane of the victim. Of an operand: the plane that it lies on.
    pub collected: PlaneId,
    /// The logical page; an erase has none.
    pub lpn: Option<Lpn>,
    /// Read, erase: the page (any page of the block). Operand: the page that it lies on. Write: once `placed`, the new page; before, where
    /// collection moves it from, or none.
    pub ppn: Option<Ppn>,
    /// Sectors written, one bit each.
    pub sectors: u64,
    /// Bytes that cross the fabric.
    pub bytes: u32,
    /// The stream of a write of the host, or of the write that a page which is read would have.
    pub stream: u16,
    /// Programs of its block whose pages were given out before that of a placed write.
    pub turn: u32,
    /// Whether a write has got its page.
    pub placed: bool,
    /// Whether a placed write waits for what it does not cover to be read.
    pub waits_for_read: bool,
    /// Whether a queued read keeps its block from being erased.
    pub pins_block: bool,
    /// The class of who asked for it.
    pub priority: Priority,
    /// The lane of its queue in which it waits.
    pub lane: u8,
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
            ppn: None,
            sectors: 0,
            bytes: 0,
            stream: 0,
            turn: 0,
            placed: false,
            waits_for_read: false,
            pins_block: false,
            priority: Priority::default(),
            lane: 0,
            conflicted: false,
            has_failed: false,
            clock,
            queued: 0,
            links: Links::default(),
        }
    }
}
