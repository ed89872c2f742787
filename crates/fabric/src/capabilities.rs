//! Optional capabilities of a fabric, returned by [`Fabric::capabilities`](crate::Fabric::capabilities). A
//! fabric without a capability holds no paths, cannot predict refusals, cannot copy pages between chips, or
//! has no names for its paths.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use crate::outbox::Outbox;
use crate::path::NamedPath;
use crate::transfer::{DomainId, Offer, Transfer};

/// Capabilities of a fabric; `None` for a missing capability.
#[derive(Clone, Copy, Default)]
pub struct Capabilities<'a> {
    /// Paths that stay reserved for a die between the transfers of an operation.
    pub holds: Option<&'a dyn Holds>,
    /// Hints that avoid futile offers of transfers.
    pub hints: Option<&'a dyn Hints>,
    /// Copies of pages between two chips. Offers need [`Fabric::copies_mut`](crate::Fabric::copies_mut).
    pub copies: Option<&'a dyn Copies>,
    /// Names of the fabric's paths, and the paths that each transfer occupies.
    pub topology: Option<&'a dyn Topology>,
}

impl Capabilities<'_> {
    /// True if a path is held for the next transfer of `die`.
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

/// Paths that stay reserved for a die between the transfers of an operation (point 8 of the contract in the
/// crate documentation).
pub trait Holds {
    /// True if a path is held for the next transfer of `die`. The transfer is then accepted even if its
    /// arbitration domain is busy.
    fn holds_path(&self, die: DieId) -> bool;
}

/// Hints that allow a caller to skip offers that would be refused, and to order waiting read data.
pub trait Hints {
    /// True if no offer in `domain` can succeed, unless a path is held for its die. Returns false if a fabric
    /// would need a path search to decide this.
    fn is_full(&self, _domain: DomainId) -> bool {
        false
    }

    /// True if every transfer of `chip` would be refused, unless a path is held for its die.
    fn refuses(&self, _chip: ChipId, _now: SimTime) -> bool {
        false
    }

    /// True if waiting read data of other chips should be offered before the data of `chip`, because those
    /// chips have a more suitable path.
    fn defers(&self, _chip: ChipId) -> bool {
        false
    }

    /// True if waiting read data should be offered in the order of page age, false if in the order in which
    /// it became ready. Constant; used only for arbitration domains with several rows of chips.
    fn prefers_old_data(&self) -> bool {
        true
    }
}

/// Copies of pages between two chips without a controller (point 9 of the contract in the crate
/// documentation).
pub trait Copies {
    /// True if an idle fabric can carry a page from `from` to `to` without a controller.
    fn joins(&self, from: ChipId, to: ChipId) -> bool;

    /// Offers a copy: a program command to the transfer's chip, with data from the page register of `from`.
    /// Never returns [`Offer::DomainBusy`].
    fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, now: SimTime, out: &mut Outbox) -> Offer;

    /// Returns the time of a copy on an idle fabric, from a closed-form formula.
    fn idle_time_of_copy(&self, transfer: &Transfer, from: ChipId) -> SimSpan;
}

/// Names of paths, and the paths of each transfer, for traces and for utilisation by path.
pub trait Topology {
    /// Returns the names of the paths: first the paths of [`Fabric::path_busy`](crate::Fabric::path_busy) in
    /// the same order, then further paths that [`Self::occupied_by`] reports.
    fn paths(&self) -> Vec<NamedPath>;

    /// Appends the paths that the current transfer of `die` on `chip` occupies, as indices into
    /// [`Self::paths`]. Returns false while the transfer still searches for a path.
    fn occupied_by(&self, chip: ChipId, die: DieId, paths: &mut Vec<u32>) -> bool;
}
