//! Over-provisioning, and the resulting write amplification of uniform random writes.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_drive::ftl::{Ftl, SpareSpace, pages_per_written_page};
use venice_fabric::Fabric;
use venice_nand::geometry::Geometry;
use venice_requests::{SECTOR_BYTES, UniformWrites, WriteLaw};

use super::parts::{FinishedRun, ReportPart};

/// Minimum share of pages with data from which the overwritten range counts as full.
const FULL_RATIO: f64 = 0.99;

/// Over-provisioning, in % of the host's capacity.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct OverProvisioningReport {
    /// Difference between the capacity of all flash pages and the host's capacity, in % of the host's
    /// capacity.
    pub nominal_pct: f64,
    /// Spare pages that are available to garbage collection, in % of the host's capacity. Three kinds of
    /// pages are not available: pages of the free blocks below the start threshold, the empty half of open
    /// blocks, and translation pages of the mapping.
    pub effective_pct: f64,
    /// Expected `pages_per_written_page` in the long run, from a closed-form formula. Absent unless all
    /// writes are uniform over one range, each write is within a page, the range is full of data, and the
    /// victim policy is `greedy` or `fifo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages/page"))]
    pub expected_pages_per_written_page: Option<f64>,
}

impl ReportPart for OverProvisioningReport {
    fn of(run: &FinishedRun<'_>) -> Self {
        let space = SpareSpace::of(run.geometry, &run.device.ftl().settings);
        Self {
            nominal_pct: space.over_provisioning_pct(),
            effective_pct: space.effective_pct(),
            expected_pages_per_written_page: expected(run.device, run.geometry, &space),
        }
    }
}

fn expected(device: &Device<dyn Fabric>, geometry: &Geometry, space: &SpareSpace) -> Option<f64> {
    let ftl = device.ftl();
    let slots = ftl.settings.units.slots(geometry);
    let written = uniform_writes(device)?.pages(slots.page_bytes / SECTOR_BYTES)? as f64;
    let mapped = ftl.translation().mapped_pages() as f64;
    let other = mapped - written;
    let is_full = mapped >= FULL_RATIO * (written + space.map_pages);
    let alpha = space.alpha(written, other.max(space.map_pages));
    is_full.then(|| of_victims(ftl, alpha, ftl.settings.units_per_victim(geometry)))?
}

fn of_victims(ftl: &Ftl, alpha: f64, units_per_victim: u32) -> Option<f64> {
    let settings = &ftl.settings;
    let is_divided = settings.partitions.len() > 1;
    if is_divided || ftl.has_external_victims() {
        None
    } else {
        pages_per_written_page(settings.victim, alpha, units_per_victim)
    }
}

/// Returns the distribution of addresses of all writing flows, if it is uniform and the same for all.
fn uniform_writes(device: &Device<dyn Fabric>) -> Option<UniformWrites> {
    let laws = device.host().flows.all().iter().map(|flow| flow.source().write_law());
    let mut writing = laws.filter(|law| *law != WriteLaw::NoWrites);
    let first = writing.next()?;
    match first {
        WriteLaw::Uniform(writes) if writing.all(|law| law == first) => Some(writes),
        _ => None,
    }
}
