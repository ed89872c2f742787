//! Optional capabilities of a fabric, returned by [`Fabric::capabilities`](crate::Fabric::capabilities).
//!
//! Each capability is a trait. A fabric without [`Holds`] holds no paths between transfers. One without
//! [`Hints`] does not predict which offers it would refuse. One without [`Copies`] cannot copy pages between
//! chips. One without [`Topology`] has no names for its paths.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use crate::outbox::Outbox;
use crate::path::NamedPath;
use crate::transfer::{DomainId, Offer, Transfer};

/// Capabilities of a fabric; `None` for a missing capability.
#[derive(Clone, Copy, Default)]
pub struct Capabilities<'a> {
    /// Access to paths that stay reserved for a die between the transfers of an operation.
    pub holds: Option<&'a dyn Holds>,
    /// Hints by which the controller can avoid offers that would be refused.
    pub hints: Option<&'a dyn Hints>,
    /// Copies of pages between two chips. [`Fabric::copies_mut`](crate::Fabric::copies_mut) gives the mutable
    /// access that an offer needs.
    pub copies: Option<&'a dyn Copies>,
    /// Names of the fabric's paths, and the paths that each transfer occupies.
    pub topology: Option<&'a dyn Topology>,
}

impl Capabilities<'_> {
    /// True if the fabric holds a path for the next transfer of `die`.
    #[inline]
    pub fn holds_path(&self, die: DieId) -> bool {
        self.holds.is_some_and(|holds| holds.holds_path(die))
    }

    /// True if an idle fabric can carry a page from `from` to `to` without a controller.
    #[inline]
    pub fn joins(&self, from: ChipId, to: ChipId) -> bool {
        self.copies.is_some_and(|copies| copies.joins(from, to))
    }
}

/// Capability to hold a path for a die between the transfers of an operation (rule 8 of the contract in the
/// crate documentation).
pub trait Holds {
    /// True if the fabric holds a path for the next transfer of `die`. It then accepts this transfer even if
    /// the arbitration domain is busy.
    fn holds_path(&self, die: DieId) -> bool;
}

/// Capability to predict which offers would be refused, and to choose the order of waiting read data.
pub trait Hints {
    /// True if `domain` accepts no transfer, except those of dies with a held path. False if this is unknown
    /// without a path search.
    fn is_full(&self, _domain: DomainId) -> bool {
        false
    }

    /// True if the fabric would refuse every transfer of `chip`, except those of dies with a held path.
    fn refuses(&self, _chip: ChipId, _now: SimTime) -> bool {
        false
    }

    /// True if data that waits in other chips should be offered before the data of `chip`, because a more
    /// suitable path is free for those chips.
    fn defers(&self, _chip: ChipId) -> bool {
        false
    }

    /// True if an accepted transfer of `domain` is known to wait for a path. Commands of scrub are then not offered,
    /// since they might take that path as soon as it is released.
    fn has_waiting(&self, _domain: DomainId) -> bool {
        false
    }

    /// Returns the order in which waiting read data should be offered. True: in the order in which the reads
    /// were created. False: in the order in which the data became ready. The value never changes. It is used
    /// only for arbitration domains that span several rows of chips.
    fn prefers_old_data(&self) -> bool {
        true
    }
}

/// Capability to copy a page from one chip to another without a controller (rule 9 of the contract in the
/// crate documentation).
pub trait Copies {
    /// True if an idle fabric can carry a page from `from` to `to` without a controller.
    fn joins(&self, from: ChipId, to: ChipId) -> bool;

    /// Offers a copy of the page in the page register of `from` to the chip of `transfer`, whose content is a
    /// program command with data. Never returns [`Offer::DomainBusy`].
    fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, now: SimTime, out: &mut Outbox) -> Offer;

    /// Returns the time that a copy takes on an idle fabric, from a closed-form formula.
    fn idle_time_of_copy(&self, transfer: &Transfer, from: ChipId) -> SimSpan;
}

/// Capability to name the paths and to list the paths of each transfer, for traces and for utilisation by
/// path.
pub trait Topology {
    /// Returns the names of the paths. First come the paths of
    /// [`Fabric::path_busy`](crate::Fabric::path_busy) in the same order, then further paths that
    /// [`Self::occupied_by`] reports.
    fn paths(&self) -> Vec<NamedPath>;

    /// Appends the paths that the current transfer of `die` on `chip` occupies, as indices into
    /// [`Self::paths`]. Returns false while the transfer still searches for a path.
    fn occupied_by(&self, chip: ChipId, die: DieId, paths: &mut Vec<u32>) -> bool;
}
