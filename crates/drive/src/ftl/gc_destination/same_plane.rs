//! Destination policy that keeps moved pages in their plane.
//!
//! # What it models
//! Garbage collection (GC) moves the pages of a victim to the open GC block of the same plane. Copyback
//! requires this policy, since it cannot reach other planes.
//!
//! # How
//! The default methods of [`Destination`] are used, which never choose another plane.
//!
//! # What is left out
//! Nothing.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: `GC_and_WL_Unit_Page_Level` moves pages within their plane.
//!
//! # Parameters
//! none

use super::Destination;

/// Policy that keeps pages in the victim's plane.
#[derive(Clone, Copy, Debug)]
pub struct SamePlane;

impl Destination for SamePlane {
    type Parameters = ();

    fn new(_own: &()) -> Self {
        Self
    }
}
