//! Pages stay in their plane.
//!
//! # What it models
//! Collection moves the pages of a victim into the open collection block of the same plane. It is the only destination that chips
//! reach by copyback.
//!
//! # How
//! It is never asked.
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

/// The plane of the victim.
#[derive(Clone, Copy, Debug)]
pub struct SamePlane;

impl Destination for SamePlane {
    type Parameters = ();

    fn new(_own: &()) -> Self {
        Self
    }
}
