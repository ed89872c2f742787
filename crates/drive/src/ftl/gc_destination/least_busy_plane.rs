//! Destination policy that moves pages to the least busy plane of the drive.
//!
//! # What it models
//! Garbage collection that uses many dies at once. Many dies program a victim's pages in parallel, so the
//! victim is erased sooner. Copybacks between controllers, or circuits between chips, make this possible.
//!
//! # How
//! Chooses, among the eligible planes, the one whose die has the fewest outstanding writes of the host and of
//! garbage collection. On a tie, planes take turns in the order in which consecutive logical pages are spread
//! over them, as with dynamic allocation.
//!
//! # What is left out
//! Reads that wait for a die, since a program takes many times as long as a read.
//!
//! # Source
//! Kim, Jung and Kim, "Decoupled SSD", ISCA 2023 (copybacks between any two controllers). The measure of load
//! is a choice of this project: it is that of dynamic allocation (Tavakkol et al., "MQSim", FAST 2018).
//!
//! # Parameters
//! none

use super::{Destination, DestinationPlane, LeastBusyChoice};

/// Policy that chooses the least busy plane of the drive.
#[derive(Clone, Copy, Debug)]
pub struct LeastBusyPlane(LeastBusyChoice);

impl Destination for LeastBusyPlane {
    type Parameters = ();

    const LEAVES: bool = true;

    fn new(_own: &()) -> Self {
        Self(LeastBusyChoice::default())
    }

    fn choose(&mut self, _column: u32, places: &[DestinationPlane]) -> Option<usize> {
        self.0.least_busy(places.iter().enumerate())
    }
}
