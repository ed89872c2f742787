//! Additional figure in a report: the spread of erases over the blocks of a drive.
//!
//! # What it models
//! Difference between the largest and the smallest erase count of a block, warm-up included.
//!
//! # What is left out
//! The locations of these blocks.
//!
//! # Source
//! None: this is an example of a figure that is computed from the drive at the end of a run.

use serde::Serialize;
use venice_sim::assembly::Simulation;

/// Largest and smallest erase count of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WearSpread {
    /// Erase count of the least worn block.
    pub least: u32,
    /// Erase count of the most worn block.
    pub most: u32,
}

impl WearSpread {
    /// Reads the erase counters of a drive.
    pub fn of(simulation: &Simulation) -> Self {
        let blocks = simulation.device().ftl().space().blocks();
        let wear = blocks.planes.wear(&blocks.table);
        Self { least: wear.least, most: wear.most }
    }
}
