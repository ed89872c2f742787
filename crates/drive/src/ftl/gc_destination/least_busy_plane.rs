//! Moved pages go to the least busy plane of the drive.
//!
//! # What it models
//! GC that uses all dies at once, as global copyback between controllers and circuits between chips allow:
//! many dies program a victim's pages in parallel, and the victim is erased sooner.
//!
//! # How
//! Chooses, among the offered planes, the one whose die has the fewest outstanding writes of host and GC;
//! ties are broken round-robin in the order in which consecutive logical pages visit the planes, as with
//! dynamic allocation.
//!
//! # What is left out
//! Reads that wait for a die: a program takes many times as long.
//!
//! # Source
//! Kim, Jung and Kim, "Decoupled SSD", ISCA 2023 (copybacks between any two controllers); the load measure is
//! ours, taken from dynamic allocation (Tavakkol et al., "MQSim", FAST 2018).
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
