//! A drive that was written once, in order.
//!
//! # What it models
//! Data that has been put on an erased drive and never changed: pages of a region one after another, each plane's
//! blocks full of valid pages, and the rest of the drive erased. At an occupancy below 1 the first pages of a region
//! hold data. No block is worth collecting until the run overwrites something.
//!
//! # How
//! One plane is written, page by page; all planes are like it (see `plane_moments`).
//!
//! # Source
//! "Sequential fill" of SNIA, Solid State Storage Performance Test Specification Enterprise 2.0.1, workload
//! independent preconditioning.
//!
//! # Parameters
//! `precondition.occupancy_pct`, `precondition.start_pct`, `precondition.end_pct`

use super::directly;
use super::overwrites::{Plan, has_like_planes};
use super::plane_moments::install;
use super::sample_plane::SamplePlane;
use super::settings::{GcPace, PreconditionSettings};
use crate::ftl::Ftl;

/// Fills the drive.
pub(super) fn fill(ftl: &mut Ftl, settings: &PreconditionSettings) {
    let plan = Plan::in_order(ftl, settings);
    if !has_like_planes(ftl) {
        directly::fill(ftl, &plan, settings);
        return;
    }
    let mut plane = SamplePlane::new(ftl, GcPace::AtOnce, settings.seed);
    plane.write_first(&plan);
    plane.take_moment();
    install(ftl, vec![plane.end_series()], &[], settings.seed);
}
