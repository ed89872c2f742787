//! Preconditioning that writes a drive once, in the order of page numbers.
//!
//! # What it models
//! A drive that was erased and then written once. The pages of a region were written one after another, so
//! that blocks are full of valid pages, and the rest of the drive is erased. If the occupancy is below 1, the
//! first pages of a region hold data. Garbage collection finds no victim until the run overwrites data.
//!
//! # How
//! One plane is written, page by page. All planes are copies of it (see `plane_moments`).
//!
//! # Source
//! "Sequential fill" of SNIA, Solid State Storage Performance Test Specification Enterprise 2.0.1, workload
//! independent preconditioning.
//!
//! # Parameters
//! `precondition.occupancy_pct`, `precondition.start_pct`, `precondition.end_pct`

use super::ErasedDrive;
use super::all_planes;
use super::overwrites::{OverwritePlan, has_like_planes};
use super::plane_moments::install;
use super::sample_plane::SamplePlane;
use super::settings::{GcPace, PreconditionSettings};

/// Fills the drive by writing its data once.
pub(super) fn fill(drive: &mut ErasedDrive<'_>, settings: &PreconditionSettings) {
    let plan = OverwritePlan::in_order(drive, settings);
    if !has_like_planes(drive) {
        all_planes::fill(drive, &plan, settings);
        return;
    }
    let mut plane = SamplePlane::new(drive, GcPace::AtOnce, settings.seed);
    plane.write_first(&plan);
    plane.take_moment();
    install(drive, vec![plane.end_series()], &[], settings.seed);
}
