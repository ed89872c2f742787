//! Moved pages go to the least busy plane among the chips of their column.
//!
//! # What it models
//! GC over the vertical buses of pnSSD, which connect the chips of a column: a page that stays in its column
//! can be copied from chip to chip.
//!
//! # How
//! Like `least_busy_plane`, but only among planes of the column's chips; other dies and planes of the same
//! chip are included.
//!
//! # What is left out
//! Nothing.
//!
//! # Source
//! Kim et al., "Networked SSD", MICRO 2022 (chip-to-chip copies over the vertical channel); the load measure
//! is ours.
//!
//! # Parameters
//! none

use super::{Destination, DestinationPlane, LeastBusyChoice};

/// Policy that chooses the least busy plane of the same column.
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
