//! Destination policy that moves pages to the least busy plane among the chips of their column.
//!
//! # What it models
//! Garbage collection over the vertical buses of pnSSD. A vertical bus connects the chips of a column, so a
//! page that stays in its column can be copied from chip to chip.
//!
//! # How
//! Like `least_busy_plane`, but only planes of the column's chips are considered. These include the other
//! planes of the page's own chip.
//!
//! # What is left out
//! Nothing.
//!
//! # Source
//! Kim et al., "Networked SSD", MICRO 2022 (chip-to-chip copies over the vertical channel). The measure of
//! load is a choice of this project.
//!
//! # Parameters
//! none

use super::{Destination, DestinationPlane, LeastBusyChoice};

/// Policy that chooses the least busy plane among the chips of the page's column.
#[derive(Clone, Copy, Debug)]
pub struct LeastBusyOfColumn(LeastBusyChoice);

impl Destination for LeastBusyOfColumn {
    type Parameters = ();

    const LEAVES: bool = true;

    fn new(_own: &()) -> Self {
        Self(LeastBusyChoice::default())
    }

    fn choose(&mut self, column: u32, places: &[DestinationPlane]) -> Option<usize> {
        self.0.least_busy(places.iter().enumerate().filter(|(_, place)| place.column == column))
    }
}
