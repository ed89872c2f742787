//! Moved pages stay in their plane.
//!
//! # What it models
//! GC moves the pages of a victim into the open GC block of the same plane. This is the only destination that
//! copyback reaches.
//!
//! # How
//! The defaults of [`Destination`] apply; no plane is ever chosen.
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
