//! A drive that has been overwritten until garbage collection has settled.
//!
//! # What it models
//! Blocks that collection would have left after a long run of writes of the given pattern: how many valid pages
//! they hold, in which order they became full, how worn they are, how many are free, how far the open ones are
//! written; and which pages lie together.
//!
//! # How
//! Static allocation gives every plane the same share of the pages, and planes collect on their own, so the
//! planes of a drive are one plane many times over. One plane of the drive's own shape is brought to its steady
//! state by the layer's own allocation and victim policy, without time, commands or requests (`sample_plane`).
//! Images of it, taken some writes apart so that planes are at different points of their collection, become the
//! planes of the drive (`plane_image`). This needs as many writes as a plane takes, not as the drive takes,
//! and no formula for a policy: thresholds, partial occupancy, cold data, a map on flash and small blocks count
//! as they count in a run.
//!
//! # What is left out
//! How full the planes' queues are: collection is done with before the next write, or, if it yields to the host, when
//! the host has used up what it may.
//!
//! # Source
//! The closed forms that it is checked against: Van Houdt, "A mean field model for a class of garbage collection
//! algorithms in flash-based solid state drives", SIGMETRICS 2013; Desnoyers, "Analytic modeling of SSD write
//! performance", SYSTOR 2012.
//!
//! # Parameters
//! `[precondition]`

use super::overwrites::Plan;
use super::plane_image::install;
use super::sample_plane::SamplePlane;
use super::settings::PreconditionSettings;
use crate::ftl::Ftl;

/// Most images that are taken: enough that the planes of a drive do not collect in step, few enough to be held in
/// memory at once.
const MOST_IMAGES: u32 = 8;
/// Overwrites between two images, as a share of the plane's pages.
const BETWEEN_IMAGES: f64 = 1.0 / 16.0;

/// Fills the drive.
pub(super) fn fill(ftl: &mut Ftl, settings: &PreconditionSettings) {
    let mut plane = SamplePlane::new(ftl, settings.seed);
    let plan = Plan::at_random(ftl, settings);
    plane.write_first(&plan);
    plane.overwrite(&plan, plan.settling_writes());
    let count = if plan.is_in_step() { 1 } else { ftl.geometry.planes().min(MOST_IMAGES) };
    let apart = (BETWEEN_IMAGES * plan.pages() as f64).ceil() as u64;
    let mut images = Vec::new();
    for _ in 0..count {
        plane.overwrite(&plan, apart);
        images.push(plane.image());
    }
    install(ftl, images, &plan.alike(), settings.seed);
}
