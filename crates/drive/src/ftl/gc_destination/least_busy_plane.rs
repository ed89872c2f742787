//! Pages go to the least busy plane of the drive.
//!
//! # What it models
//! Collection that uses all dies at once, as global copyback between controllers and circuits between chips let it: a victim's pages
//! are programmed by many dies in parallel, and the plane that collects has its block back sooner.
//!
//! # How
//! Of the planes offered, the one whose die has the fewest writes to do, of the host and of collection; equals take turns in the
//! order in which consecutive logical pages visit them, as with dynamic allocation.
//!
//! # What is left out
//! Reads that wait for a die do not count: a program takes many times as long.
//!
//! # Source
//! Kim, Jung and Kim, "Decoupled SSD", ISCA 2023 (copybacks between any two controllers); the measure is ours, that of dynamic
//! allocation (Tavakkol et al., "MQSim", FAST 2018).
//!
//! # Parameters
//! none

use super::{Destination, DestinationPlane, LeastBusyChoice};

/// The plane, anywhere, with least to do.
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
